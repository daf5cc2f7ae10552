"""What the pages of the documentation show works as shown."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from croupier_games.kernel import Record, RecordError, annotated, verify
from croupier_games.kernel.conformance import CHECKS, NotConformant, Trial, check_game, check_secrets

DOCS = Path(__file__).parents[3] / "docs"


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def swap_or_stay(tmp_path, monkeypatch):
    (tmp_path / "swap_or_stay.py").write_text(blocks("how-to/add-a-game.md", "python")[0], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return import_module("swap_or_stay")


def test_the_game_of_the_how_to_conforms(swap_or_stay):
    assert check_game(swap_or_stay.GAME, games_per_seat_count=2).games == 8


def test_the_error_of_the_how_to_is_what_a_leak_gives(swap_or_stay, monkeypatch):
    def leaky(state, seat):
        return swap_or_stay.View(seat, state.cards[seat], tuple(map(bool, state.decisions)), ())

    monkeypatch.setattr(swap_or_stay.SwapOrStayState, "view", leaky)
    with pytest.raises(NotConformant, match=r"while others have still to choose, seat . can tell seat .: '.*' from"):
        check_secrets(Trial(swap_or_stay.GAME, 2))


def test_the_record_of_the_reference_verifies(swap_or_stay):
    (text,) = blocks("reference/records.md", "text")
    record = Record.from_text(text, lambda _: swap_or_stay.GAME)
    assert verify(record, swap_or_stay.GAME).placings == (2, 3, 1)
    comment, rest = text.split("\n", 1)
    assert comment.startswith("# ")
    assert annotated(record, swap_or_stay.GAME) == rest
    with pytest.raises(RecordError):
        verify(
            Record.from_text(text.replace("placings 2 3 1", "placings 1 3 2"), lambda _: swap_or_stay.GAME),
            swap_or_stay.GAME,
        )


def test_the_readme_s_example_plays_a_game():
    readme = DOCS.parent / "service/src/croupier_games/README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(example, names)
    assert min(names["table"].result().placings) == 1


def test_the_readme_lists_every_check():
    readme = (DOCS.parent / "service/src/croupier_games/kernel/README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(check_\w+)`", readme, re.MULTILINE) == [check.__name__ for check in CHECKS]
