"""The host: creating sessions, idempotence, limits, draining, ending."""

import asyncio
import gc
import weakref

import pytest
from hall import Draining, Ended, FakeBot, Hall, drive, play_on

from croupier_games.kernel import Seed
from croupier_service.sessions.errors import BadRequest, Conflict, NotFound, OverLimit, Unavailable
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.host import NewSession
from croupier_service.sessions.journal import Query


@pytest.fixture
def bots(hall):
    return hall.bots("ann bob cat")


def create(hall, bots="ann bob cat", game="trick-and-trade", **fields):
    return hall.host.create(NewSession(game, tuple(bots.split()), **fields))


# Creating.


def test_a_session_is_dealt_and_asks_as_soon_as_it_is_created(hall, bots):
    session = hall.session()
    assert bots[0].question.decision.session is session
    summary = hall.summary(session)
    assert (summary.state, summary.to_act, summary.seq) == (SessionState.RUNNING, (0,), 0)
    assert [seat.bot for seat in summary.seats] == ["ann", "bob", "cat"]
    assert all(seat.connected for seat in summary.seats)


def test_ids_are_opaque_and_never_the_same(hall, bots):
    assert len({create(hall) for _ in range(50)}) == 50


def test_without_a_seed_one_is_drawn_and_committed_to(hall, bots):
    one, other = (hall.host.sessions[create(hall)] for _ in range(2))
    assert one.table.seed.raw != other.table.seed.raw
    assert not one.seed_given
    assert hall.summary(one).seed_commitment == one.table.seed.commitment()


def test_a_given_seed_is_played_and_not_committed_to(hall, bots):
    """Who gave it knows it; a commitment would let others recognise a deal that is played again."""
    session = hall.host.sessions[create(hall, seed=Seed.of("given"))]
    assert session.table.seed.raw == Seed.of("given").raw
    assert hall.summary(session).seed_commitment == b""


def test_an_unknown_game_is_named_with_those_that_there_are(hall, bots):
    with pytest.raises(NotFound, match=r"'poker'; there are: high-card, trick-and-trade$") as error:
        create(hall, game="poker")
    assert (error.value.reason, error.value.field) == ("UNKNOWN_GAME", "game")


def test_an_unknown_bot_is_named_with_its_place(hall, bots):
    with pytest.raises(NotFound, match="start it first") as error:
        create(hall, "ann dan cat")
    assert (error.value.reason, error.value.field) == ("UNKNOWN_BOT", "bots[1]")


@pytest.mark.parametrize("name", ["house:nobody", "house:", "house:greedy"])
def test_a_house_bot_that_does_not_play_the_game_is_named_with_those_that_do(hall, bots, name):
    with pytest.raises(NotFound, match=r"there are: house:random$") as error:
        create(hall, f"ann bob {name}", "high-card")
    assert error.value.field == "bots[2]"


@pytest.mark.parametrize("names", ["", "ann bob", "ann bob cat ann bob cat"])
def test_a_wrong_number_of_seats_is_the_fault_of_the_bots(hall, bots, names):
    with pytest.raises(BadRequest, match="3 to 5 seats") as error:
        create(hall, names)
    assert error.value.field == "bots"


def test_of_more_bots_than_there_are_seats_none_is_looked_for(hall, monkeypatch):
    monkeypatch.setattr(hall.host, "_link_for", lambda *bot: pytest.fail(f"{bot} is looked for"))
    with pytest.raises(BadRequest, match="not 280000") as error:
        create(hall, "house:random " * 280_000)
    assert error.value.field == "bots"


def test_an_option_that_does_not_fit_is_named(hall, bots):
    with pytest.raises(BadRequest) as error:
        hall.session(first_leader=3)
    assert error.value.field == "options.first_leader"


def test_what_cannot_be_created_leaves_nothing_behind(hall, bots):
    for names, game in (("ann bob", "trick-and-trade"), ("ann dan cat", "trick-and-trade"), ("ann bob cat", "poker")):
        with pytest.raises((BadRequest, NotFound)):
            create(hall, names, game, request_id="a request")
    assert hall.host.sessions == {}
    assert all(bot.said == [] and bot.at.sessions == {} for bot in bots)
    create(hall, request_id="a request")


async def test_a_request_for_more_seats_than_there_are_asks_the_store_nothing(hall, bots, monkeypatch):
    async def ask(names):
        raise AssertionError(names)

    monkeypatch.setattr(hall.store, "have_played", ask)
    with pytest.raises(BadRequest):
        await hall.host.open(NewSession("trick-and-trade", tuple(f"bot-{number}" for number in range(10_000))))


# The same request twice.


def test_the_same_request_twice_makes_one_session(hall, bots):
    first = create(hall, request_id="a request", fingerprint=b"1")
    again = create(hall, request_id="a request", fingerprint=b"1")
    assert first == again
    assert len(hall.host.sessions) == 1


def test_the_id_of_another_request_is_refused(hall, bots):
    create(hall, request_id="a request", fingerprint=b"1")
    with pytest.raises(Conflict) as error:
        create(hall, request_id="a request", fingerprint=b"2")
    assert (error.value.reason, error.value.field) == ("REQUEST_ID_REUSED", "request_id")


def test_a_request_is_remembered_when_its_session_is_over(hall, bots):
    session = hall.session(request_id="a request")
    play_on(bots)
    assert create(hall, request_id="a request") == session.id
    assert hall.host.sessions == {}


def test_requests_without_an_id_are_all_different(hall, bots):
    assert create(hall) != create(hall)


def test_even_a_full_or_draining_host_answers_a_request_that_it_has_met():
    hall = Hall(max_sessions=1)
    hall.bots("ann bob cat")
    first = create(hall, request_id="a request")
    hall.host.drain(1_000, "a test")
    assert create(hall, request_id="a request") == first


# Limits.


def test_over_the_limit_of_sessions_no_more_are_made_until_one_is_over():
    hall = Hall(max_sessions=2)
    bots = hall.bots("ann bob cat")
    first = create(hall)
    create(hall)
    with pytest.raises(OverLimit, match="2 sessions are running; try again later") as error:
        create(hall)
    assert error.value.reason == "TOO_MANY_SESSIONS"
    hall.host.sessions[first].abort()
    hall.settle()
    create(hall)
    assert len(bots[0].questions + bots[1].questions + bots[2].questions) == 2


def test_one_owner_has_so_many_sessions_and_others_are_not_held_up(hall):
    hall = Hall(max_sessions_each=1)
    hall.bots("ann bob cat dan eve fay gus")
    first = create(hall, owner="olga")
    with pytest.raises(OverLimit, match="olga has 1 sessions running") as error:
        create(hall, "dan eve fay", owner="olga")
    assert error.value.reason == "TOO_MANY_SESSIONS_EACH"
    create(hall, "dan eve fay", owner="otto")
    hall.host.sessions[first].abort()
    hall.settle()
    create(hall, owner="olga")


def test_one_bot_sits_in_so_many_sessions_and_no_more():
    hall = Hall(max_sessions_each=2)
    hall.bots("ann bob cat")
    create(hall, "ann ann house:random")  # two seats of one session
    create(hall, "ann bob cat")
    with pytest.raises(OverLimit, match="ann sits in 2 sessions") as error:
        create(hall, "bob cat ann")
    assert (error.value.reason, error.value.field) == ("BOT_FULL", "bots[2]")


# What bots have said of themselves.


def test_a_bot_is_given_no_more_sessions_at_once_than_it_plays(hall):
    FakeBot(hall, "ann", max_sessions=1)
    hall.bots("bob cat")
    first = create(hall)
    with pytest.raises(OverLimit, match="as many as it plays at once") as error:
        create(hall, "bob ann cat")
    assert (error.value.reason, error.value.field) == ("BOT_FULL", "bots[1]")
    assert len(hall.host.sessions) == 1
    create(hall, "bob cat house:random")
    hall.host.sessions[first].abort()
    hall.settle()
    create(hall)


def test_a_bot_is_given_no_game_that_it_does_not_play(hall):
    FakeBot(hall, "ann", games=["high-card", "poker"])
    hall.bots("bob cat")
    with pytest.raises(Conflict, match="ann does not play trick-and-trade; it plays high-card, poker") as error:
        create(hall)
    assert (error.value.reason, error.value.field) == ("BOT_DOES_NOT_PLAY", "bots[0]")
    create(hall, game="high-card")


def test_what_a_bot_says_when_it_comes_back_holds_from_then_on(hall):
    bot = FakeBot(hall, "ann", max_sessions=1, games=["high-card"])
    hall.bots("bob cat")
    bot.leave()
    with pytest.raises(Conflict):
        create(hall)
    FakeBot(hall, "ann")
    create(hall)
    create(hall)


@pytest.mark.parametrize(("each", "asked", "most"), [(0, 0, 0), (0, 5, 5), (3, 0, 3), (3, 5, 3), (5, 3, 3)])
def test_the_smaller_limit_holds(each, asked, most):
    assert Hall(max_sessions_each=each).host.most_sessions(asked) == most


# Bots that have left.


def test_a_bot_that_has_left_lately_can_still_be_seated(hall):
    hall.bots("ann bob cat")[0].leave()
    create(hall)


def test_bots_that_have_left_are_not_remembered_for_ever(hall, monkeypatch):
    monkeypatch.setattr("croupier_service.sessions.host.REMEMBERED_BOTS", 2)
    staying, *leaving = hall.bots("ann bob cat dan")
    for bot in leaving:
        bot.leave()
    assert set(hall.host.bots) == {"ann", "cat", "dan"}
    with pytest.raises(NotFound, match="'bob' is connected, or has been lately; start it first"):
        create(hall, "ann bob cat")
    back = FakeBot(hall, "cat")
    for name in ("eve", "fay"):
        FakeBot(hall, name).leave()
    assert set(hall.host.bots) == {"ann", "cat", "eve", "fay"}
    back.leave()
    staying.leave()
    assert set(hall.host.bots) == {"ann", "cat"}


def test_a_bot_that_has_left_in_the_middle_of_a_game_is_remembered_until_it_is_over(hall, monkeypatch):
    monkeypatch.setattr("croupier_service.sessions.host.REMEMBERED_BOTS", 0)
    ann, *_ = hall.bots("ann bob cat")
    session = hall.session()
    ann.leave()
    assert "ann" in hall.host.bots
    session.abort()
    hall.settle()
    assert set(hall.host.bots) == {"bob", "cat"}


# Draining.


def test_draining_tells_every_bot_and_takes_no_new_sessions(hall, bots):
    session = hall.session()
    bots[2].leave()
    hall.host.drain(5_000, "it is late")
    assert bots[0].said[-1] == bots[1].said[-1] == Draining(5_000, "it is late")
    with pytest.raises(Unavailable) as error:
        create(hall)
    assert error.value.reason == "DRAINING"
    play_on([*bots[:2], FakeBot(hall, "cat")])
    assert session.state is SessionState.FINISHED


async def test_a_host_is_idle_when_the_last_session_is_over_and_told(hall, bots):
    sessions = [hall.session(), hall.session()]
    idle = asyncio.create_task(hall.host.idle())
    hall.keeping = False
    play_on(bots)
    await asyncio.sleep(0)
    assert not idle.done()  # over, but not yet kept
    await hall.host.journal.flush()
    await idle
    assert all(bots[0].heard(Ended) and session.state is SessionState.FINISHED for session in sessions)


async def test_a_host_without_sessions_is_idle(hall):
    await hall.host.idle()


def test_closing_ends_every_connection_and_stops_all_clocks(hall, bots):
    session = hall.session()
    hall.host.close("the server is stopping")
    assert [(bot.closed_because, bot.may_come_back) for bot in bots] == [("the server is stopping", True)] * 3
    hall.advance(10 * 60_000)
    assert session.table.inputs == []
    assert session.running


# Aborting.


def test_an_aborted_session_ends_without_a_result(hall, bots):
    session = hall.session()
    bots[0].answer()
    session.abort()
    hall.settle()
    assert (session.state, session.result) == (SessionState.ABORTED, None)
    assert [bot.said[-1] for bot in bots] == [Ended(session.id, seat, None) for seat in range(3)]
    assert not any(bot.questions for bot in bots)
    assert hall.watcher.notes[-1] == ("ended", session.id, "ABORTED")


def test_abort_answers_with_the_session_as_it_is_then(hall, bots):
    session = hall.session()
    summary = drive(hall.host.abort(session.id))
    assert (summary.state, summary.ended_at is not None, summary.to_act) == (SessionState.ABORTED, True, ())


def test_a_session_can_be_aborted_once(hall, bots):
    session = hall.session()
    drive(hall.host.abort(session.id))
    with pytest.raises(Conflict, match="over already") as error:
        drive(hall.host.abort(session.id))
    assert error.value.reason == "SESSION_OVER"


def test_a_finished_session_cannot_be_aborted(hall, bots):
    session = hall.session()
    play_on(bots)
    with pytest.raises(Conflict, match="over already"):
        drive(hall.host.abort(session.id))
    assert hall.summary(session).state is SessionState.FINISHED


# Listing.


def test_all_sessions_are_listed_once_newest_first(hall, bots):
    made = []
    for _ in range(4):
        made.append(hall.session(clock=None))
        hall.advance(1)
    drive(hall.host.abort(made[1].id))
    hall.time.advance(1)
    listed = drive(hall.host.page(Query(), "", 10))
    assert [summary.session_id for summary in listed] == [session.id for session in reversed(made)]
    assert [summary.state.name for summary in listed] == ["RUNNING", "RUNNING", "ABORTED", "RUNNING"]


def test_a_summary_counts_what_each_seat_was_asked_and_charged(hall, bots):
    session = hall.session()
    hall.advance(300)
    play_on(bots)
    summary = hall.summary(session)
    assert [seat.decisions for seat in summary.seats] == [seat.asked for seat in session.seats]
    assert summary.seats[0].charged_ms == 300
    assert (summary.created_at, summary.ended_at) == (session.created_at, session.ended_at)
    assert round((summary.ended_at - summary.created_at) * 1000) == 300


def test_house_bots_are_listed_by_game(hall):
    assert hall.host.house_bots("trick-and-trade") == ["house:random", "house:greedy"]
    assert hall.host.house_bots("high-card") == ["house:random"]


# What is forgotten.


def test_a_session_that_is_over_is_forgotten_by_its_bots(hall, bots):
    session = hall.session()
    play_on(bots)
    assert hall.host.sessions == {}
    assert all(bot.at.sessions == {} and bot.at.told == set() for bot in bots)
    assert session.seats[0].link is None


def test_a_session_that_is_over_is_not_kept_in_memory_by_clocks_that_would_have_run_out_later(hall):
    bots = hall.bots("ann bob cat")
    played, aborted = hall.session(), hall.session()
    aborted.abort()
    hall.settle()
    play_on(bots)
    assert not played.running
    gone = [weakref.ref(played), weakref.ref(aborted)]
    for bot in bots:
        bot.said.clear()
        bot.unread.clear()
    del played, aborted
    gc.collect()
    assert [session() for session in gone] == [None, None]


# What must not leak, or spread.


def test_a_deal_that_is_still_being_played_elsewhere_is_not_shown(hall, bots):
    """The record holds the seed, and so everybody's cards in the other session."""
    over = hall.session(seed="the deal")
    play_on(bots, until=lambda: over.table.state.round == 10)
    running = hall.session(seed="the deal")
    play_on(bots, until=lambda: over.state is SessionState.FINISHED)
    archived = drive(hall.host.archived(over.id))
    assert archived.record.seed == Seed.of("the deal")
    with pytest.raises(Conflict) as error:
        hall.host.check_may_be_shown(archived)
    assert error.value.reason == "DEAL_IN_PLAY"
    play_on(bots)
    assert running.state is SessionState.FINISHED
    hall.host.check_may_be_shown(archived)


def test_a_bug_in_one_game_ends_its_session_and_no_other(hall, bots):
    broken, sound = hall.session(seed="one"), hall.session(seed="two")

    def bug(*_):
        raise ZeroDivisionError

    broken.table.state = type("Broken", (), {"apply": bug, "result": lambda _: None, "deadline": lambda _: None})()
    for question in bots[0].questions:
        bots[0].answer(question)
    assert (broken.state, sound.state) == (SessionState.ABORTED, SessionState.RUNNING)
    assert sound.seq > 0


def test_a_bot_that_comes_while_the_host_is_draining_is_told(hall, bots):
    hall.host.drain(5_000, "update")
    assert FakeBot(hall, "dan").heard(Draining) == [Draining(5_000, "update")]
