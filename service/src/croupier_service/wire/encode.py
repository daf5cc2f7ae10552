"""Protobuf's wire format by hand, for the few messages that are built for every decision.

Building a message of a hundred integers through the generated classes costs several times what its bytes cost, and
every decision needs one. So the hot messages are put together from encoded fields, as the "Encoding" chapter of
protobuf's guide describes them; all others use the generated classes. ``tests/wire`` holds each hand-made message to
what the generated classes make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

T = TypeVar("T")

VARINT, LENGTH_DELIMITED = 0, 2
_REMEMBERED = 1 << 16


@lru_cache(_REMEMBERED)
def varint(number: int) -> bytes:
    """An unsigned integer, 7 bits a byte, the lowest first."""
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def key(field: int, wire_type: int) -> bytes:
    """What stands before a value: the number and kind of its field."""
    return varint(field << 3 | wire_type)


def uint(field: int, *, explicit: bool = False) -> Callable[[int], bytes]:
    """Encodes a uint32, uint64, enum or bool field. Zero is left out, unless ``explicit`` (optional, or in a oneof)."""
    before = key(field, VARINT)

    @lru_cache(_REMEMBERED)
    def encode(number: int) -> bytes:
        return before + varint(number) if number or explicit else b""

    return encode


def packed(field: int) -> Callable[[Sequence[int]], bytes]:
    """Encodes a repeated uint32 or enum field."""
    before = key(field, LENGTH_DELIMITED)

    def encode(numbers: Sequence[int]) -> bytes:
        if not numbers:
            return b""
        body = bytes(numbers) if max(numbers) < 128 else b"".join(map(varint, numbers))
        return before + varint(len(body)) + body

    return encode


def message(field: int) -> Callable[[bytes], bytes]:
    """Encodes a string, bytes or message field from its encoded value. An empty one is written all the same."""
    before = key(field, LENGTH_DELIMITED)
    heads = [before + varint(size) for size in range(1024)]

    def encode(body: bytes) -> bytes:
        size = len(body)
        return (heads[size] if size < 1024 else before + varint(size)) + body

    return encode


def nested(*fields: int) -> Callable[[int], bytes]:
    """Encodes what stands before a message inside messages: (1, 4) is field 4 of what is field 1. Takes its length."""

    @lru_cache(_REMEMBERED)
    def head(size: int) -> bytes:
        before = b""
        for field in reversed(fields):
            before = key(field, LENGTH_DELIMITED) + varint(size + len(before)) + before
        return before

    return head


def once(encode: Callable[[T], bytes], remembered: int) -> Callable[[T], bytes]:
    """Encodes each object once: ``Once(encode, remembered).encode``."""
    return Once(encode, remembered).encode


class Once(Generic[T]):
    """Encodes each object once, for as long as not too many others come along. The objects must not change.

    They are told apart by identity, which costs less than comparing; they are kept, so no other object can take it on.
    """

    __slots__ = ("_encode", "_kept", "_remembered", "encoded")

    def __init__(self, encode: Callable[[T], bytes], remembered: int) -> None:
        """``remembered``: how many objects."""
        self.encoded: dict[int, bytes] = {}
        """What is known, by the identity of the object."""
        self._encode = encode
        self._remembered = remembered
        self._kept: list[T] = []

    def encode(self, thing: T) -> bytes:
        """The object, encoded."""
        found = self.encoded.get(id(thing))
        if found is None:
            found = self._encode(thing)
            if len(self._kept) >= self._remembered:
                self.encoded.clear()
                self._kept.clear()
            self._kept.append(thing)
            self.encoded[id(thing)] = found
        return found

    def encode_all(self, things: Sequence[T]) -> Sequence[bytes]:
        """Several objects, each encoded."""
        encoded: list[bytes | None] = list(map(self.encoded.get, map(id, things)))
        return list(map(self.encode, things)) if None in encoded else encoded  # type: ignore[return-value]


def small(numbers: Iterable[int]) -> bytes:
    """A stretch of a message in which all is below 128 (keys, lengths and values), as it stands: one byte each.

    Raises ValueError when something is not; a game whose numbers can grow uses ``uint`` and ``packed``.
    """
    stretch = bytes(numbers)
    if not stretch.isascii():
        raise ValueError("a number of 128 or more in a stretch of small ones")
    return stretch
