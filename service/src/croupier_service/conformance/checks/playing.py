"""Playing games: one, several, each of them."""

from __future__ import annotations

from croupier_games.kernel import find_game, games
from croupier_service.conformance.check import check, require
from croupier_service.conformance.failures import DoesNotApply
from croupier_service.conformance.stage import Stage

MOST_GAMES_AT_ONCE = 8
FREE_FOR_ALL = "trades"


@check(
    why="This is what it is for.",
    remedy="Answer each Decision with Act: its session_id, its decision_id, and the index of one of its actions (or "
    "the action itself, just as it was offered).",
)
async def a_game(stage: Stage) -> None:
    """Plays a game from the deal to its end."""
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    await line.play_on(sitting)


@check(
    why="One stream carries all games of a bot; a tournament deals it dozens at once.",
    remedy="Keep what belongs to a game by session_id and seat, and never wait for one game while another asks.",
)
async def several_games(stage: Stage) -> None:
    """Plays several games side by side."""
    line = await stage.line()
    if stage.most(2) < 2:
        raise DoesNotApply("it plays one game at a time: Hello.max_sessions is 1")
    sittings = stage.seats(MOST_GAMES_AT_ONCE)
    await line.sit(*sittings)
    await line.play_on(*sittings)


@check(
    why="A bot that names a game in Hello.games, or none at all, is seated there.",
    remedy="Name in Hello.games what the bot can play. Each game has messages of its own: look at which arm of the "
    "envelopes is set.",
)
async def every_game(stage: Stage) -> None:
    """Plays each game that it says it plays."""
    line = await stage.line()
    kinds = stage.games()
    if len(kinds) == 1:
        raise DoesNotApply(f"it plays {kinds[0].name} alone, and has done so")
    for at in range(0, len(kinds), stage.most(len(kinds))):
        sittings = [stage.seat(game) for game in kinds[at : at + stage.most(len(kinds))]]
        await line.sit(*sittings)
        await line.play_on(*sittings)


@check(
    why="A session can have one bot in several seats: each is asked by itself.",
    remedy="What belongs to a seat is kept by session_id and seat, not by session_id alone; Decision.seat says who is "
    "asked.",
)
async def two_seats(stage: Stage) -> None:
    """Plays two seats of one game."""
    line = await stage.line()
    first = stage.seat(seat=0)
    second = stage.seat(seat=2, beside=first)
    await line.sit(first, second)
    await line.say(first.ask(decision_id=1), second.ask(decision_id=2))
    await line.answers(first, second)
    await line.say(first.end())
    await line.say(second.ask(decision_id=3))
    await line.answers(second)


@check(
    why="In a free-for-all a decision stands open until the bot likes to act; it has no think time, and a newer one "
    "takes its place after every change.",
    remedy="Do not take an absent think_time_ms for no time at all; a standing decision may be answered once, or not "
    "at all.",
)
async def standing_decisions(stage: Stage) -> None:
    """Asks of itself nothing in a standing decision: answers it, or waits."""
    line = await stage.line()
    if FREE_FOR_ALL not in games() or FREE_FOR_ALL not in {game.name for game in stage.games()}:
        raise DoesNotApply("it does not play trades, the game that has them")
    game = find_game(FREE_FOR_ALL)
    sitting = stage.seat(game, options=game.options({"style": "free-for-all"}))
    await line.sit(sitting)
    for _ in range(4):
        await line.say(sitting.ask())
        await line.pong(1)  # by now it has read the question, and answered it or not
        if sitting.answer is not None:
            sitting.take()
        await line.say(sitting.result("STALE"))
    require(line.open, "the bot has left")


@check(
    why="A decision is asked again while attempts are left; who does not answer then has its clock run out.",
    remedy="The same decision_id with a higher attempt is a new question: choose again.",
)
async def illegal_answer(stage: Stage) -> None:
    """Decides again when its answer was illegal."""
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    await line.ask(sitting)
    for _ in range(2):
        await line.say(*sitting.refuse())
        await line.answers(sitting)
    sitting.take()
    if not sitting.finished:
        await line.ask(sitting)


@check(
    why="What became of an act is told afterwards; it asks for nothing, and other games go on.",
    remedy="Log ActResult, and send nothing for it. It can come for a session that is over.",
)
async def act_results(stage: Stage) -> None:
    """Goes on after ActResult: late, stale, duplicate, malformed, vacated, and of sessions unknown."""
    line = await stage.line()
    sitting, other = stage.seat(), stage.seat()
    await line.sit(sitting)
    await line.ask(sitting)
    for outcome in ("LATE", "STALE", "DUPLICATE", "MALFORMED", "UNKNOWN_DECISION"):
        await line.say(sitting.result(outcome, message="said by the check", faults=1, max_faults=10))
    await line.say(
        sitting.result("UNKNOWN_SESSION", session_id="no-such-session", decision_id=9),
        sitting.result("MALFORMED", session_id="", decision_id=0),
    )
    await line.pong(2)
    sitting.take()
    if not sitting.finished:
        await line.ask(sitting)
    await line.say(sitting.result("VACATED", decision_id=0))
    await line.sit(other)
    await line.ask(other)
