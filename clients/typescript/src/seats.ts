/**
 * The bot's seats at one server: what the server says is turned into calls of the bot, and its choices into acts.
 *
 * No network in here: frames come in through `receive`, acts go out through the outbox of the stream of the day. Seats
 * outlive streams: when one is lost, sessions stay, thinking goes on, and what was chosen meanwhile is said on the next.
 */

import { setImmediate } from "node:timers/promises";

import { type Choice, Decision, End, Session } from "./bot.js";
import { GameAction } from "./gen/croupier/v1/game.js";
import type {
  ActResult,
  Drain,
  Events,
  Hello,
  ServerMessage,
  SessionEnd,
  SessionStart,
  Welcome,
} from "./gen/croupier/v1/play.js";
import { ActOutcome } from "./gen/croupier/v1/play.js";
import { Outbox } from "./outbox.js";
import type { Playing } from "./playing.js";
import { VERSION } from "./version.js";
import { type DecisionWire, messagesOf, wrap } from "./wire.js";

const PROTOCOL = 1;
const RESUME_LIMIT = 4000; // seats to name in Hello, which has to be one frame; the server knows the others as well
const LOUD = new Set([
  ...[ActOutcome.ILLEGAL, ActOutcome.LATE, ActOutcome.MALFORMED],
  ...[ActOutcome.UNKNOWN_DECISION, ActOutcome.VACATED],
]);

/** For so long finished answers wait for the rest of their frame; only slow bots ever reach it. Tests change it. */
export const patience = { milliseconds: 5 };

/** The bot's place in one session, and the decision it was last asked for. */
class Seat {
  asked: { id: number; attempt: number; seq: number } | undefined;
  answer: number | GameAction | undefined;
  /** The asynchronous choice that is going on. */
  thinking: Decision | undefined;
  lastEvent = 0;

  constructor(readonly session: Session) {}

  /** Tell the choice that is going on that nobody wants its answer any more. */
  stopThinking(): void {
    this.thinking?.cancel();
    this.thinking = undefined;
  }
}

/** What happens at a server that concerns more than the seats there. */
export interface Listener {
  welcome(message: Welcome): void;
  /** Another server hosts a session. */
  moved(message: SessionStart): void;
  over(sessionId: string): void;
}

/** All seats of the bot at one server. */
export class Seats {
  #outbox = new Outbox(() => undefined);
  readonly #seats = new Map<string, Seat>();

  constructor(
    readonly playing: Playing,
    readonly target: string,
    readonly listener: Listener,
  ) {}

  /** The number of seats taken. */
  get size(): number {
    return this.#seats.size;
  }

  /** Begin anew on a new stream, with Hello. */
  openStream(write: (frame: Uint8Array) => void): void {
    this.#outbox.close();
    this.#outbox = new Outbox(write);
    const { games, maxSessions, wantsEvents } = this.playing.bot;
    const hello: Hello = {
      protocol: PROTOCOL,
      bot: this.playing.name,
      sdk: `croupier-typescript ${VERSION}`,
      language: "typescript",
      games: [...games],
      maxSessions,
      events: wantsEvents,
      resume: [...this.#seats.values()].slice(0, RESUME_LIMIT).map(({ session, lastEvent }) => ({
        sessionId: session.id,
        seat: session.seat,
        lastSeq: BigInt(lastEvent),
      })),
    };
    this.#outbox.add({ $case: "hello", value: hello });
    this.#outbox.flush();
  }

  /**
   * Do what a frame asks for, and see that the server hears of it.
   *
   * Answers to one frame go out in one frame. A bot that takes its time over each choice is the exception: what it has
   * chosen so far is sent before it goes on, for each session's clock runs until its own answer is there.
   *
   * @throws Error where the frame cannot be read.
   */
  async receive(frame: Uint8Array): Promise<void> {
    const outbox = this.#outbox;
    outbox.begin();
    const received = performance.now();
    let started = received;
    let thinking = false;
    for (const heard of messagesOf(frame)) {
      if ("other" in heard) {
        this.#hear(heard.other);
        continue;
      }
      thinking = this.#decide(heard.decision, received) || thinking;
      if (performance.now() - started > patience.milliseconds) {
        outbox.flush();
        await setImmediate(); // lets it be written
        started = performance.now();
      }
    }
    if (thinking) await setImmediate(); // what an async choose has ready goes into the same frame
    outbox.acknowledge();
  }

  /** Stop all thinking. */
  leave(): void {
    this.#outbox.close();
    for (const seat of this.#seats.values()) seat.stopThinking();
  }

  // ---------------------------------------------------------------------------------------------------------- decisions

  /** Returns whether the bot goes on thinking. */
  #decide(wire: DecisionWire, received: number): boolean {
    const seat = this.#seats.get(key(wire));
    if (!seat) {
      this.playing.log.warn(`asked to decide in session ${wire.sessionId}, of which the server has not told`);
      return false;
    }
    const asked = { id: wire.id, attempt: wire.attempt, seq: wire.standing ? wire.seq : 0 };
    const before = seat.asked;
    if (before?.id === asked.id && before.attempt === asked.attempt && before.seq === asked.seq) {
      // on an earlier stream: the bot has chosen, or is still at it
      if (seat.answer !== undefined) this.#act(seat, wire.id, seat.answer);
      return false;
    }
    seat.stopThinking();
    seat.asked = asked;
    seat.answer = undefined;
    seat.session.seq = wire.seq;
    const decision = new Decision(seat.session, wire, received);
    try {
      const choice = this.playing.bot.choose(decision);
      if (choice instanceof Promise) {
        seat.thinking = decision;
        void this.#think(seat, decision, wire, choice);
        return true;
      }
      this.#settle(seat, decision, wire, choice);
    } catch (error) {
      this.#crash(decision, error);
    }
    return false;
  }

  async #think(seat: Seat, decision: Decision, wire: DecisionWire, choice: Promise<Choice>): Promise<void> {
    try {
      const chosen = await choice;
      if (seat.thinking !== decision) return; // nobody wants it any more
      seat.thinking = undefined;
      this.#settle(seat, decision, wire, chosen);
      this.#outbox.flushSoon();
    } catch (error) {
      if (seat.thinking !== decision && decision.signal.aborted) return;
      seat.thinking = undefined;
      this.#crash(decision, error);
    }
  }

  /** Check, remember and say what the bot has chosen. */
  #settle(seat: Seat, decision: Decision, wire: DecisionWire, choice: unknown): void {
    const instead = "instead of an action or an index";
    if (choice === null || choice === undefined) {
      if (decision.standing) return;
      throw new TypeError(`choose() returned ${String(choice)} ${instead}: is a \`return\` missing?`);
    }
    if (typeof choice === "number") {
      if (!Number.isInteger(choice) || choice < 0 || choice >= wire.count) {
        throw new RangeError(`choose() returned ${choice}, but the ${wire.count} actions count from 0`);
      }
      seat.answer = choice;
    } else if (typeof choice === "object") {
      seat.answer = answerOf(decision, wire, choice);
    } else {
      throw new TypeError(`choose() returned a ${typeof choice} ${instead}`);
    }
    this.#act(seat, wire.id, seat.answer);
  }

  #act(seat: Seat, decisionId: number, answer: number | GameAction): void {
    if (typeof answer === "number") {
      this.#outbox.act(seat.session.id, decisionId, answer);
    } else {
      const act = { sessionId: seat.session.id, decisionId, choice: { $case: "action" as const, value: answer } };
      this.#outbox.add({ $case: "act", value: act });
    }
  }

  #crash(decision: Decision, error: unknown): void {
    const where = decision.toString();
    this.playing.crashed(`choose() failed in ${where}: no answer is sent, the clock decides`, error);
  }

  // ---------------------------------------------------------------------------------------------------- everything else

  #hear({ message }: ServerMessage): void {
    switch (message?.$case) {
      case "welcome":
        this.#outbox.keepBelow(message.value.maxFrameBytes);
        this.listener.welcome(message.value);
        break;
      case "sessionStart":
        this.#start(message.value);
        break;
      case "events":
        this.#events(message.value);
        break;
      case "actResult":
        this.#result(message.value);
        break;
      case "sessionEnd":
        this.#end(message.value);
        break;
      case "ping":
        this.#outbox.add({ $case: "pong", value: { nonce: message.value.nonce } });
        break;
      case "drain":
        this.#drain(message.value);
        break;
      default: // news to this SDK, which is older than the server
    }
  }

  #start(message: SessionStart): void {
    let seat = this.#seats.get(key(message));
    const seq = Number(message.seq);
    if (message.endpoint !== "") {
      seat?.stopThinking();
      this.#seats.delete(key(message));
      this.listener.moved(message);
    } else if (!seat) {
      seat = new Seat(new Session(message));
      this.#seats.set(key(message), seat);
      this.#call("onStart", seat.session);
    } else if (seq < Math.max(seat.session.seq, seat.lastEvent)) {
      this.playing.log.warn(`session ${message.sessionId} goes back to event ${seq}`);
      seat.stopThinking();
      seat.asked = seat.answer = undefined;
      seat.session.seq = seq;
      seat.lastEvent = Math.min(seat.lastEvent, seq);
      this.#call("onRewind", seat.session);
    }
  }

  #events(message: Events): void {
    const seat = this.#seats.get(key(message));
    if (!seat) return;
    const events = message.events.filter(({ seq }) => Number(seq) > seat.lastEvent);
    const last = events.at(-1);
    if (!last) return;
    seat.session.seq = seat.lastEvent = Number(last.seq);
    this.#call("onEvents", seat.session, events);
  }

  #result(message: ActResult): void {
    const loud = LOUD.has(message.outcome) || (message.maxFaults > 0 && message.faults >= message.maxFaults);
    this.playing.log[loud ? "warn" : "debug"](inWords(message));
    const seat = this.#seats.get(key(message));
    if (!seat) return;
    if (message.outcome === ActOutcome.LATE && seat.asked?.id === message.decisionId) seat.stopThinking();
    this.#call("onResult", seat.session, message);
  }

  #end(message: SessionEnd): void {
    const seat = this.#seats.get(key(message));
    if (seat) {
      this.#seats.delete(key(message));
      seat.stopThinking();
      seat.session.seq = Number(message.seq);
      const end = new End(seat.session, message);
      this.playing.log.debug(`${seat.session.toString()} is over: placing ${end.placing ?? "none"}`);
      this.#call("onEnd", seat.session, end);
      for (let number = 0; number < seat.session.seats; number++) {
        if (this.#seats.has(key({ sessionId: message.sessionId, seat: number }))) return; // another seat of the bot's
      }
      this.playing.sessionOver();
    }
    this.listener.over(message.sessionId);
  }

  #drain({ graceMs, reason }: Drain): void {
    const why = reason || "no reason given";
    this.playing.log.info(`the server is about to stop (${why}); it lets games end for ${graceMs / 1000} s`);
  }

  /** Call one of the bot's own methods, which may throw. */
  #call<Hook extends "onStart" | "onEvents" | "onRewind" | "onResult" | "onEnd">(
    hook: Hook,
    ...details: Parameters<NonNullable<Playing["bot"][Hook]>>
  ): void {
    const { bot } = this.playing;
    if (hook === "onEvents" && !bot.wantsEvents) return;
    try {
      (bot[hook] as ((...details: unknown[]) => void) | undefined)?.apply(bot, details);
    } catch (error) {
      this.playing.crashed(`${hook}() failed in ${details[0].toString()}`, error);
    }
  }
}

function key({ sessionId, seat }: { sessionId: string; seat: number }): string {
  return `${seat} ${sessionId}`;
}

/** Return how to say which action the bot has chosen: by its index where it is one of the decision's. */
function answerOf(decision: Decision, wire: DecisionWire, choice: object): number | GameAction {
  const index = (decision.actions as readonly object[]).indexOf(choice);
  if (index >= 0) return index;
  const action = wrap(wire, choice);
  if (!action) throw new TypeError("this SDK is too old to make actions of this game: return an index");
  GameAction.encode(action); // better now than when the frame is written
  return action;
}

/** Say what became of an act in one line. */
export function inWords(result: ActResult): string {
  const outcome = (ActOutcome as Partial<Record<number, string>>)[result.outcome] ?? `outcome ${result.outcome}`;
  let words = outcome.replaceAll("_", " ").toLowerCase();
  if (result.sessionId) words = `session ${result.sessionId}, decision ${result.decisionId}: ${words}`;
  if (result.rule) words += ` (${result.rule})`;
  if (result.message) words += `: ${result.message}`;
  if (result.outcome === ActOutcome.ILLEGAL) words += `; attempts left: ${result.attemptsLeft}`;
  if (result.maxFaults) words += `; faults: ${result.faults} of ${result.maxFaults}`;
  return words;
}
