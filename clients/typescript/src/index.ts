/**
 * The Croupier SDK: write a bot, seat it, play.
 *
 *     import { Bot, main, type Decision } from "croupier";
 *
 *     class First extends Bot {
 *       choose(decision: Decision) {
 *         return 0;
 *       }
 *     }
 *
 *     await main(new First());
 *
 * What is named here is the SDK's public face, with `croupier/trick-and-trade` (what bots for that game need) and
 * `croupier/v1/...` and `croupier/games/...` (the contract's own messages and services).
 */

export type { Backoff } from "./backoff.js";
export { Bot, Decision, End, Session } from "./bot.js";
export type { AnyAction, AnyOptions, AnyView, Choice } from "./bot.js";
export { CroupierError, Refused, Replaced, ServerError } from "./errors.js";
export type { Violation } from "./errors.js";
export type { Logger } from "./log.js";
export { main, play, run } from "./run.js";
export type { Options } from "./run.js";
export { BadCertificate } from "./tls.js";
export type { Certificates, Tls } from "./tls.js";
export { VERSION } from "./version.js";
export { readDecision } from "./wire.js";
