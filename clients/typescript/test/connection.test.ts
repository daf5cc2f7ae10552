/** Losing a server, finding it again, going elsewhere, and knowing when to stop trying. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Metadata, status } from "@grpc/grpc-js";

import { Any } from "../src/gen/google/protobuf/any.js";
import { Bot, type Choice, type Decision, Refused, Replaced } from "../src/index.js";
import {
  ack,
  act,
  ask,
  events,
  FakeServer,
  over,
  patiently,
  ping,
  Played,
  pong,
  Queue,
  Recorder,
  start,
} from "./fake.js";

test("a lost connection is opened again", async (t) => {
  const server = await FakeServer.start(t);
  const played = new Played(t, server.target, new Recorder());
  const stream = await server.accept();
  stream.say(ping(1n));
  await stream.hears(pong(1n));
  stream.lose();
  await server.accept();
  assert.deepEqual(played.pauses, [100]);
  assert(played.log.text.includes(`warn lost ${server.target} (going down); trying again in 0.1 s`), played.log.text);
  assert.equal(played.log.text.split(`connected as bot to ${server.target} (fake 1)`).length, 3);
});

test("pauses grow to ten seconds and start anew after success; not each of them is told", async (t) => {
  const server = await FakeServer.start(t);
  for (let refusals = 0; refusals < 9; refusals++) server.refuse(status.UNAVAILABLE, "going down");
  const played = new Played(t, server.target, new Recorder());
  let stream = await server.accept();
  assert.deepEqual(played.pauses, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  assert.equal(played.log.text.split("cannot reach").length - 1, 4); // 1, 2, 4, 8
  stream.lose(); // after no more than the greeting, which proves nothing
  stream = await server.accept();
  assert.deepEqual(played.pauses.slice(9), [10_000]);
  stream.say(ping(1n));
  await stream.hears(pong(1n));
  stream.lose();
  await server.accept();
  assert.deepEqual(played.pauses.slice(10), [100]);
});

test("a server that is not there is waited for", async (t) => {
  const tried = new Queue<number>();
  const sleep = (milliseconds: number, signal: AbortSignal) => {
    tried.push(milliseconds);
    return new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
  };
  const played = new Played(t, "127.0.0.1:1", new Recorder(), { backoff: { random: () => 1, sleep } });
  assert.equal(await tried.next("the first try"), 100);
  assert(
    played.log.text.includes("cannot reach 127.0.0.1:1 (connection refused); trying again in 0.1 s"),
    played.log.text,
  );
  played.stop();
  assert.equal(await played.end(), undefined);
});

test("the bot keeps its sessions and says which events it has", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  new Played(t, server.target, bot);
  let stream = await server.accept();
  stream.say(start("a"), events("a", 1, 2, 3), start("b", { seat: 0 }));
  await stream.hears(ack());
  stream.lose();
  stream = await server.accept();
  assert.deepEqual(stream.hello.resume, [
    { sessionId: "a", lastSeq: 3n, seat: 2 },
    { sessionId: "b", lastSeq: 0n, seat: 0 },
  ]);
  stream.say(start("a", { resumed: true, seq: 4n }), events("a", 3, 4), ask("a", 1, { seq: 4n }));
  await stream.hears(act("a", 1, 0));
  assert.deepEqual(bot.told, [
    ["start", "a"],
    ["events", "a", 1, 2, 3],
    ["start", "b"],
    ["events", "a", 4], // 3 was known
  ]);
});

test("an answer that was lost with its stream is sent again without choosing again", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  new Played(t, server.target, bot);
  let stream = await server.accept();
  stream.say(start("a"), ask("a", 7));
  await stream.hears(act("a", 7, 0));
  stream.lose(); // the server never read it
  stream = await server.accept();
  stream.say(start("a", { resumed: true }), ask("a", 7));
  await stream.hears(act("a", 7, 0));
  assert.equal(bot.decisions.length, 1);
});

for (const when of ["before the stream is lost", "between two streams", "after it is asked again"]) {
  test(`a choice in progress survives the loss of its stream: it ends ${when}`, async (t) => {
    class Thinker extends Bot {
      readonly answers = new Queue<Choice>();
      readonly begun: Decision[] = [];
      choose(decision: Decision): Promise<Choice> {
        this.begun.push(decision);
        return this.answers.next("an answer");
      }
    }
    const server = await FakeServer.start(t);
    const bot = new Thinker();
    new Played(t, server.target, bot);
    let stream = await server.accept();
    stream.say(start("a"), ask("a", 7));
    await stream.hears(ack());
    if (when === "before the stream is lost") {
      bot.answers.push(2);
      await stream.hears(act("a", 7, 2));
    }
    stream.lose();
    stream = await server.accept();
    if (when === "between two streams") {
      bot.answers.push(2);
      await stream.hears(act("a", 7, 2)); // sent as soon as it is there
    }
    stream.say(start("a", { resumed: true }), ask("a", 7));
    if (when === "after it is asked again") {
      await stream.hears(ack());
      bot.answers.push(2);
    }
    await stream.hears(act("a", 7, 2));
    assert.equal(bot.begun.length, 1);
  });
}

test("events that a crashed server has lost are forgotten", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  new Played(t, server.target, bot);
  let stream = await server.accept();
  stream.say(start("a"), events("a", 1, 2, 3), ask("a", 2, { seq: 3n }));
  await stream.hears(act("a", 2, 0));
  stream.lose();
  stream = await server.accept();
  stream.say(start("a", { resumed: true, seq: 1n }), events("a", 2), ask("a", 2, { seq: 2n }));
  await stream.hears(act("a", 2, 0));
  assert.deepEqual(bot.told.slice(1), [
    ["events", "a", 1, 2, 3],
    ["rewind", "a", 1],
    ["events", "a", 2],
  ]);
  assert.equal(bot.decisions.length, 2); // it is another one, though it has the same number
});

test("a session that ended while the bot was away ends when it is back", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  const played = new Played(t, server.target, bot, { sessions: 1 });
  const stream = await server.accept();
  stream.say(start("a"));
  await stream.hears(ack());
  stream.call.end(); // as a server that has drained does
  (await server.accept()).say(over("a"));
  assert.equal(await played.end(), undefined);
  assert.deepEqual(bot.told.at(-1), ["end", "a", 2]);
  assert(played.log.text.includes(`lost ${server.target} (the server closed the stream)`), played.log.text);
});

test("a bot that is replaced by a newer connection stops", async (t) => {
  const server = await FakeServer.start(t);
  const played = new Played(t, server.target, new Recorder());
  (await server.accept()).end(status.ABORTED, "a newer connection of this bot took over");
  const error = await played.end();
  assert(
    error instanceof Replaced && error.message === "ABORTED: a newer connection of this bot took over",
    String(error),
  );
});

test("a bot that the server does not want stops", async (t) => {
  const server = await FakeServer.start(t);
  const final = [status.UNAUTHENTICATED, status.PERMISSION_DENIED, status.INVALID_ARGUMENT, status.NOT_FOUND];
  for (const code of [
    ...final,
    status.FAILED_PRECONDITION,
    status.UNIMPLEMENTED,
    status.ALREADY_EXISTS,
    status.OUT_OF_RANGE,
  ]) {
    server.refuse(code, "not you");
    const error = await new Played(t, server.target, new Recorder()).end();
    assert(error instanceof Refused && error.code === code && error.details === "not you", String(error));
    assert(error.message.startsWith(`${status[code]}: not you`), error.message);
  }
});

test("a refusal says what to do about it, and names reason and fields", async (t) => {
  const server = await FakeServer.start(t);
  server.refuse(status.UNAUTHENTICATED, "a token is needed");
  const error = await new Played(t, server.target, new Recorder()).end();
  assert.match(String(error), /a token is needed \(give the bot's token: the option token, or CROUPIER_TOKEN/);

  const field = (number: number, bytes: Uint8Array | string) =>
    Buffer.concat([Buffer.from([8 * number + 2, Buffer.from(bytes).length]), Buffer.from(bytes)]);
  const detail = (type: string, value: Uint8Array) =>
    field(3, Any.encode({ typeUrl: `type.googleapis.com/google.rpc.${type}`, value: Buffer.from(value) }).finish());
  const violation = Buffer.concat([field(1, "hello.games[0]"), field(2, "no such game")]);
  const metadata = new Metadata();
  const details = Buffer.concat([
    detail("ErrorInfo", field(1, "BAD_HELLO")),
    detail("BadRequest", field(1, violation)),
  ]);
  metadata.set("grpc-status-details-bin", details);
  server.refuse(status.INVALID_ARGUMENT, "a bad Hello", metadata);
  const refused = await new Played(t, server.target, new Recorder()).end();
  assert(refused instanceof Refused);
  assert.equal(refused.message, "INVALID_ARGUMENT: a bad Hello (hello.games[0]: no such game)");
  assert.equal(refused.reason, "BAD_HELLO");
  assert.deepEqual(refused.violations, [{ field: "hello.games[0]", description: "no such game" }]);
});

test("other failures may pass", async (t) => {
  const server = await FakeServer.start(t);
  for (const code of [status.CANCELLED, status.RESOURCE_EXHAUSTED, status.UNKNOWN, status.DEADLINE_EXCEEDED]) {
    server.refuse(code, "oops");
    const played = new Played(t, server.target, new Recorder());
    await server.accept();
    assert.deepEqual(played.pauses, [100]);
    assert(played.log.text.includes(`cannot reach ${server.target} (${status[code]}: oops)`), played.log.text);
    played.stop();
    await played.end();
  }
});

// ------------------------------------------------------------------------------------------------------- going elsewhere

test("the bot goes where its session is hosted and shows the seat token", async (t) => {
  const [server, other] = [await FakeServer.start(t), await FakeServer.start(t)];
  const bot = new Recorder();
  new Played(t, server.target, bot, { token: "mine" });
  const home = await server.accept();
  home.say(start("a", { endpoint: other.target, seatToken: "seat" }));
  await home.hears(ack());
  const away = await other.accept();
  assert.deepEqual(bot.told, []); // not yet: nobody has dealt
  assert.deepEqual([away.hello.bot, away.token], ["bot", "Bearer seat"]);
  away.say(start("a"), ask("a", 1));
  await away.hears(act("a", 1, 0));
  home.say(start("b"), ask("b", 1));
  await home.hears(act("b", 1, 0));
});

test("sessions on the same server share a connection which ends with the last of them", async (t) => {
  const [server, other] = [await FakeServer.start(t), await FakeServer.start(t)];
  const played = new Played(t, server.target, new Recorder(), { sessions: 3 });
  const home = await server.accept();
  home.say(start("a", { endpoint: other.target }), start("b", { endpoint: other.target }));
  await home.hears(ack());
  const away = await other.accept();
  away.say(start("a"), start("b"), over("a"));
  await away.hears(ack());
  away.say(over("b"));
  await away.gone();
  home.say(start("c", { endpoint: other.target }));
  (await other.accept()).say(start("c"), over("c"));
  assert.equal(await played.end(), undefined);
});

test("a lost connection to another server is opened again", async (t) => {
  const [server, other] = [await FakeServer.start(t), await FakeServer.start(t)];
  const played = new Played(t, server.target, new Recorder());
  (await server.accept()).say(start("a", { endpoint: other.target }));
  let away = await other.accept();
  away.say(start("a"), ask("a", 1));
  await away.hears(act("a", 1, 0));
  away.lose();
  away = await other.accept();
  assert.deepEqual(away.hello.resume, [{ sessionId: "a", lastSeq: 0n, seat: 2 }]);
  assert.deepEqual(played.pauses, [100]);
});

test("another server that refuses the bot does not stop it", async (t) => {
  const [server, other] = [await FakeServer.start(t), await FakeServer.start(t)];
  other.refuse(status.UNAUTHENTICATED, "too late");
  const played = new Played(t, server.target, new Recorder());
  const told = new Promise<void>((resolve) => {
    played.log.warn = (message) => {
      if (message.includes(`${other.target} does not let the bot play there: UNAUTHENTICATED: too late`)) resolve();
    };
  });
  const home = await server.accept();
  home.say(start("a", { endpoint: other.target, seatToken: "old" }));
  await home.hears(ack());
  await patiently(told, "the refusal in the log");
  home.say(start("a", { endpoint: other.target, seatToken: "new" }));
  assert.equal((await other.accept()).token, "Bearer new");
});
