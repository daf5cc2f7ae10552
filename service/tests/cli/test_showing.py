"""What is told of a session in a terminal: line by line, or drawn over and over."""

import io

import pytest
from rich.console import Console

from croupier.v1 import game_pb2, play_pb2, spectator_pb2
from croupier_games.kernel import Seed, find_game
from croupier_service.cli.replaying import steps
from croupier_service.cli.showing import LATEST, Log, Stage, ending, event_line
from croupier_service.cli.tables import look_of

BOTS = ["ann", "house:greedy", "bob"]
LOOK = look_of("trick-and-trade")


def console(**how):
    return Console(width=120, file=io.StringIO(), highlight=False, **how)


def said(screen):
    return [line.rstrip() for line in screen.file.getvalue().splitlines()]


def moved(seq, seat, card=None, cause=game_pb2.CAUSE_CHOSEN):
    action = None if card is None else game_pb2.GameAction(trick_and_trade={"play": card})
    return game_pb2.Event(seq=seq, moved=game_pb2.Moved(seat=seat, action=action, cause=cause))


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (moved(3, 0, 7), "    3  0 ann           play NEV-7"),
        (moved(4, 1, 40, game_pb2.CAUSE_FORCED), "    4  1 house:greedy  play RATCOIN-10  (there is no choice)"),
        (moved(5, 2, 1, game_pb2.CAUSE_SUBSTITUTED), "    5  2 bob           play NEV-1  (drawn for it)"),
        (moved(6, 2, 2, game_pb2.CAUSE_VACATED), "    6  2 bob           play NEV-2  (drawn, the seat was given up)"),
        (moved(7, 0), "    7  0 ann           chooses in secret"),
        (moved(8, 3, 5), "    8  3 dummy         play NEV-5"),
        (
            game_pb2.Event(seq=9, faulted=game_pb2.Faulted(seat=1, kind=game_pb2.FAULT_KIND_LATE)),
            "    9  1 house:greedy  fault: late",
        ),
        (
            game_pb2.Event(seq=10, vacated=game_pb2.Vacated(seat=2)),
            "   10  2 bob           the seat is given up and played on without the bot",
        ),
        (game_pb2.Event(seq=11), "   11  something that this program does not know"),
    ],
)
def test_each_event_is_a_line(event, line):
    assert event_line(event, LOOK, BOTS).plain == line


def test_a_result_is_told_best_first_with_what_decided_and_the_seed():
    end = play_pb2.SessionEnd(
        seq=80,
        reason=play_pb2.END_REASON_FINISHED,
        seed=bytes(range(32)),
        result=game_pb2.Result(
            points=[3, 20, 3],
            placings=[3, 1, 2],
            decided_by=["top-icons", "", "points"],
            tie_breaks=[game_pb2.TieBreak(name="top-icons", values=[1, 9, 4])],
            note="early",
        ),
    )
    screen = console()
    screen.print(ending(end, BOTS))
    assert said(screen) == [
        "Over after 80 events.",
        f"The seed was {bytes(range(32)).hex()}.",
        "place  seat            points  top-icons  decided by",
        "    1  1 house:greedy      20          9",
        "    2  2 bob                3          4  points",
        "    3  0 ann                3          1  top-icons",
        "early",
    ]


def test_an_aborted_session_has_no_result():
    screen = console()
    screen.print(ending(play_pb2.SessionEnd(seq=12, reason=play_pb2.END_REASON_ABORTED), BOTS))
    assert said(screen) == ["Aborted after 12 events; there is no result."]


def played(count):
    """What a spectator is shown of the first steps of a game."""
    game = find_game("trick-and-trade")
    from croupier_games.kernel import Record, Table

    table = Table(game, 3, game.options({"first_leader": "0"}), Seed.of("a game to show"))
    for _ in range(count):
        seat = table.state.to_act()[0]
        table.choose(seat, table.state.legal_actions(seat)[0])
    return [update for step in steps(Record.of(table), game) for update in step.updates]


def test_line_by_line_the_table_is_shown_when_a_round_begins():
    screen = console()
    log = Log(screen, LOOK, BOTS)
    for update in played(8):
        log.update(update)
    log.close()
    lines = said(screen)
    assert [line for line in lines if line.startswith("Trick and Trade")] == [
        "Trick and Trade · round 1 of 13 · seat 0 plays a card",
        "Trick and Trade · round 2 of 13 · seat 1 plays a card",
    ]
    assert [line[:7] for line in lines if "play " in line or "take " in line][:6] == [
        f"{seq:>5}  " for seq in range(1, 7)
    ]


def test_drawn_over_and_over_the_latest_events_stand_below_the_table():
    screen = console(force_terminal=True, color_system=None)
    stage = Stage(screen, LOOK, BOTS)
    updates = played(30)
    for update in updates:
        stage.update(update)
    stage.update(spectator_pb2.SessionUpdate(end=play_pb2.SessionEnd(seq=30, reason=play_pb2.END_REASON_ABORTED)))
    stage.close()
    drawn = screen.file.getvalue().rpartition("Trick and Trade")[2].splitlines()
    events = [line for line in drawn if "play " in line or "take " in line]
    assert len(events) == LATEST
    assert events[-1].split()[0] == str(updates[-2].event.seq)
    assert "Aborted after 30 events; there is no result." in "\n".join(drawn)
