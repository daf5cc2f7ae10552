/**
 * A server that does what a test tells it: the test accepts streams, speaks as the server, and sees the bot's answers.
 *
 *     const stream = await server.accept();
 *     stream.say(start("a"), ask("a", 1)); // one frame
 *     await stream.hears(act("a", 1, 0)); // one frame
 */

import assert from "node:assert/strict";
import { setTimeout as timeout } from "node:timers/promises";
import type { TestContext } from "node:test";

import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js";

import { GameAction } from "../src/gen/croupier/v1/game.js";
import {
  ActOutcome,
  ActResult,
  type ClientMessage,
  Decision as DecisionMessage,
  EndReason,
  type Hello,
  PlayRequest,
  PlayResponse,
  PlayServiceService,
  ServerMessage,
  SessionEnd,
  SessionStart,
} from "../src/gen/croupier/v1/play.js";
import {
  Bot,
  type Choice,
  type Decision,
  type End,
  type Logger,
  type Options,
  play,
  type Session,
} from "../src/index.js";
import { patience } from "../src/seats.js";
import { type Action, type Card, GAME, View } from "../src/trick-and-trade.js";

const PATIENCE = 60_000; // milliseconds until a test that waits for something gives up, on however busy a machine

patience.milliseconds = PATIENCE; // a busy machine is not to look like a slow bot

/** Values that one side has and the other waits for. */
export class Queue<Value> {
  readonly values: Value[] = [];
  readonly #waiting: ((value: Value) => void)[] = [];

  push(value: Value): void {
    const next = this.#waiting.shift();
    if (next) next(value);
    else this.values.push(value);
  }

  async next(what: string): Promise<Value> {
    if (this.values.length > 0) return this.values.shift() as Value;
    return patiently(new Promise<Value>((resolve) => this.#waiting.push(resolve)), what);
  }
}

export async function patiently<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  const enough = new AbortController();
  const never = timeout(PATIENCE, undefined, { signal: enough.signal }).then(
    () => assert.fail(`waited for ${what} in vain`),
    () => undefined as never,
  );
  try {
    return await Promise.race([promise, never]);
  } finally {
    enough.abort();
  }
}

type Call = ServerDuplexStream<PlayRequest, PlayResponse>;

/** One stream, from the server's side; its Hello has been read. */
export class Stream {
  readonly #frames = new Queue<PlayRequest | undefined>();

  constructor(
    readonly call: Call,
    readonly hello: Hello,
  ) {
    call.on("data", (frame: PlayRequest) => {
      this.#frames.push(frame);
    });
    for (const end of ["end", "close", "cancelled"]) {
      call.on(end, () => {
        this.#frames.push(undefined);
      });
    }
    call.on("error", () => undefined);
  }

  get token(): unknown {
    return this.call.metadata.get("authorization")[0];
  }

  /** Send messages in one frame. */
  say(...messages: ServerMessage[]): void {
    this.call.write({ messages });
  }

  /** Send messages in one frame, each with a field that this SDK does not know. */
  sayNewer(...messages: ServerMessage[]): void {
    const unknown = Buffer.from("a20603616263", "hex"); // field 100
    const frame = messages.map((message) => {
      const bytes = ServerMessage.encode(message).finish();
      const body = Buffer.concat([unknown, bytes]);
      return Buffer.concat([Buffer.from([0x0a, ...varint(body.length)]), body]);
    });
    (this.call as unknown as { write(raw: Raw): void }).write(new Raw(Buffer.concat(frame)));
  }

  /** Check what the bot says in its next frame. */
  async hears(...messages: ClientMessage[]): Promise<void> {
    const frame = await this.#frames.next("a frame");
    assert(frame, "the bot has ended the stream");
    assert.deepEqual(frame.messages, messages);
  }

  /** Wait until the bot has ended the stream. */
  async gone(): Promise<void> {
    while (await this.#frames.next("the end of the stream"));
  }

  /** End the stream. */
  end(code: status, details: string): void {
    this.call.emit("error", { code, details });
  }

  lose(): void {
    this.end(status.UNAVAILABLE, "going down");
  }
}

/** A frame whose bytes are made by hand. */
class Raw {
  constructor(readonly bytes: Buffer) {}
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [(number & 127) | 128, ...varint(number >>> 7)];
}

/** Hands each stream that a bot opens to the test. */
export class FakeServer {
  readonly #server = new Server();
  readonly #streams = new Queue<Stream>();
  readonly #refusals: { code: status; details: string; metadata: Metadata }[] = [];
  target = "";

  static async start(test: TestContext, credentials = ServerCredentials.createInsecure()): Promise<FakeServer> {
    const server = new FakeServer();
    const definition = {
      ...PlayServiceService.play,
      responseSerialize: (frame: PlayResponse | Raw) =>
        frame instanceof Raw ? frame.bytes : Buffer.from(PlayResponse.encode(frame).finish()),
    };
    server.#server.addService({ play: definition }, { play: server.#play.bind(server) });
    const port = await new Promise<number>((resolve, reject) => {
      server.#server.bindAsync("127.0.0.1:0", credentials, (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    server.target = `localhost:${port}`;
    test.after(() => {
      server.#server.forceShutdown();
    });
    return server;
  }

  get waiting(): number {
    return this.#streams.values.length;
  }

  refuse(code: status, details: string, metadata = new Metadata()): void {
    this.#refusals.push({ code, details, metadata });
  }

  /** Return the next stream that a bot opens, greeted. */
  async accept(): Promise<Stream> {
    const stream = await this.acceptSilently();
    stream.say(welcome());
    await stream.hears(ack());
    return stream;
  }

  acceptSilently(): Promise<Stream> {
    return this.#streams.next("a stream");
  }

  #play(call: Call): void {
    call.on("error", () => undefined);
    const refusal = this.#refusals.shift();
    if (refusal) {
      call.emit("error", refusal);
      return;
    }
    call.once("data", ({ messages }: PlayRequest) => {
      const [first] = messages;
      assert(messages.length === 1 && first?.message?.$case === "hello", "Hello comes first, and alone");
      this.#streams.push(new Stream(call, first.message.value));
    });
  }
}

// What a server says.

export function welcome(maxFrameBytes = 0): ServerMessage {
  const value = { protocol: 1, bot: "bot", server: "fake 1", maxFrameBytes };
  return ServerMessage.fromPartial({ message: { $case: "welcome", value } });
}

export function start(sessionId: string, fields: Partial<SessionStart> = {}): ServerMessage {
  const value = SessionStart.fromPartial({ sessionId, game: GAME, seat: 2, seats: 4, ...fields });
  return { message: { $case: "sessionStart", value } };
}

export function ask(sessionId: string, decisionId: number, fields: Partial<DecisionMessage> = {}): ServerMessage {
  const cards: Card[] = [1, 2, 3];
  const value = DecisionMessage.fromPartial({
    ...{ sessionId, decisionId, attempt: 1, seat: 2, ...(fields.standing ? {} : { thinkTimeMs: 1000 }) },
    actions: cards.map((card) => playing(card)),
    view: { view: { $case: "trickAndTrade", value: View.fromPartial({ hand: cards }) } },
    ...fields,
  });
  return { message: { $case: "decision", value } };
}

export function playing(card: Card): GameAction {
  const value: Action = { action: { $case: "play", value: card } };
  return { action: { $case: "trickAndTrade", value } };
}

export function result(
  sessionId: string,
  decisionId: number,
  outcome: ActOutcome,
  fields: Partial<ActResult> = {},
): ServerMessage {
  const value = ActResult.fromPartial({ sessionId, decisionId, outcome, seat: 2, ...fields });
  return { message: { $case: "actResult", value } };
}

export function events(sessionId: string, ...seqs: number[]): ServerMessage {
  const all = seqs.map((seq) => ({ seq: BigInt(seq), event: { $case: "vacated" as const, value: { seat: 0 } } }));
  return { message: { $case: "events", value: { sessionId, seat: 2, events: all } } };
}

export function over(sessionId: string, seat = 2): ServerMessage {
  const value = SessionEnd.fromPartial({
    ...{ sessionId, seat, seq: 99n, reason: EndReason.FINISHED },
    result: { points: [10, 40, 30, 20], placings: [4, 1, 2, 3] },
    view: { view: { $case: "trickAndTrade", value: View.fromPartial({ table: { round: 10 } }) } },
  });
  return { message: { $case: "sessionEnd", value } };
}

export function ping(nonce: bigint): ServerMessage {
  return { message: { $case: "ping", value: { nonce } } };
}

export function drain(reason: string): ServerMessage {
  return { message: { $case: "drain", value: { graceMs: 5000, reason } } };
}

// What a bot answers.

export function act(sessionId: string, decisionId: number, index: number): ClientMessage {
  const value = { sessionId, decisionId, choice: { $case: "index" as const, value: index } };
  return { message: { $case: "act", value } };
}

export function actWith(sessionId: string, decisionId: number, card: Card): ClientMessage {
  const value = { sessionId, decisionId, choice: { $case: "action" as const, value: playing(card) } };
  return { message: { $case: "act", value } };
}

export function ack(): ClientMessage {
  return { message: { $case: "ack", value: {} } };
}

export function pong(nonce: bigint): ClientMessage {
  return { message: { $case: "pong", value: { nonce } } };
}

// Playing.

/** What the SDK has logged, as text with the level before each line. */
export class Log implements Logger {
  text = "";

  debug(): void {
    // not told
  }

  info(message: string): void {
    this.text += `info ${message}\n`;
  }

  warn(message: string): void {
    this.text += `warn ${message}\n`;
  }

  error(message: string, error?: unknown): void {
    this.text += `error ${message}: ${error instanceof Error ? (error.stack ?? "") : String(error)}\n`;
  }
}

/** Takes the first legal action, or what a function chooses, and remembers all that it was told. */
export class Recorder extends Bot {
  override readonly wantsEvents: boolean = true;
  readonly told: unknown[] = [];
  readonly decisions: Decision[] = [];

  constructor(readonly chooseSo: (decision: Decision) => unknown = () => 0) {
    super();
  }

  choose(decision: Decision): Choice {
    this.decisions.push(decision);
    return this.chooseSo(decision) as Choice;
  }

  override onStart(session: Session): void {
    this.told.push(["start", session.id]);
  }

  override onEvents(session: Session, all: readonly { seq: bigint }[]): void {
    this.told.push(["events", session.id, ...all.map(({ seq }) => Number(seq))]);
  }

  override onRewind(session: Session): void {
    this.told.push(["rewind", session.id, session.seq]);
  }

  override onResult(session: Session, heard: ActResult): void {
    this.told.push(["result", session.id, heard.outcome]);
  }

  override onEnd(session: Session, end: End): void {
    this.told.push(["end", session.id, end.placing]);
  }
}

/** A bot at a server until the test is over, with a clock of its own between two connections. */
export class Played {
  readonly log = new Log();
  readonly pauses: number[] = [];
  readonly #stop = new AbortController();
  readonly ended: Promise<unknown>;

  constructor(test: TestContext, target: string, bot: Bot, options: Options = {}) {
    const sleep = (milliseconds: number) => {
      this.pauses.push(milliseconds);
      return Promise.resolve();
    };
    const defaults = { target, name: "bot", tls: false, logger: this.log, signal: this.#stop.signal };
    const ended = play(bot, { ...defaults, backoff: { random: () => 1, sleep }, ...options });
    this.ended = ended.catch((error: unknown) => error ?? "an error that is none");
    test.after(() => {
      this.stop();
    });
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Return the error with which playing ended; undefined: it just ended. */
  end(): Promise<unknown> {
    return patiently(this.ended, "the end of the playing");
  }
}
