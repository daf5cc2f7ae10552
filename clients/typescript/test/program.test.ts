/** A bot as the whole of a program, TLS, and the examples. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { ServerCredentials, status } from "@grpc/grpc-js";

import { erf } from "../examples/erf.js";
import { Greedy } from "../examples/greedy.js";
import { PlayRequest, SessionStart } from "../src/gen/croupier/v1/play.js";
import { BadCertificate, type Certificates, Decision, Session, type Tls } from "../src/index.js";
import { fromEnvironment } from "../src/tls.js";
import * as game from "../src/trick-and-trade.js";
import { messagesOf } from "../src/wire.js";
import { act, ask, FakeServer, Played, Queue, Recorder, start } from "./fake.js";

function program(t: TestContext, target: string, ...options: string[]) {
  const env = { PATH: process.env.PATH, CROUPIER_TARGET: target, CROUPIER_TOKEN: "secret" };
  const child = spawn(process.execPath, ["dist/examples/random.js", ...options], { env });
  t.after(() => child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (text: Buffer) => (said.stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (said.stderr += text.toString()));
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, ended: exit.then((code) => ({ code, ...said })) };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} ends a bot cleanly`, async (t) => {
    const server = await FakeServer.start(t);
    const { child, ended } = program(t, server.target);
    const stream = await server.accept();
    assert.deepEqual([stream.hello.bot, stream.token], ["random-bot", "Bearer secret"]);
    child.kill(signal);
    assert.deepEqual(await ended, { code: 0, stdout: "", stderr: "" });
    await stream.gone();
  });
}

test("a program that is refused says why in one line", async (t) => {
  const server = await FakeServer.start(t);
  server.refuse(status.PERMISSION_DENIED, "random-bot is banned");
  const stderr = "random: PERMISSION_DENIED: random-bot is banned\n";
  assert.deepEqual(await program(t, server.target).ended, { code: 1, stdout: "", stderr });
});

test("a program explains itself", async (t) => {
  const { code, stdout, stderr } = await program(t, "", "--help").ended;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /CROUPIER_TLS_CERT/);
  const wrong = await program(t, "", "--nonsense").ended;
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /^unknown argument "--nonsense": a bot with arguments of its own uses run\nusage: random/);
});

// ------------------------------------------------------------------------------------------------------------------- TLS

/** PEM files in a folder of the test's own, made by the program openssl. */
class Pem {
  readonly folder = mkdtempSync(join(tmpdir(), "croupier-"));

  constructor(t: TestContext) {
    t.after(() => {
      rmSync(this.folder, { recursive: true });
    });
    this.#issue("ca", []);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  /** Issue a certificate for a host: NAME.pem and NAME.key. */
  issue(name: string, host: string): void {
    this.#issue(name, [
      "-CA",
      this.path("ca.pem"),
      "-CAkey",
      this.path("ca.key"),
      "-addext",
      `subjectAltName=DNS:${host}`,
    ]);
  }

  #issue(name: string, more: string[]): void {
    const key = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      this.path(`${name}.key`),
    ];
    const subject = ["-subj", `/CN=${name}`, "-days", "2", "-out", this.path(`${name}.pem`)];
    execFileSync("openssl", ["req", "-x509", ...key, ...subject, ...more], { stdio: "pipe" });
  }

  /** Start a server for a host; where it asks for a certificate, for one that this authority signed. */
  async server(t: TestContext, host: string, asks = false): Promise<FakeServer> {
    this.issue("server", host);
    const pair = { private_key: this.read("server.key"), cert_chain: this.read("server.pem") };
    return FakeServer.start(t, ServerCredentials.createSsl(asks ? this.read("ca.pem") : null, [pair], asks));
  }
}

test("a bot trusts the authority it is given, and shows its certificate where the server asks for one", async (t) => {
  const pem = new Pem(t);
  const server = await pem.server(t, "localhost", true);
  pem.issue("ann", "ann.example.org");
  const tls = { ca: pem.path("ca.pem"), cert: pem.path("ann.pem"), key: pem.path("ann.key") };
  const bot = new Played(t, server.target, new Recorder(), { tls });
  const stream = await server.accept();
  stream.say(start("a"), ask("a", 1));
  await stream.hears(act("a", 1, 0));
  bot.stop();
});

test("what keeps a bot from connecting is said in plain words", async (t) => {
  const pem = new Pem(t);
  const ca = { ca: pem.path("ca.pem") };
  const [plain, local, other] = [
    await FakeServer.start(t),
    await pem.server(t, "localhost"),
    await pem.server(t, "example.org"),
  ];
  const asking = await pem.server(t, "localhost", true);
  const cases: [FakeServer, Tls, RegExp][] = [
    [local, { ca: new Pem(t).path("ca.pem") }, /signed by none of the authorities that this side trusts/],
    [other, ca, /the server's certificate is for another host name/],
    [plain, ca, /the server speaks plain text, not TLS/],
    [local, false, /does it speak TLS \(CROUPIER_TLS=1\)/],
    [asking, ca, /CROUPIER_TLS_CERT/],
  ];
  for (const [server, tls, says] of cases) {
    const tried = new Queue<true>();
    const sleep = (_: number, signal: AbortSignal) => {
      tried.push(true);
      return new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          resolve();
        });
      });
    };
    const bot = new Played(t, server.target, new Recorder(), { tls, backoff: { random: () => 1, sleep } });
    await tried.next("the first try");
    assert.match(bot.log.text, says, `${server.target}, ${JSON.stringify(tls)}`);
    assert.equal(server.waiting, 0);
    bot.stop();
    await bot.end();
  }
});

test("a bad file is named before anything is tried", async (t) => {
  const pem = new Pem(t);
  for (const name of ["a", "b"]) pem.issue(name, `${name}.example.org`);
  writeFileSync(pem.path("bad.pem"), "bad");
  writeFileSync(pem.path("locked.key"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\n");
  const [cert, key, bad, locked] = ["a.pem", "a.key", "bad.pem", "locked.key"].map((name) => pem.path(name));
  assert(cert && key && bad && locked);
  const cases: [Certificates, string][] = [
    [{ ca: "/no/such.pem" }, "tls: cannot read /no/such.pem: no such file or directory"],
    [{ ca: bad }, `tls: ${bad} holds no certificate in PEM`],
    [{ cert }, "tls: cert was given without key; they belong together"],
    [{ key }, "tls: key was given without cert; they belong together"],
    [{ cert, key: pem.path("b.key") }, `tls: ${pem.path("b.key")} is not the key of ${cert}`],
    [{ cert, key: locked }, `tls: ${locked} has a passphrase; give a key without one`],
    [{ cert, key: bad }, `tls: ${cert} and ${bad} are not a certificate and a private key in PEM`],
  ];
  for (const [tls, says] of cases) {
    const error = await new Played(t, "localhost:1", new Recorder(), { tls }).end();
    assert(error instanceof BadCertificate, String(error));
    assert.equal(error.message, says);
  }
});

test("the environment may say how to encrypt", () => {
  const files = { CROUPIER_TLS_CA: "ca.pem", CROUPIER_TLS_CERT: "a.pem", CROUPIER_TLS_KEY: "a.key" };
  assert.deepEqual(fromEnvironment(files), { ca: "ca.pem", cert: "a.pem", key: "a.key" });
  const values = ["1", "true", "Yes", "on", "", "0", "no"].map((value) => fromEnvironment({ CROUPIER_TLS: value }));
  assert.deepEqual(values, [true, true, true, true, false, false, false]);
  assert.equal(fromEnvironment({}), false);
});

// -------------------------------------------------------------------------------------------------------------- examples

test("greedy answers as the vectors that the SDKs share say", () => {
  const asked = messagesOf(readFileSync("../vectors/greedy-decisions.binpb"));
  const acts = PlayRequest.decode(readFileSync("../vectors/greedy-acts.binpb")).messages;
  const session = new Session(SessionStart.fromPartial({}));
  const chosen = asked.map((heard) => {
    assert("decision" in heard);
    return new Greedy().choose(new Decision(session, heard.decision));
  });
  const wanted = acts.map(({ message }) => message?.$case === "act" && message.value.choice?.value);
  assert.deepEqual(chosen, wanted);
  assert(chosen.length > 100);
});

test("the error function is right to the last digits", () => {
  const known: [number, number][] = [
    ...([
      [0, 0],
      [0.1, 0.1124629160182849],
      [0.5, 0.5204998778130465],
      [1, 0.8427007929497149],
    ] as [number, number][]),
    ...([
      [2, 0.9953222650189527],
      [3.5, 0.9999992569016276],
      [6.5, 1],
      [50, 1],
    ] as [number, number][]),
  ];
  for (const [x, y] of known) {
    assert(Math.abs(erf(x) - y) < 1e-15, `erf(${x}) is ${erf(x)}`);
    assert.equal(erf(-x), -erf(x));
  }
});

test("cards have suit, rank, value, name and icons", () => {
  const card = game.Card.ZEUS_9;
  assert.deepEqual(
    [game.suit(card), game.rank(card), game.value(card), game.name(card)],
    [game.Suit.ZEUS, 9, 1, "Zeus 9"],
  );
  assert.equal(game.name(Number("99")), "card 99");
  assert.deepEqual(game.icons(game.TradeCard.NEV_OCTO), [1, 0, 1, 0]);
  assert.deepEqual(game.icons(game.TradeCard.RATCOIN_RATCOIN), [0, 0, 0, 2]);
  assert.deepEqual(game.icons(game.TradeCard.UNSPECIFIED), [0, 0, 0, 0]);
  assert.deepEqual(game.multipliers([5, 4, 4, 1]), [3, 2, 2, -1]);
  assert.deepEqual([game.CARDS.length, game.CARDS[0], game.CARDS[39]], [40, 1, 40]);
});
