"""Watching a session: what viewers are shown, and when."""

import pytest
from cinema import Cinema, calm, fields, whole_game
from hall import BANK, THINK, drive, play_on
from toy import GAME as HIGH_CARD
from toy import Guess
from toy_wire import WIRES

from croupier.v1 import game_pb2, play_pb2
from croupier.v1 import spectator_pb2 as pb
from croupier_service.sessions import watching
from croupier_service.sessions.errors import NotFound
from croupier_service.sessions.feed import INTERVAL_MS
from croupier_service.sessions.host import NewSession
from croupier_service.sessions.settings import FaultSettings
from croupier_service.sessions.viewer import PastTheEnd

DELAY = 5_000


# What is shown.


async def test_a_live_viewer_and_one_who_comes_after_the_end_are_shown_the_same(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session(faults=FaultSettings(max_faults=2))
    live = cinema.viewer(session)
    await calm()
    bots[1].act(session, 99, index=0)
    bots[0].answer()
    bots[1].act(session, 99, index=0)
    while session.running:
        play_on(bots, until=lambda seq=session.seq: session.seq > seq + 5 or not session.running)
        await cinema.pass_time(INTERVAL_MS)
    await live.to_the_end()
    assert session.id not in cinema.host.sessions
    assert live.numbers == list(range(1, session.seq + 1))
    assert {event.WhichOneof("event") for event in live.events} == {"moved", "faulted", "vacated"}
    assert await cinema.seen(session) == live.updates


async def test_the_first_update_shows_the_deal_and_the_last_one_the_end(cinema):
    session = whole_game(cinema)
    first, *between, last = await cinema.seen(session)
    assert fields(first) == ["view"]
    assert first.view.trick_and_trade.table.round == 1
    assert not any(update.HasField("end") for update in between)
    assert fields(last) == ["end"]
    assert last.end.reason == play_pb2.END_REASON_FINISHED
    assert last.end.seq == session.seq
    assert tuple(last.end.result.points) == session.result.points


async def test_views_are_those_of_a_spectator_after_each_event(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    expected = [(0, WIRES["trick-and-trade"].view(session.table.state.public_view()))]
    live = cinema.viewer(session)
    while session.running:
        play_on(bots, until=lambda seq=session.seq: session.seq > seq or not session.running)
        expected.append((session.seq, WIRES["trick-and-trade"].view(session.table.state.public_view())))
        await cinema.pass_time(INTERVAL_MS)
    await live.to_the_end()
    assert [(u.event.seq, u.view) for u in live.updates if u.HasField("view")] == expected
    assert all(not update.view.trick_and_trade.hand for update in live.updates)


@pytest.mark.parametrize("live", [True, False])
async def test_what_a_decision_was_charged_is_told_with_it_and_with_nothing_else(cinema, live):
    bots = cinema.bots("ann bob cat")
    session = cinema.session(faults=FaultSettings(max_faults=9))
    viewer = cinema.viewer(session) if live else None
    cinema.advance(310)
    bots[0].act(session, 99, index=0)  # a fault is no decision
    bots[0].answer()
    cinema.advance(THINK + BANK)  # whose turn it is has not decided
    play_on(bots)
    updates = (await viewer.to_the_end()).updates if live else await cinema.seen(session)
    told = [update.charged_ms for update in updates if update.HasField("charged_ms")]
    assert told == session.charges
    assert told[:3] == [310, THINK + BANK, 0]
    deciders = {game_pb2.CAUSE_CHOSEN, game_pb2.CAUSE_SUBSTITUTED}
    assert all((update.event.moved.cause in deciders) == update.HasField("charged_ms") for update in updates)
    later = (await cinema.viewer(session, from_seq=2).to_the_end()).updates  # but not of what has been seen
    assert [update.charged_ms for update in later if update.HasField("charged_ms")] == told[1:]


@pytest.mark.parametrize("live", [True, False])
async def test_from_any_number_on_only_what_comes_after_it_is_shown(cinema, live):
    bots = cinema.bots("ann bob cat")
    session = cinema.session(faults=FaultSettings(max_faults=2))
    bots[0].act(session, 99, index=0)
    play_on(bots, until=lambda: live and session.seq > 30)
    whole = cinema.viewer(session)
    parts = {number: cinema.viewer(session, number) for number in range(session.seq + 1)}
    await cinema.pass_time(INTERVAL_MS)
    await cinema.pass_time(INTERVAL_MS)
    if live:
        play_on(bots)
    for viewer in (whole, *parts.values()):
        await viewer.to_the_end()
    views = {0: whole.updates[0].view}
    for update in whole.updates:
        if update.HasField("view"):
            views[update.event.seq] = update.view
    for number, part in parts.items():
        assert part.numbers == list(range(number + 1, session.seq + 1))
        latest = max(seq for seq in views if seq <= number)
        assert part.updates[0].view == views[latest]
        assert part.updates[-1] == whole.updates[-1]
        assert part.events == whole.events[number:]


async def test_a_number_that_is_still_to_come_is_waited_for(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    viewer = cinema.viewer(session, 5)
    await cinema.pass_time(INTERVAL_MS)
    assert viewer.frames == []
    play_on(bots, until=lambda: session.seq == 7)
    await cinema.pass_time(INTERVAL_MS)
    await cinema.pass_time(INTERVAL_MS)
    assert viewer.numbers == [6, 7]
    play_on(bots)
    assert (await viewer.to_the_end()).numbers == list(range(6, session.seq + 1))


async def test_a_session_with_fewer_events_that_is_over_is_refused(cinema):
    session = whole_game(cinema)
    assert (await cinema.viewer(session, session.seq).to_the_end()).numbers == []
    error = await cinema.viewer(session, session.seq + 1).error()
    assert type(error) is PastTheEnd
    assert (error.field, str(error)) == (
        "from_seq", f"is {session.seq + 1}, but the session is over and has {session.seq} events"
    )  # fmt: skip


async def test_whoever_waits_for_a_number_is_refused_when_the_session_ends_before_it(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    viewers = [cinema.viewer(session, 10_000), cinema.viewer(session, 10_000)]
    await calm()
    play_on(bots)
    await cinema.pass_time(INTERVAL_MS)
    await cinema.pass_time(INTERVAL_MS)
    assert [type(await viewer.error()) for viewer in viewers] == [PastTheEnd, PastTheEnd]


async def test_there_is_nothing_to_watch_where_there_is_no_session(cinema):
    error = await cinema.viewer("nothing").error()
    assert (type(error), error.field, str(error)) == (NotFound, "session_id", "there is no session 'nothing'")


async def test_an_aborted_session_ends_without_result_and_seed(cinema):
    cinema.bots("ann bob cat")
    session = cinema.session(seed=None)
    live = cinema.viewer(session)
    await calm()
    session.abort()
    cinema.settle()
    await live.to_the_end()
    assert live.updates[-1].end == play_pb2.SessionEnd(session_id=session.id, reason=play_pb2.END_REASON_ABORTED)
    assert await cinema.seen(session) == live.updates


async def test_secret_choices_are_shown_as_secret_whatever_they_are_and_whoever_makes_them_first(cinema):
    bots = cinema.bots("ann bob")
    shown = []
    for first, card in ((0, 0), (0, 1), (0, 2)):
        session = cinema.session("ann bob", HIGH_CARD, hand=3)
        live = cinema.viewer(session)
        await calm()
        bots[first].answer(bots[first].questions[-1], index=card)
        await cinema.pass_time(INTERVAL_MS)
        shown.append(live.frames)
        await live.leave()
        session.abort()
        cinema.settle()
    assert shown[0] == shown[1] == shown[2]
    update = pb.WatchSessionResponse.FromString(shown[0][-1]).updates[-1]
    assert fields(update.event.moved) == ["cause"]  # by seat 0


async def test_time_that_changes_the_table_is_shown_without_an_event(cinema):
    bots = cinema.bots("ann bob")
    session = cinema.session("ann bob", HIGH_CARD, hand=1)
    live = cinema.viewer(session)
    await calm()
    assert bots[0].question.standing
    before = len(live.updates)
    cinema.keeping = False
    await cinema.pass_time(1_000)  # the bell closes: the table is another one, and nobody has done anything
    (update,) = live.updates[before:]
    assert fields(update) == ["view"]
    cinema.keeping = True
    await cinema.pass_time(1_000)
    await live.to_the_end()
    assert await cinema.seen(session) == live.updates
    assert [bot.questions for bot in bots] == [[], []]


async def test_time_that_changes_nothing_on_the_table_is_not_shown_at_all(cinema, monkeypatch):
    """That the game was told the time must not tell viewers anything that its table does not."""
    _, bob = cinema.bots("ann bob")
    session = cinema.session("ann bob", HIGH_CARD, hand=1)
    live = cinema.viewer(session)
    await calm()
    session.table.tick(10)  # long before the bell closes
    session.go_on(0)
    frames = len(live.frames)
    await cinema.pass_time(INTERVAL_MS)
    assert len(live.frames) == frames
    bob.answer(bob.questions[-1], action=Guess(high=True))
    await cinema.pass_time(INTERVAL_MS)
    assert len(live.frames) == frames + 1


@pytest.mark.parametrize("delay", [0, DELAY])
async def test_whoever_does_not_follow_is_shown_what_there_is_to_see_now(cinema, delay):
    bots = cinema.bots("ann bob cat")
    session = cinema.session(spectator_delay_ms=delay)
    play_on(bots, until=lambda: session.seq == 40)
    await cinema.pass_time(INTERVAL_MS)
    with_others = cinema.viewer(session)
    await cinema.pass_time(INTERVAL_MS)
    shown = await cinema.viewer(session, follow=False).to_the_end()
    assert shown.numbers == ([] if delay else list(range(1, 41)))
    assert not with_others.task.done()
    await cinema.pass_time(delay)
    assert (await cinema.viewer(session, 30, follow=False).to_the_end()).numbers == list(range(31, 41))
    assert (await cinema.viewer(session, 50, follow=False).to_the_end()).updates == []


async def test_who_does_not_follow_is_shown_the_end_of_what_is_over(cinema):
    session = whole_game(cinema, seed=None)
    assert (await cinema.viewer(session, follow=False).to_the_end()).updates[-1].HasField("end")


async def test_who_does_not_follow_is_shown_what_others_have_not_been_shown_yet(cinema):
    cinema.bots("ann bob cat")
    session = cinema.session()
    others = cinema.viewer(session)
    await cinema.pass_time(INTERVAL_MS)
    session.abort()
    cinema.settle()
    shown = await cinema.viewer(session, follow=False).to_the_end()
    assert shown.updates[-1].HasField("end")
    await others.leave()


# When it is shown.


async def test_with_a_delay_everything_is_shown_by_so_much_later(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session(spectator_delay_ms=DELAY)
    live = cinema.viewer(session)
    await calm()
    await cinema.pass_time(DELAY - 1)
    assert live.frames == []  # not even the deal
    await cinema.pass_time(1)
    assert [update.HasField("view") for update in live.updates] == [True]
    told = []
    for _ in range(3):
        bots[session.table.state.to_act()[0]].answer()
        told.append(cinema.time.now())
        await cinema.pass_time(400)
    for number, at in enumerate(told, start=1):
        await cinema.pass_time(at + DELAY - 1 - cinema.time.now())
        assert live.numbers == list(range(1, number))
        await cinema.pass_time(1)
        assert live.numbers == list(range(1, number + 1))


@pytest.mark.parametrize("watched_live", [True, False])
async def test_with_a_delay_the_end_and_the_seed_come_late_too_even_for_who_comes_after_it(cinema, watched_live):
    bots = cinema.bots("ann bob cat")
    session = cinema.session(seed=None, spectator_delay_ms=DELAY)
    live = [cinema.viewer(session)] if watched_live else []
    await cinema.pass_time(2_000)
    for bot in bots:
        bot.answer()  # a trick
    await cinema.pass_time(1_000)
    play_on(bots)
    assert session.id not in cinema.host.sessions
    live.append(cinema.viewer(session))
    await cinema.pass_time(DELAY - 1_001)
    for viewer in live:
        assert viewer.numbers == []
    await cinema.pass_time(1)
    for viewer in live:
        assert viewer.numbers == [1, 2, 3]
    await cinema.pass_time(999)
    for viewer in live:
        assert not viewer.task.done()
        assert session.table.seed.raw not in b"".join(viewer.frames)
    late = cinema.viewer(session, 10_000)
    await calm()
    assert not late.task.done()  # nobody is to know yet that there are not that many
    await cinema.pass_time(1)
    for viewer in live:
        await viewer.to_the_end()
        assert viewer.numbers == list(range(1, session.seq + 1))
        assert viewer.updates[-1].end.seed == session.table.seed.raw
    assert type(await late.error()) is PastTheEnd
    assert cinema.feeds == {}


async def test_after_a_restart_a_delayed_session_is_shown_once_its_end_may_be_known(cinema):
    """The store knows when it ended, though not when each of its events happened."""
    session = whole_game(cinema, spectator_delay_ms=DELAY)
    again = Cinema(store=cinema.store)
    again.time._now = cinema.time.now() + 1_000
    viewer = again.viewer(session)
    await calm()
    await again.pass_time(DELAY - 1_001)
    assert viewer.frames == []
    await again.pass_time(1)
    await viewer.to_the_end()
    assert viewer.numbers == list(range(1, session.seq + 1))


async def test_after_a_restart_a_running_session_with_a_delay_goes_on_to_be_shown_with_it(cinema):
    """When its events happened is not known any more: just now, then."""
    bots = cinema.bots("ann bob cat")
    session = cinema.session(spectator_delay_ms=DELAY)
    bots[0].act(session, 99, index=0)
    play_on(bots, until=lambda: session.seq == 10)
    again = Cinema(store=cinema.store)
    drive(again.host.recover())
    again.watching.resume()
    bots = again.bots("ann bob cat")
    (session,) = again.host.sessions.values()
    viewer = again.viewer(session)
    await again.pass_time(DELAY - 1)
    assert viewer.frames == []
    await again.pass_time(1)
    assert viewer.numbers == list(range(1, 11))
    play_on(bots)
    await again.pass_time(DELAY)
    await viewer.to_the_end()
    assert viewer.numbers == list(range(1, session.seq + 1))


async def test_a_result_is_shown_only_once_it_has_been_kept(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    live = cinema.viewer(session)
    await calm()
    cinema.keeping = False
    play_on(bots)
    await cinema.pass_time(10 * INTERVAL_MS)
    assert session.final is not None
    late = cinema.viewer(session)
    await cinema.pass_time(10 * INTERVAL_MS)
    for viewer in (live, late):
        assert viewer.updates
        assert not any(update.HasField("end") for update in viewer.updates)
        assert all(update.view.trick_and_trade.table.phase != 3 for update in viewer.updates)  # over
    cinema.keep()
    for viewer in (live, late):
        await viewer.to_the_end()
        assert viewer.numbers == list(range(1, session.seq + 1))


async def test_when_things_happened_is_remembered_of_so_many_sessions_only(cinema, monkeypatch):
    """Of others nothing is shown before all of it may be."""
    monkeypatch.setattr(watching, "REMEMBERED", 2)
    ids = [whole_game(cinema, spectator_delay_ms=60_000).id for _ in range(4)]
    assert list(cinema.feeds) == ids[2:]
    viewers = [cinema.viewer(one) for one in (ids[0], ids[3])]
    await cinema.pass_time(60_000)
    for viewer in viewers:
        await viewer.to_the_end()
        assert viewer.updates[-1].HasField("end")
    assert cinema.feeds == cinema.watching._over == {}


# The seed.


async def test_a_seed_that_was_committed_to_is_shown_at_the_end(cinema):
    session = whole_game(cinema, seed=None)
    updates = await cinema.seen(session)
    assert updates[-1].end.seed == session.table.seed.raw
    assert session.table.seed.raw not in b"".join(update.SerializeToString() for update in updates[:-1])


async def test_a_seed_that_was_given_is_never_shown(cinema):
    session = whole_game(cinema, seed="given")
    updates = await cinema.seen(session)
    assert updates[-1].end.seed == b""
    assert session.table.seed.raw not in b"".join(update.SerializeToString() for update in updates)


async def test_a_seed_is_not_shown_while_another_session_plays_the_same_deal(cinema):
    session = whole_game(cinema, seed=None)
    secret = session.table.seed
    other = cinema.host.sessions[cinema.host.create(NewSession("trick-and-trade", ("ann", "bob", "cat"), seed=secret))]
    assert (await cinema.seen(session))[-1].end.seed == b""
    other.abort()
    cinema.settle()
    assert (await cinema.seen(session))[-1].end.seed == secret.raw
