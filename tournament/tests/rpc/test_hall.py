"""All tournaments of a service: each is made, found and run once, whoever asks at once. Nothing is played here."""

import asyncio
import threading

import grpc
import pytest
from structlog.testing import capture_logs

from croupier.v1 import tournament_pb2 as pb
from croupier_tournament.rpc import hall as hall_module
from croupier_tournament.rpc.errors import CallError
from croupier_tournament.rpc.hall import Hall
from croupier_tournament.rpc.planning import Planner
from croupier_tournament.rpc.service import TournamentServicer
from croupier_tournament.run.ledger import PAUSED, RUNNING, Entry
from croupier_tournament.run.opening import open_ledger
from croupier_tournament.run.tournament import plan_of
from croupier_tournament.spec.reading import spec_of


def table(**fields):
    entrants = [{"name": name, "remote": True} for name in ("ann", "bob", "cat")]
    return {"game": "trick-and-trade", "seats": 3, "blocks": 2, "entrants": entrants, **fields}


class Idle(Hall):
    """A hall whose runs do nothing until the test lets them end; `begun` has them all."""

    def __init__(self, ledger, folder):
        super().__init__(ledger, "sqlite:///l.sqlite", folder, {}, allow_commands=False)
        self.begun = []
        self.may_end = asyncio.Event()

    async def _run(self, hosted):
        self.begun.append(hosted.tournament.id)
        await self.may_end.wait()

    async def pause_at_once(self, tournament):
        """End its run, and note that it is paused."""
        self.may_end.set()
        await asyncio.wait([self._tasks[tournament]])
        await self._ledger.set_state(tournament, PAUSED)
        self.may_end.clear()


@pytest.fixture
async def ledger(tmp_path):
    async with await open_ledger(f"sqlite:///{tmp_path}/l.sqlite", new=True) as it:
        yield it


@pytest.fixture
async def hall(ledger, tmp_path):
    it = Idle(ledger, tmp_path)
    yield it
    it.may_end.set()
    if it._tasks:
        await asyncio.wait(it._tasks.values())


async def outcomes(*calls):
    """What calls that are made at once come to: what they return, and the reasons of their errors."""
    done = await asyncio.gather(*calls, return_exceptions=True)
    return [each.reason if isinstance(each, CallError) else each for each in done]


async def test_two_who_resume_at_once_begin_one_run(hall):
    hosted = await hall.create(table(), "")
    await asyncio.sleep(0)
    await hall.pause_at_once(hosted.tournament.id)
    done = await outcomes(*(hall.resume(hosted.tournament.id) for _ in range(3)))
    await asyncio.sleep(0)
    assert sorted(map(str, done), key=len) == ["NOT_PAUSED", "NOT_PAUSED", str(hosted)]
    assert (len(hall.begun), list(hall._tasks)) == (2, [hosted.tournament.id])


async def test_a_run_that_ends_takes_no_other_out_of_the_list(hall):
    hosted = await hall.create(table(), "")
    first, tournament = hall._tasks[hosted.tournament.id], hosted.tournament.id
    hall._start(hosted)
    first.cancel()
    await asyncio.wait([first])
    await asyncio.sleep(0)
    assert hall._tasks[tournament] is not first


async def test_requests_at_once_make_a_tournament_each_and_the_same_request_makes_one(hall):
    others = await outcomes(*(hall.create(table(seed=f"{number}"), "") for number in range(4)))
    same = await outcomes(*(hall.create(table(), "r") for _ in range(4)))
    await asyncio.sleep(0)
    assert sorted(hosted.tournament.entry.number for hosted in others) == [1, 2, 3, 4]
    assert len(set(same)) == 1
    assert len(hall.begun) == len(set(hall.begun)) == 5


async def test_a_tournament_that_is_found_by_two_at_once_is_hosted_once(hall, ledger, tmp_path):
    hosted = await hall.create(table(), "")
    later = Idle(ledger, tmp_path)
    found = await outcomes(*(later.find(hosted.tournament.id) for _ in range(3)))
    assert len(set(found)) == 1


@pytest.fixture
async def outdated(ledger):
    """A tournament that ran under other rules."""
    entry = Entry("old", 0, "Spring", table(title="Spring"), "ab" * 32, 0, bytes(range(32)), RUNNING, 1000.0, "r")
    return await ledger.add(entry, "")


async def test_a_tournament_with_other_rules_is_not_gone_on_with_and_others_are(hall, ledger, tmp_path, outdated):
    other = (await hall.create(table(), "")).tournament.id
    later = Idle(ledger, tmp_path)
    with capture_logs() as said:
        await later.open()
    await asyncio.sleep(0)
    later.may_end.set()
    await asyncio.wait(later._tasks.values())
    assert later.begun == [other]
    assert [(line["tournament"], "plan is no longer that" in line["error"]) for line in said] == [("old", True)]
    assert (await ledger.entry("old")).state == RUNNING  # the program that has made it goes on


async def test_a_tournament_with_other_rules_is_listed_as_the_ledger_has_it(hall, outdated):
    other = (await hall.create(table(), "")).tournament.id
    reply = await TournamentServicer(hall).ListTournaments(pb.ListTournamentsRequest(), None)
    assert [tournament.tournament_id for tournament in reply.tournaments] == [other, "old"]
    old = reply.tournaments[1]
    assert (old.spec.title, old.spec.game, old.state) == ("Spring", "trick-and-trade", pb.TOURNAMENT_STATE_PAUSED)
    assert "the plan is no longer that of the tournament" in old.reason
    assert (len(old.secret_commitment), old.secret) == (32, b"")


async def test_a_request_that_made_a_tournament_with_other_rules_does_not_begin_it(hall, outdated):
    assert await outcomes(hall.create(table(title="Spring"), "r")) == ["UNREADABLE"]
    assert hall.begun == []


# ------------------------------------------------------------------------------------------------------------ planning


async def test_a_plan_that_is_asked_for_here_has_fewer_games_than_others(hall):
    with pytest.raises(CallError) as caught:
        await hall.create(table(blocks=100_000), "")
    message = "that is 300,000 games; a plan has at most 200,000"
    assert (caught.value.reason, caught.value.violations) == ("BAD_SPEC", [("spec.deals", message)])


class Gate:
    """Plans when the test says so; `at_work` has the threads that it was asked in."""

    def __init__(self):
        self.may = threading.Event()
        self.at_work = []

    def plan(self, spec, most):
        self.at_work.append(threading.current_thread())
        assert self.may.wait(30)
        return plan_of(spec, most)


@pytest.fixture
def gate():
    it = Gate()
    yield it
    it.may.set()


async def test_too_many_plans_are_refused_and_who_has_gone_waits_no_more(hall, gate, monkeypatch):
    monkeypatch.setattr(hall_module, "MOST_WAITING", 2)
    hall._planner = Planner(gate.plan)
    asked = [asyncio.create_task(hall.create(table(seed=f"{number}"), "")) for number in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(CallError) as caught:
        await hall.create(table(), "")
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_PLANS")
    asked[2].cancel()
    await asyncio.wait(asked[2:])
    asked.append(asyncio.create_task(hall.create(table(seed="3"), "")))
    await asyncio.sleep(0)
    assert hall._planner.waiting == 2
    gate.may.set()
    assert len({(await task).tournament.id for task in (asked[0], asked[1], asked[3])}) == 3


async def test_one_plan_is_made_at_a_time_though_nobody_waits_for_it_and_the_process_waits_for_none(gate):
    planner = Planner(gate.plan)
    gone = asyncio.create_task(planner.plan(spec_of(table())))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait([gone])
    next_one = asyncio.create_task(planner.plan(spec_of(table())))
    await asyncio.sleep(0)
    assert (len(gate.at_work), planner.waiting) == (1, 1)
    gate.may.set()
    assert len(await next_one) == 6
    assert [thread.daemon for thread in gate.at_work] == [True, True]
