/** TLS: whom to trust, and what to show. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

import { ChannelCredentials } from "@grpc/grpc-js";

import { CroupierError } from "./errors.js";

/** A file for TLS cannot be read, or is not what it should be. */
export class BadCertificate extends CroupierError {
  constructor(problem: string) {
    super(`tls: ${problem}`);
  }
}

/** PEM files for TLS. */
export interface Certificates {
  /** The authorities to trust; none: the usual ones. */
  readonly ca?: string | undefined;
  /** The bot's own certificate, where the server asks for one; any intermediate ones follow it in the file. */
  readonly cert?: string | undefined;
  /** Its private key, without a passphrase. */
  readonly key?: string | undefined;
}

/** False: plain text. True: TLS with the usual authorities. Or what PEM files say, or any credentials that gRPC can make. */
export type Tls = boolean | Certificates | ChannelCredentials;

/** Return what the environment says. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Tls {
  const set = (name: string) => environment[name] ?? undefined;
  const files = { ca: set("CROUPIER_TLS_CA"), cert: set("CROUPIER_TLS_CERT"), key: set("CROUPIER_TLS_KEY") };
  if (files.ca || files.cert || files.key) return files;
  return ["1", "true", "yes", "on"].includes((environment.CROUPIER_TLS ?? "").toLowerCase());
}

/**
 * Return what gRPC needs. Files are read anew each time, so that renewed ones are found.
 *
 * @throws BadCertificate where a file cannot be read, or is not what it should be.
 */
export function credentials(tls: Tls): ChannelCredentials {
  if (tls instanceof ChannelCredentials) return tls;
  if (tls === false) return ChannelCredentials.createInsecure();
  if (tls === true) return ChannelCredentials.createSsl();
  const ca = tls.ca ? read(tls.ca) : null;
  if (ca) {
    if (!ca.includes("-----BEGIN CERTIFICATE-----") || fails(() => createSecureContext({ ca }))) {
      throw new BadCertificate(`${tls.ca ?? ""} holds no certificate in PEM`);
    }
  }
  if (!tls.cert && !tls.key) return ChannelCredentials.createSsl(ca);
  if (!tls.key) throw new BadCertificate("cert was given without key; they belong together");
  if (!tls.cert) throw new BadCertificate("key was given without cert; they belong together");
  const [cert, key] = [read(tls.cert), read(tls.key)];
  check(tls.cert, cert, tls.key, key);
  return ChannelCredentials.createSsl(ca, key, cert);
}

function check(certPath: string, cert: Buffer, keyPath: string, key: Buffer): void {
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(key.toString())) {
    throw new BadCertificate(`${keyPath} has a passphrase; give a key without one`);
  }
  let matches: boolean;
  try {
    matches = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    throw new BadCertificate(`${certPath} and ${keyPath} are not a certificate and a private key in PEM`);
  }
  if (!matches) throw new BadCertificate(`${keyPath} is not the key of ${certPath}`);
}

function fails(attempt: () => unknown): boolean {
  try {
    attempt();
    return false;
  } catch {
    return true;
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const said = { ENOENT: "no such file or directory", EACCES: "permission denied", EISDIR: "it is a folder" }[code];
    throw new BadCertificate(`cannot read ${path}: ${said ?? code}`);
  }
}
