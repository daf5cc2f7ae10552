"""Each check fails a bot that does what it checks wrong, and says what was seen.

All flawed bots are checked side by side, once. They are tasks of this process, but for those that end like programs.
"""

import asyncio
import re
import sys
import tempfile
import traceback
from pathlib import Path

import pytest

from croupier.processes import start
from croupier_service.conformance import checks  # noqa: F401 - they register themselves
from croupier_service.conformance.check import CHECKS
from croupier_service.conformance.running import Lane, Outcome
from croupier_service.conformance.stage import Settings

sys.path.insert(0, str(Path(__file__).parent))

from rogue import play

ROGUE = Path(__file__).with_name("rogue.py")
AT_ONCE = 20
PATIENCE = 5.0  # what a flawed bot leaves undone is waited for so long

FLAWS = {
    "never-connects": ("connects", "the bot does not connect to CROUPIER_TARGET"),
    "hello-and-more": ("connects", "holds Hello and nothing else; this one held Hello, Ack"),
    "protocol-2": ("hello", r"Hello.protocol is 2; this protocol is 1"),
    "another-name": ("hello", r"Hello.bot is 'rogue', but CROUPIER_NAME is 'checked-\w+'"),
    "no-sdk": ("hello", r"Hello.sdk is empty"),
    "long-language": ("hello", r"Hello.language has 65 characters, at most 64 are read"),
    "misspells-games": ("hello", r"Hello.games has 'Trick and Trade'"),
    "no-token": ("token", "the call has no metadata called authorization"),
    "basic": ("token", "authorization begins with 'Basic', not with 'Bearer '"),
    "another-token": ("token", "authorization holds another token than CROUPIER_TOKEN"),
    "no-ack": ("acknowledges", "the bot says nothing"),
    "counts-from-one": ("a-game", r"session check-1, decision 1: index (\d+) of \1 actions, which count from 0"),
    "no-choice": ("a-game", "an act without a choice"),
    "invents-an-action": ("a-game", "the action is none of those that were offered: other"),
    "another-decision": ("a-game", "an act for decision 2 of session check-1; the open one is 1"),
    "another-session": ("a-game", "an act for session 'check-1x', which does not exist"),
    "answers-twice": ("a-game", "session check-1, decision 1 was answered twice"),
    "one-game-at-a-time": ("several-games", "an answer is awaited in session check-1 .* and 4 others"),
    "plays-one-game-alone": ("every-game", "the bot says nothing|an answer is awaited"),
    "one-seat-a-session": ("two-seats", r"an answer is awaited in session check-1 \(decision 3\)"),
    "knows-no-standing-decisions": ("standing-decisions", "the bot ended with exit code 1"),
    "stubborn": ("illegal-answer", r"an answer is awaited in session check-1 \(decision 1\)"),
    "insists": ("act-results", "session check-1, decision 1 was answered twice"),
    "reads-one-message-a-frame": ("coalesced-frames", "an answer is awaited"),
    "a-frame-for-each-answer": ("one-frame-back", "64 answers to one frame came in 64 frames"),
    "ignores-limits": ("frame-limit", r"a frame of \d+ bytes, though the server reads 1024"),
    "impatient": ("slow-frames", "the bot has ended its stream"),
    "no-pong": ("pings", "the bot says nothing"),
    "nonces-are-floats": ("pings", "the bot sent Pong 18446744073709551615, but the ping was 18446744073709551613"),
    "resumes-without-end": ("thousands-of-sessions", "Hello.resume names 4500 seats; 4,096 are read"),
    "dies-of-unknown-fields": ("unknown-fields", "the bot ended with exit code 1"),
    "dies-of-unknown-messages": ("unknown-messages", "the bot ended with exit code 1"),
    "dies-of-unknown-enums": ("unknown-enums", "the bot ended with exit code 1"),
    "leaves-when-torn": ("torn-connection", "the bot ended with exit code 1"),
    "comes-back-only-when-unavailable": ("ended-stream", "after RESOURCE_EXHAUSTED: the bot ended with exit code 1"),
    "forgets-its-seats": ("resume", "Hello.resume has not session check-1, seat 0; it has nothing"),
    "resumes-what-is-over": ("resume", "Hello.resume has session check-2, which is over"),
    "miscounts-events": ("resume", r"Hello.resume says of session check-1, seat 0 that event \d+ was the last; it was"),
    "answers-but-once": ("asked-again", "an answer is awaited"),
    "chooses-anew": ("same-answer", r"of 24 answers \d+ were others than before the connection was lost"),
    "does-not-rewind": ("rewind", "an answer is awaited"),
    "hammers": ("backoff", r"the bot came 7 times within 0\.\d\d s"),
    "needs-a-server": ("server-not-there", "the bot ended with exit code 1"),
    "dies-of-unknown-sessions": ("ended-while-away", "the bot ended with exit code 1"),
    "leaves-when-drained": ("drain", "the bot ended with exit code 0"),
    "stays-at-home": ("endpoint", "the bot does not come"),
    "shows-its-own-token-elsewhere": ("endpoint", "authorization there is 'Bearer .*', not 'Bearer a-seat-token'"),
    "stays-elsewhere": ("endpoint-left", "the bot keeps its stream open"),
    "plain-text-alone": ("tls", "the bot does not connect to CROUPIER_TARGET"),
    "shows-no-certificate": ("own-certificate", "the bot does not connect to CROUPIER_TARGET"),
    "trusts-anybody": ("untrusted-server", "it opened a stream there, and has shown its token"),
    "takes-any-name": ("another-host", "it opened a stream there, and has shown its token"),
    "ignores-SIGTERM": ("sigterm", "the bot has not ended"),
    "dies-of-SIGTERM": ("sigterm", "after SIGTERM it ended with SIGTERM, not with exit code 0"),
    "dies-of-SIGINT": ("sigint", "after SIGINT it ended with SIGINT, not with exit code 0"),
    "is-not-refused": ("refused-token", "the bot has not ended"),
    "refused-with-0": ("refused-token", "it ended with exit code 0, not with 1"),
    "refused-without-a-word": ("refused-token", "it said nothing on the way"),
    "refused-without-a-reason": ("refused-token", "it does not say what the server said"),
    "refused-with-a-traceback": ("refused-token", "it said so in 9 lines"),
    "is-not-replaced": ("replaced", "the bot has not ended"),
    "is-not-replaced-at-work": ("replaced-at-work", "the bot has not ended"),
}
"""By flaw: the check that finds it, and what it says (a regular expression)."""
ALONE = "hammers"  # among many others it would not come to it
NEVER_THERE = ("never-connects", "is-not-refused", "plain-text-alone", "shows-no-certificate")
PROGRAMS = ("sigterm", "sigint", "refused-token", "replaced", "replaced-at-work")


class Inside:
    """Stands for the bot's process: a bot that is a task here."""

    def __init__(self, flaw, program):
        self.code = None
        self._task = asyncio.create_task(play(flaw, program.environment))

    async def end(self):
        await asyncio.wait([self._task])
        if self._task.cancelled():
            self.code = -9
        elif (error := self._task.exception()) is not None:
            traceback.print_exception(error)
            self.code = 1
        else:
            self.code = self._task.result()
        return f"ended with exit code {self.code}"

    def kill(self):
        self._task.cancel()


async def look(flaw, name, folder, patience=PATIENCE):
    """Run one check on a bot with this flaw."""

    async def inside(program):
        return Inside(flaw, program)

    settings = Settings(
        (sys.executable, "-P", str(ROGUE), flaw),
        patience,
        many=150,
        start_patience=patience if flaw in NEVER_THERE else 40.0,
        start=start if name in PROGRAMS else inside,
    )
    lane = Lane(settings, folder / flaw, 1)
    try:
        return await lane.run(next(check for check in CHECKS if check.name == name))
    finally:
        await lane.close()


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """What the check of each flaw has found."""
    folder = tmp_path_factory.mktemp("flaws")

    async def look_at_all():
        room = asyncio.Semaphore(AT_ONCE)

        async def look_when_there_is_room(flaw):
            async with room:
                return await look(flaw, FLAWS[flaw][0], folder)

        together = [flaw for flaw in FLAWS if flaw != ALONE]
        found = await asyncio.gather(*map(look_when_there_is_room, together))
        return dict(zip(together, found, strict=True)) | {ALONE: await look_when_there_is_room(ALONE)}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))  # the bot that trusts anybody looks for certificates there
        return asyncio.run(look_at_all())


@pytest.mark.timeout(180)
@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_found(flaw, findings):
    finding = findings[flaw]
    assert finding.outcome is Outcome.FAILED
    assert re.search(FLAWS[flaw][1], finding.reason), finding.reason


@pytest.mark.timeout(180)
async def test_the_same_bot_without_a_flaw_passes(tmp_path):
    names = [check.name for check in CHECKS]
    found = await asyncio.gather(*(look("none", name, tmp_path, patience=60.0) for name in names))
    assert {finding.check.name: finding.reason for finding in found if finding.outcome is not Outcome.PASSED} == {}


def test_there_is_a_bot_that_fails_each_check():
    assert {check.name for check in CHECKS} == {name for name, _ in FLAWS.values()}


@pytest.mark.parametrize(
    ("openssl", "why"),
    [
        (None, "it takes certificates, which the program openssl makes, and that is not installed"),
        (
            "echo No such option: -CA >&2; exit 1",
            "openssl makes no certificate; it takes OpenSSL 3: No such option: -CA",
        ),
    ],
)
async def test_without_openssl_the_checks_of_tls_are_left_out_and_say_why(openssl, why, tmp_path, monkeypatch):
    if openssl is not None:
        (tmp_path / "openssl").write_text(f"#!/bin/sh\n{openssl}\n")
        (tmp_path / "openssl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=None)
    finding = await look("none", "tls", tmp_path)
    assert (finding.outcome, finding.reason) == (Outcome.SKIPPED, why)
