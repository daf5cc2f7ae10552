"""What holds in every game, at every position; for so many random games.

python service/tests/trick_stakes/trick_stakes_games.py --games 10000
"""

import argparse
import sys
import time

from trick_stakes_referee import Referee

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Phase
from croupier_games.trick_stakes.cards import CARDS, COLOR, FINISH, HORSES


def check_game(seats, seed, **whims):
    """Play one game at random and look at it closely. Raises AssertionError; returns numbers of positions and moves."""
    twelve = None
    for table in random_playout(GAME, seats, GAME.options(), seed, **whims):
        state = table.state
        twelve = twelve or [{*own} for own in state.cards]
        check_position(state, twelve)
    result = state.result()
    assert sorted(result.placings) == list(range(1, seats + 1))
    moves = [(move.seat, GAME.notation(move.action)) for move in table.moves]
    points, placings = Referee(seats, seed).play(moves)
    assert (list(result.points), list(result.placings)) == (points, placings)
    return len(table.inputs) + 1, len(table.moves)


def check_position(state, twelve):
    """The invariants."""
    table, seats = state.table(), state.seats

    # Each horse has the same twelve cards in every race, and every card is somewhere.
    now = 4 * sum(state.tricks[:-1])
    played = [*state.played[now:], *state.trick]
    orders = [state.orders[leader] for leader in (*state.leaders[now // 4 :], state.leader)]
    laid = [[] for _ in range(4)]
    for number, card in enumerate(played):
        laid[orders[number // 4][number % 4]].append(card)
    for place, horse in enumerate(state.horses):
        out = [card for card in (state.turned_up[place - 4], state.discards[place - 4]) if card]
        assert sorted([*state.hands[place], *out, *laid[place]]) == sorted(twelve[horse - 1])
    assert sorted(state.horses) == list(HORSES)

    # Backs.
    for place in range(4):
        hidden = state.discards[place - 4] if place < seats and state.phase is Phase.DISCARD else 0
        backs = [COLOR[card] for card in (*state.hands[place], *filter(None, [hidden]))]
        assert list(table.hand_colors[4 * place : 4 * place + 4]) == [backs.count(color) for color in (1, 2, 3, 4)]

    # The course.
    assert sorted(table.standing) == list(HORSES)
    spaces = [table.spaces[horse - 1] for horse in table.standing]
    assert spaces == sorted(spaces, reverse=True)
    over = state.phase is Phase.OVER
    assert spaces.count(FINISH) < 2 or (over and spaces.count(FINISH) == 2)
    assert not over or spaces.count(FINISH) == 2 or not state.hands[0]

    # Whips, tickets, points and odds.
    assert all(0 <= number <= 2 for number in table.whips)
    face_up = [ticket for ticket in table.tickets_up[-seats:] if ticket]
    assert len({*face_up}) == len(face_up)
    assert all(up != down for up, down in zip(state.tickets_up, state.tickets_down, strict=True) if up or down)
    assert sum(table.odds) == 8 + 6 * (table.race - 1)
    assert len(table.finishes) == 4 * (table.race - (not over))
    assert table.start == table.circle[table.race - 1] < seats

    # Decisions.
    secret = state.phase in (Phase.DISCARD, Phase.TICKET_DOWN)
    assert over == (not state.to_act())
    assert secret or len(state.to_act()) <= 1
    for seat in state.to_act():
        legal = state.legal_actions(seat)
        assert len(legal) > 1
        for action in legal:
            state.check(seat, action)

    # What is known is true; a holder knows all.
    for viewer, known in enumerate(state.known):
        for card in CARDS:
            assert not known[card - 1] or card in twelve[known[card - 1] - 1]
        if viewer < seats:
            assert all(known[card - 1] == state.horses[viewer] for card in twelve[state.horses[viewer] - 1])


def main():
    """Play and check; say what was looked at."""
    parser = argparse.ArgumentParser(description="Random games of Trick Stakes, with all invariants checked.")
    parser.add_argument("--games", type=int, default=10_000, metavar="N", help="for each number of seats (10000)")
    parser.add_argument("--seed", default="many games", metavar="TEXT", help="any text; other games for another one")
    asked = parser.parse_args()
    for seats in (3, 4):
        begin, positions, moves = time.monotonic(), 0, 0
        for number in range(asked.games):
            try:
                seen = check_game(seats, Seed.of(f"{asked.seed}/{seats}/{number}"))
            except Exception:
                print(f"wrong: {seats} seats, seed {asked.seed}/{seats}/{number}", file=sys.stderr)
                raise
            positions, moves = positions + seen[0], moves + seen[1]
        took = time.monotonic() - begin
        print(f"{seats} seats: {asked.games} games, {positions} positions, {moves} moves, all well; {took:.0f} s")


if __name__ == "__main__":
    main()
