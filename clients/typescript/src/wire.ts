/**
 * Decisions and acts as bytes.
 *
 * Reading all of a decision costs several times what the rest of the SDK does, and most bots look at a part of it: its view
 * and actions are read when the bot asks for them. Tests hold each hand-made form to what the generated code makes of it.
 */

import type { BinaryWriter } from "@bufbuild/protobuf/wire";

import type { AnyAction, AnyView } from "./bot.js";
import { GameAction, GameView } from "./gen/croupier/v1/game.js";
import { type ClientMessage, Decision, PlayRequest, ServerMessage } from "./gen/croupier/v1/play.js";

/** A decision, of which only so much has been read as the SDK itself needs. Times are in milliseconds. */
export class DecisionWire {
  sessionId = "";
  seat = 0;
  seq = 0;
  id = 0;
  attempt = 0;
  thinkTime: number | undefined = undefined;
  bank = 0;
  standing = false;
  lastCharged = 0;
  /** The number of actions. */
  count = 0;

  constructor(
    /** The decision as it came. */
    readonly bytes: Uint8Array,
  ) {}
}

/** What a server's frame holds, message by message. */
export type Heard = { decision: DecisionWire } | { other: ServerMessage };

// Field numbers of the contract, play.proto.
const MESSAGES = 1; // of PlayRequest and PlayResponse
const SERVER_DECISION = 4;
const CLIENT_ACT = 2;
const ACT = { sessionId: 1, decisionId: 2, index: 3 };
const ACTIONS = 5; // of Decision
const VIEW = 6;

/** Reads numbers and lengths off a message. The generated code's reader does too, at several times the cost. */
class Cursor {
  pos = 0;

  constructor(readonly bytes: Uint8Array) {}

  get more(): boolean {
    return this.pos < this.bytes.length;
  }

  /** Read an unsigned number. Digits beyond 2^53 are lost: nothing that is read with this gets there. */
  number(): number {
    const { bytes } = this;
    let byte = bytes[this.pos++] ?? 0;
    if (byte < 128) return this.checked(byte);
    let value = byte & 127;
    for (let factor = 128; byte > 127; factor *= 128) {
      byte = bytes[this.pos++] ?? 0;
      value += (byte & 127) * factor;
    }
    return this.checked(value);
  }

  /** Go past bytes that have their length before them; return where they begin. */
  past(): number {
    const length = this.number();
    const start = this.pos;
    this.pos += length;
    return this.checked(start);
  }

  /** Go past the value of a field that is not known here. */
  skip(type: number): void {
    if (type === 0) this.number();
    else if (type === 2) this.past();
    else if (type === 1) this.checked((this.pos += 8));
    else if (type === 5) this.checked((this.pos += 4));
    else throw new Error(`a field of a kind that is none: ${type}`);
  }

  private checked(value: number): number {
    if (this.pos > this.bytes.length) throw new RangeError("a frame ends in the middle of a message");
    return value;
  }
}

// The keys that stand before fields: eight times the field's number, and 0 for a number or 2 for bytes.
const MESSAGES_KEY = 8 * MESSAGES + 2;
const DECISION_KEY = 8 * SERVER_DECISION + 2;

/**
 * Return the messages of a frame.
 *
 * @throws Error where the frame cannot be read.
 */
export function messagesOf(frame: Uint8Array): Heard[] {
  const heard: Heard[] = [];
  const cursor = new Cursor(frame);
  while (cursor.more) {
    const key = cursor.number();
    if (key !== MESSAGES_KEY) {
      cursor.skip(key & 7);
      continue;
    }
    const message = frame.subarray(cursor.past(), cursor.pos);
    if (message[0] === DECISION_KEY) {
      const inner = new Cursor(message);
      inner.pos = 1;
      heard.push({ decision: readDecision(message.subarray(inner.past(), inner.pos)) });
      continue;
    }
    const other = ServerMessage.decode(message);
    // One that stands behind a field that this SDK does not know is found the slow way.
    const decision = other.message?.$case === "decision" ? other.message.value : undefined;
    heard.push(decision ? { decision: readDecision(Decision.encode(decision).finish()) } : { other });
  }
  return heard;
}

/**
 * Read all of a decision but its view and its actions, which are only counted.
 *
 * @throws Error where it cannot be read.
 */
export function readDecision(bytes: Uint8Array): DecisionWire {
  const wire = new DecisionWire(bytes);
  const cursor = new Cursor(bytes);
  while (cursor.more) {
    const key = cursor.number();
    switch (key) {
      case 8 * 1 + 2:
        wire.sessionId = text(bytes, cursor.past(), cursor.pos);
        break;
      case 8 * 2:
        wire.seq = cursor.number();
        break;
      case 8 * 3:
        wire.id = cursor.number();
        break;
      case 8 * 4:
        wire.attempt = cursor.number();
        break;
      case 8 * ACTIONS + 2:
        wire.count++;
        cursor.past();
        break;
      case 8 * 7:
        wire.thinkTime = cursor.number();
        break;
      case 8 * 8:
        wire.bank = cursor.number();
        break;
      case 8 * 9:
        wire.standing = cursor.number() !== 0;
        break;
      case 8 * 10:
        wire.lastCharged = cursor.number();
        break;
      case 8 * 11:
        wire.seat = cursor.number();
        break;
      default:
        cursor.skip(key & 7);
    }
  }
  return wire;
}

function text(bytes: Uint8Array, start: number, end: number): string {
  return bytes instanceof Buffer ? bytes.toString("utf8", start, end) : Buffer.from(bytes).toString("utf8", start, end);
}

/** Read a decision's view out of its envelope; of a game that this SDK is too old to know, the envelope. */
export function readView(wire: DecisionWire): AnyView | GameView {
  const [bytes] = fields(wire.bytes, VIEW);
  const envelope = bytes ? GameView.decode(bytes) : GameView.fromPartial({});
  return envelope.view?.value ?? envelope;
}

/** Read a decision's actions out of their envelopes; of a game that this SDK is too old to know, the envelopes. */
export function readActions(wire: DecisionWire): (AnyAction | GameAction)[] {
  return fields(wire.bytes, ACTIONS).map((bytes) => {
    const envelope = GameAction.decode(bytes);
    return envelope.action?.value ?? envelope;
  });
}

/** Put an action into an envelope like the one that the decision's first action came in; undefined where there is none. */
export function wrap(wire: DecisionWire, action: object): GameAction | undefined {
  const [bytes] = fields(wire.bytes, ACTIONS);
  const like = bytes && GameAction.decode(bytes).action;
  return (
    like && GameAction.fromPartial({ action: { $case: like.$case, value: action } as GameAction["action"] & object })
  );
}

/** Read all of a decision. */
export function readMessage(wire: DecisionWire): Decision {
  return Decision.decode(wire.bytes);
}

/** Write an act that chooses by index, as part of a frame. */
export function writeIndexAct(frame: BinaryWriter, sessionId: string, decisionId: number, index: number): void {
  frame.uint32(MESSAGES_KEY).fork();
  frame.uint32(8 * CLIENT_ACT + 2).fork();
  frame.uint32(8 * ACT.sessionId + 2).string(sessionId);
  frame.uint32(8 * ACT.decisionId).uint32(decisionId);
  frame.uint32(8 * ACT.index).uint32(index);
  frame.join().join();
}

/** Write any message, as part of a frame. */
export function writeMessage(frame: BinaryWriter, message: ClientMessage["message"]): void {
  PlayRequest.encode({ messages: [{ message }] }, frame);
}

/** Return the strings, bytes or messages that a message has under a field number. */
export function fields(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const cursor = new Cursor(message);
  while (cursor.more) {
    const key = cursor.number();
    if (key === 8 * wanted + 2) found.push(message.subarray(cursor.past(), cursor.pos));
    else cursor.skip(key & 7);
  }
  return found;
}
