"""Editions: what a data file may say, what is wrong with others, and that the engine knows no card by name."""

from pathlib import Path

import pytest
from tabletop import LOOSE, TINY

import croupier_games.trade_and_triumph as package
from croupier_games.kernel import OptionError, Seed
from croupier_games.kernel.playout import play_out
from croupier_games.trade_and_triumph import GAME, EditionError, Options, load
from croupier_games.trade_and_triumph.edition import packaged
from croupier_games.trade_and_triumph.gallery import main as gallery
from croupier_games.trade_and_triumph.gallery import page
from croupier_games.trade_and_triumph.reading import CONDITIONS, PARTS, PER_WORDS, PRICE_WORDS

ROOT = Path(__file__).parents[3]


def test_the_standard_edition_has_150_cards_as_in_the_box():
    boxes = GAME.edition().boxes
    assert [len(box) for box in boxes] == [0, 60, 60, 30]
    assert [len(set(box)) for box in boxes] == [0, 30, 30, 30]


def test_spice_caravan_is_what_the_rulebook_says():
    card = GAME.edition().printed("Spice Caravan")
    assert (card.cost, card.text) == (0, "Gain 4 gold. If you travelled the desert: gain 2 gold.")


def test_the_engine_knows_no_card_by_name():
    source = "".join(path.read_text("utf-8") for path in Path(package.__file__).parent.glob("*.py"))
    assert [
        card.name for card in GAME.edition().cards if f"{card.name!r}" in source or f'"{card.name}"' in source
    ] == []


def words(data):
    """All keys and texts of a file's data."""
    if isinstance(data, dict):
        return {*data, *(word for value in data.values() for word in words(value))}
    if isinstance(data, list):
        return {word for value in data for word in words(value)}
    return {data} if isinstance(data, str) else set()


def test_the_tiny_edition_uses_every_part_of_the_vocabulary_and_plays_to_its_end(tiny):
    import tomllib

    used = words(tomllib.loads((Path(__file__).parent / "tiny.toml").read_text("utf-8")))
    assert {*PARTS, *CONDITIONS} <= used
    for number in range(30):
        seats = 2 + number % 3
        state = tiny.deal(seats, Options(edition="tiny"), Seed.of(f"tiny {number}"))
        play_out(state, Seed.of(f"tiny {number}").dice("players"))
        assert max(state.points) >= TINY.goal or state.round == 200


def test_the_standard_edition_uses_every_price_and_nearly_every_part():
    import tomllib

    used = words(tomllib.loads(packaged("standard").source))
    assert {*PARTS, *CONDITIONS} <= used
    assert {*PRICE_WORDS, *PER_WORDS} <= used


def test_every_card_has_a_text_made_from_its_effects():
    for edition in (GAME.edition(), TINY):
        for card in edition.cards:
            assert card.text.endswith(".")
            assert "\0" not in card.text
            assert len(card.text) < 250


@pytest.mark.parametrize(
    ("effects", "text"),
    [
        ("[{ gold = 1, per = 'kind', limit = 3 }]", "Gain 1 gold for each kind of resource you hold (at most 3)."),
        (
            "[{ pay = 2 }, { spend = 'any' }, { points = 1 }]",
            "Pay 2 gold and return 1 resource of your choice: gain 1 VP.",
        ),
        ("[{ steal = 3, each = true }]", "Take 3 gold from each other seat."),
        (
            "[{ look = 3, deck = 'any', to = 'order' }]",
            "Look at the top 3 cards of any deck and put them back in any order.",
        ),
        ("[{ change = 'upgrade', by = 2 }]", "Your upgrades cost 2 less this turn."),
        (
            "[{ either = [[{ gold = 1 }], [{ pay = 1 }, { moves = 2 }]] }]",
            "Either gain 1 gold, or pay 1 gold: 2 more moves this turn.",
        ),
        (
            "[{ when = { behind = 2 }, do = [{ gold = 1 }, { plays = 1 }] }]",
            "If 2 or more others have more VP: gain 1 gold, 1 more play this turn.",
        ),
    ],
)
def test_the_text_of_a_card_says_what_it_does(effects, text):
    assert load(f'{LOOSE}[[specialty]]\nname = "It"\nplay = {effects}\n').printed("It").text == text


def test_the_text_of_an_eternal_card_says_when():
    edition = load(
        f'{LOOSE}[[influence]]\nname = "It"\ncost = 1\nstart = [{{ gold = 1 }}]\nuse = [{{ moves = 1 }}]\n'
        'lasting = [{ change = "upgrade", by = 2 }, { protect = ["steal", "discard"] }]'
    )
    assert edition.printed("It").text == (
        "At the start of your turn: gain 1 gold. Once a turn: 1 more move this turn. "
        "Your upgrades cost 2 less. Others cannot take your gold or make you discard."
    )


def card(text, deck="specialty"):
    return f'{LOOSE}[[{deck}]]\nname = "It"\n{text}\n'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("nonsense", "edition"),
        (LOOSE.replace("format = 1", "format = 2"), "edition.format"),
        (LOOSE.replace('title = "Loose cards"', ""), "edition.title"),
        (LOOSE.replace("forest = 2", "forest = 0"), "board.forest"),
        (LOOSE.replace('["forest", "mountain"]', '["forest", "desert"]'), "board.posts"),
        (LOOSE.replace('["forest", "mountain"]', '["forest", "swamp"]'), "board.posts"),
        (LOOSE.replace("hand-limit = 7", "hand-limit = true"), "rules.hand-limit"),
        (LOOSE.replace("hand-limit = 7", "hand-limit = 7\nmulligan = 1"), "rules.mulligan"),
        (
            LOOSE.replace("draw = { squares = [1, 2, 3], costs = [4, 8]", "draw = { squares = [1, 2, 3], costs = [4]"),
            "tracks.draw.costs",
        ),
        (LOOSE.replace("draw = { squares = [1, 2, 3]", "draw = { squares = [2, 1, 3]"), "tracks.draw.squares"),
        (LOOSE.replace("move = { squares = [1, 2, 3]", "move = { squares = [0, 2, 3]"), "tracks.move.squares"),
        (LOOSE.replace('name = "Goods"', 'name = "Ware"'), "card 'Ware'"),
        (LOOSE.replace('name = "Goods"', ""), "trade card 2.name"),
        (LOOSE.replace('name = "Goods"\ncost = 2', 'name = "Goods"'), "card 'Goods'.cost"),
        (card(""), "card 'It'"),
        (card("cost = 3\nplay = [{ gold = 1 }]"), "card 'It'.cost"),
        (card("play = []"), "card 'It'.play"),
        (card("play = [{}]"), "card 'It'.play[0]"),
        (card("play = [{ gold = 1 }, { fly = 2 }]"), "card 'It'.play[1]"),
        (card("play = [{ gold = 0 }]"), "card 'It'.play[0].gold"),
        (card("play = [{ gold = '3' }]"), "card 'It'.play[0].gold"),
        (card("play = [{ gold = 1, per = 'moon' }]"), "card 'It'.play[0].per"),
        (card("play = [{ gold = 1, limit = 3 }]"), "card 'It'.play[0].limit"),
        (card("play = [{ gold = 1, points = 2 }]"), "card 'It'.play[0]"),
        (card("play = [{ gold = 1 }, { pay = 2 }]"), "card 'It'.play[1]"),
        (card("play = [{ spend = 'any' }, { pay = 2 }]"), "card 'It'.play[1]"),
        (card("play = [{ draw = 'money' }]"), "card 'It'.play[0].draw"),
        (card("play = [{ steal = 1, each = false }]"), "card 'It'.play[0].each"),
        (card("play = [{ look = 3, deck = 'trade', to = 'burn' }]"), "card 'It'.play[0].to"),
        (card("play = [{ protect = ['steal'] }]"), "card 'It'.play[0]"),
        (card("play = [{ when = { at = 'sea' }, do = [{ gold = 1 }] }]"), "card 'It'.play[0].when.at"),
        (card("play = [{ when = {}, do = [{ gold = 1 }] }]"), "card 'It'.play[0].when"),
        (card("play = [{ when = { behind = 1 }, do = [{ pay = 1 }] }]"), "card 'It'.play[0].do"),
        (card("play = [{ when = { behind = 1 }, do = [{ gold = 1 }], otherwise = 1 }]"), "card 'It'.play[0].otherwise"),
        (card("play = [{ either = [[{ gold = 1 }]] }]"), "card 'It'.play[0].either"),
        (card(f"play = [{{ either = [{', '.join(['[{ gold = 1 }]'] * 10)}] }}]"), "card 'It'.play[0].either"),
        (card("play = [{ either = [[{ gold = 1 }], [{ moves = 10 }]] }]"), "card 'It'.play[0].either[1][0].moves"),
        (card("cost = 1\nstart = [{ pay = 1 }, { points = 1 }]", "influence"), "card 'It'.start"),
        (card("cost = 1\nuse = [{ gold = 1 }]", "trade"), "card 'It'.use"),
        (card("cost = 1\nlasting = [{ gold = 1 }]", "influence"), "card 'It'.lasting[0]"),
        (card("cost = 1\nlasting = [{ protect = ['rain'] }]", "influence"), "card 'It'.lasting[0].protect"),
    ],
)
def test_an_edition_that_breaks_the_schema_is_refused_where_it_does(text, where):
    with pytest.raises(EditionError) as error:
        load(text)
    assert error.value.where == where
    assert str(error.value).startswith(f"{where}: ")


def test_there_is_no_other_edition():
    with pytest.raises(OptionError, match="standard"):
        GAME.edition("deluxe")
    with pytest.raises(EditionError, match="standard"):
        packaged("deluxe")


def test_the_gallery_is_up_to_date():
    assert page(GAME.edition()) == (ROOT / "docs/reference/cards-trade-and-triumph.md").read_text("utf-8")


def test_the_gallery_says_when_it_is_not(tmp_path, capsys):
    file = tmp_path / "cards.md"
    assert gallery(["--page", str(file)]) == 1
    assert "--write" in capsys.readouterr().err
    assert gallery(["--page", str(file), "--write"]) == 0
    assert gallery(["--page", str(file)]) == 0
