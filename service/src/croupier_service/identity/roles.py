"""Roles, and who makes a call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Role(IntEnum):
    """What a token's owner may do. Numbered as in the contract."""

    BOT = 1
    ORGANISER = 2
    SPECTATOR = 3
    OPERATOR = 4

    @property
    def word(self) -> str:
        """As people write it: ``organiser``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call."""

    name: str
    """The identity's name; empty where the server asks for no tokens."""
    role: Role

    @property
    def known(self) -> bool:
        """Whether a token has proved who it is."""
        return bool(self.name)


ANYBODY = Caller("", Role.OPERATOR)
"""The caller where the server asks for no tokens: whoever can reach it may do everything, under any name."""
