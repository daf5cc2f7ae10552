"""The rules: who may do what, and what happens then.

Two doors lead in, ``check`` and ``apply``. A turn goes like this:

1. ``begin_turn``   The tracks say how many moves, draws and plays there are; eternal cards bring their income.
2. ``move``, ``draw_card``, ``play``, ``reveal``, ``sell_card``, ``sell_resources``, ``upgrade``, ``use_eternal``
                    In any order and mixture, until the seat ends its turn.
3. ``end_turn``     Down to the limit of the hand.
4. ``next_turn``    On to the left; after the last seat of a round, see whether the game is over.

``settle`` runs what effects have still to do, up to the next choice of anybody; ``take_forced`` takes what leaves no
choice. All of this reads and changes a ``State``, whose parts are explained there.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..kernel import IllegalAction, MalformedAction, Seat
from .actions import (
    END_TURN,
    Action,
    Draw,
    EndTurn,
    Move,
    Play,
    Reveal,
    SellCard,
    SellResources,
    Upgrade,
    UseEternal,
)
from .cards import CITY, DECKS, DRAW, MOVE, PLAY, REGIONS, SPECIALTY, TRACKS, TRADE
from .choices import AskDiscard, Phase
from .deeds import NO_NEED, can_draw, discard, draw, lay_off, met, publish
from .offers import TURN_ACTIONS, resource_sales, turn_actions
from .vocabulary import SHIELD, Price

if TYPE_CHECKING:
    from .state import State

UPGRADE, CARD_SALE = int(Price.UPGRADE), int(Price.CARD_SALE)
RESOURCE_SALE, SET = int(Price.RESOURCE_SALE), int(Price.SET_SALE)


# The doors.


def legal_actions(state: State, seat: Seat) -> Sequence[Action]:
    """What the seat may do. Empty unless it is asked."""
    ask = state.ask
    if ask is not None:
        return ask.options(state) if seat == ask.seat(state) else []
    if seat != state.turn or state.over:
        return []
    if state.legal is None:
        state.legal = turn_actions(state)
    return state.legal


def check(state: State, seat: Seat, action: Action) -> None:
    """Raise IllegalAction, naming the rule, unless the seat may do this now. ``RULES.md`` lists the rules."""
    door = _DOORS.get(type(action))
    if state.over:
        raise IllegalAction("game.over", "the game is over")
    ask = state.ask
    if ask is not None:
        _check_answer(state, seat, action)
    elif seat != state.turn:
        raise IllegalAction("turn", f"it is the turn of seat {state.turn}, not of seat {seat}")
    elif door is None:
        if not isinstance(action, Action):
            raise MalformedAction(f"{action!r} is no action of Trade and Triumph")
        raise IllegalAction("choose.nothing", "there is nothing to choose now: go on with the turn, or end it")
    else:
        if state.acted >= TURN_ACTIONS and action not in turn_actions(state):
            raise IllegalAction(
                "turn.cap", f"after {TURN_ACTIONS} steps a turn has only a first move left, and its end"
            )
        door[0](state, action)


def apply(state: State, seat: Seat, action: Action) -> None:
    """Decide. Raises as ``check`` does, and then nothing has changed."""
    door = _DOORS.get(type(action))
    ask = state.ask
    if ask is None and door is not None and seat == state.turn and state.acted < TURN_ACTIONS and not state.over:
        door[0](state, action)  # as check does, without asking all that again
    else:
        check(state, seat, action)
    state.public = None
    state.legal = None
    if ask is None:
        assert door is not None
        state.acted += 1
        door[1](state, action)
    else:
        state.ask = None
        ask.answer(state, action)
    if state.pending or state.ask is not None:
        settle(state)
    may_play = state.hands[state.turn] and state.left[PLAY] and state.acted < TURN_ACTIONS
    if not may_play:  # else there is no need to look
        take_forced(state)


def _check_answer(state: State, seat: Seat, action: Action) -> None:
    ask = state.ask
    assert ask is not None
    asked = ask.seat(state)
    if seat != asked:
        raise IllegalAction("turn", f"seat {asked} is asked, not seat {seat}")
    if action not in ask.options(state):
        if not isinstance(action, Action):
            raise MalformedAction(f"{action!r} is no action of Trade and Triumph")
        rule = "choose." + ask.phase.name.lower().replace("_", "-")
        raise IllegalAction(rule, "a choice is open: answer it with one of the actions offered")


def settle(state: State) -> None:
    """Do what is still to be done, up to the next choice that somebody has to make."""
    pending = state.pending
    while True:
        ask = state.ask
        if ask is not None:
            if ask.width(state) > 1:
                return
            state.ask = None
            options = ask.options(state)
            if options:
                state.engine_moves.append((ask.seat(state), options[0]))
                ask.answer(state, options[0])
        elif pending:
            pending.pop()(state)
        else:
            return


def take_forced(state: State) -> None:
    """Take what leaves no choice, as far as everyone can tell, so that it gives nothing away."""
    while not state.over and state.ask is None:
        action = forced(state)
        if action is None:
            return
        state.engine_moves.append((state.turn, action))
        state.legal = None
        _DOORS[type(action)][1](state, action)
        settle(state)


def forced(state: State) -> Action | None:
    """The one action that the turn's seat can take, whatever it may hold in hand or face down; None: it is asked."""
    seat, edition, left = state.turn, state.edition, state.left
    if state.acted < TURN_ACTIONS:
        open_here = state.travelled
        if state.hands[seat] and (left[PLAY] or open_here):
            return None
        if open_here and (state.hidden[seat] or (state.spots[seat] == CITY and resource_sales(state))):
            return None
    may_move = not state.walked or (left[MOVE] and state.acted < TURN_ACTIONS)
    moves = edition.moves[state.spots[seat]] if may_move else ()
    if len(moves) + bool(state.walked) != 1:
        return None
    if state.acted < TURN_ACTIONS:
        state.legal = actions = turn_actions(state)
        return actions[0] if len(actions) == 1 else None
    return moves[0] if moves else END_TURN


# Moving.


def check_move(state: State, action: Move) -> None:
    """On along the route, or from a station into one of its routes; as long as there are moves left."""
    spot = state.spots[state.turn]
    if not state.left[MOVE]:
        raise IllegalAction("move.none-left", "there are no moves left in this turn")
    if action.route not in state.edition.onward[spot]:
        if state.edition.station[spot]:
            raise IllegalAction("move.route", f"choose a route that leaves here: {sorted(state.edition.onward[spot])}")
        raise IllegalAction("move.on-route", "a route that is begun is completed: move on with route 0")


def move(state: State, action: Move) -> None:
    """One space. Completing a route opens what its end offers, and at a post brings a resource."""
    seat, edition = state.turn, state.edition
    spot = state.spots[seat]
    there = edition.onward[spot][action.route]
    state.spots[seat] = there
    state.left[MOVE] -= 1
    state.walked += 1
    station = edition.station[there]
    if not station:
        state.travelled = 0
        return
    region = (edition.route[spot] - 1) % 4 + 1
    state.travelled = region
    if station != CITY:
        state.resources[4 * seat + region - 1] += 1


# Drawing and playing.


def check_draw(state: State, action: Draw) -> None:
    """From each deck once a turn; the specialty deck costs gold."""
    deck = action.deck
    if not state.left[DRAW]:
        raise IllegalAction("draw.none-left", "there are no draws left in this turn")
    if state.drawn >> deck & 1:
        raise IllegalAction("draw.deck-once", f"you have drawn from the {DECKS[deck]} deck in this turn")
    if not can_draw(state, deck):
        raise IllegalAction("draw.empty", f"the {DECKS[deck]} deck and its discards are empty")
    if deck == SPECIALTY:
        _check_gold(state, state.edition.specialty_price, SPECIALTY, "draw.gold")


def draw_card(state: State, action: Draw) -> None:
    """The top card of the deck, in hand."""
    deck = action.deck
    state.left[DRAW] -= 1
    state.drawn |= 1 << deck
    if deck == SPECIALTY:
        _pay(state, state.edition.specialty_price, SPECIALTY)
    draw(state, deck)


def check_play(state: State, action: Play) -> None:
    """A card of the hand whose cost, and what its effects want first, can be paid."""
    card, edition = action.card, state.edition
    if not state.left[PLAY]:
        raise IllegalAction("play.none-left", "there are no plays left in this turn")
    if card not in state.hands[state.turn]:
        raise IllegalAction("play.in-hand", f"card {card} is not in your hand")
    deck = edition.deck[card]
    _check_gold(state, edition.cost[card], deck, "play.gold")
    need = edition.need[card]
    if deck != TRADE and need is not NO_NEED:
        gold = state.gold[state.turn] - max(0, edition.cost[card] - state.now[deck])
        if not met(state, need, gold):
            raise IllegalAction("play.need", f"{edition.name(card)} wants {_wants(need)} first")


def play(state: State, action: Play) -> None:
    """Trade cards go face down; influence and specialty cards take effect at once."""
    card, seat, edition = action.card, state.turn, state.edition
    deck = edition.deck[card]
    state.left[PLAY] -= 1
    _pay(state, edition.cost[card], deck)
    state.hands[seat].remove(card)
    if deck == TRADE:
        insort(state.hidden[seat], card)
        return
    state.card = card
    if not edition.eternal[card]:
        lay_off(state, seat, card)
        state.pending += edition.program[card]
    elif card in state.eternals[seat]:
        lay_off(state, seat, card)
    else:
        publish(state, seat, card)
        state.shown_card = card
        state.eternals[seat].append(card)
        prices = state.prices[seat]
        for price, amount in edition.lasting[card]:
            prices[price] += amount
            state.now[price] += amount
        prices[SHIELD] |= edition.shield[card]
        state.pending += edition.program[card]


# At the end of a route.


def check_open(state: State) -> None:
    """Only while the trader stays where it arrived in this turn."""
    if not state.travelled:
        raise IllegalAction("arrival.closed", "this is open in the turn in which a route is completed, at its end only")


def check_reveal(state: State, action: Reveal) -> None:
    """Any of one's own face-down trade cards, whose needs can be met."""
    check_open(state)
    card, edition = action.card, state.edition
    if card not in state.hidden[state.turn]:
        raise IllegalAction("reveal.face-down", f"you have no card {card} face down")
    if not met(state, edition.need[card], state.gold[state.turn]):
        raise IllegalAction("reveal.need", f"{edition.name(card)} wants {_wants(edition.need[card])} first")


def reveal(state: State, action: Reveal) -> None:
    """It takes effect and goes to the discards."""
    card, seat = action.card, state.turn
    state.hidden[seat].remove(card)
    state.card = card
    lay_off(state, seat, card)
    state.pending += state.edition.program[card]


def check_sell_card(state: State, action: SellCard) -> None:
    """Any card of the hand."""
    check_open(state)
    if action.card not in state.hands[state.turn]:
        raise IllegalAction("sell-card.in-hand", f"card {action.card} is not in your hand")


def sell_card(state: State, action: SellCard) -> None:
    """It brings gold and goes to the discards."""
    seat, edition = state.turn, state.edition
    gold = edition.city_sale if state.spots[seat] == CITY else edition.post_sale
    state.gold[seat] += gold + state.now[CARD_SALE]
    discard(state, seat, action.card)


def check_sell_resources(state: State, action: SellResources) -> None:
    """In the city: one, a set of the four, or all that the seat has."""
    check_open(state)
    if state.spots[state.turn] != CITY:
        raise IllegalAction("sell-resources.city", "resources are sold in the city")
    first = 4 * state.turn
    if any(count > held for count, held in zip(action.counts, state.resources[first : first + 4], strict=True)):
        raise IllegalAction("sell-resources.held", "you have not that many resources")
    if action not in resource_sales(state):
        raise IllegalAction("sell-resources.counts", "sell a single one, a set of the four, or all; then sell again")


def sell_resources(state: State, action: SellResources) -> None:
    """Sets of the four bring the most; what is left over is sold one by one."""
    seat, counts = state.turn, action.counts
    for region, count in enumerate(counts):
        state.resources[4 * seat + region] -= count
    sets = min(counts)
    singles = sum(counts) - 4 * sets
    state.points[seat] += sets * (state.edition.set_points + state.now[SET]) + singles * (1 + state.now[RESOURCE_SALE])


# At any time of the turn.


def check_upgrade(state: State, action: Upgrade) -> None:
    """The next square of a track, if its price can be paid."""
    costs = state.edition.upgrade_costs[action.track]
    level = state.levels[3 * state.turn + action.track - 1]
    if level >= len(costs):
        raise IllegalAction("upgrade.complete", f"the {TRACKS[action.track]} track is at its last square")
    _check_gold(state, costs[level], UPGRADE, "upgrade.gold")


def upgrade(state: State, action: Upgrade) -> None:
    """The gem moves one square to the right; what it adds can be used at once."""
    track, edition = action.track, state.edition
    place = 3 * state.turn + track - 1
    level = state.levels[place]
    _pay(state, edition.upgrade_costs[track][level], UPGRADE)
    state.levels[place] = level + 1
    state.left[track] += edition.squares[track][level + 1] - edition.squares[track][level]


def check_use(state: State, action: UseEternal) -> None:
    """Each eternal card once a turn, if its needs can be met."""
    card, edition = action.card, state.edition
    if card not in state.eternals[state.turn]:
        raise IllegalAction("use-eternal.in-play", f"you have no eternal card {card} in play")
    if not edition.use[card]:
        raise IllegalAction("use-eternal.passive", f"{edition.name(card)} works by itself")
    if card in state.used:
        raise IllegalAction("use-eternal.once", f"{edition.name(card)} was used in this turn")
    if not met(state, edition.use_need[card], state.gold[state.turn]):
        raise IllegalAction("use-eternal.need", f"{edition.name(card)} wants {_wants(edition.use_need[card])} first")


def use_eternal(state: State, action: UseEternal) -> None:
    """Its effects happen."""
    state.used.append(action.card)
    state.card = action.card
    state.pending += state.edition.use[action.card]


# The end of a turn.


def check_end_turn(state: State, _action: EndTurn) -> None:
    """Not before the trader has moved."""
    if not state.walked:
        raise IllegalAction("end-turn.move-first", "move at least one space before you end the turn")


def end_turn(state: State, _action: EndTurn) -> None:
    """Down to the limit of the hand, then the next seat."""
    state.travelled = 0
    surplus = len(state.hands[state.turn]) - state.edition.hand_limit
    if surplus > 0:
        state.pending.append(next_turn)
        state.card = 0
        state.ask = AskDiscard(state.turn, surplus, Phase.HAND_LIMIT)
    else:
        next_turn(state)


def next_turn(state: State) -> None:
    """On to the left. A round ends before the first seat's turn: with it the game, at the goal or the cap of rounds."""
    seat = (state.turn + 1) % state.seats
    if seat == state.first:
        if max(state.points) >= state.edition.goal or state.round >= state.round_cap:
            state.over = True
            return
        state.round += 1
    state.turn = seat
    begin_turn(state)


def begin_turn(state: State) -> None:
    """Count what the turn allows; eternal cards bring their income, in the order in which they were played."""
    seat, edition = state.turn, state.edition
    first = 3 * seat
    state.left = [0, *(edition.squares[track][state.levels[first + track - 1]] for track in (1, 2, 3))]
    state.drawn = state.walked = state.travelled = state.acted = state.card = 0
    state.now = state.prices[seat][:]
    state.used = []
    for card in reversed(state.eternals[seat]):
        state.pending += edition.start[card]


def _check_gold(state: State, cost: int, price: int, rule: str) -> None:
    cost = max(0, cost - state.now[price])
    if state.gold[state.turn] < cost:
        raise IllegalAction(rule, f"this costs {cost} gold, and you have {state.gold[state.turn]}")


def _pay(state: State, cost: int, price: int) -> None:
    cost -= state.now[price]
    if cost > 0:
        state.gold[state.turn] -= cost


def _wants(need: Any) -> str:  # noqa: ANN401
    wanted = [f"{need.gold} gold"] if need.gold else []
    if need.resource >= 0:
        wanted.append(f"1 {REGIONS[need.resource]} resource" if need.resource else "a resource")
    return " and ".join(wanted)


_DOORS: dict[type[Any], tuple[Callable[[State, Any], None], Callable[[State, Any], None]]] = {
    Move: (check_move, move),
    Draw: (check_draw, draw_card),
    Play: (check_play, play),
    Reveal: (check_reveal, reveal),
    SellCard: (check_sell_card, sell_card),
    SellResources: (check_sell_resources, sell_resources),
    Upgrade: (check_upgrade, upgrade),
    UseEternal: (check_use, use_eternal),
    EndTurn: (check_end_turn, end_turn),
}
"""What a turn allows: how each kind of action is checked, and how it is done."""
