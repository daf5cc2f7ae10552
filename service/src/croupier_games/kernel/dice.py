"""Seed and dice: where every game's chance comes from.

A session has one 32-byte seed. Every source of chance in it has a stream of its own, named after its purpose (``deck``,
``draw/17``), so that one player's choices never shift the luck of another purpose. The generator is written down in
``docs/reference/dice.md`` precisely enough to recompute a deal in another language, with vectors that
``service/tests/kernel/test_dice.py`` holds this module to:

* key of a stream  = SHA-256(seed || name in UTF-8)
* block i          = SHA-256(key || i as 8 bytes, big-endian), i = 0, 1, 2, ...
* words            = each block read as eight unsigned 32-bit big-endian integers, in order
* ``below(n)``     = the next word w with w < floor(2^32 / n) * n, modulo n (earlier ones are thrown away)
* ``shuffle``      = Fisher-Yates from the end: for i = len-1 .. 1 swap i with below(i + 1)
"""

from __future__ import annotations

import struct
from collections.abc import MutableSequence, Sequence
from hashlib import sha256
from typing import Any, TypeVar

T = TypeVar("T")

SEED_BYTES = 32
_WORDS = struct.Struct(">8I")
_COUNTER = struct.Struct(">Q")
_TWO_32 = 1 << 32


class Dice:
    """One stream of chance. Not thread-safe; clone it to branch."""

    __slots__ = ("_block", "_key", "_words")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._words: list[int] = []  # unread words of the current block, next one last

    def word(self) -> int:
        """The next unsigned 32-bit integer of the stream."""
        if not self._words:
            self._read_block()
        return self._words.pop()

    def below(self, n: int) -> int:
        """A uniform integer in ``0 <= x < n``. Raises ValueError unless ``1 <= n <= 2**32``."""
        if not 1 <= n <= _TWO_32:
            raise ValueError(f"below(n) takes 1 <= n <= 2**32, got {n}")
        while True:
            word = self.word()
            drawn = word % n
            if word - drawn <= _TWO_32 - n:  # the whole run of n words that this one is in fits below 2**32
                return drawn

    def choice(self, items: Sequence[T]) -> T:
        """A uniformly drawn item. Raises ValueError when there is none."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place; all orders equally likely."""
        words = self._words
        near = _TWO_32 - len(items)  # no word up to here is ever thrown away
        for i in range(len(items) - 1, 0, -1):
            # j = self.below(i + 1), written out: a deal spends most of its time here
            if not words:
                self._read_block()
            word = words.pop()
            j = word % (i + 1)
            if word > near and word - j >= _TWO_32 - i:
                j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A shuffled copy."""
        copy = list(items)
        self.shuffle(copy)
        return copy

    def seed(self) -> Seed:
        """A fresh seed drawn from this stream, for a re-deal whose future must be independent of the original's."""
        return Seed(b"".join(self.word().to_bytes(4, "big") for _ in range(SEED_BYTES // 4)))

    def clone(self) -> Dice:
        """A copy that continues from the same place."""
        copy = Dice(self._key)
        copy._block = self._block
        copy._words = self._words.copy()
        return copy

    def _read_block(self) -> None:
        """Refill the words, in place: ``shuffle`` holds on to the list."""
        block = sha256(self._key + _COUNTER.pack(self._block)).digest()
        self._block += 1
        self._words.extend(_WORDS.unpack(block)[::-1])


class Seed:
    """The 32 bytes from which all chance of a session follows."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        """Raises ValueError unless ``raw`` has 32 bytes."""
        if len(raw) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, got {len(raw)}")
        self.raw = raw

    @classmethod
    def of(cls, text: str) -> Seed:
        """A seed from any text (its SHA-256): for tests, examples and golden games."""
        return cls(sha256(text.encode()).digest())

    @classmethod
    def from_hex(cls, text: str) -> Seed:
        """The inverse of ``hex()``. Raises ValueError."""
        return cls(bytes.fromhex(text))

    def hex(self) -> str:
        """64 hexadecimal digits."""
        return self.raw.hex()

    def commitment(self) -> bytes:
        """SHA-256 of the seed.

        Publish it first and the seed later, and anyone can check that the deal was not chosen in between.
        """
        return sha256(self.raw).digest()

    def dice(self, name: str) -> Dice:
        """The stream of that name, from its beginning. Raises ValueError when the name is empty."""
        if not name:
            raise ValueError(
                "a stream is named after what it decides"
            )  # and the key of the empty name is the commitment
        return Dice(sha256(self.raw + name.encode()).digest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seed) and other.raw == self.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return "Seed(...)"  # never in a log by accident
