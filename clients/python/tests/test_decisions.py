"""What a bot is asked, what it may answer, and what becomes of wrong answers."""

import asyncio

import pytest

import croupier
from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as tnt


async def test_an_action_may_be_chosen_by_index(server, play, choosing):
    play(choosing(lambda decision: 2))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, index=2)]


async def test_an_action_may_be_chosen_itself(server, play, choosing):
    play(choosing(lambda decision: decision.actions[1]))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1, cards=(11, 12, 13)))
    assert await stream.hear() == [stream.act("a", 1, card=12)]


async def test_an_action_may_be_made_by_the_bot(server, play, choosing):
    play(choosing(lambda decision: tnt.Action(play=40)))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, card=40)]


async def test_choose_may_be_async(server, play):
    class Bot(croupier.Bot):
        async def choose(self, decision):
            await asyncio.sleep(0)
            return decision.actions[2]

    play(Bot())
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.ack()]
    assert await stream.hear() == [stream.act("a", 1, card=3)]


async def test_the_decision_shows_view_actions_and_time(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    ask = stream.ask("a", 7, cards=(5, 6), seq=31, think_time_ms=1500, bank_ms=250, last_charged_ms=20)
    await stream.say(stream.start("a"), ask)
    await stream.hear()
    [decision] = recorder.decisions
    assert (decision.id, decision.attempt, decision.seq, decision.standing) == (7, 1, 31, False)
    assert (decision.think_time, decision.bank, decision.last_charged) == (1.5, 0.25, 0.02)
    assert decision.view == tnt.View(hand=[5, 6])
    assert list(decision.actions) == [tnt.Action(play=5), tnt.Action(play=6)]
    assert decision.session.seq == 31


async def test_the_session_is_the_same_object_from_start_to_end(server, play):
    class Bot(croupier.Bot):
        def on_start(self, session):
            session.data = []

        def choose(self, decision):
            decision.session.data.append(decision.id)
            return 0

        def on_end(self, session, end):
            seen.append((session.data, end.session is session, end.points, end.placing, end.view.table.round))

    seen = []
    task = play(Bot(), sessions=1)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1), stream.ask("a", 2), stream.over("a"))
    await task
    assert seen == [([1, 2], True, 30, 2, 10)]


async def test_events_come_to_bots_that_want_them(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    assert stream.hello.events
    await stream.say(stream.start("a"), stream.events("a", 1, 2), stream.events("a", 3))
    await stream.hear()
    assert recorder.told == [("start", "a"), ("events", "a", [1, 2]), ("events", "a", [3])]


# -------------------------------------------------------------------------------------------------------- wrong answers


async def test_after_an_illegal_act_the_bot_is_asked_again(server, play, choosing, log):
    bot = choosing(lambda decision: decision.attempt)
    play(bot)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, index=1)]
    illegal = stream.result(
        *("a", 1, "ILLEGAL"), rule="play.in-hand", message="Nev 2 is not yours", attempts_left=2, faults=1, max_faults=9
    )
    await stream.say(illegal, stream.ask("a", 1, attempt=2))
    assert await stream.hear() == [stream.act("a", 1, index=2)]
    assert bot.told == [("start", "a"), ("result", "a", "ACT_OUTCOME_ILLEGAL")]
    assert (
        "session a, decision 1: illegal (play.in-hand): Nev 2 is not yours; attempts left: 2; faults: 1 of 9"
    ) in log()


@pytest.mark.parametrize("outcome", ["STALE", "DUPLICATE", "UNKNOWN_SESSION"])
async def test_harmless_results_reach_the_bot_but_not_the_log(outcome, server, play, recorder, log):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.result("a", 1, outcome))
    assert await stream.hear() == [stream.ack()]
    assert recorder.told == [("start", "a"), ("result", "a", f"ACT_OUTCOME_{outcome}")]
    assert "session a" not in log()


async def test_results_for_sessions_unknown_here_and_outcomes_of_a_newer_server_do_no_harm(server, play, recorder, log):
    play(recorder)
    stream = await server.accept()
    newer = stream.result("b", 1, "STALE")
    newer.act_result.outcome = 99
    await stream.say(newer, stream.result("", 0, "MALFORMED", message="the frame is not readable"), stream.over("c"))
    assert await stream.hear() == [stream.ack()]
    assert "malformed: the frame is not readable" in log()


async def test_a_decision_for_a_session_that_was_never_started_is_left_alone(server, play, recorder, log):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.ask("x", 1))
    assert await stream.hear() == [stream.ack()]
    assert recorder.decisions == []
    assert "asked to decide in session x, of which the server has not told" in log()


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        (None, "choose() returned None instead of an action or an index: is a `return` missing?"),
        (3, "choose() returned 3, but the 3 actions count from 0"),
        (-1, "choose() returned -1, but the 3 actions count from 0"),
        (True, "choose() returned True instead of an action or an index"),
        ("play", "choose() returned 'play' instead of an action or an index"),
        (0.0, "choose() returned 0.0 instead of an action or an index"),
        ([tnt.Action(play=1)] * 99, "choose() returned [play: CARD_NEV_1 , play: CARD_NEV_1 , play"),
        (tnt.View(), "choose() returned a View message; it must return an action (Action) or an index"),
    ],
)
async def test_what_cannot_be_an_answer_is_an_error_of_the_bot(choice, complaint, server, play, choosing, log):
    play(choosing(lambda decision: choice))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.ack()]
    assert complaint in log()


async def test_a_crash_in_choose_is_logged_and_leaves_the_other_sessions_alone(server, play, choosing, log):
    def choose(decision):
        if decision.session.id == "b":
            raise ZeroDivisionError("my bug")
        return 0

    play(choosing(choose))
    stream = await server.accept()
    await stream.say(*map(stream.start, "abc"), *(stream.ask(session, 5) for session in "abc"))
    assert await stream.hear() == [stream.act("a", 5, index=0), stream.act("c", 5, index=0)]
    assert "choose() failed in session b (trick-and-trade, seat 2), decision 5: no answer is sent" in log()
    assert "ZeroDivisionError: my bug" in log()
    assert "in choose" in log()  # the traceback shows where


async def asked_in_vain(server):
    """The bot is there, is asked, has no answer, and goes on all the same."""
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.ack()]
    await stream.say(stream.ping(1))
    assert await stream.hear() == [stream.pong(1)]


async def test_a_crash_in_an_asynchronous_choose_is_logged_too(server, play, choosing, log):
    async def choose(decision):
        await asyncio.sleep(0)
        raise ZeroDivisionError("my bug")

    play(choosing(choose))
    await asked_in_vain(server)
    assert "ZeroDivisionError: my bug" in log()


async def test_an_asynchronous_choose_that_is_cancelled_by_what_it_awaits_is_logged_too(server, play, choosing, log):
    async def choose(decision):
        helper = asyncio.create_task(asyncio.Event().wait())
        helper.cancel()
        await helper

    play(choosing(choose))
    await asked_in_vain(server)
    assert "choose() failed in session a (trick-and-trade, seat 2), decision 1: no answer is sent" in log()
    assert "choose() was cancelled by what it awaited" in log()
    assert "await helper" in log()  # the traceback shows where


async def test_a_crash_in_a_hook_is_logged_and_the_game_goes_on(server, play, log):
    class Bot(croupier.Bot):
        def choose(self, decision):
            return 0

        def on_start(self, session):
            raise ZeroDivisionError("my bug")

    play(Bot())
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, index=0)]
    assert "on_start() failed in session a (trick-and-trade)" in log()


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_on_error_raise_stops_at_the_first_crash(asynchronous, server, play, choosing):
    def choose(decision):
        raise ZeroDivisionError("my bug")

    async def choose_slowly(decision):
        choose(decision)

    task = play(choosing(choose_slowly if asynchronous else choose), on_error="raise")
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    with pytest.raises(ZeroDivisionError, match="my bug"):
        await task
    await stream.gone()


# ------------------------------------------------------------------------------------ decisions that lose their meaning


class Thinker(croupier.Bot):
    """Thinks until told what to answer; counts what it began and what was cancelled."""

    def __init__(self):
        self.begun = []
        self.cancelled = []
        self.answers = {}

    async def choose(self, decision):
        key = decision.session.id, decision.id, decision.seq
        self.begun.append(key)
        self.answers[key] = asyncio.get_running_loop().create_future()
        try:
            return await self.answers[key]
        except asyncio.CancelledError:
            self.cancelled.append(key)
            raise


async def test_an_asynchronous_choice_is_cancelled_when_its_time_has_run_out(server, play):
    bot = Thinker()
    play(bot)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    await stream.hear()
    await stream.say(stream.result("a", 1, "LATE"))
    assert await stream.hear() == [stream.ack()]
    assert bot.cancelled == [("a", 1, 0)]


async def test_an_asynchronous_choice_is_cancelled_when_another_decision_is_asked(server, play):
    bot = Thinker()
    play(bot)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    await stream.hear()
    await stream.say(stream.ask("a", 2))
    await stream.hear()
    assert bot.cancelled == [("a", 1, 0)]
    bot.answers["a", 2, 0].set_result(1)
    assert await stream.hear() == [stream.act("a", 2, index=1)]


async def test_an_asynchronous_choice_is_cancelled_when_the_session_is_over(server, play):
    bot = Thinker()
    play(bot)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    await stream.hear()
    await stream.say(stream.over("a"))
    await stream.hear()
    assert bot.cancelled == [("a", 1, 0)]


async def test_a_choice_that_ignores_its_cancellation_is_not_sent(server, play, choosing):
    release = asyncio.Event()

    async def stubborn(decision):
        if decision.id == 2:
            return 2
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return 1

    play(choosing(stubborn))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.ack()]
    await stream.say(stream.ask("a", 2))
    assert await stream.hear() == [stream.act("a", 2, index=2)]
    release.set()
    await stream.say(stream.ping(1))
    assert await stream.hear() == [stream.pong(1)]


async def test_a_standing_decision_may_be_left_unanswered(server, play, choosing, log):
    play(choosing(lambda decision: None if decision.standing else 0))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1, standing=True))
    assert await stream.hear() == [stream.ack()]
    await stream.say(stream.ask("a", 2))
    assert await stream.hear() == [stream.act("a", 2, index=0)]
    assert "failed" not in log()


async def test_a_standing_decision_has_no_think_time(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1, standing=True))
    await stream.hear()
    assert recorder.decisions[0].think_time is None


@pytest.mark.parametrize("number", [1, 2])
async def test_a_standing_decision_that_is_asked_anew_is_thought_about_anew(number, server, play):
    bot = Thinker()
    play(bot)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1, standing=True, seq=5))
    await stream.hear()
    await stream.say(stream.ask("a", number, standing=True, seq=6))
    await stream.hear()
    assert bot.begun == [("a", 1, 5), ("a", number, 6)]
    assert bot.cancelled == [("a", 1, 5)]
    bot.answers["a", number, 6].set_result(0)
    assert await stream.hear() == [stream.act("a", number, index=0)]
