/** How long to wait before trying again. */

import { setTimeout } from "node:timers/promises";

/**
 * Exponential backoff with full jitter: anything between nothing and twice the last limit, up to a cap.
 *
 * Jitter over the whole range keeps a thousand bots that lost the same server from coming back at the same moment.
 */
export interface Backoff {
  /** The limit after the first failure, in milliseconds. */
  readonly base: number;
  /** The limit that is never passed, in milliseconds. */
  readonly cap: number;
  /** Gives a number from 0 to 1. */
  readonly random: () => number;
  /** Waits so many milliseconds, or until the signal is aborted; it does not reject then. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export const BACKOFF: Backoff = {
  base: 100,
  cap: 10_000,
  random: Math.random,
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
};

/** Return the milliseconds to wait after so many failures in a row, not counting the newest. */
export function delay(backoff: Backoff, failures: number): number {
  return backoff.random() * Math.min(backoff.cap, backoff.base * 2 ** Math.min(failures, 64));
}
