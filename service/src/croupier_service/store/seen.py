"""Which request ids a database may hold: nearly all that come are new, and a look for them costs more than this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

DIGITS = 6
"""Of a key, for each of its places: 2 MiB of bits in all."""
PLACES = 4
"""With a million keys one in four hundred that was not put in passes for one that was; with ten million most do."""


class Seen:
    """Keys that were put in, and few others: a Bloom filter. Keys are SHA-256 in hexadecimal, so they need no hashing.

    >>> from hashlib import sha256
    >>> one, other = (sha256(text).hexdigest() for text in (b"one", b"other"))
    >>> seen = Seen([one])
    >>> one in seen, other in seen
    (True, False)
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        """Put these in."""
        self._bits = bytearray(16**DIGITS // 8)
        for key in keys:
            self.add(key)

    def add(self, key: str) -> None:
        """Put it in."""
        for place in _places(key):
            self._bits[place >> 3] |= 1 << (place & 7)

    def __contains__(self, key: str) -> bool:
        """Whether it may have been put in; False: it was not."""
        return all(self._bits[place >> 3] >> (place & 7) & 1 for place in _places(key))


def _places(key: str) -> Iterator[int]:
    return (int(key[at : at + DIGITS], 16) for at in range(0, PLACES * DIGITS, DIGITS))
