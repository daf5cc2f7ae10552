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

from collections.abc import MutableSequence, Sequence
from hashlib import sha256
from operator import mod
from struct import Struct, unpack
from typing import Any, TypeVar

T = TypeVar("T")

SEED_BYTES = 32
_COUNTER = Struct(">Q")
_TWO_32 = 1 << 32


class Dice:
    """One stream of chance. Not thread-safe; clone it to branch."""

    __slots__ = ("_block", "_key", "_words")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._words: list[int] = []  # unread words of the blocks so far, next one last

    def word(self) -> int:
        """The next unsigned 32-bit integer of the stream."""
        if not self._words:
            self._read_blocks(1)
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
        last = len(items) - 1
        words = self._peek(last)
        if words and max(words) > _TWO_32 - len(
            items
        ):  # one of them may have to be thrown away: once in a million decks
            for i in range(last, 0, -1):
                j = self.below(i + 1)
                items[i], items[j] = items[j], items[i]
            return
        for i, j in zip(range(last, 0, -1), map(mod, words, range(last + 1, 1, -1)), strict=True):  # the same at once
            items[i], items[j] = items[j], items[i]
        del self._words[len(self._words) - len(words) :]

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

    def _peek(self, count: int) -> list[int]:
        """The next words, in order, without drawing them."""
        missing = count - len(self._words)
        if missing > 0:
            self._read_blocks((missing + 7) // 8)
        return self._words[: -count - 1 : -1] if count > 0 else []

    def _read_blocks(self, count: int) -> None:
        """Add the words of the next blocks."""
        first, key = self._block, self._key
        self._block += count
        blocks = b"".join([sha256(key + _COUNTER.pack(number)).digest() for number in range(first, first + count)])
        self._words[:0] = unpack(f">{8 * count}I", blocks)[::-1]


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
