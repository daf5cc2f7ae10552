"""The bot that every other one should beat: it plays any game."""

import random
from typing import Any

import croupier
from croupier.examples.command import main


class RandomBot(croupier.Bot):
    """Takes any legal action, each as likely as the others."""

    def __init__(self, seed: str | None = None) -> None:
        """Roll fresh dice for each choice; with a seed, dice that follow from it and from what the bot sees."""
        self.seed = seed

    def choose(self, decision: croupier.Decision[Any, Any]) -> int:
        dice = random if self.seed is None else random.Random(self.seed.encode() + seen(decision))  # noqa: S311
        return dice.randrange(len(decision.actions))


def seen(decision: croupier.Decision[Any, Any]) -> bytes:
    """Return what the bot is shown, the same bytes for the same view."""
    return decision.message.view.SerializeToString(deterministic=True)


if __name__ == "__main__":
    main(RandomBot())
