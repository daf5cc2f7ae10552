"""A bot on the raw contract that keeps to every rule but one, its flaw: ``await play("no-pong", environment)``.

Without a flaw it does all that the checks ask for. As a program: ``python rogue.py FLAW``.
"""

import asyncio
import os
import random
import signal
import sys
from contextlib import suppress
from pathlib import Path

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet

from croupier.sending import send
from croupier.v1 import play_pb2 as pb
from croupier.v1 import play_pb2_grpc

FINAL = (grpc.StatusCode.ABORTED, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)]
ACT_BYTES = 64


async def write(call, frames):
    """Write what there is; where that fails, the reader hears why."""
    while True:
        messages = await frames.get()
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await send(call, pb.PlayRequest(messages=messages))
        frames.task_done()


class Leaving(Exception):
    """The bot ends, with this exit code, and says why."""

    def __init__(self, code, said=""):
        super().__init__(said)
        self.code = code


def encryption(flaw, environment):
    """What to speak TLS with, and what else to tell the channel; None: plain text."""
    ca = environment.get("CROUPIER_TLS_CA")
    if ca is None or flaw == "plain-text-alone":
        return None, []
    trusted = Path(ca).read_bytes()
    if flaw == "trusts-anybody":
        trusted = b"".join(beside(Path(ca)))
    own = [environment.get(f"CROUPIER_TLS_{what}") for what in ("KEY", "CERT")]
    shown = [None if path is None or flaw == "shows-no-certificate" else Path(path).read_bytes() for path in own]
    names = [("grpc.ssl_target_name_override", "elsewhere.example")] if flaw == "takes-any-name" else []
    return grpc.ssl_channel_credentials(trusted, *shown), names


def beside(ca):
    """Yield this authority and those of other checks, which come and go."""
    for other in ca.parent.parent.glob(f"{ca.parent.name[:15]}*/{ca.name}"):
        with suppress(FileNotFoundError):
            yield other.read_bytes()


class Connection:
    """The bot's place at one server. ``flaw``: the rule that it breaks; ``home``: whether it stays for good."""

    def __init__(self, flaw, target, name, token, *, home=True, encryption=(None, [])):
        self.flaw = flaw
        self.target = target
        self.name = name
        self.token = token
        self.home = home
        self.credentials, self.names = encryption
        self.seats = {}  # the last event told, by session and seat
        self.ended = []
        self.answers = {}  # by session, seat, decision and attempt
        self.seqs = {}  # the last seq heard of, by session and seat
        self.elsewhere = {}  # by endpoint
        self.frames = 0
        self.limit = 256
        self.out = []

    async def keep(self):
        """Play until there is nothing left to play, or the server does not want the bot any more."""
        failures = 0
        try:
            while True:
                self.frames = 0
                try:
                    if await self.stream():
                        return
                    code, details = grpc.StatusCode.OK, ""
                except grpc.aio.AioRpcError as error:
                    code, details = error.code(), error.details() or ""
                self.give_up(code, details)
                failures = 0 if self.frames > 1 else failures + 1
                await asyncio.sleep(0.01 if self.flaw == "hammers" else random.random() * min(10, 0.1 * 2.0**failures))
        finally:
            for task in self.elsewhere.values():
                task.cancel()
            await asyncio.gather(*self.elsewhere.values(), return_exceptions=True)

    def give_up(self, code, details):
        """Raise Leaving where the bot does not come back."""
        match self.flaw:
            case "leaves-when-torn":
                raise Leaving(1, "lost")
            case "needs-a-server" if not self.frames:
                raise Leaving(1, "lost")
            case "comes-back-only-when-unavailable" if code is not grpc.StatusCode.UNAVAILABLE:
                raise Leaving(1, "lost")
            case "is-not-refused" | "is-not-replaced":
                return
            case "is-not-replaced-at-work" if self.answers:
                return
        if code in FINAL:
            match self.flaw:
                case "refused-without-a-word":
                    raise Leaving(1)
                case "refused-without-a-reason":
                    raise Leaving(1, "error")
                case "refused-with-a-traceback":
                    raise Leaving(1, "\n".join(f"  at line {number}" for number in range(9)) + details)
            raise Leaving(0 if self.flaw == "refused-with-0" else 1, f"rogue: {details}")

    async def stream(self):
        """Play over one stream; return whether nothing is left to play."""
        options = OPTIONS + self.names
        async with (
            grpc.aio.secure_channel(self.target, self.credentials, options)
            if self.credentials
            else grpc.aio.insecure_channel(self.target, options)
        ) as channel:
            call = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=self.metadata())
            frames = asyncio.Queue()
            writing = asyncio.create_task(write(call, frames))
            try:
                first = [pb.ClientMessage(hello=self.hello())]
                if self.flaw == "hello-and-more":
                    first.append(pb.ClientMessage(ack=pb.Ack()))
                frames.put_nowait(first)
                while (frame := await self.read(call)) is not grpc.aio.EOF:
                    self.frames += 1
                    self.receive(frame)
                    self.say(frames)
                    if not self.home and self.ended and not self.seats and self.flaw != "stays-elsewhere":
                        await frames.join()
                        return True
                code = await call.code()
                if code is not grpc.StatusCode.OK:
                    raise grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), await call.details())
            finally:
                writing.cancel()
                call.cancel()
        return False

    def metadata(self):
        match self.flaw:
            case "no-token":
                return ()
            case "basic":
                return (("authorization", f"Basic {self.token}"),)
            case "another-token":
                return (("authorization", "Bearer xyz"),)
        return (("authorization", f"Bearer {self.token}"),)

    async def read(self, call):
        if self.flaw != "impatient":
            return await call.read()
        try:
            async with asyncio.timeout(0.8):
                return await call.read()
        except TimeoutError:
            return grpc.aio.EOF

    def hello(self):
        known = {} if self.flaw == "forgets-its-seats" else dict(self.seats)
        if self.flaw == "resumes-what-is-over":
            known |= dict.fromkeys(self.ended, 0)
        resume = [
            pb.Resume(session_id=session, seat=seat, last_seq=seq + (self.flaw == "miscounts-events"))
            for (session, seat), seq in known.items()
        ]
        return pb.Hello(
            protocol=2 if self.flaw == "protocol-2" else 1,
            bot="rogue" if self.flaw == "another-name" else self.name,
            sdk="" if self.flaw == "no-sdk" else "rogue 1",
            language="x" * 65 if self.flaw == "long-language" else "python",
            games=["Trick and Trade"] if self.flaw == "misspells-games" else [],
            resume=resume * 30 if self.flaw == "resumes-without-end" else resume[:4096],
            events=True,
        )

    def receive(self, frame):
        """Do what a frame asks for."""
        for message in frame.messages:
            kind = message.WhichOneof("message")
            if kind is None and self.flaw == "dies-of-unknown-messages":
                raise Leaving(1, "what?")
            if kind is not None:
                body = getattr(message, kind)
                if self.flaw == "dies-of-unknown-fields" and len(UnknownFieldSet(body)):
                    raise Leaving(1, "what?")
                getattr(self, f"on_{kind}")(body)
            if self.flaw == "reads-one-message-a-frame":
                break

    def say(self, frames):
        """Send what there is, or that there is nothing."""
        out, self.out = self.out, []
        if not out and not (self.flaw == "no-ack" and self.frames > 1):
            out = [pb.ClientMessage(ack=pb.Ack())]
        most = max(1, self.limit // ACT_BYTES)
        if self.flaw == "a-frame-for-each-answer":
            most = 1
        elif self.flaw == "ignores-limits":
            most = 10_000
        for at in range(0, len(out), most):
            frames.put_nowait(out[at : at + most])

    # What the server says.

    def on_welcome(self, welcome):
        self.limit = welcome.max_frame_bytes

    def on_session_start(self, start):
        key = start.session_id, start.seat
        if start.endpoint:
            if self.flaw != "stays-at-home":
                token = self.token if self.flaw == "shows-its-own-token-elsewhere" else start.seat_token
                there = Connection(self.flaw, start.endpoint, self.name, token, home=False)
                self.elsewhere[start.endpoint] = asyncio.create_task(there.keep())
            return
        if start.seq < self.seqs.get(key, 0) and self.flaw != "does-not-rewind":
            self.answers = {asked: answer for asked, answer in self.answers.items() if asked[:2] != key}
            self.seats[key] = min(self.seats[key], start.seq)
        if self.flaw == "one-game-at-a-time":
            self.seats = {}
        self.seqs[key] = start.seq
        self.seats.setdefault(key, 0)

    def on_events(self, events):
        self.seats[events.session_id, events.seat] = events.events[-1].seq if events.events else 0

    def ignores(self, asked, *, before):
        """Whether the bot does not answer this; ``before``: it was asked before."""
        match self.flaw:
            case "one-game-at-a-time":
                return (asked.session_id, asked.seat) not in self.seats
            case "plays-one-game-alone":
                return asked.view.WhichOneof("view") != "trick_and_trade"
            case "one-seat-a-session":
                return asked.session_id in {session for session, _ in self.ended}
            case "stubborn":
                return asked.attempt > 1
            case "answers-but-once" | "does-not-rewind":
                return before
        return False

    def on_decision(self, asked):
        seat = asked.session_id, asked.seat
        number = *seat, asked.decision_id, asked.attempt
        before = number in self.answers
        if self.flaw == "knows-no-standing-decisions" and not asked.HasField("think_time_ms"):
            raise Leaving(1, "no time at all")
        if self.ignores(asked, before=before):
            return
        if asked.standing or self.flaw == "chooses-anew" or not before:
            self.answers[number] = random.randrange(len(asked.actions))
        self.seqs[seat] = asked.seq
        act = pb.Act(session_id=asked.session_id, decision_id=asked.decision_id, index=self.answers[number])
        match self.flaw:
            case "counts-from-one":
                act.index = len(asked.actions)
            case "no-choice":
                act.ClearField("index")
            case "invents-an-action":
                act.action.other.type_url = "invented"
            case "another-decision":
                act.decision_id += 1
            case "another-session":
                act.session_id += "x"
        self.latest = act
        self.out += [pb.ClientMessage(act=act)] * (2 if self.flaw == "answers-twice" else 1)

    def on_act_result(self, result):
        if self.flaw == "dies-of-unknown-enums" and result.outcome not in pb.ActOutcome.values():
            raise Leaving(1, "what?")
        if self.flaw == "insists" and result.outcome == pb.ACT_OUTCOME_STALE:
            self.out.append(pb.ClientMessage(act=self.latest))

    def on_session_end(self, end):
        key = end.session_id, end.seat
        if self.flaw == "dies-of-unknown-sessions" and key not in self.seats:
            raise Leaving(1, "what?")
        self.seats.pop(key, None)
        self.ended.append(key)

    def on_ping(self, ping):
        nonce = min(int(float(ping.nonce)), (1 << 64) - 1) if self.flaw == "nonces-are-floats" else ping.nonce
        if self.flaw != "no-pong":
            self.out.append(pb.ClientMessage(pong=pb.Pong(nonce=nonce)))

    def on_drain(self, drain):
        if self.flaw == "leaves-when-drained":
            raise Leaving(0, "bye")


async def play(flaw, environment):
    """Play until that ends; return the exit code."""
    if flaw == "never-connects":
        await asyncio.Event().wait()
    names = "CROUPIER_TARGET", "CROUPIER_NAME", "CROUPIER_TOKEN"
    try:
        given = [environment[name] for name in names]
        await Connection(flaw, *given, encryption=encryption(flaw, environment)).keep()
    except Leaving as leaving:
        if str(leaving):
            print(leaving, file=sys.stderr)
        return leaving.code
    return 0


async def main():
    """Play as a program, until a signal ends it."""
    flaw = sys.argv[1]
    playing = asyncio.create_task(play(flaw, os.environ))
    for number in (signal.SIGTERM, signal.SIGINT):
        if flaw == f"ignores-{number.name}":
            asyncio.get_running_loop().add_signal_handler(number, lambda: None)
        elif flaw == f"dies-of-{number.name}":
            signal.signal(number, signal.SIG_DFL)
        else:
            asyncio.get_running_loop().add_signal_handler(number, playing.cancel)
    try:
        return await playing
    except asyncio.CancelledError:
        return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
