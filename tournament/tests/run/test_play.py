"""Games are played as planned, and what goes wrong costs no more than it must. The servers are the test's own."""

import asyncio
from collections import Counter, defaultdict
from dataclasses import replace

import grpc
import pytest
from fake_server import FakeServer

from croupier import RequestError
from croupier_tournament.plan import GameKey
from croupier_tournament.run.books import Books
from croupier_tournament.run.ledger import FINAL, LEASED, REPORTED, VOID
from croupier_tournament.run.opening import open_ledger
from croupier_tournament.run.play import MOST_ATTEMPTS, Play, Unplayable
from croupier_tournament.run.presence import Presence
from croupier_tournament.run.servers import GameServer, ServerAway
from croupier_tournament.run.tournament import STAND_IN, add_tournament, plan_of
from croupier_tournament.spec.reading import spec_of

SECRET = bytes(range(32))


class Heard:
    def __init__(self):
        self.events = []

    def event(self, event):
        self.events.append(event)

    def progress(self, progress):
        pass

    def of(self, kind):
        return [event for event in self.events if event.kind == kind]


class Hall:
    """Looks like `Places`, with servers of the test's own."""

    def __init__(self, tournament, *servers):
        self.servers = {server.target: server for server in servers}
        self.changed = lambda: None
        self.disqualified = {}
        self._tournament = tournament
        self._presence = Presence(asyncio.get_running_loop().time)

    def choose(self, bots):
        ready = [server for server in self.servers.values() if self.playable(server, bots)]
        return min(ready, key=lambda server: server.running, default=None)

    def playable(self, server, bots):
        return server.ready and self._presence.worth_a_try(server.target, bots)

    def seated(self, seating):
        return tuple(STAND_IN if name in self.disqualified else self._tournament.bots[name] for name in seating)

    def there(self, server, bots):
        self._presence.there(server.target, bots)

    def missing(self, server, bot):
        self._presence.missing(server.target, bot)

    def full(self, server, bot):
        self._presence.full(server.target, bot)

    def look_for_missing(self):
        pass


def table(blocks=6, kind="remote", **run):
    kinds = {"remote": {"remote": True}, "command": {"command": ["bot"]}}
    entrants = [{"name": name, **kinds[kind]} for name in ("ann", "bob", "cat", "dan")]
    run = {"concurrency": 6, "server_patience_s": 0.2, **run}
    return {"game": "trick-and-trade", "seats": 3, "blocks": blocks, "entrants": entrants, "run": run}


@pytest.fixture
async def ledger(tmp_path):
    async with await open_ledger(f"sqlite:///{tmp_path}/l.sqlite", new=True) as it:
        yield it


@pytest.fixture
async def planned(ledger):
    async def planned(**fields):
        spec = spec_of(table(**fields))
        return await add_tournament(ledger, table(**fields), spec, plan_of(spec), secret=SECRET)

    return planned


class Game:
    """A run that a test can take part in."""

    def __init__(self, tournament, ledger, *servers):
        self.heard = Heard()
        self.tournament = tournament
        self.ledger = ledger
        self.hall = Hall(tournament, *servers)
        self.play = Play(tournament, ledger, self.hall, self.heard, "me", wall_clock=lambda: 1000.0)

    async def to_the_end(self, meanwhile=None):
        await self.play.restore()
        going = asyncio.create_task(self.play.go())
        try:
            if meanwhile is not None:
                await meanwhile(going)
            async with asyncio.timeout(30):
                await going
        finally:
            going.cancel()
            await asyncio.wait([going])
            await self.play.close()
        return [game async for game in self.ledger.games(self.tournament.id)]


async def until(condition):
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 -- what is waited for is the run's own, and tells nobody
            await asyncio.sleep(0.005)


async def test_every_planned_game_is_played_once_as_planned(planned, ledger):
    tournament, server = await planned(), FakeServer()
    games = await Game(tournament, ledger, server).to_the_end()
    assert [game.key for game in games] == sorted(tournament.plan.order)
    assert {request.labels["game"]: tuple(request.bots) for request in server.requests} == {
        str(key): tournament.plan.seating(key) for key in tournament.plan.order
    }
    assert set(server.made.values()) == {1}
    seeds = defaultdict(set)
    for request in server.requests:
        seeds[request.labels["game"][:7]].add(bytes(request.seed))
    assert all(len(of_block) == 1 for of_block in seeds.values())
    assert len(set.union(*seeds.values())) == len(tournament.plan.blocks)


async def test_spectators_of_its_games_lag_behind_as_the_spec_says(planned, ledger):
    now, late = await planned(), await planned(spectator_delay_s=90)
    key = GameKey(0, 0)
    bots = now.seating(key)
    assert now.request(key, 0, bots).spectator_delay_ms == 0
    assert late.request(key, 0, bots).spectator_delay_ms == 90_000
    later = replace(late, spec=spec_of(table(spectator_delay_s=120)))
    assert later.request(key, 0, bots).request_id != late.request(key, 0, bots).request_id  # another wish


async def test_results_records_and_seeds_are_kept_and_told_when_a_block_is_final(planned, ledger):
    tournament, server = await planned(blocks=1), FakeServer()
    server.late.add("bob")
    it = Game(tournament, ledger, server)
    games = await it.to_the_end()
    for game in games:
        assert (game.state, game.ended, game.decisions, game.charged) == (FINAL, 1000.0, (18,) * 3, (5,) * 3)
        assert [dict(faults) for faults in game.faults] == [{"late": 2} if bot == "bob" else {} for bot in game.bots]
    assert len([key async for key, _ in ledger.records(tournament.id)]) == 3
    kept = await ledger.record(tournament.id, games[0].key)
    assert (kept.record(), kept.charged_ms()) == (f"record of {games[0].session}", [1, 2])
    (block,) = it.heard.of("block")
    assert (block.data["seed"], len(block.data["games"])) == (tournament.deal_seed(0).hex(), 3)


async def test_no_more_games_run_at_once_than_allowed(planned, ledger):
    server = FakeServer(seconds=0.02)
    await Game(await planned(concurrency=2), ledger, server).to_the_end()
    assert server.most == 2


async def test_games_that_end_at_once_are_followed_by_others_before_they_are_written_down(planned, ledger, monkeypatch):
    class AllAtOnce(FakeServer):
        async def create(self, request):
            session_id = await super().create(request)
            if len(self.requests) == 8:
                eight.set()
            return session_id

        async def over(self, session_id, within_s):
            await eight.wait()
            return await super().over(session_id, within_s)

    begun, over, eight, server = [], Play._over, asyncio.Event(), AllAtOnce()
    monkeypatch.setattr(Play, "_over", lambda *args, **more: (begun.append(len(server.requests)), over(*args, **more)))
    await Game(await planned(blocks=16, concurrency=8), ledger, server).to_the_end()
    assert begun[0] == 8
    assert begun[7] >= 16  # when the last of the first eight is written down, the next eight have begun


async def test_no_bot_sits_in_two_games_of_one_deal_at_once(planned, ledger):
    class Watching(FakeServer):
        async def create(self, request):
            now, deal = asyncio.get_running_loop().time(), bytes(request.seed)
            at_once.extend(one for one, over in self.sessions.values() if over > now and bytes(one.seed) == deal)
            return await super().create(request)

    at_once, server = [], Watching(seconds=0.01)
    games = await Game(await planned(blocks=6, concurrency=60), ledger, server).to_the_end()
    assert (len(games), at_once) == (18, [])
    assert server.most >= 5  # all the same


async def test_a_slow_bot_does_not_hold_up_tables_at_which_it_does_not_sit(planned, ledger):
    tournament = await planned(blocks=8, concurrency=3)
    server = FakeServer(seconds=lambda request: 30.0 if "dan" in request.bots else 0.0)
    server.slow = "dan"
    quick = {str(key) for key in tournament.plan.order if "dan" not in tournament.plan.seating(key)}
    it = Game(tournament, ledger, server)

    async def meanwhile(_):
        await until(lambda: len(it.heard.of("block")) * 3 == len(quick))
        it.play.pause()
        for request_id in list(server.sessions):
            server.sessions[request_id] = (server.sessions[request_id][0], 0.0)

    games = await it.to_the_end(meanwhile)
    assert {str(game.key) for game in games} >= quick


async def test_the_least_loaded_server_gets_the_next_block_and_blocks_stay_together(planned, ledger):
    servers = [FakeServer(f"fake:{number}", seconds=0.01) for number in range(3)]
    games = await Game(await planned(blocks=12), ledger, *servers).to_the_end()
    by_block = defaultdict(set)
    for game in games:
        by_block[game.block].add(game.server)
    assert all(len(where) == 1 for where in by_block.values())
    assert min(Counter(game.server for game in games).values()) >= 6


async def test_a_server_that_goes_away_voids_only_its_blocks(planned, ledger):
    here, gone = FakeServer("fake:1", seconds=0.01), FakeServer("fake:2", seconds=30.0)
    it = Game(await planned(blocks=6), ledger, here, gone)

    async def meanwhile(_):
        await until(lambda: gone.running)
        gone.go()

    games = await it.to_the_end(meanwhile)
    assert (len(games), {game.server for game in games}) == (18, {"fake:1"})
    voids = it.heard.of("void")
    assert voids
    assert all("fake:2 went away and has not come back within 0.2 s" in event.data["reason"] for event in voids)
    assert {game.block for game in games if game.attempt} == {event.data["block"] for event in voids}


async def test_a_server_that_comes_back_and_remembers_costs_nothing(planned, ledger):
    server = FakeServer(seconds=0.2)
    it = Game(await planned(blocks=2, server_patience_s=30), ledger, server)

    async def meanwhile(_):
        await until(lambda: server.running)
        server.go()
        server.come(forgetful=False)

    games = await it.to_the_end(meanwhile)
    assert (len(games), it.heard.of("void"), set(server.made.values())) == (6, [], {1})


async def test_a_server_that_comes_back_and_has_forgotten_everything_repeats_whole_blocks(planned, ledger):
    server = FakeServer(seconds=0.1)
    it = Game(await planned(blocks=2, server_patience_s=30), ledger, server)

    async def meanwhile(_):
        await until(lambda: len(server.sessions) == 3)  # a game of each is over, one runs
        server.go()
        server.come(forgetful=True)

    games = await it.to_the_end(meanwhile)
    assert [game.attempt for game in games] == [1] * 6
    assert len({request.request_id for request in server.requests}) == 11
    assert {event.data["block"] for event in it.heard.of("void")} == {0, 1}
    assert it.play.voided == 5  # of the other block the loss shows in the end


async def test_a_session_that_somebody_stops_repeats_its_block(planned, ledger):
    server = FakeServer(seconds=0.1)
    it = Game(await planned(blocks=1), ledger, server)

    async def meanwhile(_):
        await until(lambda: len(server.sessions) == 3)
        server.aborted.append(list(server.sessions)[-1])

    games = await it.to_the_end(meanwhile)
    assert [game.attempt for game in games] == [1, 1, 1]
    assert "somebody has stopped session" in it.heard.of("void")[0].data["reason"]


async def test_a_block_that_never_comes_to_its_end_is_given_up(planned, ledger):
    class Stopping(FakeServer):
        async def create(self, request):
            session_id = await super().create(request)
            self.aborted.append(session_id)
            return session_id

    with pytest.raises(
        Unplayable, match=f"block 0 was played {MOST_ATTEMPTS} times without coming to its end; lately: "
    ):
        await Game(await planned(blocks=1), ledger, Stopping()).to_the_end()


async def test_games_that_are_lost_sight_of_are_no_finished_tournament(planned, ledger):
    class Cancelling(FakeServer):
        async def create(self, request):
            raise asyncio.CancelledError

    with pytest.raises(Unplayable, match="3 games were lost sight of"):
        await Game(await planned(blocks=1), ledger, Cancelling()).to_the_end()


async def test_a_call_that_ends_with_its_channel_says_that_the_server_is_away():
    async def ended_with_its_channel(_access):
        call = asyncio.get_running_loop().create_future()
        call.cancel()
        await call

    async def never(_access):
        await asyncio.Event().wait()

    server = GameServer("fake:1", "trick-and-trade")
    server._access = object()
    server.here.set()
    with pytest.raises(ServerAway):
        await server._call(ended_with_its_channel)
    cancelled = asyncio.create_task(server._call(never))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled


async def test_a_bot_that_is_still_starting_is_waited_for_while_others_play(planned, ledger):
    tournament, server = await planned(), FakeServer()
    server.missing.add("dan")
    without = {key.block for key in tournament.plan.order if "dan" not in tournament.plan.seating(key)}
    it = Game(tournament, ledger, server)

    async def meanwhile(_):
        await until(lambda: {event.data["block"] for event in it.heard.of("block")} == without)
        server.missing.clear()

    assert len(await it.to_the_end(meanwhile)) == 18


async def test_a_bot_that_can_play_no_more_games_holds_up_no_others(planned, ledger):
    tournament, server = await planned(), FakeServer()
    server.full_bots.add("dan")
    without = {key.block for key in tournament.plan.order if "dan" not in tournament.plan.seating(key)}
    it = Game(tournament, ledger, server)

    async def meanwhile(_):
        await until(lambda: {event.data["block"] for event in it.heard.of("block")} == without)
        server.full_bots.clear()

    assert len(await it.to_the_end(meanwhile)) == 18


async def test_a_server_that_is_full_is_asked_again(planned, ledger):
    server = FakeServer()
    server.refuses = RequestError(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", "TOO_MANY_SESSIONS")
    it = Game(await planned(blocks=1), ledger, server)

    async def meanwhile(_):
        await asyncio.sleep(0)
        server.refuses = None

    assert len(await it.to_the_end(meanwhile)) == 3


async def test_what_a_server_refuses_for_good_ends_the_run(planned, ledger):
    server = FakeServer()
    server.refuses = RequestError(grpc.StatusCode.PERMISSION_DENIED, "not you", "NOT_ALLOWED")
    with pytest.raises(RequestError, match="not you"):
        await Game(await planned(blocks=1), ledger, server).to_the_end()


async def test_the_seat_of_a_disqualified_entrant_is_played_by_the_house_and_placed_last(planned, ledger):
    server = FakeServer()
    it = Game(await planned(), ledger, server)
    it.hall.disqualified["dan"] = "why"
    games = await it.to_the_end()
    for game in games:
        seating = it.tournament.plan.seating(game.key)
        assert game.bots == tuple(STAND_IN if name == "dan" else name for name in seating)
        assert game.forfeited == tuple(name == "dan" for name in seating)
        if "dan" in seating:
            seat = seating.index("dan")
            assert (game.placings[seat], dict(game.faults[seat])) == (3, {"disqualified": 1})
            others = [game.points[other] for other in range(3) if other != seat]
            best = max(range(3), key=lambda each: (each != seat, game.points[each]))
            assert game.placings[best] == 1 or others[0] == others[1]


# ------------------------------------------------------------------------------------------------- stopped and resumed


async def test_a_pause_lets_running_games_end_and_the_next_run_plays_the_rest(planned, ledger):
    tournament, server = await planned(blocks=20, concurrency=2), FakeServer(seconds=0.02)
    it = Game(tournament, ledger, server)

    async def meanwhile(_):
        await until(lambda: it.heard.of("block"))
        it.play.pause()

    before = await it.to_the_end(meanwhile)
    assert 0 < len(before) < 60
    counts = await ledger.counts(tournament.id)
    assert LEASED not in counts
    games = await Game(tournament, ledger, server).to_the_end()
    assert (len(games), set(server.made.values())) == (60, {1})


async def test_games_of_a_run_that_was_killed_are_found_again_where_they_run(planned, ledger):
    tournament, server = await planned(blocks=20, concurrency=4), FakeServer(seconds=0.05)
    it = Game(tournament, ledger, server)

    async def killed(going):
        await until(lambda: it.heard.of("block") and server.running)
        await it.play.flush()
        going.cancel()
        await asyncio.wait([going])

    with pytest.raises(asyncio.CancelledError):
        await it.to_the_end(killed)
    assert (await ledger.counts(tournament.id))[LEASED] > 0
    games = await Game(tournament, ledger, server).to_the_end()
    assert (len(games), set(server.made.values()), {game.attempt for game in games}) == (60, {1}, {0})


async def test_games_that_had_begun_on_a_server_that_is_not_there_any_more_are_repeated(planned, ledger):
    tournament, server = await planned(blocks=2), FakeServer("fake:1", seconds=30.0)
    it = Game(tournament, ledger, server)

    async def killed(going):
        await until(lambda: len(server.sessions) == 2)
        going.cancel()
        await asyncio.wait([going])

    with pytest.raises(asyncio.CancelledError):
        await it.to_the_end(killed)
    again = Game(tournament, ledger, FakeServer("fake:2"))
    games = await again.to_the_end()
    assert [game.attempt for game in games] == [1] * 6
    assert "it was played on fake:1, which is not there" in again.heard.of("void")[0].data["reason"]


async def test_faults_of_bots_that_ended_with_the_runner_are_not_theirs(planned, ledger):
    tournament, server = await planned(blocks=1, kind="command"), FakeServer(seconds=0.3)
    it = Game(tournament, ledger, server)

    async def killed(going):
        await until(lambda: len(server.sessions) == 3)
        going.cancel()
        await asyncio.wait([going])

    with pytest.raises(asyncio.CancelledError):
        await it.to_the_end(killed)
    server.late.update(tournament.names)
    again = Game(tournament, ledger, server)

    async def punctual_from_now_on(_):
        await until(lambda: again.heard.of("void"))
        server.late.clear()

    games = await again.to_the_end(punctual_from_now_on)
    assert [(game.attempt, any(game.faults)) for game in games] == [(1, False)] * 3
    assert "had ended with the runner" in again.heard.of("void")[0].data["reason"]


async def test_what_is_left_when_a_tournament_is_over_is_stopped_and_does_not_count(planned, ledger):
    tournament, server = await planned(blocks=2), FakeServer(seconds=30.0)
    it = Game(tournament, ledger, server)
    await it.play.restore()
    going = asyncio.create_task(it.play.go())
    await until(lambda: len(server.sessions) == 2)
    await it.play.drop_the_rest()
    await going
    await it.play.close()
    assert sorted(server.aborted) == sorted(server.sessions)
    assert await ledger.counts(tournament.id) == {VOID: 2}


async def test_reported_games_of_a_block_stay_when_the_others_are_found_again(planned, ledger):
    tournament = await planned(blocks=1)
    first = tournament.plan.order[0]
    server = FakeServer(seconds=lambda request: 0.0 if request.labels["game"] == str(first) else 0.5)
    it = Game(tournament, ledger, server)

    async def killed(going):
        block = await until_block(it)
        await until(lambda: block.games[first.replay].state == REPORTED and len(block.games) == 2)
        going.cancel()
        await asyncio.wait([going])

    with pytest.raises(asyncio.CancelledError):
        await it.to_the_end(killed)
    looked = server.looks[f"{tournament.id}/{first}/0"]
    games = await Game(tournament, ledger, server).to_the_end()
    assert (len(games), server.looks[f"{tournament.id}/{first}/0"]) == (3, looked)


async def until_block(it):
    await until(lambda: it.play.books.open)
    return it.play.books.open[0]


async def test_the_books_are_in_order_in_whatever_order_blocks_end(planned):
    books = Books((await planned()).plan)
    for number, (final, first) in {2: (1, 0), 0: (2, 1), 1: (3, 3), 5: (4, 3)}.items():
        books.finish(number)
        books.finish(number)
        assert (books.final, books.first, books.final_games) == (final, first, 3 * final)
