/** A bot's connection to one server: a stream, and after its loss another one. */

import { Client, type ClientDuplexStream, type ClientOptions, Metadata, type ServiceError } from "@grpc/grpc-js";

import { type Backoff, delay } from "./backoff.js";
import { causeOf, CLOSED_AT_ONCE, final, LOST, ServerError } from "./errors.js";
import { PlayServiceService, type SessionStart, type Welcome } from "./gen/croupier/v1/play.js";
import type { Playing } from "./playing.js";
import { Seats } from "./seats.js";
import { BadCertificate, credentials, type Tls } from "./tls.js";
import { VERSION } from "./version.js";

const LOCAL = /^(localhost:|127\.|\[::1\]:|unix:)/;
const FRAME_LIMIT = 4 * 1024 * 1024; // bytes; frames stay below 256 KiB

const OPTIONS: ClientOptions = {
  // A peer that has stopped is noticed after half a minute.
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.max_receive_message_length": FRAME_LIMIT,
  "grpc.max_send_message_length": FRAME_LIMIT,
  // Waiting before a reconnect is ours to do, with jitter: a new channel starts from nothing.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.primary_user_agent": `croupier-typescript/${VERSION}`,
};

/** The bot's seats at one server, and the streams through which they are played. */
export class Connection {
  /** Sessions that were sent here by another server and are not over yet. */
  readonly expected = new Set<string>();
  readonly seats: Seats;
  #frames = 0; // read from the stream of the day

  constructor(
    readonly playing: Playing,
    /** "host:port". */
    readonly target: string,
    /** What to show there when the next stream opens. */
    public token: string,
    /** Whether the bot stays when there is nothing left to play. */
    readonly home: boolean,
    readonly tls: Tls,
    readonly backoff: Backoff,
    listener: { moved(message: SessionStart): void; over(sessionId: string): void },
  ) {
    this.seats = new Seats(playing, target, {
      ...listener,
      welcome: (message) => {
        this.#welcomed(message);
      },
    });
  }

  /**
   * Play, over as many streams as it takes, until there is nothing left to play here or playing is over.
   *
   * @throws ServerError where the server will not have the bot.
   */
  async keep(): Promise<void> {
    const { log, over } = this.playing;
    let failures = 0;
    try {
      while (this.#wanted()) {
        const reason = await this.#stream();
        if (!this.#wanted()) break;
        if (this.#frames > 1) failures = 0; // a greeting alone is no success: the next frame may be what breaks it
        const what = this.#frames > 0 ? "lost" : "cannot reach";
        const wait = delay(this.backoff, failures);
        failures++;
        // The first try is told of, and the second, fourth, eighth, ...: a server may be away for days.
        const level = Number.isInteger(Math.log2(failures)) ? "warn" : "debug";
        log[level](`${what} ${this.target} (${reason}); trying again in ${(wait / 1000).toFixed(1)} s`);
        await this.backoff.sleep(wait, over);
      }
    } finally {
      this.seats.leave();
    }
  }

  #wanted(): boolean {
    return !this.playing.over.aborted && (this.home || this.expected.size > 0 || this.seats.size > 0);
  }

  /** Play over one stream; return why it ended. */
  async #stream(): Promise<string> {
    this.#frames = 0;
    // A proxy of the environment can lead anywhere but to this machine.
    const options = LOCAL.test(this.target) ? { ...OPTIONS, "grpc.enable_http_proxy": 0 } : OPTIONS;
    let client: Client;
    try {
      client = new Client(this.target, credentials(this.tls), options);
    } catch (error) {
      // They were good when the bot was started: perhaps they are being renewed.
      if (error instanceof BadCertificate) return error.message;
      throw error;
    }
    const metadata = new Metadata();
    const token = this.token.trim(); // one that was read from a file ends with a newline
    if (token !== "") metadata.set("authorization", `Bearer ${token}`);
    const { path } = PlayServiceService.play;
    const call: Call = client.makeBidiStreamRequest(path, buffer, (bytes) => bytes, metadata, {});
    call.on("error", () => undefined); // told below; one that comes later is nobody's concern
    const cancel = () => {
      call.cancel();
    };
    this.playing.over.addEventListener("abort", cancel, { once: true });
    try {
      this.seats.openStream((frame) => call.write(frame));
      for await (const frame of call as AsyncIterable<Buffer>) {
        this.#frames++;
        await this.seats.receive(frame);
        if (!this.#wanted()) return "nothing left to play";
      }
      return "the server closed the stream";
    } catch (error) {
      return this.#reason(error);
    } finally {
      this.playing.over.removeEventListener("abort", cancel);
      call.cancel();
      client.close();
    }
  }

  #reason(error: unknown): string {
    if (!isServiceError(error)) return error instanceof Error ? error.message : String(error); // a frame beyond reading
    if (this.playing.over.aborted) return "stopped";
    const refused = final(error);
    if (refused) throw refused;
    const reason = causeOf(error);
    return reason === LOST && this.#frames === 0 ? CLOSED_AT_ONCE : reason;
  }

  #welcomed(welcome: Welcome): void {
    const server = welcome.server ? ` (${welcome.server})` : "";
    this.playing.log.info(`connected as ${welcome.bot || this.playing.name} to ${this.target}${server}`);
  }
}

type Call = ClientDuplexStream<Uint8Array, Buffer>;

function buffer(frame: Uint8Array): Buffer {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}

/** The connection to the server that was named, and those to servers to which it has sent the bot on. */
export class Connections {
  readonly #open = new Map<Connection, Promise<void>>();

  constructor(
    readonly playing: Playing,
    readonly tls: Tls,
    readonly backoff: Backoff,
  ) {}

  /** Begin to keep a connection: for good if it is the bot's home, else until nothing is left to play there. */
  open(target: string, token: string, home: boolean, expected: Iterable<string> = []): void {
    const connection = new Connection(this.playing, target, token, home, this.tls, this.backoff, {
      moved: (message) => {
        this.#follow(message);
      },
      over: (sessionId) => {
        this.#forget(sessionId);
      },
    });
    for (const sessionId of expected) connection.expected.add(sessionId);
    const keeping = connection.keep().then(
      () => {
        this.#closed(connection, undefined);
      },
      (error: unknown) => {
        this.#closed(connection, error);
      },
    );
    this.#open.set(connection, keeping);
  }

  /** Wait for all connections to end. */
  async close(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  /** Go where a session is hosted. There is one connection to each server, for all the sessions it hosts. */
  #follow({ sessionId, endpoint, seatToken }: SessionStart): void {
    this.playing.log.info(`session ${sessionId} is hosted by ${endpoint}`);
    this.#forget(sessionId);
    for (const connection of this.#open.keys()) {
      if (connection.target === endpoint && !connection.home) {
        connection.token = seatToken;
        connection.expected.add(sessionId);
        return;
      }
    }
    this.open(endpoint, seatToken, false, [sessionId]);
  }

  /** Expect a session nowhere any more. */
  #forget(sessionId: string): void {
    for (const connection of this.#open.keys()) connection.expected.delete(sessionId);
  }

  #closed(connection: Connection, error: unknown): void {
    const { home, target, token, expected } = connection;
    this.#open.delete(connection);
    if (this.playing.over.aborted) return;
    if (error instanceof ServerError && !home) {
      this.playing.log.warn(`${target} does not let the bot play there: ${error.message}`);
    } else if (error !== undefined) {
      this.playing.stop(error);
    } else if (expected.size > 0) {
      this.open(target, token, false, expected); // a session was sent there at the moment of closing
    }
  }
}
