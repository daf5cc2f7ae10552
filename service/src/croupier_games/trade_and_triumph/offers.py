"""What a turn offers: the legal actions of the seat whose turn it is, in a stable order.

Played at random, a game spends half its time here; so what cannot be there is not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .actions import (
    CARD_SALES,
    DRAWS,
    END_TURN,
    PLAYS,
    REVEALS,
    SET_SALE,
    SINGLE_SALES,
    UPGRADES,
    USES,
    Action,
    sale,
)
from .cards import CITY
from .deeds import NO_NEED, met
from .vocabulary import Price

if TYPE_CHECKING:
    from .state import State

TURN_ACTIONS = 200
"""After so many decisions in one turn there is only moving, if need be, and ending it: no card can stall a game."""

UPGRADE = int(Price.UPGRADE)


def turn_actions(state: State) -> list[Action]:
    """What the turn's seat may do, in the order in which the parts below come, with the end of the turn last."""
    seat, edition = state.turn, state.edition
    if state.acted >= TURN_ACTIONS:
        return [END_TURN] if state.walked else [*edition.moves[state.spots[seat]]]
    _, moves, draws, plays = state.left
    actions: list[Action] = [*edition.moves[state.spots[seat]]] if moves else []
    if draws:
        actions += _draws(state)
    if plays and state.hands[seat]:
        _add_plays(state, actions)
    if state.travelled:
        _add_what_is_open(state, actions)
    if state.gold[seat] + state.now[UPGRADE] >= edition.cheapest_upgrade:
        _add_upgrades(state, actions)
    if state.eternals[seat]:
        _add_uses(state, actions)
    if state.walked:
        actions.append(END_TURN)
    return actions


def _draws(state: State) -> Sequence[Action]:
    decks, discards = state.decks, state.discards
    open_decks = 0
    if decks[1] or discards[1]:
        open_decks = 2
    if decks[2] or discards[2]:
        open_decks |= 4
    if state.gold[state.turn] + state.now[3] >= state.edition.specialty_price and (decks[3] or discards[3]):
        open_decks |= 8
    return _DRAWS[open_decks & ~state.drawn]


_DRAWS = [tuple(DRAWS[deck] for deck in (1, 2, 3) if decks >> deck & 1) for decks in range(16)]
"""The draws from some decks, given as bits."""


def _add_plays(state: State, actions: list[Action]) -> None:
    playing, now, gold = state.edition.playing, state.now, state.gold[state.turn]
    last = 0
    for card in state.hands[state.turn]:  # ascending, copies side by side
        if card != last:
            last = card
            cost, deck, need = playing[card]
            price = cost - now[deck]
            if price <= gold and (need is None or met(state, need, gold - max(price, 0))):
                actions.append(PLAYS[card])


def _add_what_is_open(state: State, actions: list[Action]) -> None:
    seat, needs = state.turn, state.edition.need
    gold = state.gold[seat]
    hidden = dict.fromkeys(state.hidden[seat])
    actions += [REVEALS[card] for card in hidden if needs[card] is NO_NEED or met(state, needs[card], gold)]
    actions += [CARD_SALES[card] for card in dict.fromkeys(state.hands[seat])]
    if state.spots[seat] == CITY:
        actions += resource_sales(state)


def _add_upgrades(state: State, actions: list[Action]) -> None:
    purse, levels, costs = state.gold[state.turn] + state.now[UPGRADE], state.levels, state.edition.upgrade_costs
    before = 3 * state.turn - 1
    for track in (1, 2, 3):
        level = levels[before + track]
        prices = costs[track]
        if level < len(prices) and prices[level] <= purse:
            actions.append(UPGRADES[track])


def _add_uses(state: State, actions: list[Action]) -> None:
    use, needs, used = state.edition.use, state.edition.use_need, state.used
    for card in state.eternals[state.turn]:
        usable = use[card] and card not in used
        if usable and (needs[card] is NO_NEED or met(state, needs[card], state.gold[state.turn])):
            actions.append(USES[card])


def resource_sales(state: State) -> list[Action]:
    """What can be sold at once: one resource of a region, a set of the four, all of them."""
    first = 4 * state.turn
    held = tuple(state.resources[first : first + 4])
    total = sum(held)
    if not total:
        return []
    sales: list[Action] = [SINGLE_SALES[region] for region in range(4) if held[region]]
    if all(held):
        sales.append(SET_SALE)
    if total > 1 and held != SET_SALE.counts:
        sales.append(sale(held))
    return sales
