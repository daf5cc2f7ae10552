"""The components: 40 trick cards, and 42 trade cards of 14 kinds.

A card is a plain integer with a type of its own. The numbers are those of the contract (``trick_and_trade.proto``), so
nothing needs converting on the way to the wire. What is printed on a card is looked up by its number: ``SUIT[card]``,
``RANK[card]``, ``VALUE[card]``, ``SHOWN[trade_card]``. Entry 0 of these tables is nobody's.
"""

from __future__ import annotations

from typing import NewType

Card = NewType("Card", int)
"""A trick card, 1 to 40: ``10 * suit + rank``."""

TradeCard = NewType("TradeCard", int)
"""A kind of trade card, 1 to 14; ``NO_TRADE_CARD`` (0) is a place without one."""

SUITS = ("NEV", "ZEUS", "OCTO", "RATCOIN")
"""Names of the four suits, in the order of every list of four. A suit is its index in here, 0 to 3."""

NEV, ZEUS, OCTO, RATCOIN = range(4)

# The trick cards: one of each suit and rank.

CARDS = tuple(Card(number) for number in range(1, 41))
"""Every trick card once, ascending: by suit, then by rank."""

SUIT = tuple((number - 1) // 10 for number in range(41))
"""The suit of a trick card."""

RANK = tuple((number - 1) % 10 + 1 for number in range(41))
"""The rank of a trick card, 1 to 10: high ranks win tricks."""

VALUE = tuple(10 - rank for rank in RANK)
"""What a trick card adds to its suit's value total when it is won, 9 to 0: high ranks are worth little."""

CARD_NAMES = ("", *(f"{SUITS[SUIT[card]]}-{RANK[card]}" for card in CARDS))
"""Names of the trick cards: ``NEV-7``."""

# The trade cards: three copies of every way to show one or two icons.

NO_TRADE_CARD = TradeCard(0)

SHOWN: tuple[tuple[int, ...], ...] = (
    (),
    (NEV,),
    (ZEUS,),
    (OCTO,),
    (RATCOIN,),
    (NEV, NEV),
    (ZEUS, ZEUS),
    (OCTO, OCTO),
    (RATCOIN, RATCOIN),
    (NEV, ZEUS),
    (NEV, OCTO),
    (NEV, RATCOIN),
    (ZEUS, OCTO),
    (ZEUS, RATCOIN),
    (OCTO, RATCOIN),
)
"""The suits whose icons a trade card shows, one entry per icon; none for ``NO_TRADE_CARD``."""

TRADE_CARD_KINDS = tuple(TradeCard(number) for number in range(1, 15))
"""Every kind of trade card once, ascending."""

TRADE_CARDS = tuple(kind for kind in TRADE_CARD_KINDS for _copy in range(3))
"""Every trade card of the game, ascending: 42 of them, which show 18 icons of each suit."""

TRADE_CARD_NAMES = (".", *("+".join(SUITS[suit] for suit in SHOWN[kind]) for kind in TRADE_CARD_KINDS))
"""Names of the kinds of trade card, ``NEV+ZEUS``; a place without one is a dot."""

# How many of them a game uses, and how they are written.


def rounds_of(seats: int) -> int:
    """The number of rounds, and of cards in a starting hand: 13, 10, 8 with 3, 4, 5 seats."""
    return len(CARDS) // seats


def cards(text: str) -> list[Card]:
    """Trick cards from their names, ``"NEV-7 OCTO-10"``, in that order. Raises ValueError naming what is none."""
    return [Card(_number("trick card", name, CARD_NAMES)) for name in text.split()]


def trade_cards(text: str) -> list[TradeCard]:
    """Trade cards from their names, ``"NEV+ZEUS OCTO"``, in that order. Raises ValueError naming what is none."""
    return [TradeCard(_number("trade card", name, TRADE_CARD_NAMES)) for name in text.split()]


def _number(kind: str, name: str, names: tuple[str, ...]) -> int:
    try:
        return names.index(name, 1)
    except ValueError:
        raise ValueError(f"{name!r} is no {kind}; they are called {names[1]}, {names[2]}, ..., {names[-1]}") from None
