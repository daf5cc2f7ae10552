"""The game as the rest of the house knows it: its name, how it is dealt, how it is told."""

from __future__ import annotations

from .. import kernel
from ..kernel import Game, NoOptions, Seed
from . import actions
from .actions import Action
from .cards import CARD_NAMES, CARDS, HIGHEST, HORSE_NAMES, HORSES, TICKET_NAMES, VANILLA_BEANS
from .describe import describe
from .rules import begin_race
from .state import State
from .view import View


class TrickStakes(Game[NoOptions, Action, View]):
    """Trick Stakes, 3 or 4 seats."""

    name = "trick-stakes"
    title = "Trick Stakes"
    rules_version = 1
    seat_range = range(3, 5)
    options_type = NoOptions

    def _deal(self, seats: int, options: NoOptions, seed: Seed) -> State:
        """Deal as RULES.md says, step by step, and prepare the first race."""
        draw = seed.dice("horses")
        horses = draw.shuffled(HORSES)
        while horses.index(VANILLA_BEANS) >= seats:  # the dummy has it: draw again
            horses = draw.shuffled(HORSES)
        deck = seed.dice("deck").shuffled(CARDS)
        cards = [deck[first : first + HIGHEST] for first in range(0, len(deck), HIGHEST)]
        state = State(seats, horses, cards, seed)
        begin_race(state)
        return state

    def notation(self, action: Action) -> str:
        return actions.notation(action)

    def parse(self, text: str) -> Action:
        return actions.parse(text)

    def components(self) -> frozenset[str]:
        """The 48 race cards, the five kinds of ticket, the four horses, and the whip."""
        tickets = [f"ticket {name}" for name in TICKET_NAMES[1:]]
        horses = [f"horse {name}" for name in HORSE_NAMES[1:]]
        return frozenset([*CARD_NAMES[1:], *tickets, *horses, "whip"])

    def describe(self, state: kernel.State[Action, View]) -> str:
        """The public table on one line: all of it when a race begins, then what each decision is about."""
        return describe(state.public_view().table)
