"""What is shown, of a tournament that was not played."""

import io
import json
import random
from collections import Counter

import pytest
from rich.console import Console

from croupier.v1.session_pb2 import GameInfo
from croupier_tournament.plan.round_robin import round_robin
from croupier_tournament.report import text
from croupier_tournament.report.document import document
from croupier_tournament.report.progress import Lines
from croupier_tournament.run.bots import AnswerTimes, entrants
from croupier_tournament.run.games import PlayedGame
from croupier_tournament.run.local import Tournament
from croupier_tournament.run.settings import Settings


def play(planned, dice, faults):
    seats = len(planned.bots)
    points = tuple(dice.sample(range(-10, 60), seats))
    placings = tuple(1 + sum(other > mine for other in points) for mine in points)
    return PlayedGame(
        planned, f"s{planned.number}", points, placings, (18,) * seats, tuple(faults for _ in range(seats))
    )


def tournament(games=200, seats=4, played=None, faults=Counter()):  # noqa: B006 -- nobody changes it
    settings, dice = Settings(games=games, seats=seats), random.Random(1)
    bots = entrants(settings.game)
    plan = round_robin([bot.name for bot in bots], seats, games)
    over = [play(planned, dice, faults) for planned in plan[:played]]
    return Tournament(
        settings=settings,
        game=GameInfo(name="trick-and-trade", title="Trick and Trade", rules_version=1, min_seats=3, max_seats=5),
        entrants=bots,
        plan=plan,
        server="127.0.0.1:41035",
        metrics="127.0.0.1:42689",
        games=over,
        seconds=4.0,
        proven=len(over),
        times={bot.name: AnswerTimes(0.4321, 123.456) for bot in bots},
    )


def shown(it, what=text.report):
    console = Console(file=io.StringIO(), width=80, highlight=False)
    console.print(what(it))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    return [line.rstrip() for line in lines]


def test_the_columns_of_the_table():
    lines = shown(tournament())
    header = next(line for line in lines if "bot" in line)
    assert header.split() == ["bot", "kind", "games", "points", "wins", "place", "p50", "ms", "p99", "ms", "faults"]
    alice = next(line for line in lines if "alice" in line).split()
    assert alice[:3] == ["alice", "greedy", "160"]
    assert alice[4] == "±"
    assert alice[-3:] == ["0.43", "123", "0"]


def test_rows_are_in_the_order_of_the_average_placings():
    rows = [line.split() for line in shown(tournament()) if any(kind in line for kind in ("greedy ", "random "))]
    assert len(rows) == 5
    assert [row[7] for row in rows] == sorted(row[7] for row in rows)


def test_what_is_said_below_the_table():
    lines = shown(tournament())
    assert "14,400 decisions in 4.0 s: 3,600 a second." in lines
    assert "200 of 200 results proven: fetched as records, replayed by the rules." in lines
    assert any("docs/tutorial/first-bot.md" in line for line in lines)
    assert any(line.endswith("croupier serve") for line in lines)


def test_few_deals_have_no_interval():
    lines = shown(tournament(games=20))
    assert not any("±" in line for line in lines)
    assert "points: the mean; from 30 deals of a bot on with its 95% interval" in lines


def test_a_bot_that_could_not_be_asked_has_no_times():
    it = tournament()
    del it.times["bob"]
    assert next(line for line in shown(it) if "bob" in line).split()[-3:] == ["-", "-", "0"]


def test_faults_are_shown_by_kind():
    lines = shown(tournament(games=20, faults=Counter(late=1)))
    assert next(line for line in lines if "eve" in line).endswith("16 late")


def test_the_widest_table_fits():
    it = tournament(games=2_000, faults=Counter(late=10, illegal=1, disconnected=1, stalled=1, malformed=1))
    assert len(shown(it)) > 10


def test_an_early_stop_is_said_and_advertises_nothing():
    it = tournament(played=84)
    it.stopped, it.proven = True, 0
    lines = shown(it)
    assert "Stopped after 84 of 200 games." in lines
    assert not any("proven" in line or "Next" in line for line in lines)


def test_a_stop_before_the_first_game_is_over_has_no_table():
    it = tournament(played=0)
    it.stopped, it.seconds = True, 0.0
    assert [line for line in shown(it) if line] == ["Stopped after 0 of 200 games."]


def test_a_result_that_is_not_proven_is_told():
    it = tournament()
    it.proven, it.unproven = 199, ["game 7 (session s7): the cards are not those of deal 4"]
    lines = shown(it)
    assert "199 of 200 results proven: fetched as records, replayed by the rules." in lines
    assert "game 7 (session s7): the cards are not those of deal 4" in lines


def test_the_introduction_says_what_is_played_and_where_to_watch():
    assert shown(tournament(), text.introduction) == [
        "Trick and Trade, 4 seats: 200 games on 50 deals, each played from every seat",
        "  bots     alice, bob, carol (greedy), dave, eve (random)",
        "  server   127.0.0.1:41035",
        "  metrics  http://127.0.0.1:42689/metrics",
        "",
    ]


def test_the_introduction_says_that_more_is_played_than_asked_for():
    lines = shown(tournament(games=190), text.introduction)
    assert lines[1] == "(190 asked for; only whole rounds are fair)"


def test_the_document_says_it_all():
    told = json.loads(document(tournament()))
    assert {key: told[key] for key in ("game", "seats", "seed", "planned", "played", "deals", "verified")} == {
        "game": "trick-and-trade",
        "seats": 4,
        "seed": "croupier",
        "planned": 200,
        "played": 200,
        "deals": 50,
        "verified": 200,
    }
    assert (told["decisions"], told["unverified"]) == (14_400, [])
    assert sum(row["wins"] for row in told["standings"]) == pytest.approx(200)
    assert told["timing"]["decisions_per_second"] == 3600
    assert told["timing"]["answer_ms"]["eve"] == {"p50": 0.4321, "p99": 123.456}


def test_lines_are_written_now_and_then(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    console = Console(file=io.StringIO(), width=80, highlight=False)
    with Lines(console) as audience:
        audience.stage("games", 100)
        for _ in range(50):
            now[0] += 0.125
            audience.step()
    assert console.file.getvalue().splitlines() == [
        "games: 16 of 100, 8.0/s, 10 s left",
        "games: 32 of 100, 8.0/s, 8 s left",
        "games: 48 of 100, 8.0/s, 6 s left",
    ]
