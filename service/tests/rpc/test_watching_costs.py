"""Watching a session: what it costs, who is dropped, and how it ends."""

from cinema import calm, whole_game
from hall import play_on

from croupier_service.sessions import feed as feeds
from croupier_service.sessions.errors import Conflict, Unavailable
from croupier_service.sessions.feed import INTERVAL_MS
from croupier_service.sessions.settings import ClockSettings
from croupier_service.sessions.viewer import STALL_MS, ViewerTooSlow


async def test_a_session_that_nobody_watches_knows_of_no_spectators(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    assert session.feed is None
    viewer = cinema.viewer(session)
    await calm()
    assert session.feed is not None
    await viewer.leave()
    assert session.feed is None
    assert cinema.feeds == {}
    assert cinema.watching.viewers == 0
    play_on(bots, until=lambda: session.seq > 5)
    assert cinema.encoder.steps == 0


async def test_viewers_share_what_is_made_of_the_session(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    viewers = [cinema.viewer(session) for _ in range(10)]
    await cinema.pass_time(INTERVAL_MS)
    while session.running:
        play_on(bots, until=lambda seq=session.seq: session.seq > seq + 3 or not session.running)
        await cinema.pass_time(INTERVAL_MS)
    for viewer in viewers:
        await viewer.to_the_end()
    assert cinema.encoder.steps == len(session.table.inputs)
    assert len({b"".join(viewer.frames) for viewer in viewers}) == 1


async def test_what_comes_in_a_burst_is_shown_in_one_frame(cinema):
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    live = cinema.viewer(session)
    await cinema.pass_time(INTERVAL_MS)
    frames = len(live.frames)
    play_on(bots, until=lambda: session.seq > 20)
    await cinema.pass_time(INTERVAL_MS)
    assert len(live.frames) == frames + 1
    assert live.numbers == list(range(1, session.seq + 1))


async def test_a_slow_viewer_is_dropped_and_told_from_where_to_watch_again_and_others_notice_nothing(
    cinema, monkeypatch
):
    monkeypatch.setattr(feeds, "BEHIND_BYTES", 4_000)
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    slow, quick = cinema.viewer(session, reading=False), cinema.viewer(session)
    await cinema.pass_time(INTERVAL_MS)
    while session.running:
        play_on(bots, until=lambda seq=session.seq: session.seq > seq + 3 or not session.running)
        await cinema.pass_time(INTERVAL_MS)
        feed = cinema.feeds.get(session.id)
        assert feed is None or feed._bytes <= 4_000
    error = await slow.error()
    assert type(error) is ViewerTooSlow
    assert str(error) == "the viewer reads too slowly; watch again from 0"
    assert len(slow.frames) == 1
    assert cinema.watching.dropped == 1
    await quick.to_the_end()
    assert quick.numbers == list(range(1, session.seq + 1))
    assert cinema.watching.viewers == 0


async def test_a_viewer_that_reads_nothing_at_all_is_dropped_though_there_is_little_to_show(cinema):
    cinema.bots("ann bob cat")
    session = cinema.session(clock=ClockSettings(10 * int(STALL_MS), 0))
    viewer = cinema.viewer(session, reading=False)
    await calm()
    await cinema.pass_time(STALL_MS - 1)
    assert not viewer.task.done()
    await cinema.pass_time(1)
    assert str(await viewer.error()) == "the viewer has stopped reading; watch again from 0"


async def test_whoever_comes_late_may_take_its_time_for_the_past_and_then_joins_the_others(cinema, monkeypatch):
    monkeypatch.setattr(feeds, "BEHIND_BYTES", 4_000)
    bots = cinema.bots("ann bob cat")
    session = cinema.session()
    early = cinema.viewer(session)
    await cinema.pass_time(INTERVAL_MS)
    while session.seq < 60:
        play_on(bots, until=lambda seq=session.seq: session.seq > seq + 3)
        await cinema.pass_time(INTERVAL_MS)
    assert cinema.feeds[session.id]._first > 1  # what is shared begins later
    late = cinema.viewer(session)
    await cinema.pass_time(INTERVAL_MS)
    steps = cinema.encoder.steps
    made = len(session.table.inputs)
    while session.running:
        play_on(bots, until=lambda seq=session.seq: session.seq > seq + 3 or not session.running)
        await cinema.pass_time(INTERVAL_MS)
    await early.to_the_end()
    await late.to_the_end()
    assert late.updates == early.updates
    assert cinema.encoder.steps == steps + len(session.table.inputs) - made


async def test_nobody_has_to_wait_for_a_long_past(cinema):
    """It is played again in pieces, between which everything else has its turn."""
    session = whole_game(cinema)
    viewer = cinema.viewer(session)
    await viewer.shown.wait()
    assert 0 < len(viewer.updates) < session.seq
    await viewer.to_the_end()


async def test_a_bug_in_one_game_ends_its_viewers_and_nothing_else(cinema, monkeypatch):
    bots = cinema.bots("ann bob cat")
    session, other = cinema.session(), cinema.session()
    viewer, fine = cinema.viewer(session), cinema.viewer(other)
    await cinema.pass_time(INTERVAL_MS)
    monkeypatch.setattr(cinema.feeds[session.id]._replay, "public_view", lambda: 1 / 0)
    play_on(bots)
    await cinema.pass_time(INTERVAL_MS)
    assert str(await viewer.error()) == "the session cannot be shown; the server's log says more"
    await fine.to_the_end()


async def test_a_session_of_rules_that_are_gone_is_refused(cinema):
    session = whole_game(cinema)
    cinema.host.games = {}
    error = await cinema.viewer(session).error()
    assert type(error) is Conflict
    assert str(error) == "trick-and-trade with rules 1 is not installed any more"


async def test_when_the_server_stops_viewers_are_told_to_come_back(cinema):
    cinema.bots("ann bob cat")
    session = cinema.session()
    viewers = [cinema.viewer(session), cinema.viewer(session, reading=False), cinema.viewer(session, 1_000)]
    await cinema.pass_time(INTERVAL_MS)
    cinema.watching.close("the server is stopping")
    for viewer in (*viewers, cinema.viewer(session)):
        error = await viewer.error()
        assert (type(error), str(error)) == (Unavailable, "the server is stopping")
    assert cinema.feeds == {}
