"""A spec is read, and whatever is wrong with it is named by line and field."""

import pytest

from croupier_games.kernel import games
from croupier_tournament.spec import Command, House, Limits, Remote, SpecError, read_spec, template

GOOD = """\
title = "Spring"
game = "trades"
seats = 3
blocks = 10
seed = "s"

[options]
style = "free-for-all"
time_limit_ms = 500

[[entrants]]
name = "alice"
remote = true

[[entrants]]
name = "bob"
command = ["./bob", "--fast"]
token_env = "BOB_TOKEN"
[entrants.limits]
cpu_s = 60
memory_mib = 0

[[entrants]]
name = "carol"
house = "house:greedy"

[clock]
think_time_s = 0.5
bank_s = 0

[limits]
files = 99
"""


def problems(text):
    with pytest.raises(SpecError) as caught:
        read_spec(text)
    return [str(problem) for problem in caught.value.problems]


def test_everything_is_read():
    spec = read_spec(GOOD)
    assert (spec.title, spec.game, spec.seats, spec.format) == ("Spring", "trades", 3, "balanced")
    assert (spec.deals, spec.blocks, spec.seed) == (None, 10, "s")
    assert spec.options == {"style": "free-for-all", "time_limit_ms": "500"}
    assert (spec.clock.think_time_s, spec.clock.bank_s, spec.clock.increment_s) == (0.5, 0.0, None)
    alice, bob, carol = spec.entrants
    assert (alice.kind, carol.kind) == (Remote(), House("greedy"))
    assert bob.kind == Command(("./bob", "--fast"), Limits(cpu_s=60, memory_mib=None, files=99), "BOB_TOKEN")
    assert [entrant.bot for entrant in spec.entrants] == ["alice", "bob", "house:greedy"]


@pytest.mark.parametrize("game", games().values(), ids=list(games()))
def test_the_template_of_each_game_can_be_played_as_it_is(game):
    spec = read_spec(template(game, "x.toml", "python", "seed"))
    assert (spec.game, spec.seed, len(spec.entrants)) == (game.name, "seed", spec.seats + 1)


@pytest.mark.parametrize("game", games().values(), ids=list(games()))
def test_the_options_that_a_template_shows_are_the_games_defaults(game):
    text = template(game, "x.toml", "python", "seed")
    shown = text[text.index("[options]") : text.index("# Entrants")]
    assert read_spec(text.replace(shown, shown.replace("# ", ""))).options == {}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("seats = 3", "seats = 2", "line 3: seats: Trades is played with 3 to 14 seats, not 2"),
        ("seats = 3", "seats = true", "line 3: seats: is a whole number, 2 to 64, not True"),
        ("seats = 3", "seats = 4", "line 11: entrants: there are at least as many as seats: 4, not 3"),
        ('game = "trades"', 'game = "poker"', "line 2: game: no game is called 'poker'; there are: "),
        ('game = "trades"', "", "game: is missing"),
        ("blocks = 10", "deals = 10", "line 4: deals: the format balanced takes blocks instead: blocks in all"),
        ("blocks = 10", "", "blocks: is missing: the format balanced takes blocks"),
        ("blocks = 10", "blocks = 0", "line 4: blocks: is a whole number, 1 to 1,000,000, not 0"),
        ("blocks = 10", 'blocks = 10\nformat = "ful"', "line 5: format: is one of full, design, balanced, gauntlet, "),
        ("blocks = 10", 'blocks = 10\nchampion = "bob"', "line 5: champion: goes with the format gauntlet, not with "),
        ("blocks = 10", 'blocks = 10\nseating = "random"', "line 5: seating: is one of duplicate, not 'random'"),
        ('style = "free-for-all"', 'style = "free"', "line 8: options.style: is turns or free-for-all, not 'free'"),
        ("time_limit_ms = 500", "time_limit = 500", "line 9: options.time_limit: no such option; there are: style, "),
        ('name = "alice"', 'name = "Alice"', "line 12: entrants[0].name: is 1 to 64 characters a-z 0-9 - _ . , not"),
        ('name = "alice"', 'name = "bob"', "line 16: entrants[1].name: 'bob' is the name of entrants[0], too"),
        ("remote = true", "", "line 12: entrants[0].name: an entrant has exactly one of remote = true, command = ["),
        ("remote = true", "remote = false", "line 13: entrants[0].remote: is true, or not there at all, not False"),
        ("remote = true", 'remote = true\nhouse = "x"', "line 14: entrants[0].house: an entrant has exactly one of "),
        ('["./bob", "--fast"]', "[]", "line 17: entrants[1].command: is a program and its arguments"),
        ('["./bob", "--fast"]', '"./bob"', "line 17: entrants[1].command: is a list of texts, such as"),
        ("cpu_s = 60", "cpu = 60", "line 20: entrants[1].limits.cpu: there is no such field (did you mean cpu_s?)"),
        ("bank_s = 0", "bank_s = -1", "line 29: clock.bank_s: is a number, 0 to 86,400, not -1"),
        ("think_time_s = 0.5", "think_time_s = 0", "line 28: clock.think_time_s: think time and bank cannot both be 0"),
        (
            "[limits]",
            "[stopping]\nalpha = 0.05\n[limits]",
            "line 32: stopping.alpha: goes with the format head-to-head",
        ),
        ("[limits]", '[run]\nservers = ["x"]\n[limits]', "line 32: run.servers[0]: is host:port, such as localhost:77"),
        (
            "[limits]",
            "[faults]\nattempts = 11\n[limits]",
            "line 32: faults.attempts: is a whole number, 1 to 10, not 11",
        ),
        ("seats = 3", "seats = ", "line 3: this is no TOML: invalid value"),
        ("files = 99", "files = [", "line 33: this is no TOML: "),
    ],
)
def test_a_problem_names_line_and_field_and_what_would_be_right(old, new, problem):
    assert GOOD.count(old) == 1
    found = problems(GOOD.replace(old, new))
    assert any(line.startswith(problem) for line in found), found


def test_all_problems_are_named_at_once_in_the_order_of_the_file():
    text = GOOD.replace("seats = 3", "seats = 1").replace("bank_s = 0", "bank = 0").replace('"alice"', '"?"')
    assert [line.split(":")[0] for line in problems(text)] == ["line 3", "line 12", "line 29"]


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ('deals = 3\nchampion = "zoe"', "champion: is the name of an entrant, not 'zoe'"),
        ("deals = 3", "champion: is missing"),
        ('deals = 3\nblocks = 3\nchampion = "alice"', "blocks: either deals or blocks can be given, not both"),
    ],
)
def test_a_gauntlet(extra, problem):
    assert any(problem in line for line in problems(GOOD.replace("blocks = 10", f'format = "gauntlet"\n{extra}')))


@pytest.mark.parametrize(
    ("pair", "problem"),
    [('["alice"]', "pair: is the names of two entrants"), ('["alice", "zoe"]', "pair[1]: is the name of an entrant")],
)
def test_a_head_to_head(pair, problem):
    text = GOOD.replace("blocks = 10", f'format = "head-to-head"\ndeals = 3\npair = {pair}')
    assert any(problem in line for line in problems(text))


def test_lines_are_found_in_spite_of_texts_of_several_lines():
    text = GOOD.replace('title = "Spring"', 'title = """\n[clock]\nseats = 1\n"""').replace("seats = 3", "seats = 99")
    title, seats = problems(text)
    assert title.startswith("line 1: title: is on one line, without control characters, not '[clock]\\n")
    assert seats == "line 6: seats: is a whole number, 2 to 64, not 99"


@pytest.mark.parametrize("title", ["\\u001b[31mred", "bell\\u0007", "two\\nlines", "\\u202eback", "\\u2028"])
def test_a_text_that_cannot_be_shown_is_refused(title):
    [problem] = problems(GOOD.replace('title = "Spring"', f'title = "{title}"'))
    assert problem.startswith("line 1: title: is on one line, without control characters")
    assert problem.isprintable()


@pytest.mark.parametrize("title", ["Coupe n° 3", "春", "no\u00a0break"])
def test_a_text_may_be_in_any_language(title):
    assert read_spec(GOOD.replace('title = "Spring"', f'title = "{title}"')).title == title


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["./bob", "--fast"]', '"./bob --fast"'),
        ("blocks = 10", 'format = "head-to-head"\nblocks = 10\npair = "alice,bob"'),
    ],
)
def test_a_list_that_is_wrong_is_told_once(old, new):
    [problem] = problems(GOOD.replace(old, new))
    assert "is a list of texts, such as" in problem
