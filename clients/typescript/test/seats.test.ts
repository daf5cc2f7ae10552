/** What a bot is asked and told, what it may answer, what becomes of wrong answers, and what goes over one stream. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";

import { ActOutcome, PlayResponse } from "../src/gen/croupier/v1/play.js";
import { Bot, type Choice, type Decision, type End, type Session, VERSION } from "../src/index.js";
import { FRAME_MESSAGES } from "../src/outbox.js";
import { kebab, play } from "../src/run.js";
import { patience } from "../src/seats.js";
import { GAME, type View } from "../src/trick-and-trade.js";
import {
  ack,
  act,
  actWith,
  ask,
  drain,
  events,
  FakeServer,
  over,
  ping,
  Played,
  pong,
  Queue,
  Recorder,
  result,
  start,
  welcome,
} from "./fake.js";

test("hello says who is there and what it can do", async (t) => {
  class Player extends Bot {
    override readonly games = [GAME];
    override readonly maxSessions = 7;
    choose = () => 0;
  }
  const server = await FakeServer.start(t);
  new Played(t, server.target, new Player(), { name: "a-bot", token: "secret\n" }); // as it stands in a file
  const stream = await server.accept();
  const sdk = `croupier-typescript ${VERSION}`;
  const hello = { protocol: 1, bot: "a-bot", sdk, language: "typescript", games: [GAME], maxSessions: 7 };
  assert.deepEqual(stream.hello, { ...hello, resume: [], events: false });
  assert.equal(stream.token, "Bearer secret");
});

test("all answers to one frame go out in one frame", async (t) => {
  const server = await FakeServer.start(t);
  new Played(t, server.target, new Recorder());
  const stream = await server.accept();
  const sessions = Array.from({ length: 64 }, (_, number) => `s${number}`);
  stream.say(...sessions.map((session) => start(session)), ping(7n), ...sessions.map((session) => ask(session, 1)));
  await stream.hears(pong(7n), ...sessions.map((session) => act(session, 1, 0)));
});

test("a frame that needs no answer is acknowledged, and only that", async (t) => {
  const server = await FakeServer.start(t);
  new Played(t, server.target, new Recorder());
  const stream = await server.accept();
  stream.say(start("a"));
  await stream.hears(ack());
  stream.say(ask("a", 1));
  await stream.hears(act("a", 1, 0));
  stream.say(ping(2n ** 64n - 1n));
  await stream.hears(pong(2n ** 64n - 1n));
});

test("messages, fields and enum values of a newer server do not matter", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  new Played(t, server.target, bot);
  const stream = await server.accept();
  stream.sayNewer({ message: undefined }, start("a"), { message: undefined }, ask("a", 1));
  await stream.hears(act("a", 1, 0));
  stream.sayNewer({ message: undefined });
  await stream.hears(ack());
  stream.say(result("a", 1, 99 as ActOutcome));
  await stream.hears(ack());
  assert.deepEqual(bot.told.at(-1), ["result", "a", 99]);
});

test("a slow bot sends each answer when it has it", async (t) => {
  const server = await FakeServer.start(t);
  new Played(t, server.target, new Recorder());
  const stream = await server.accept();
  patience.milliseconds = -1; // no choice is quick enough
  t.after(() => {
    patience.milliseconds = 60_000;
  });
  stream.say(start("a"), start("b"), ask("a", 1), ask("b", 1));
  await stream.hears(act("a", 1, 0));
  await stream.hears(act("b", 1, 0));
});

test("more answers than a server reads at once are spread over frames", async (t) => {
  const server = await FakeServer.start(t);
  new Played(t, server.target, new Recorder());
  const stream = await server.accept();
  const sessions = Array.from({ length: FRAME_MESSAGES + 1 }, (_, number) => `s${number}`);
  stream.say(...sessions.map((session) => start(session)), ...sessions.map((session) => ask(session, 1)));
  await stream.hears(...sessions.slice(0, -1).map((session) => act(session, 1, 0)));
  await stream.hears(act(`s${FRAME_MESSAGES}`, 1, 0));
});

test("the welcome can make frames smaller", async (t) => {
  const server = await FakeServer.start(t);
  new Played(t, server.target, new Recorder());
  const stream = await server.acceptSilently();
  stream.say(welcome(1024), start("a"), start("b"), start("c"), ask("a", 1), ask("b", 1), ask("c", 1));
  await stream.hears(act("a", 1, 0), act("b", 1, 0));
  await stream.hears(act("c", 1, 0));
});

test("an action may be chosen by index, itself, or be made by the bot", async (t) => {
  const server = await FakeServer.start(t);
  const choices: Record<number, (decision: Decision) => unknown> = {
    1: () => 2,
    2: (decision) => decision.actions[1],
    3: () => ({ action: { $case: "play", value: 40 } }),
  };
  new Played(t, server.target, new Recorder((decision) => choices[decision.id]?.(decision)));
  const stream = await server.accept();
  stream.say(start("a"), ask("a", 1));
  await stream.hears(act("a", 1, 2));
  stream.say(ask("a", 2));
  await stream.hears(act("a", 2, 1));
  stream.say(ask("a", 3));
  await stream.hears(actWith("a", 3, 40));
});

test("the decision shows view, actions and time", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  new Played(t, server.target, bot);
  const stream = await server.accept();
  const before = performance.now();
  stream.say(start("a"), ask("a", 300, { seq: 2n ** 40n, bankMs: 250, lastChargedMs: 20, attempt: 2 }));
  await stream.hears(act("a", 300, 0));
  const [decision] = bot.decisions;
  assert(decision);
  const { id, attempt, seq, standing, thinkTime, bank, lastCharged, count } = decision;
  assert.deepEqual(
    [id, attempt, seq, standing, thinkTime, bank, lastCharged, count],
    [300, 2, 2 ** 40, false, 1000, 250, 20, 3],
  );
  assert.deepEqual((decision.view as View).hand, [1, 2, 3]);
  assert.deepEqual(decision.actions[2], { action: { $case: "play", value: 3 } });
  assert(decision.received >= before && decision.received <= performance.now());
  assert.equal(decision.session.seq, 2 ** 40);
  assert.equal(decision.message.lastChargedMs, 20);
  assert.equal(decision.toString(), "decision 300 of session a (trick-and-trade, seat 2)");
});

test("the session is the same object from start to end", async (t) => {
  class Counter extends Bot<View, unknown, number[]> {
    readonly seen: unknown[] = [];
    override onStart(session: Session<number[]>): void {
      session.data = [];
    }
    choose(decision: Decision<View, unknown, number[]>): number {
      decision.session.data.push(decision.id);
      return 0;
    }
    override onEnd(session: Session<number[]>, end: End<View, number[]>): void {
      this.seen.push(
        session.data,
        end.session === session,
        end.points,
        end.placing,
        end.view?.table?.round,
        session.seq,
      );
    }
  }
  const server = await FakeServer.start(t);
  const bot = new Counter();
  const played = new Played(t, server.target, bot as Bot, { sessions: 1 });
  const stream = await server.accept();
  stream.say(start("a"), ask("a", 1), ask("a", 2), over("a"));
  assert.equal(await played.end(), undefined);
  assert.deepEqual(bot.seen, [[1, 2], true, 30, 2, 10, 99]);
});

test("a game with two seats of one bot counts once, and playing ends when so many sessions are over", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  const played = new Played(t, server.target, bot, { sessions: 2 });
  const stream = await server.accept();
  stream.say(start("a", { seat: 0 }), start("a"), ask("a", 1, { seat: 0 }), ask("a", 2), start("b"), start("c"));
  await stream.hears(act("a", 1, 0), act("a", 2, 0));
  stream.say(over("a", 0));
  await stream.hears(ack());
  stream.say(over("a"));
  await stream.hears(ack());
  stream.say(over("b"));
  assert.equal(await played.end(), undefined);
  assert.deepEqual(bot.told.slice(4), [
    ["end", "a", 4],
    ["end", "a", 2],
    ["end", "b", 2],
  ]);
  await stream.gone();
});

test("a bot that is no longer played ends its stream", async (t) => {
  const server = await FakeServer.start(t);
  const played = new Played(t, server.target, new Recorder());
  const stream = await server.accept();
  played.stop();
  assert.equal(await played.end(), undefined);
  await stream.gone();
});

test("after an illegal act the bot is asked again, and the log says why", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder((decision) => decision.attempt);
  const played = new Played(t, server.target, bot);
  const stream = await server.accept();
  stream.say(start("a"), ask("a", 1));
  await stream.hears(act("a", 1, 1));
  const why = { rule: "play.in-hand", message: "Nev 2 is not yours", attemptsLeft: 2, faults: 1, maxFaults: 9 };
  stream.say(result("a", 1, ActOutcome.ILLEGAL, why), ask("a", 1, { attempt: 2 }));
  await stream.hears(act("a", 1, 2));
  assert.deepEqual(bot.told, [
    ["start", "a"],
    ["result", "a", ActOutcome.ILLEGAL],
  ]);
  const line =
    "warn session a, decision 1: illegal (play.in-hand): Nev 2 is not yours; attempts left: 2; faults: 1 of 9";
  assert(played.log.text.includes(line), played.log.text);
});

test("harmless results reach the bot but not the log", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  const played = new Played(t, server.target, bot);
  const stream = await server.accept();
  const harmless = [ActOutcome.STALE, ActOutcome.DUPLICATE, ActOutcome.UNKNOWN_SESSION, ActOutcome.UNSPECIFIED];
  stream.say(start("a"), ...harmless.map((outcome) => result("a", 1, outcome)));
  await stream.hears(ack());
  assert.deepEqual(
    bot.told.slice(1),
    harmless.map((outcome) => ["result", "a", outcome]),
  );
  assert(!played.log.text.includes("session a"), played.log.text);
});

test("what comes for unknown sessions does no harm", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder();
  const played = new Played(t, server.target, bot);
  const stream = await server.accept();
  stream.say(ask("x", 1), result("x", 1, ActOutcome.MALFORMED), over("x"), events("x", 1));
  await stream.hears(ack());
  assert.deepEqual([bot.told, bot.decisions], [[], []]);
  assert(played.log.text.includes("asked to decide in session x, of which the server has not told"));
  assert(played.log.text.includes("session x, decision 1: malformed"));
});

test("what cannot be an answer is an error of the bot", async (t) => {
  const wrong: [unknown, string][] = [
    [undefined, "choose() returned undefined instead of an action or an index: is a `return` missing?"],
    [null, "choose() returned null instead of an action or an index: is a `return` missing?"],
    [3, "choose() returned 3, but the 3 actions count from 0"],
    [-1, "choose() returned -1, but the 3 actions count from 0"],
    [0.5, "choose() returned 0.5, but the 3 actions count from 0"],
    [NaN, "choose() returned NaN, but the 3 actions count from 0"],
    [true, "choose() returned a boolean instead of an action or an index"],
    ["play", "choose() returned a string instead of an action or an index"],
  ];
  const server = await FakeServer.start(t);
  const played = new Played(t, server.target, new Recorder((decision) => wrong[decision.id]?.[0]));
  const stream = await server.accept();
  stream.say(start("a"));
  await stream.hears(ack());
  for (const [id, [, complaint]] of wrong.entries()) {
    stream.say(ask("a", id));
    await stream.hears(ack());
    assert(played.log.text.includes(complaint), `${complaint} is not in\n${played.log.text}`);
  }
});

for (const asynchronous of [false, true]) {
  test(`an exception in choose leaves the other sessions alone${asynchronous ? ", in an async one too" : ""}`, async (t) => {
    const server = await FakeServer.start(t);
    const choose = (decision: Decision) => {
      if (decision.session.id === "b") throw new Error("my bug");
      return 0;
    };
    // eslint-disable-next-line @typescript-eslint/require-await -- it is about what becomes of the promise
    const bot = new Recorder(asynchronous ? async (decision) => choose(decision) : choose);
    const played = new Played(t, server.target, bot);
    const stream = await server.accept();
    stream.say(start("a"), start("b"), start("c"), ask("a", 5), ask("b", 5), ask("c", 5));
    await stream.hears(act("a", 5, 0), act("c", 5, 0));
    const complaint = "choose() failed in decision 5 of session b (trick-and-trade, seat 2): no answer is sent";
    assert(played.log.text.includes(complaint), played.log.text);
    assert(played.log.text.includes("Error: my bug\n    at "), "the stack shows where");
  });

  test(`onError: "throw" stops at the first exception${asynchronous ? ", in an async choose too" : ""}`, async (t) => {
    const server = await FakeServer.start(t);
    const mine = new Error("my bug");
    const choose = () => {
      throw mine;
    };
    // eslint-disable-next-line @typescript-eslint/require-await -- as above
    const played = new Played(t, server.target, new Recorder(asynchronous ? async () => choose() : choose), {
      onError: "throw",
    });
    const stream = await server.accept();
    stream.say(start("a"), ask("a", 1));
    assert.equal(await played.end(), mine);
    await stream.gone();
  });
}

test("an exception in a hook is logged and the game goes on", async (t) => {
  class Faulty extends Recorder {
    override onStart(): void {
      throw new Error("my bug");
    }
  }
  const server = await FakeServer.start(t);
  const played = new Played(t, server.target, new Faulty());
  const stream = await server.accept();
  stream.say(start("a"), ask("a", 1));
  await stream.hears(act("a", 1, 0));
  assert(played.log.text.includes("onStart() failed in session a (trick-and-trade, seat 2): Error: my bug"));
});

// -------------------------------------------------------------------------- choices that go on while other things happen

class Thinker extends Bot {
  readonly begun: Decision[] = [];
  readonly answers = new Queue<Choice>();

  choose(decision: Decision): Promise<Choice> {
    this.begun.push(decision);
    return this.answers.next("an answer");
  }
}

test("a ping is answered while the bot thinks, and an answer is sent when it is there", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Thinker();
  new Played(t, server.target, bot);
  const stream = await server.accept();
  stream.say(start("a"), start("b"), ask("a", 1), ask("b", 1));
  await stream.hears(ack());
  stream.say(ping(42n));
  await stream.hears(pong(42n));
  bot.answers.push(1);
  bot.answers.push(2);
  await stream.hears(act("a", 1, 1), act("b", 1, 2)); // those that are ready together share a frame
});

for (const [name, message] of Object.entries({
  "its time has run out": result("a", 1, ActOutcome.LATE),
  "another decision is asked": ask("a", 2),
  "it is asked again": ask("a", 1, { attempt: 2 }),
  "the session is over": over("a"),
  "the session has moved": start("a", { endpoint: "127.0.0.1:1" }),
})) {
  test(`an answer is no longer wanted when ${name}`, async (t) => {
    const server = await FakeServer.start(t);
    const bot = new Thinker();
    const played = new Played(t, server.target, bot);
    const stream = await server.accept();
    stream.say(start("a"), ask("a", 1));
    await stream.hears(ack());
    const [first] = bot.begun;
    assert(first && !first.signal.aborted);
    stream.say(message);
    await stream.hears(ack());
    assert(first.signal.aborted);
    bot.answers.push(1); // it does not care
    await setImmediate();
    stream.say(ping(1n));
    await stream.hears(pong(1n));
    assert(!played.log.text.includes("failed"), played.log.text);
  });
}

test("a standing decision may be left unanswered, and is thought about anew when it is asked anew", async (t) => {
  const server = await FakeServer.start(t);
  const bot = new Recorder(({ standing, seq, thinkTime }) =>
    standing && seq < 6 && thinkTime === undefined ? null : 0,
  );
  const played = new Played(t, server.target, bot);
  const stream = await server.accept();
  stream.say(start("a"), ask("a", 1, { standing: true, seq: 5n }));
  await stream.hears(ack());
  stream.say(ask("a", 1, { standing: true, seq: 6n }));
  await stream.hears(act("a", 1, 0));
  assert(!played.log.text.includes("failed"), played.log.text);
});

test("a draining server is played to the end", async (t) => {
  const server = await FakeServer.start(t);
  const played = new Played(t, server.target, new Recorder());
  const stream = await server.accept();
  stream.say(start("a"), drain("upgrade"), ask("a", 1));
  await stream.hears(act("a", 1, 0));
  assert(played.log.text.includes("info the server is about to stop (upgrade); it lets games end for 5 s"));
});

test("names are checked before connecting", async (t) => {
  for (const name of ["Bot", "a b", "house:x", "x".repeat(65)]) {
    const error = await new Played(t, "localhost:1", new Recorder(), { name }).end();
    assert(error instanceof RangeError && error.message.includes("is no name for a bot"), String(error));
  }
});

test("targets are checked before connecting", async (t) => {
  for (const target of ["localhost", "http://localhost:1", "local host:1", "localhost:99999", "::1:7700"]) {
    const error = await new Played(t, target, new Recorder()).end();
    const wanted = `target "${target}" is no address: it takes "host:port"`;
    assert(error instanceof RangeError && error.message === wanted, String(error));
  }
});

test("whatever gRPC takes for an address is one", async () => {
  const signal = AbortSignal.abort();
  for (const target of ["cards.example.org.:65535", "[::1]:7700", "[fe80::1%eth0]:7700", "dns:///a:1", "unix:/a b"]) {
    await play(new Recorder(), { target, signal, token: " secret\n" });
  }
});

test("settings are checked before connecting", async () => {
  const wrong: [object, string][] = [
    [{ token: "two\nlines" }, "token: it takes one line of printable ASCII characters"],
    [{ sessions: 0 }, "sessions is 1 or more, or undefined: no end, not 0"],
    [{ onError: "raise" }, 'onError is "log" or "throw", not "raise"'],
  ];
  for (const [setting, message] of wrong) {
    await assert.rejects(play(new Recorder(), setting), { name: "RangeError", message });
  }
});

test("the games of a bot are no string", async () => {
  const bot = Object.assign(new Recorder(), { games: "trades" });
  const message = 'games must be an array of names, not "trades"';
  await assert.rejects(play(bot as never), { name: "TypeError", message });
});

test("a bot without a name is called like its class", () => {
  const names = ["RandomBot", "Greedy2", "MyMCTSBot"].map(kebab);
  assert.deepEqual(names, ["random-bot", "greedy2", "my-mcts-bot"]);
});

test("the version is that of the package", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  assert.equal(VERSION, manifest.version);
});

test("a decision is read as the generated code reads it", async () => {
  const { readDecision } = await import("../src/index.js");
  const { messagesOf } = await import("../src/wire.js");
  const { Decision: Message } = await import("../src/gen/croupier/v1/play.js");
  const frame = readFileSync("../vectors/greedy-decisions.binpb");
  const heard = messagesOf(frame);
  assert(heard.length > 100);
  for (const [at, { message }] of PlayResponse.decode(frame).messages.entries()) {
    const wanted = message?.$case === "decision" && message.value;
    const one = heard[at];
    assert(wanted && one && "decision" in one);
    wanted.standing = at % 2 === 1;
    Object.assign(wanted, {
      seq: 2n ** BigInt(at % 53),
      bankMs: 2 ** (at % 32),
      lastChargedMs: at,
      attempt: at % 10,
      seat: at,
    });
    const wire = readDecision(Message.encode(wanted).finish());
    const { sessionId, decisionId, seq, attempt, bankMs, lastChargedMs, seat, standing, thinkTimeMs } = wanted;
    assert.deepEqual(
      [
        wire.sessionId,
        wire.id,
        wire.seq,
        wire.attempt,
        wire.bank,
        wire.lastCharged,
        wire.seat,
        wire.standing,
        wire.thinkTime,
      ],
      [sessionId, decisionId, Number(seq), attempt, bankMs, lastChargedMs, seat, standing, thinkTimeMs],
    );
    assert.equal(wire.count, wanted.actions.length);
    assert.equal(one.decision.count, wanted.actions.length);
  }
});

test("a frame that cannot be read is an error, whatever is wrong with it", async () => {
  const { messagesOf } = await import("../src/wire.js");
  const good = Buffer.from(PlayResponse.encode({ messages: [start("a"), ask("a", 1)] }).finish());
  assert.equal(messagesOf(good).length, 2);
  assert.throws(() => messagesOf(good.subarray(0, -1)), /a frame ends in the middle of a message/);
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good);
    bad[at] = 0xff;
    try {
      messagesOf(bad); // ends, one way or the other
    } catch (error) {
      assert(error instanceof Error);
    }
  }
});
