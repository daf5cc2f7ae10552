/** What a server may say no to, and why. */

import { type ServiceError, status } from "@grpc/grpc-js";

import { Any } from "./gen/google/protobuf/any.js";
import { fields } from "./wire.js";

/** The root of what this package throws of its own. */
export class CroupierError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** A field of a request, and what is wrong with it. */
export interface Violation {
  readonly field: string;
  readonly description: string;
}

const HINTS: Partial<Record<status, string>> = {
  [status.UNAUTHENTICATED]: "give the bot's token: the option token, or CROUPIER_TOKEN in the environment",
  [status.UNIMPLEMENTED]: "is this a Croupier server?",
};

/** The server said no. */
export class ServerError extends CroupierError {
  /** The gRPC status. */
  readonly code: status;
  /** What was wrong, for people, in the server's own words. */
  readonly details: string;
  /** What was wrong, for programs ("UNKNOWN_GAME"); empty where the server gives none. */
  readonly reason: string;
  /** The bad fields. */
  readonly violations: readonly Violation[];

  constructor(error: ServiceError) {
    const { reason, violations } = detailsOf(error);
    const said = inWords(error);
    const fields = violations
      .filter(({ description }) => !said.includes(description))
      .map(({ field, description }) => `${field}: ${description}`)
      .join("; ");
    const notes = [fields, HINTS[error.code] ?? ""].filter((note) => note !== "").map((note) => ` (${note})`);
    super(`${status[error.code]}: ${said}${notes.join("")}`);
    this.code = error.code;
    this.details = said;
    this.reason = reason;
    this.violations = violations;
  }
}

/** The server will not have this bot, and asking again would not help: a wrong token, a bad name. */
export class Refused extends ServerError {}

/** A newer connection of the same bot took over. Is the bot running twice? */
export class Replaced extends ServerError {}

const FINAL = new Set([
  ...[status.ALREADY_EXISTS, status.FAILED_PRECONDITION, status.INVALID_ARGUMENT, status.NOT_FOUND],
  ...[status.OUT_OF_RANGE, status.PERMISSION_DENIED, status.UNAUTHENTICATED, status.UNIMPLEMENTED],
]);

/** Return the error that ends the playing at a server; undefined where trying again may help. */
export function final(error: ServiceError): ServerError | undefined {
  if (error.code === status.ABORTED) return new Replaced(error);
  return FINAL.has(error.code) ? new Refused(error) : undefined;
}

/** Say in a few words why a connection failed. */
export function causeOf(error: ServiceError): string {
  return ofGrpcItself(error) ? inWords(error) : `${status[error.code]}: ${inWords(error)}`;
}

export const CLOSED_AT_ONCE =
  "the server closed the connection at once: does it speak TLS (CROUPIER_TLS=1), or ask for a certificate " +
  "(CROUPIER_TLS_CERT)?";
export const LOST = "connection lost";

/** What gRPC's and Node's messages contain, the first that is found, and what that means to people. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [
    /unable to (verify|get)|self.signed certificate|unknown ca/,
    "the server's certificate is signed by none of the authorities that this side trusts: name the right one " +
      "(the option tls: { ca }, or CROUPIER_TLS_CA)",
  ],
  [/does not match certificate's altnames|altnames/, "the server's certificate is for another host name"],
  [/certificate has expired/, "the server's certificate has expired"],
  [/wrong version number|packet length too long/, "the server speaks plain text, not TLS"],
  [
    /certificate required|bad certificate/,
    "the server asks for a certificate (tls: { cert, key }, or CROUPIER_TLS_CERT)",
  ],
  [/econnrefused/, "connection refused"],
  [/enotfound|name resolution failed/, "no such host"],
  [/enetunreach|ehostunreach/, "network unreachable"],
  [/etimedout|keepalive|ping timeout/, "no sign of life"],
  [/last error: failed to connect/, CLOSED_AT_ONCE],
  [/econnreset|socket hang up|connection dropped|epipe|rst_stream|goaway|session|socket closed|disconnected/, LOST],
];

function inWords(error: ServiceError): string {
  const said = error.details || "no reason given";
  if (!ofGrpcItself(error)) return said;
  const lower = said.toLowerCase();
  return CAUSES.find(([sign]) => sign.test(lower))?.[1] ?? said;
}

function ofGrpcItself(error: ServiceError): boolean {
  return error.code === status.UNAVAILABLE || error.code === status.INTERNAL;
}

// google.rpc.Status and its details are a few numbered strings: no need for one more dependency.

function detailsOf(error: ServiceError): { reason: string; violations: Violation[] } {
  let reason = "";
  const violations: Violation[] = [];
  const found = error.metadata as typeof error.metadata | undefined; // errors that never reached a server have none
  for (const bytes of found?.get("grpc-status-details-bin") ?? []) {
    for (const packed of typeof bytes === "string" ? [] : fields(bytes, 3)) {
      const detail = Any.decode(packed);
      if (detail.typeUrl.endsWith("/google.rpc.ErrorInfo")) reason = text(detail.value, 1);
      if (!detail.typeUrl.endsWith("/google.rpc.BadRequest")) continue;
      for (const violation of fields(detail.value, 1)) {
        violations.push({ field: text(violation, 1), description: text(violation, 2) });
      }
    }
  }
  return { reason, violations };
}

function text(message: Uint8Array, field: number): string {
  return Buffer.from(fields(message, field).at(-1) ?? []).toString();
}
