"""The page of a tournament that is run here: what it is told, and that nobody waits for it."""

import asyncio
import json
import os
import signal
import socket
import urllib.request

import pytest

from croupier_tournament.run.events import Event, Progress
from croupier_tournament.run.report_files import report_of
from croupier_tournament.run.standing import compute
from croupier_tournament.web import beside
from croupier_tournament.web.address import Address, PageError, Site
from croupier_tournament.web.beside import Telling, page_beside
from croupier_tournament.web.gallery import RunBeside, Told
from croupier_tournament.web.showcase import Showcase

PATIENCE = 60
PROGRESS = Progress(planned=18, running=2, final=12, voided=3, rate=1.5, eta_s=4.0)


class Listening:
    """An audience that keeps what it is told."""

    def __init__(self):
        self.events = []
        self.told = asyncio.Event()

    def event(self, event):
        self.events.append(event)
        self.told.set()

    def progress(self, progress):
        self.events.append(progress)


class Pipe:
    """What is said into it; `full`: nobody reads."""

    def __init__(self):
        self.said = []
        self.full = False
        self.transport = self

    def get_write_buffer_size(self):
        return beside.MOST_UNREAD if self.full else 0

    def write(self, line):
        self.said.append(json.loads(line))


@pytest.fixture
async def standings(hosted):
    """Standings, as a run tells them."""
    standing = await compute(hosted.tournament, hosted._ledger, None)
    return Event("standings", "standings", {}, report_of(hosted.tournament, standing))


async def test_what_is_told_is_what_is_shown(hosted, standings):
    pipe, audience, told = Pipe(), Listening(), Told()
    telling = Telling("http://127.0.0.1:1/", audience)
    telling.listened_to_by(pipe)
    telling.progress(PROGRESS)
    telling.event(Event("block", "block 3 is final", {"seed": "00"}))
    telling.event(standings)
    assert len(audience.events) == 3  # handed on
    assert [list(said) for said in pipe.said] == [["progress"], ["standings"]]  # and nothing else is told
    for said in pipe.said:
        told.hear(json.dumps(said).encode())
    gallery = RunBeside(hosted, hosted._ledger, hosted.place, told)
    assert await gallery.progress(hosted) == PROGRESS
    shown = await gallery.standings(hosted)
    assert shown["games"] == 12
    assert shown is await gallery.standings(hosted)
    assert shown == await super(RunBeside, gallery).standings(hosted)  # as from the ledger


async def test_a_page_that_is_told_nothing_yet_looks_for_itself(hosted):
    gallery = RunBeside(hosted, hosted._ledger, hosted.place, Told())
    assert (await gallery.progress(hosted)).final == 12
    assert (await gallery.standings(hosted))["games"] == 12


async def test_news_are_shown_when_they_come(hosted, monkeypatch):
    monkeypatch.setattr("croupier_tournament.web.gallery.LOOK_S", PATIENCE)  # nobody looks by the clock
    told = Told()
    showcase = Showcase(RunBeside(hosted, hosted._ledger, hosted.place, told), hosted)
    chunks = showcase.follow()
    assert b'"final":12' in await anext(chunks)
    told.hear(json.dumps({"progress": line()}).encode())
    assert b'"voided":3' in await asyncio.wait_for(anext(chunks), PATIENCE)
    await chunks.aclose()
    await showcase.close()


def line():
    return {name: getattr(PROGRESS, name) for name in Progress.__dataclass_fields__}


def test_a_page_that_does_not_read_is_told_the_latest_when_it_does():
    pipe, telling = Pipe(), Telling("", Listening())
    telling.listened_to_by(pipe)
    pipe.full = True
    telling.progress(PROGRESS)
    assert pipe.said == []
    telling.listened_to_by(None)  # it has ended
    pipe.full = False
    telling.progress(PROGRESS)
    assert pipe.said == []
    again = Pipe()
    telling.listened_to_by(again)  # it was started again
    assert again.said == [{"progress": line()}]


@pytest.mark.parametrize("said", [b"{", b"[]", b'{"progress": {"unknown": 1}}', b'{"progress": 7}', b"\xff\n"])
def test_what_makes_no_sense_tells_nothing(said):
    told = Told()
    told.hear(said)
    assert (told.progress, told.standings) == (None, None)


async def asked(url):
    """The tournaments that a page shows."""

    def ask():
        request = urllib.request.Request(f"{url}api/tournaments", headers={"host": "cards.example.org"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["tournaments"]

    return await asyncio.to_thread(ask)


@pytest.mark.timeout(180)
async def test_a_page_that_ends_is_started_again_where_it_was_and_ends_with_the_run(hosted, tmp_path, monkeypatch):
    started = []
    start = beside._start

    async def noted(*arguments):
        started.append(await start(*arguments))
        return started[-1]

    monkeypatch.setattr(beside, "_start", noted)
    monkeypatch.setattr(beside, "BACKOFF", beside.Backoff(base=0.01, cap=0.01))
    audience = Listening()
    site = Site(Address("127.0.0.1", 0), proxies=("127.0.0.1",), names=("cards.example.org",))
    async with page_beside(hosted.place.path, tmp_path / "page.log", site, audience) as telling:
        telling.progress(PROGRESS)
        before = await asked(telling.url)
        assert [one["title"] for one in before] == ["Spring <Cup>"]
        assert os.getpriority(os.PRIO_PROCESS, started[0].pid) > os.getpriority(os.PRIO_PROCESS, 0)
        started[0].send_signal(signal.SIGKILL)
        async with asyncio.timeout(PATIENCE):
            await audience.told.wait()
        assert "the page has ended with exit code -9, and is started again" in audience.events[-1].message
        assert await asked(telling.url) == before
        assert len(started) == 2
    assert started[1].returncode == 0
    with pytest.raises(OSError, match="refused"):
        await asked(telling.url)


async def test_play_does_not_wait_for_a_page_that_cannot_be_started(tmp_path, monkeypatch):
    async def nothing_left(*_):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(beside, "_start", nothing_left)
    audience = Listening()
    async with asyncio.timeout(beside.READY_S / 2):
        async with page_beside(tmp_path, tmp_path / "page.log", Site(Address("127.0.0.1", 0)), audience):
            await audience.told.wait()
    assert "the page cannot be started ([Errno 24] Too many open files)" in audience.events[0].message


async def test_a_page_that_cannot_be_is_said_to_be_before_the_first_game(tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        site = Site(Address("127.0.0.1", taken.getsockname()[1]))
        with pytest.raises(OSError, match="cannot serve the page on"):
            async with page_beside(tmp_path, tmp_path / "page.log", site, Listening()):
                pass
    monkeypatch.setenv("CROUPIER_WEB_TOKEN", "croupier_operator_" + "0" * 64)
    with pytest.raises(PageError, match="is a spectator's token"):
        async with page_beside(tmp_path, tmp_path / "page.log", Site(Address("127.0.0.1", 0)), Listening()):
            pass
