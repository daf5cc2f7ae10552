"""Plays random games to their ends: ``python service/tests/trade_and_triumph/play_random.py --games 5000``.

Exit status 0 when every game has ended by itself or at its cap of rounds, with a legal action at every point.
"""

import argparse
import sys
import time
from collections import Counter

from croupier_games.kernel import Seed
from croupier_games.trade_and_triumph import GAME, Options

MAX_DECISIONS = 200 * 4 * 300  # rounds, seats, and more decisions than a turn allows


def play(seats, seed):
    """The state at the end and how many decisions there were."""
    state = GAME.deal(seats, Options(), seed)
    dice = seed.dice("playout")
    for decisions in range(MAX_DECISIONS):
        if state.over:
            return state, decisions
        (seat,) = state.to_act()
        state.apply(seat, dice.choice(state.legal_actions(seat)))
    raise AssertionError(f"not over after {MAX_DECISIONS} decisions")


def additions_per_second(count=1_000_000):
    start, x = time.process_time(), 0
    for _ in range(count):
        x += 1  # noqa: SIM113
    return count / (time.process_time() - start)


def main():
    parser = argparse.ArgumentParser(description="Play random games to their ends.")
    parser.add_argument("--games", type=int, default=5000, help="with each number of seats (5000)")
    games = parser.parse_args().games
    for seats in (2, 3, 4):
        rounds, total, capped, best = Counter(), 0, 0, 0.0
        speed = additions_per_second()
        for number in range(games):
            start = time.process_time()
            state, decisions = play(seats, Seed.of(f"random/{seats}/{number}"))
            elapsed = time.process_time() - start
            best = max(best, decisions / elapsed)
            total += decisions
            capped += bool(state.result().note)
            rounds[state.round] += 1
            if number % 100 == 0:
                speed = max(speed, additions_per_second(200_000))
        print(
            f"{seats} seats: {games} games, all over; {min(rounds)} to {max(rounds)} rounds, {capped} at the cap; "
            f"{total / games:.0f} decisions a game; "
            f"at best {best:,.0f} decisions/s beside {speed / 1e6:.1f} million additions/s"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
