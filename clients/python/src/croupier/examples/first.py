"""The shortest bot there is: it plays any game."""

from typing import Any

from google.protobuf.message import Message

import croupier
from croupier.examples.command import main


class First(croupier.Bot):
    """Takes the first legal action."""

    def choose(self, decision: croupier.Decision[Any, Message]) -> Message:
        return decision.actions[0]


if __name__ == "__main__":
    main(First())
