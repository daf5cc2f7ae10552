/** What all connections of a bot share while it is played. */

import type { Bot } from "./bot.js";
import type { Logger } from "./log.js";

/** One bot being played, and the one door through which that ends. */
export class Playing {
  readonly #over = new AbortController();
  #error: unknown;
  #left: number | undefined;

  constructor(
    readonly bot: Bot,
    readonly name: string,
    readonly log: Logger,
    readonly onError: "log" | "throw",
    sessions: number | undefined,
  ) {
    this.#left = sessions;
  }

  /** Aborted when playing is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Return when playing is over, or throw what ended it. */
  async end(): Promise<void> {
    if (!this.over.aborted) {
      await new Promise((resolve) => {
        this.over.addEventListener("abort", resolve, { once: true });
      });
    }
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the bot's own code may have thrown anything
    if (this.#error !== undefined) throw this.#error;
  }

  /** Count a session that has ended; the last one wanted ends the playing. */
  sessionOver(): void {
    if (this.#left === undefined) return;
    this.#left--;
    if (this.#left <= 0) this.stop();
  }

  /** Report an error in the bot's own code: log it, or stop with it. */
  crashed(what: string, error: unknown): void {
    if (this.onError === "throw") this.stop(error);
    else this.log.error(what, error);
  }

  /** End the playing; only the first reason counts. */
  stop(error?: unknown): void {
    if (this.over.aborted) return;
    this.#error = error;
    this.#over.abort();
  }
}
