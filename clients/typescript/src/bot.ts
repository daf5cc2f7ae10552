/** What a bot's author writes (`Bot`), and what the bot is given to decide with (`Decision`, `Session`, `End`). */

import type {
  ClockSettings,
  Event,
  FaultSettings,
  GameAction,
  GameOptions,
  GameView,
  Result,
} from "./gen/croupier/v1/game.js";
import type { ActResult, Decision as DecisionMessage, SessionEnd, SessionStart } from "./gen/croupier/v1/play.js";
import { type DecisionWire, readActions, readMessage, readView } from "./wire.js";

type In<Envelope extends { $case: string; value: unknown } | undefined> = NonNullable<Envelope>["value"];

/** The options of any game. */
export type AnyOptions = In<GameOptions["options"]>;
/** The view of any game. */
export type AnyView = In<GameView["view"]>;
/** An action of any game. */
export type AnyAction = In<GameAction["action"]>;

/** What `choose` answers: an action, the index of one of the decision's actions or, for a standing decision, null: wait. */
export type Choice<Action = AnyAction> = Action | number | null;

/**
 * The bot's place in a game. It stays the same object from `onStart` to `onEnd`, across reconnects.
 *
 * A bot may sit in several seats of one game; each of them is a Session of its own, with the same id.
 */
export class Session<Data = unknown> {
  /** Its name on the server. Opaque. */
  readonly id: string;
  /** The game's name: "trick-and-trade". */
  readonly game: string;
  /** The version of the game's rules. */
  readonly rulesVersion: number;
  /** The bot's own seat, 0-based. */
  readonly seat: number;
  /** Number of seats. */
  readonly seats: number;
  /** The game's own options; undefined of a game that this SDK is too old to know. */
  readonly options: AnyOptions | undefined;
  /** The clock of every seat. */
  readonly clock: ClockSettings | undefined;
  /** How failing bots are treated. */
  readonly faults: FaultSettings | undefined;
  /** Whether the server had told the bot of this session before, perhaps an earlier run of it. */
  readonly resumed: boolean;
  /** SHA-256 of the session's seed, 32 bytes; empty where the organiser gave the seed. */
  readonly seedCommitment: Uint8Array;
  /** How many events the bot knows to have happened. */
  seq: number;
  /** Whatever the bot wants to keep for this session; undefined until it does. */
  data!: Data;

  constructor(start: SessionStart) {
    this.id = start.sessionId;
    this.game = start.game;
    this.rulesVersion = start.rulesVersion;
    this.seat = start.seat;
    this.seats = start.seats;
    this.options = start.options?.options?.value;
    this.clock = start.clock;
    this.faults = start.faults;
    this.resumed = start.resumed;
    this.seedCommitment = start.seedCommitment;
    this.seq = Number(start.seq);
  }

  toString(): string {
    return `session ${this.id} (${this.game}, seat ${this.seat})`;
  }
}

/**
 * The bot is asked to decide.
 *
 * Its parameters are the game's View and Action and what the bot keeps in a session; each game's helper module names the
 * first two, as in `trickAndTrade.Decision`.
 */
export class Decision<View = AnyView, Action = AnyAction, Data = unknown> {
  /** The game in which it is asked. */
  readonly session: Session<Data>;
  /** When it came, as `performance.now()` has it: by then its think time was running. */
  readonly received: number;
  /** Its number, ascending in its session. */
  readonly id: number;
  /** 1 when first asked, then one more after each illegal answer. */
  readonly attempt: number;
  /** How many events had happened in the session when the view was made. */
  readonly seq: number;
  /** Whether this may be answered at any time or never (null); it is asked anew after every change. */
  readonly standing: boolean;
  /** How many legal actions there are. It is quicker than to look at them. */
  readonly count: number;

  readonly #wire: DecisionWire;
  #view: View | undefined;
  #actions: readonly Action[] | undefined;
  #message: DecisionMessage | undefined;
  #cancel: AbortController | undefined;

  /** Made by the SDK. For tests of bots: `new Decision(session, readDecision(DecisionMessage.encode(...).finish()))`. */
  constructor(session: Session<Data>, wire: DecisionWire, received = 0) {
    this.session = session;
    this.received = received;
    this.id = wire.id;
    this.attempt = wire.attempt;
    this.seq = wire.seq;
    this.standing = wire.standing;
    this.count = wire.count;
    this.#wire = wire;
  }

  /** All that the bot may know of the game: the game's own View message. It is read when it is first asked for. */
  get view(): View {
    this.#view ??= readView(this.#wire) as View;
    return this.#view;
  }

  /** The legal actions: the game's own Action messages, at least one. They are read when they are first asked for. */
  get actions(): readonly Action[] {
    this.#actions ??= readActions(this.#wire) as Action[];
    return this.#actions;
  }

  /** Milliseconds to think before the bank is used; undefined for a standing decision. */
  get thinkTime(): number | undefined {
    return this.#wire.thinkTime;
  }

  /** Milliseconds left in the bank, for all decisions that need more than their think time. */
  get bank(): number {
    return this.#wire.bank;
  }

  /** Milliseconds that the seat's previous decision was charged. */
  get lastCharged(): number {
    return this.#wire.lastCharged;
  }

  /** The decision as it came, for whatever is not offered above. */
  get message(): DecisionMessage {
    this.#message ??= readMessage(this.#wire);
    return this.#message;
  }

  /** Aborted when the answer is no longer wanted, so that an async `choose` can stop. */
  get signal(): AbortSignal {
    this.#cancel ??= new AbortController();
    return this.#cancel.signal;
  }

  /** Called by the SDK. */
  cancel(): void {
    this.#cancel ??= new AbortController();
    this.#cancel.abort();
  }

  toString(): string {
    return `decision ${this.id} of ${this.session.toString()}`;
  }
}

/** How a session ended, as the bot's seat sees it. */
export class End<View = AnyView, Data = unknown> {
  constructor(
    /** The session that is over. */
    readonly session: Session<Data>,
    /** The end as it came, for whatever is not offered below. */
    readonly message: SessionEnd,
  ) {}

  /** Points and placings of all seats; undefined where the session was stopped before its end. */
  get result(): Result | undefined {
    return this.message.result;
  }

  /** The bot's own points; undefined without a result. */
  get points(): number | undefined {
    return this.message.result?.points[this.session.seat];
  }

  /** The bot's own placing, 1 is best; undefined without a result. */
  get placing(): number | undefined {
    return this.message.result?.placings[this.session.seat];
  }

  /** The final view of the bot's seat, the game's own View message; undefined without a result. */
  get view(): View | undefined {
    return this.message.view?.view?.value as View | undefined;
  }

  /** The session's seed, 32 bytes, whose SHA-256 is `session.seedCommitment`; empty where there was none. */
  get seed(): Uint8Array {
    return this.message.seed;
  }
}

/**
 * A player. Write `choose`; the hooks below it are there for those who want them.
 *
 *     class First extends Bot {
 *       choose(decision: Decision) {
 *         return decision.actions[0];
 *       }
 *     }
 *
 * One instance plays all of the bot's sessions, any number of them side by side; what belongs to one session goes into
 * `decision.session.data`. While one method computes, everything else of the bot waits, so a bot that needs more than some
 * milliseconds makes `choose` async and computes elsewhere, in a worker or another process.
 *
 * Where a method throws, the error is logged, no answer is sent, and that session's clock decides; the other sessions go
 * on. The option `onError: "throw"` stops at the first error instead, as one wants while writing a bot.
 */
export abstract class Bot<View = AnyView, Action = AnyAction, Data = unknown> {
  /** The games that it plays, by name; none: any. */
  readonly games: readonly string[] = [];
  /** How many sessions it plays at once, at most; 0: any number. */
  readonly maxSessions: number = 0;
  /** Whether `onEvents` is to be called. A bot that decides from the view alone is served faster without. */
  readonly wantsEvents: boolean = false;

  /**
   * Decide: return one of `decision.actions`, or its index; for a standing decision also null: wait.
   *
   * May be async. `decision.signal` is aborted when its answer is no longer wanted: when the decision is asked anew or
   * another one is, when its time has run out, when the session is over.
   */
  abstract choose(decision: Decision<View, Action, Data>): Choice<Action> | Promise<Choice<Action>>;

  /** Sit down in a session: the place to set up `session.data`. */
  onStart?(session: Session<Data>): void;

  /** See what has happened, in order and without gaps; only called if the bot `wantsEvents`. */
  onEvents?(session: Session<Data>, events: readonly Event[]): void;

  /** Forget the events after `session.seq`: the server lost them in a crash, and the game goes on from there. */
  onRewind?(session: Session<Data>): void;

  /** Hear that an answer was illegal, late, stale or otherwise not taken. */
  onResult?(session: Session<Data>, result: ActResult): void;

  /** Leave a session that is over. */
  onEnd?(session: Session<Data>, end: End<View, Data>): void;
}
