/** What the bot has to say, gathered into frames: gRPC costs by the frame, not by the byte. */

import { BinaryWriter } from "@bufbuild/protobuf/wire";

import type { ClientMessage } from "./gen/croupier/v1/play.js";
import { writeIndexAct, writeMessage } from "./wire.js";

export const FRAME_MESSAGES = 512;
const BYTES_PER_MESSAGE = 512; // more than an act takes: 512 of them stay below the 256 KiB that a server reads

/** Collects messages until they are sent, all together. */
export class Outbox {
  #frame = new BinaryWriter();
  #messages = 0;
  #limit = FRAME_MESSAGES;
  #said = false; // something, since the latest frame came
  #due: NodeJS.Immediate | undefined;

  constructor(readonly write: (frame: Uint8Array) => void) {}

  /** Keep frames below what the server reads. */
  keepBelow(maxFrameBytes: number): void {
    if (maxFrameBytes > 0) {
      this.#limit = Math.max(1, Math.min(FRAME_MESSAGES, Math.floor(maxFrameBytes / BYTES_PER_MESSAGE)));
    }
  }

  /** Note that a frame has come, which wants an answer. */
  begin(): void {
    this.#said = false;
  }

  act(sessionId: string, decisionId: number, index: number): void {
    this.#room();
    writeIndexAct(this.#frame, sessionId, decisionId, index);
  }

  add(message: ClientMessage["message"]): void {
    this.#room();
    writeMessage(this.#frame, message);
  }

  /** Send what there is. */
  flush(): void {
    if (this.#due) clearImmediate(this.#due);
    this.#due = undefined;
    if (this.#messages === 0) return;
    this.#messages = 0;
    this.write(this.#frame.finish());
  }

  /** Send what there is when those who are ready at this moment have said theirs. */
  flushSoon(): void {
    this.#due ??= setImmediate(() => {
      this.flush();
    });
  }

  /** Send what there is, or an Ack if nothing was said to the latest frame: the server waits for a sign. */
  acknowledge(): void {
    if (!this.#said) this.add({ $case: "ack", value: {} });
    this.flush();
  }

  /** Send nothing any more. */
  close(): void {
    this.#messages = 0;
    if (this.#due) clearImmediate(this.#due);
  }

  #room(): void {
    if (this.#messages >= this.#limit) this.flush();
    this.#messages++;
    this.#said = true;
  }
}
