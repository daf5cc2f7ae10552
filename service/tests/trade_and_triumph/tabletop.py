"""Positions for the tests of Trade and Triumph, and two editions beside the standard one."""

from pathlib import Path

from croupier_games.trade_and_triumph import GAME, load
from croupier_games.trade_and_triumph.cards import CITY

TINY = load((Path(__file__).parent / "tiny.toml").read_text("utf-8"))

LOOSE = """
format = 1
title = "Loose cards"
[board]
forest = 2
mountain = 3
desert = 2
ocean = 3
posts = [["forest", "mountain"], ["desert", "ocean"]]
[rules]
gold = 10
specialty-price = 10
hand-limit = 7
goal = 20
set-points = 6
post-sale = 1
city-sale = 2
[tracks]
move = { squares = [1, 2, 3], costs = [4, 8] }
draw = { squares = [1, 2, 3], costs = [4, 8] }
play = { squares = [1, 2, 3], costs = [4, 8] }
[[trade]]
name = "Ware"
cost = 1
reveal = [{ gold = 1 }]
[[trade]]
name = "Goods"
cost = 2
reveal = [{ gold = 2 }]
[[influence]]
name = "Favour"
cost = 1
play = [{ gold = 1 }]
[[influence]]
name = "Steward"
cost = 1
start = [{ gold = 1 }]
[[specialty]]
name = "Prize"
play = [{ points = 1 }]
"""
"""An edition of plain cards, to which a test adds the one that it is about."""


def give(state, seat, *names):
    """Put cards into a hand: out of their deck, or of whatever hand or pile they are in."""
    for name in names:
        take(state, card := state.edition.printed(name).number)
        state.hands[seat].append(card)
        state.hands[seat].sort()
    changed(state)


def lay(state, seat, *names):
    """Put trade cards face down, or eternal cards into play."""
    for name in names:
        take(state, card := state.edition.printed(name).number)
        if state.is_trade(card):
            state.hidden[seat].append(card)
            state.hidden[seat].sort()
        else:
            state.eternals[seat].append(card)
            for price, amount in state.edition.lasting[card]:
                state.prices[seat][price] += amount
            state.prices[seat][8] |= state.edition.shield[card]
            if seat == state.turn:
                state.now = state.prices[seat][:]
    changed(state)


def discarded(state, *names):
    """Put cards on their discard pile."""
    for name in names:
        take(state, card := state.edition.printed(name).number)
        state.discards[state.edition.deck[card]].append(card)
    changed(state)


def on_top(state, *names):
    """Put cards on top of their deck; the first one will be drawn first."""
    for name in reversed(names):
        take(state, card := state.edition.printed(name).number)
        state.decks[state.edition.deck[card]].append(card)
    changed(state)


def take(state, card):
    deck = state.edition.deck[card]
    for cards in (state.decks[deck], state.discards[deck], *state.hands, *state.hidden, *state.eternals):
        if card in cards:
            cards.remove(card)
            return
    raise AssertionError(f"card {card} is nowhere")


def changed(state):
    state.legal = state.public = None


def place(state, seat, route=0, space=0, station=CITY):
    """Put a trader somewhere."""
    edition = state.edition
    spots = range(1, len(edition.route))
    state.spots[seat] = next(
        spot
        for spot in spots
        if (edition.route[spot], edition.space[spot]) == (route, space) and (route or edition.station[spot] == station)
    )
    changed(state)


def do(state, *texts):
    """Do what the texts say, each for the seat that is asked; cards may be named: ``do(state, "play Ware")``."""
    for text in texts:
        (seat,) = state.to_act()
        word, _, rest = text.partition(" ")
        names = {card.name: card.number for card in state.edition.cards}
        state.apply(seat, GAME.parse(f"{word} {names[rest]}" if rest in names else text))


def offered(state):
    """What the seat that is asked may do, as texts."""
    (seat,) = state.to_act()
    return [GAME.notation(action) for action in state.legal_actions(seat)]


def names(state, cards):
    return [state.edition.name(card) for card in cards]
