"""The words of the game: decks, regions, stations, tracks. The cards themselves are an edition's.

All are plain integers, numbered as in the contract (``trade_and_triumph.proto``), where 0 stands for none. Names are
for people and for the data files of editions.
"""

from __future__ import annotations

from typing import NewType

Card = NewType("Card", int)
"""A kind of card, 1 and up in the order of its edition; copies of it are the same number. 0 is none."""

DECKS = ("", "trade", "influence", "specialty")
"""Names of the decks by number."""
TRADE, INFLUENCE, SPECIALTY = 1, 2, 3
COPIES = (0, 2, 2, 1)
"""How often each card of a deck is in the box, by deck."""

REGIONS = ("", "forest", "mountain", "desert", "ocean")
"""Names of the regions, and of the resources that come from them, by number."""
FOREST, MOUNTAIN, DESERT, OCEAN = 1, 2, 3, 4

STATIONS = ("", "city", "post 1", "post 2")
"""Where routes begin and end, by number; 0: on a route."""
CITY, POST_1, POST_2 = 1, 2, 3

ROUTES = ("", *(f"{region} out" for region in REGIONS[1:]), *(f"{region} home" for region in REGIONS[1:]))
"""Names of the eight routes: 1 to 4 lead out of the city through the region of that number, 5 to 8 home again."""

TRACKS = ("", "move", "draw", "play")
"""Names of the upgrade tracks by number."""
MOVE, DRAW, PLAY = 1, 2, 3

MAX_CARDS = 255
"""Kinds of card that an edition may have."""
