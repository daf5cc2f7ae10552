/**
 * Decisions and acts as bytes.
 *
 * Reading all of a decision costs several times what the rest of the SDK does, and most bots look at a part of it: its view
 * and actions are read when the bot asks for them. Tests hold each hand-made form to what the generated code makes of it.
 */

import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

import type { AnyAction, AnyView } from "./bot.js";
import { GameAction, GameView } from "./gen/croupier/v1/game.js";
import { type ClientMessage, Decision, PlayRequest, ServerMessage } from "./gen/croupier/v1/play.js";

/** A decision, of which only so much has been read as the SDK itself needs. Times are in milliseconds. */
export interface DecisionWire {
  readonly bytes: Uint8Array;
  sessionId: string;
  seat: number;
  seq: number;
  id: number;
  attempt: number;
  thinkTime: number | undefined;
  bank: number;
  standing: boolean;
  lastCharged: number;
  /** The number of actions. */
  count: number;
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

const tag = (field: number, type: WireType) => (field << 3) | type;
const DECISION_TAG = tag(SERVER_DECISION, WireType.LengthDelimited);

/**
 * Yield the messages of a frame.
 *
 * @throws Error where the frame cannot be read.
 */
export function* messagesOf(frame: Uint8Array): Generator<Heard> {
  const reader = new BinaryReader(frame);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field !== MESSAGES || type !== WireType.LengthDelimited) {
      reader.skip(type, field);
      continue;
    }
    const bytes = reader.bytes();
    if (bytes[0] === DECISION_TAG) {
      yield { decision: readDecision(new BinaryReader(bytes.subarray(1)).bytes()) };
      continue;
    }
    const other = ServerMessage.decode(bytes);
    // One that stands behind a field that this SDK does not know is found the slow way.
    const decision = other.message?.$case === "decision" ? other.message.value : undefined;
    yield decision ? { decision: readDecision(Decision.encode(decision).finish()) } : { other };
  }
}

/**
 * Read all of a decision but its view and its actions, which are only counted.
 *
 * @throws Error where it cannot be read.
 */
export function readDecision(bytes: Uint8Array): DecisionWire {
  const wire: DecisionWire = {
    ...{ bytes, sessionId: "", seat: 0, seq: 0, id: 0, attempt: 0 },
    ...{ thinkTime: undefined, bank: 0, standing: false, lastCharged: 0, count: 0 },
  };
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const key = reader.uint32();
    switch (key) {
      case tag(1, WireType.LengthDelimited):
        wire.sessionId = reader.string();
        break;
      case tag(2, WireType.Varint):
        wire.seq = Number(reader.uint64());
        break;
      case tag(3, WireType.Varint):
        wire.id = reader.uint32();
        break;
      case tag(4, WireType.Varint):
        wire.attempt = reader.uint32();
        break;
      case tag(ACTIONS, WireType.LengthDelimited):
        wire.count++;
        reader.skip(WireType.LengthDelimited);
        break;
      case tag(7, WireType.Varint):
        wire.thinkTime = reader.uint32();
        break;
      case tag(8, WireType.Varint):
        wire.bank = reader.uint32();
        break;
      case tag(9, WireType.Varint):
        wire.standing = reader.bool();
        break;
      case tag(10, WireType.Varint):
        wire.lastCharged = reader.uint32();
        break;
      case tag(11, WireType.Varint):
        wire.seat = reader.uint32();
        break;
      default:
        reader.skip(key & 7, key >>> 3);
    }
  }
  return wire;
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
  frame.uint32(tag(MESSAGES, WireType.LengthDelimited)).fork();
  frame.uint32(tag(CLIENT_ACT, WireType.LengthDelimited)).fork();
  frame.uint32(tag(ACT.sessionId, WireType.LengthDelimited)).string(sessionId);
  frame.uint32(tag(ACT.decisionId, WireType.Varint)).uint32(decisionId);
  frame.uint32(tag(ACT.index, WireType.Varint)).uint32(index);
  frame.join().join();
}

/** Write any message, as part of a frame. */
export function writeMessage(frame: BinaryWriter, message: ClientMessage["message"]): void {
  PlayRequest.encode({ messages: [{ message }] }, frame);
}

/** Return the strings, bytes or messages that a message has under a field number. */
export function fields(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.LengthDelimited) found.push(reader.bytes());
    else reader.skip(type, field);
  }
  return found;
}
