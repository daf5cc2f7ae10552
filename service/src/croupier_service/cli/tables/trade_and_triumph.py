"""Trade and Triumph: the routes with their traders, what each seat has, its cards in play, and the decks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.console import RenderableType
from rich.text import Text

from croupier.games.trade_and_triumph.v1 import trade_and_triumph_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import OptionError
from croupier_games.trade_and_triumph import GAME
from croupier_games.trade_and_triumph.cards import DECKS, REGIONS, STATIONS
from croupier_games.trade_and_triumph.edition import Edition

from .look import Look, by, facts, heading, listed, rows, seat_name, stacked, turn_mark

REGION_STYLES = ("", "green", "white", "yellow", "blue")
CARD_ACTIONS = ("play", "reveal", "sell_card", "use_eternal", "take_back", "take_seen", "put_back", "discard")


class TradeAndTriumphLook(Look):
    """See the module. Cards have the names of their edition where that is installed here, else their numbers."""

    _edition: Edition | None = None

    def table(self, view: game_pb2.GameView, bots: Sequence[str]) -> RenderableType:
        table = view.trade_and_triumph.table
        edition = self._edition = _edition(table.edition)
        over = table.phase == pb.PHASE_OVER
        return stacked(
            heading("Trade and Triumph", f"round {table.round}", "over" if over else _deciding(table, edition)),
            *([] if edition is None else [_routes(table, edition)]),
            _seats(table, bots, over=over),
            facts(
                ("left in this turn", "" if over else f"moves {table.moves}, draws {table.draws}, plays {table.plays}"),
                *(
                    (f"in play, {seat_name(seat, bots)}", listed(_names(edition, cards), ", "))
                    for seat, cards in enumerate(_eternals(table))
                ),
                ("last shown", _name(edition, table.shown_card) if table.shown_card else ""),
                ("decks", ", ".join(f"{size} {DECKS[deck]}" for deck, size in enumerate(table.deck_sizes, start=1))),
                ("discarded", _discarded(table, edition)),
            ),
        )

    def chapter(self, view: game_pb2.GameView) -> Hashable:
        table = view.trade_and_triumph.table
        return table.round, table.turn, table.phase == pb.PHASE_OVER

    def action(self, action: game_pb2.GameAction) -> str:
        """With the names of cards, regions and decks in place of their numbers."""
        own = action.trade_and_triumph
        kind = own.WhichOneof("action")
        if kind is None:
            return super().action(action)
        words = kind.replace("_", "-")
        if kind in CARD_ACTIONS:
            return f"{words} {_name(self._edition, getattr(own, kind))}"
        match kind:
            case "draw" | "choose_deck":
                return f"{words} {DECKS[getattr(own, kind)]}"
            case "choose_region":
                return f"{words} {REGIONS[own.choose_region]}"
            case "move" if own.move:
                return f"move into the {_route(own.move)}"
            case "move":
                return "move on"
            case "upgrade":
                return f"upgrade {pb.Track.Name(own.upgrade).removeprefix('TRACK_').lower()}"
            case "sell_resources":
                sold = zip(REGIONS[1:], own.sell_resources.counts, strict=False)
                return f"sell {', '.join(f'{count} {region}' for region, count in sold if count)}"
        return super().action(action)


def _edition(name: str) -> Edition | None:
    try:
        return GAME.edition(name)
    except OptionError:
        return None


def _deciding(table: pb.Table, edition: Edition | None) -> str:
    if table.phase == pb.PHASE_TURN:
        return f"seat {table.turn}'s turn"
    choice = pb.Phase.Name(table.phase).removeprefix("PHASE_").lower().replace("_", " ")
    because = f", because of {_name(edition, table.card)}" if table.card else ""
    return f"seat {table.actor} chooses: {choice}{because}"


def _routes(table: pb.Table, edition: Edition) -> RenderableType:
    """Both routes of each region; traders are the numbers of their seats."""
    board = rows("region", "out of the city", "", "home to the city", "")
    for region in range(1, 5):
        post = next(number for number, post in enumerate(edition.posts, start=1) if region in post)
        style = REGION_STYLES[region]
        board.add_row(
            Text(REGIONS[region], style=style),
            _route_spaces(table, region, edition.spaces[region]),
            Text(f"→ post {post}", style="dim"),
            _route_spaces(table, region + 4, edition.spaces[region]),
            Text("→ city", style="dim"),
        )
    return board


def _route_spaces(table: pb.Table, route: int, spaces: int) -> Text:
    shown = []
    for space in range(1, spaces + 1):
        here = [seat for seat in range(table.seats) if (table.routes[seat], table.spaces[seat]) == (route, space)]
        shown.append(Text("+".join(map(str, here)), style="bold") if here else Text("·", style="dim"))
    return listed(shown, " ")


def _seats(table: pb.Table, bots: Sequence[str], *, over: bool) -> RenderableType:
    seats = rows(
        "",
        "seat",
        ">VP",
        ">gold",
        "at",
        *(f">{region}" for region in REGIONS[1:]),
        "move/draw/play",
        "hand",
        "face down",
    )
    resources, upgrades = by(table.resources, 4), by(table.upgrades, 3)
    hands = by(table.hand_sizes, 3)
    for seat in range(table.seats):
        seats.add_row(
            turn_mark(acts=not over and seat == table.actor),
            seat_name(seat, bots),
            str(table.points[seat]),
            str(table.gold[seat]),
            _where(table, seat),
            *map(str, resources[seat]),
            "/".join(map(str, upgrades[seat])),
            " ".join(f"{count}{DECKS[deck][0].upper()}" for deck, count in enumerate(hands[seat], start=1) if count),
            str(table.face_down_sizes[seat] or ""),
        )
    return seats


def _where(table: pb.Table, seat: int) -> str:
    if table.routes[seat]:
        return f"{_route(table.routes[seat])} {table.spaces[seat]}"
    return STATIONS[table.stations[seat]]


def _route(route: int) -> str:
    return f"{REGIONS[route]} out" if route <= 4 else f"{REGIONS[route - 4]} home"


def _eternals(table: pb.Table) -> list[Sequence[int]]:
    cards: list[Sequence[int]] = []
    first = 0
    for size in table.eternal_sizes:
        cards.append(table.eternals[first : first + size])
        first += size
    return cards


def _discarded(table: pb.Table, edition: Edition | None) -> str:
    piles = (table.trade_discards, table.influence_discards, table.specialty_discards)
    shown = [
        f"{len(pile)} {DECKS[deck]} ({_name(edition, pile[-1])} on top)" for deck, pile in enumerate(piles, 1) if pile
    ]
    return ", ".join(shown)


def _names(edition: Edition | None, cards: Sequence[int]) -> list[str]:
    return [_name(edition, card) for card in cards]


def _name(edition: Edition | None, card: int) -> str:
    if edition is None or not 1 <= card <= len(edition.cards):
        return f"card {card}"
    return edition.name(card)
