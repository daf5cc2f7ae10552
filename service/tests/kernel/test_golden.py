"""Golden games: what differs is shown, what is missing is named, and one command writes them anew."""

import pytest
import toy

from croupier_games.kernel import golden, verify
from croupier_games.kernel.golden import compare, main, missing_components, problems, rewrite


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with three golden games that show all components, and only High Card registered."""
    monkeypatch.setattr(golden, "games", lambda: {"high-card": toy.GAME})
    monkeypatch.setattr(golden, "find_game", lambda name: {"high-card": toy.GAME}[name])
    for name in ("one", "two", "three"):
        assert main(["--new", str(tmp_path / "high-card" / f"{name}.txt")]) == 0
    return tmp_path


@pytest.fixture
def path(home):
    return home / "high-card" / "one.txt"


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_games_that_go_as_written(home, path, capsys):
    assert problems([home]) == []
    assert compare(path) == ""
    assert main([str(home)]) == 0
    assert capsys.readouterr().out.endswith("3 golden games, all as written\n")


def test_a_comment_that_differs_is_a_diff_and_rewriting_mends_it(home, path, capsys):
    edit(path, "laying, points 0 0", "laying, points 5 5")
    assert "-#   laying, points 5 5\n+#   laying, points 0 0\n" in compare(path)
    assert main([str(home)]) == 1
    assert "+#   laying, points 0 0" in capsys.readouterr().out
    assert main([str(home), "--rewrite"]) == 0
    assert f"rewrote {path}" in capsys.readouterr().out
    assert compare(path) == ""
    assert not rewrite(path)


def test_a_false_result_is_a_diff(path):
    edit(path, "result placings ", "result placings 9 ")
    assert "-result placings 9 " in compare(path)


def test_a_new_version_of_the_rules_is_a_diff(path, monkeypatch):
    monkeypatch.setattr(toy.HighCard, "rules_version", 2)
    assert "-rules 1\n+rules 2\n" in compare(path)
    assert rewrite(path)
    assert compare(path) == ""


def test_the_heading_is_kept(path):
    edit(path, "# one\n", "# What this game shows:\n# nothing in particular.\n\n")
    edit(path, "laying, points 0 0", "laying, points 5 5")
    assert rewrite(path)
    assert path.read_text().startswith("# What this game shows:\n# nothing in particular.\n\ncroupier-record 1\n")


def test_an_input_that_has_become_illegal_is_named_and_not_rewritten(home, path, capsys):
    line = next(line for line in path.read_text().splitlines() if line.startswith("input"))
    edit(path, line, "input 0 lay 99")
    before = path.read_text()
    assert main([str(home), "--rewrite"]) == 1
    assert f"{path} cannot be rewritten: input 1 (input 0 lay 99) breaks lay.in-hand" in capsys.readouterr().out
    assert path.read_text() == before


def test_a_game_must_be_over(home, path):
    text = path.read_text()
    path.write_text(text[: text.index("input")])
    assert problems([home]) == [f"{path}: the game is not over after its 0 inputs"]


def test_a_game_in_another_game_s_folder_is_named(home, path):
    (home / "chess").mkdir()
    path.rename(home / "chess" / "one.txt")
    assert problems([home]) == [f"{home}/chess/one.txt: a game of high-card lies in the folder chess"]


def test_a_component_that_no_golden_game_shows_is_named(home, path, monkeypatch):
    monkeypatch.setattr(toy.HighCard, "components", lambda self: frozenset({"1", "99", "98"}))
    assert problems([home]) == ["no golden game of high-card brings into play: 98, 99"]
    assert missing_components([path]) == {"high-card": frozenset({"98", "99"})}


def test_a_game_without_golden_games_is_named(tmp_path, home, monkeypatch):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert problems([empty]) == [f"high-card has no golden game in {empty}"]


def test_a_new_game_is_played_at_random_and_says_what_was_asked_for(home, capsys):
    path = home / "high-card" / "five-cards.txt"
    assert main(["--new", str(path), "--seats", "4", "--seed", "x", "--option", "hand=5"]) == 0
    assert path.read_text().startswith(
        "# five cards\ncroupier-record 1\ngame high-card\nrules 1\nseats 4\noption hand 5\n"
    )
    assert compare(path) == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{home}/nowhere"], "there is no folder"),
        (["--new", "{home}/high-card/one.txt"], "exists already"),
        (["--new", "{home}/high-card/x.txt", "--seats", "9"], "seats: High Card is played with 2 to 4 seats, not 9"),
        (["--new", "{home}/high-card/x.txt", "--option", "hand=0"], "hand: at least one card"),
    ],
)
def test_command_line_misused(home, arguments, words, capsys):
    with pytest.raises(SystemExit) as left:
        main([argument.format(home=home) for argument in arguments])
    assert left.value.code == 2
    assert words in capsys.readouterr().err


def test_a_new_game_of_a_game_that_does_not_exist(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--new", str(tmp_path / "no-such-game" / "x.txt")])
    assert "no game is called 'no-such-game'" in capsys.readouterr().err


def test_golden_games_verify(path):
    record, game = golden._read(path)
    assert verify(record, game)
