"""Bots made with the SDK lose their connection, or their server, and finish their games all the same."""

import asyncio
import signal

import pytest
from processes import PATIENCE
from proxy import Proxy

import croupier

QUICK = croupier.Backoff(base=0.01, cap=0.1)


class Counting(croupier.Bot):
    """Plays the middle action; calls ``at`` after so many choices."""

    def __init__(self, at=()):
        self.at = dict(at)
        self.choices = 0
        self.starts = []
        self.ends = {}
        self.results = []
        self.ended = asyncio.Event()

    def choose(self, decision):
        self.choices += 1
        if self.choices in self.at:
            self.at[self.choices]()
        return len(decision.actions) // 2

    def on_start(self, session):
        self.starts.append(session)

    def on_result(self, session, result):
        self.results.append(result)

    def on_end(self, session, end):
        self.ends[session.id] = end
        self.ended.set()

    async def over(self):
        """Wait until a game has ended."""
        async with asyncio.timeout(PATIENCE):
            await self.ended.wait()


async def known(organiser, *bots):
    """Wait until the server knows these bots: then a session with them can be created."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await organiser.create(*bots)
            except croupier.RequestError as error:
                if error.reason != "UNKNOWN_BOT":
                    raise
            await asyncio.sleep(0.01)


async def over(*playing):
    """Wait until each bot has played what it came for."""
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*playing)


async def test_bots_whose_connection_is_cut_again_and_again_finish_their_games_without_a_fault(serve, organise):
    server = serve(grace=60)
    async with organise(server) as organiser, Proxy(server.target) as proxy:
        games = 6
        ann = Counting(at=dict.fromkeys((3, 4, 20, 50, 51, 90), proxy.cut))
        bob = Counting(at={30: proxy.cut, 60: proxy.cut})
        playing = [
            asyncio.create_task(croupier.play(ann, proxy.target, name="ann", sessions=games, backoff=QUICK)),
            asyncio.create_task(croupier.play(bob, proxy.target, name="bob", sessions=games, backoff=QUICK)),
        ]
        sessions = [await known(organiser, "ann", "bob", "house:random")]
        sessions += [await organiser.create("bob", "ann", "house:greedy", "bob") for _ in range(games - 1)]
        await over(*playing)
        assert proxy.cuts == 8
        for session_id in sessions:
            session = await organiser.session(session_id)
            assert session.result.points
            assert await organiser.faults(session_id) == {}
            for bot in (ann, bob):
                assert list(bot.ends[session_id].result.points) == list(session.result.points)
        assert len(ann.starts) == games  # nobody sits down twice
        assert len(bob.starts) == 2 * games - 1  # bob has two seats in most of them


async def test_a_bot_that_was_away_when_its_game_ended_hears_of_it(serve, organise):
    server = serve(grace=0.01, max_faults=1)
    async with organise(server) as organiser, Proxy(server.target) as proxy:
        bot = Counting(at={5: proxy.cut})
        slow_to_return = croupier.Backoff(base=2, cap=2, random=lambda: 1.0)
        playing = asyncio.create_task(croupier.play(bot, proxy.target, name="ann", sessions=1, backoff=slow_to_return))
        session_id = await known(organiser, "ann", "house:random", "house:random")
        await over(playing)
        assert bot.ends[session_id].result.forfeited[0]
        assert await organiser.faults(session_id) == {"ann": {"DISCONNECTED": 1}}


async def test_a_bot_outlives_its_server_and_plays_on_the_next_one(serve, organise):
    first = serve()
    bot = Counting()
    playing = asyncio.create_task(croupier.play(bot, first.target, name="ann", sessions=2, backoff=QUICK))
    async with organise(first) as organiser:
        await known(organiser, "ann", "house:random", "house:random")
        await bot.over()
    first.signal(signal.SIGTERM)
    assert await asyncio.to_thread(first.wait) == 0
    second = serve(listen=first.target)
    async with organise(second) as organiser:
        await known(organiser, "ann", "house:random", "house:random")
        await over(playing)
    assert len(bot.ends) == 2


async def test_a_bot_started_twice_is_told_and_does_not_fight_for_its_seat(server, organise):
    first, second = Counting(), Counting()
    async with organise(server) as organiser:
        older = asyncio.create_task(croupier.play(first, server.target, name="ann", backoff=QUICK))
        await known(organiser, "ann", "house:random", "house:random")
        await first.over()
        async with asyncio.timeout(PATIENCE):
            newer = asyncio.create_task(croupier.play(second, server.target, name="ann", sessions=1, backoff=QUICK))
            with pytest.raises(croupier.Replaced, match="a newer connection of this bot has taken over"):
                await older
        await organiser.create("ann", "house:random", "house:random")
        await over(newer)
