"""Options as text: how records and command lines give them."""

from dataclasses import dataclass

import pytest

from croupier_games.kernel import NoOptions, OptionError, option_texts, parse_options

Seat = int


@dataclass(frozen=True)
class Everything:
    rounds: int = 10
    style: str = "turns"
    quick: bool = False
    leader: Seat | None = None
    title: str | None = "x"


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        ({}, Everything()),
        ({"rounds": "12"}, Everything(rounds=12)),
        ({"rounds": "-1"}, Everything(rounds=-1)),
        ({"style": "none"}, Everything(style="none")),
        ({"quick": "true"}, Everything(quick=True)),
        ({"leader": "2"}, Everything(leader=2)),
        ({"title": "none"}, Everything(title=None)),
        ({"title": "two words"}, Everything(title="two words")),
        ({"style": "", "quick": "true"}, Everything(style="", quick=True)),
    ],
)
def test_texts_are_read_and_written(texts, options):
    assert parse_options(Everything, texts) == options
    assert option_texts(options) == texts


def test_a_default_may_be_said():
    assert parse_options(Everything, {"quick": "false", "leader": "none"}) == Everything()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rounds", "many", "is a whole number, not 'many'"),
        ("rounds", "none", "is a whole number, not 'none'"),
        ("leader", "first", "is a whole number, not 'first'"),
        ("quick", "yes", "is true or false, not 'yes'"),
        ("colour", "red", "no such option; there are: rounds, style, quick, leader, title"),
    ],
)
def test_an_error_names_the_option_and_says_what_would_be_right(name, text, message):
    with pytest.raises(OptionError) as error:
        parse_options(Everything, {name: text})
    assert error.value.field == name
    assert str(error.value) == message


def test_a_game_without_options_has_none():
    assert parse_options(NoOptions, {}) == NoOptions()
    with pytest.raises(OptionError, match="there are: none"):
        parse_options(NoOptions, {"x": "1"})
