"""What the service must know of one game's wire form. One file per game implements it; ``codecs`` lists them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from croupier.v1 import game_pb2

O = TypeVar("O")  # noqa: E741 - as in the kernel
A = TypeVar("A")
V = TypeVar("V")


class WireError(ValueError):
    """A message that is not one of this game's. The text says what would be right."""


class Codec(ABC, Generic[O, A, V]):
    """Between a game's dataclasses and its messages in the contract's envelopes.

    ``arm`` is the game's field in the envelopes' ``oneof``: its name and number are the same in all three envelopes.
    """

    game: str
    arm: str
    arm_number: int

    @abstractmethod
    def options_from_wire(self, message: game_pb2.GameOptions) -> O:
        """Raises OptionError naming the option."""

    @abstractmethod
    def options_to_wire(self, options: O) -> game_pb2.GameOptions:
        """The options in their envelope."""

    @abstractmethod
    def action_from_wire(self, message: game_pb2.GameAction) -> A:
        """Raises WireError."""

    @abstractmethod
    def action_bytes(self, action: A) -> bytes:
        """The game's Action message, encoded, without its envelope."""

    @abstractmethod
    def view_bytes(self, view: V) -> bytes:
        """The game's View message, encoded, without its envelope."""

    def details(self) -> Message | None:
        """What a bot should know of the game before it plays, as a message of the game's own; None: nothing."""
        return None


def no_such_arm(envelope: Any, oneof: str, codec: Codec[Any, Any, Any]) -> str:
    """What to say of an envelope that holds another game's message, or none."""
    found = envelope.WhichOneof(oneof)
    if found == codec.arm:
        return f"{found} is empty, or says what this game does not know"
    return f"is {codec.arm} for this game, not {found}" if found else f"is empty; it should hold {codec.arm}"
