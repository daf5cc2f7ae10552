/** Playing a bot: `main` as the whole of a program, `run` until a signal comes, `play` within a program. */

import { basename } from "node:path";

import { BACKOFF, type Backoff } from "./backoff.js";
import type { Bot } from "./bot.js";
import { Connections } from "./connection.js";
import { type Logger, STDERR } from "./log.js";
import { Playing } from "./playing.js";
import { credentials, fromEnvironment, type Tls } from "./tls.js";

const DEFAULT_TARGET = "localhost:7700";

/** host:port, with [::1]:7700 for IPv6, and what else gRPC takes: dns:///host:port, unix:/path. */
const TARGET = /^(?:(?:dns:(?:\/\/[^/\s]*\/)?)?(?:[^\s:/[\]]+|\[[^\s/[\]]+\]):(?<port>\d{1,5})|unix:.+)$/;

/** Where and how to play. What is left out is taken from the environment or has a default. */
export interface Options {
  /** The server, "host:port"; none: CROUPIER_TARGET of the environment, or else "localhost:7700". */
  readonly target?: string;
  /**
   * The bot's name on the server, 1 to 64 characters a-z 0-9 - _ .; none: CROUPIER_NAME of the environment, or else that of
   * the bot's class (`class RandomBot`: "random-bot").
   */
  readonly name?: string;
  /** What proves the name, where the server asks for proof; none: CROUPIER_TOKEN of the environment, or else none. */
  readonly token?: string;
  /**
   * How to encrypt; none: what CROUPIER_TLS (1), CROUPIER_TLS_CA, CROUPIER_TLS_CERT and CROUPIER_TLS_KEY of the environment
   * say, or else plain text.
   */
  readonly tls?: Tls;
  /** Return when so many sessions are over, leaving any others; none: never. */
  readonly sessions?: number;
  /**
   * What an error in the bot's code does. "log": it is logged, the session's clock decides, and the other sessions go on;
   * for bots at work. "throw": everything stops and the error is thrown; for bots being written.
   */
  readonly onError?: "log" | "throw";
  /** Is told what happens to connections, sessions and answers; none: stderr is. */
  readonly logger?: Logger;
  /** How long to wait before trying again. */
  readonly backoff?: Partial<Backoff>;
  /** Ends the playing when it is aborted. */
  readonly signal?: AbortSignal;
}

// A bot of one game's types is a bot: it is shown nothing but that game.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyBot = Bot<any, any, any>;

/**
 * Play a bot as the whole of a program, with the settings that the environment names: until SIGINT or SIGTERM, then it ends
 * with exit code 0. Where the bot cannot play, it says why in a line on stderr and ends with exit code 1.
 */
export async function main(bot: AnyBot): Promise<never> {
  const program = basename(process.argv[1] ?? "bot", ".js");
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) {
    const help = argument === "-h" || argument === "--help";
    if (!help) {
      process.stderr.write(`unknown argument ${JSON.stringify(argument)}: a bot with arguments of its own uses run\n`);
    }
    (help ? process.stdout : process.stderr).write(usage(program, kebab(bot.constructor.name)));
    process.exit(help ? 0 : 2);
  }
  try {
    await run(bot);
  } catch (error) {
    process.stderr.write(`${program}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  process.exit(0);
}

const usage = (program: string, name: string) => `usage: ${program}

Plays at a Croupier server until it is stopped. Its settings come from the environment:

  CROUPIER_TARGET    the server, host:port (default: ${DEFAULT_TARGET})
  CROUPIER_NAME      the bot's name on the server (default: ${name})
  CROUPIER_TOKEN     what proves the name
  CROUPIER_TLS       1: encrypt, trusting the usual authorities
  CROUPIER_TLS_CA    encrypt, trusting the authorities in this PEM file
  CROUPIER_TLS_CERT  the bot's own certificate, a PEM file
  CROUPIER_TLS_KEY   its private key, a PEM file
`;

/** Play until SIGINT or SIGTERM, which it takes for a wish and not for an error; else like `play`. */
export async function run(bot: AnyBot, options: Options = {}): Promise<void> {
  const stop = new AbortController();
  const abort = () => {
    stop.abort();
  };
  process.once("SIGINT", abort).once("SIGTERM", abort);
  const signals = options.signal ? [options.signal, stop.signal] : [stop.signal];
  try {
    await play(bot, { ...options, signal: AbortSignal.any(signals) });
  } finally {
    process.off("SIGINT", abort).off("SIGTERM", abort);
  }
}

/**
 * Seat a bot at a server and play, until the signal is aborted or so many sessions are over.
 *
 * While the server cannot be reached, it is tried again and again. A lost connection costs no session: the server asks
 * again what was open, a choice that is in progress goes on, and nothing is chosen twice. Where a session is hosted by
 * another server, the SDK goes there.
 *
 * @throws Refused where the server will not have this bot, and asking again would not help.
 * @throws Replaced where a newer connection of the same bot took over.
 * @throws BadCertificate where a file for TLS cannot be used.
 * @throws TypeError or RangeError where the bot, its name or another setting is none.
 */
export async function play(bot: AnyBot, options: Options = {}): Promise<void> {
  const environment = process.env;
  const target = firstOf(options.target, environment.CROUPIER_TARGET, DEFAULT_TARGET);
  const name = firstOf(options.name, environment.CROUPIER_NAME, kebab(bot.constructor.name));
  const token = firstOf(options.token, environment.CROUPIER_TOKEN);
  if (!/^[a-z0-9._-]{1,64}$/.test(name)) {
    throw new RangeError(
      `${JSON.stringify(name)} is no name for a bot: it takes 1 to 64 of the characters a-z 0-9 . _ -`,
    );
  }
  const tls = options.tls ?? fromEnvironment(environment);
  credentials(tls); // better now than at every attempt to connect
  const { logger = STDERR, onError = "log", sessions, signal } = options;
  check(bot, target, token, sessions, onError);
  const playing = new Playing(bot as Bot, name, logger, onError, sessions);
  const connections = new Connections(playing, tls, { ...BACKOFF, ...options.backoff });
  const stop = () => {
    playing.stop();
  };
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  connections.open(target, token, true);
  try {
    await playing.end();
  } finally {
    signal?.removeEventListener("abort", stop);
    await connections.close();
  }
}

/** See that this is a bot and these are settings with which it can play; plain JavaScript may have anything. */
function check(bot: AnyBot, target: string, token: string, sessions: number | undefined, onError: string): void {
  if (!Array.isArray(bot.games)) {
    throw new TypeError(`games must be an array of names, not ${JSON.stringify(bot.games)}`);
  }
  const found = TARGET.exec(target);
  const port = Number(found?.groups?.port ?? 1);
  if (!found || port < 1 || port > 65535) {
    throw new RangeError(`target ${JSON.stringify(target)} is no address: it takes "host:port"`);
  }
  if (!/^[ -~]*$/.test(token.trim())) throw new RangeError("token: it takes one line of printable ASCII characters");
  if (sessions !== undefined && !(sessions >= 1)) {
    throw new RangeError(`sessions is 1 or more, or undefined: no end, not ${String(sessions)}`);
  }
  if (onError !== "log" && onError !== "throw") {
    throw new RangeError(`onError is "log" or "throw", not ${JSON.stringify(onError)}`);
  }
}

/** Turn a class name into a bot's name: RandomBot into random-bot. */
export function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase();
}

function firstOf(...values: (string | undefined)[]): string {
  return values.find((value) => value !== undefined && value !== "") ?? "";
}
