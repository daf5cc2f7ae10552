"""Trade and Triumph on the wire."""

from __future__ import annotations

from collections.abc import Callable

from croupier.games.trade_and_triumph.v1 import trade_and_triumph_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.trade_and_triumph import (
    GAME,
    Action,
    Card,
    ChooseDeck,
    ChooseOption,
    ChooseRegion,
    ChooseSeat,
    Discard,
    Draw,
    EndTurn,
    Move,
    Options,
    Play,
    PutBack,
    Reveal,
    SellCard,
    SellResources,
    Table,
    TakeBack,
    TakeSeen,
    Upgrade,
    UseEternal,
    View,
)
from croupier_games.trade_and_triumph.cards import COPIES, POST_1, TRACKS

from .codec import Codec, WireError, no_such_arm
from .encode import message, packed, uint

_TABLE, _SEAT, _HAND, _FACE_DOWN = message(1), uint(2, explicit=True), packed(3), packed(4)
_TOP_SIZES, _TOPS, _KNOWN_SIZES, _KNOWN = packed(5), packed(6), packed(7), packed(8)

_NUMBERS = tuple(
    (name, uint(field))
    for field, name in [
        *enumerate(("seats", "round", "round_cap", "first_seat", "phase", "turn", "actor", "card", "deck"), start=1),
        *enumerate(("wanted", "moves", "draws", "plays", "spaces_moved", "travelled"), start=10),
        (19, "turn_actions"),
        (36, "shown_card"),
    ]
)
_LISTS = tuple(
    (name, packed(field))
    for field, name in [
        *enumerate(("decks_drawn", "used", "price_changes"), start=16),
        *enumerate(("gold", "points", "resources", "upgrades", "stations", "routes", "spaces"), start=20),
        *enumerate(("hand_sizes", "face_down_sizes", "face_down_costs", "eternal_sizes", "eternals"), start=27),
        *enumerate(("deck_sizes", "trade_discards", "influence_discards", "specialty_discards"), start=32),
    ]
)
_EDITION = message(37)

_OF_CARD: dict[str, Callable[[Card], Action]] = {
    "play": Play,
    "reveal": Reveal,
    "sell_card": SellCard,
    "use_eternal": UseEternal,
    "take_back": TakeBack,
    "take_seen": TakeSeen,
    "put_back": PutBack,
    "discard": Discard,
}
_OF_NUMBER: dict[str, Callable[[int], Action]] = {
    "move": Move,
    "draw": Draw,
    "upgrade": Upgrade,
    "choose_seat": ChooseSeat,
    "choose_region": ChooseRegion,
    "choose_deck": ChooseDeck,
    "choose_option": ChooseOption,
}
_FIELDS = {field.name: uint(field.number, explicit=True) for field in pb.Action.DESCRIPTOR.fields}
_CARD_FIELDS: dict[object, Callable[[int], bytes]] = {kind: _FIELDS[name] for name, kind in _OF_CARD.items()}
_SALE, _COUNTS = message(pb.Action.DESCRIPTOR.fields_by_name["sell_resources"].number), packed(1)


class TradeAndTriumphCodec(Codec[Options, Action, View]):
    """See the module. Decks, regions, routes and so on have the numbers of their enums, cards those of the edition."""

    game = "trade-and-triumph"
    arm = "trade_and_triumph"
    arm_number = 4

    def __init__(self) -> None:
        self._table: Table | None = None
        self._table_bytes = b""

    def options_from_wire(self, message: game_pb2.GameOptions) -> Options:
        options = message.trade_and_triumph
        defaults = Options()
        return Options(
            edition=options.edition or defaults.edition,
            round_cap=options.round_cap if options.HasField("round_cap") else defaults.round_cap,
            first_seat=options.first_seat if options.HasField("first_seat") else None,
        )

    def options_to_wire(self, options: Options) -> game_pb2.GameOptions:
        return game_pb2.GameOptions(
            trade_and_triumph=pb.Options(
                edition=options.edition, round_cap=options.round_cap, first_seat=options.first_seat
            )
        )

    def action_from_wire(self, message: game_pb2.GameAction) -> Action:
        action = message.trade_and_triumph
        name = action.WhichOneof("action") or ""
        if name in _OF_CARD:
            return _OF_CARD[name](Card(getattr(action, name)))
        if name in _OF_NUMBER:
            return _OF_NUMBER[name](getattr(action, name))
        if name == "sell_resources":
            return SellResources(tuple(action.sell_resources.counts))
        if name == "end_turn" and action.end_turn:
            return EndTurn()
        raise WireError(no_such_arm(message, "action", self))

    def action_bytes(self, action: Action) -> bytes:
        match action:
            case Move(route):
                return _FIELDS["move"](route)
            case Draw(deck):
                return _FIELDS["draw"](deck)
            case SellResources(counts):
                return _SALE(_COUNTS(counts))
            case Upgrade(track):
                return _FIELDS["upgrade"](track)
            case EndTurn():
                return _FIELDS["end_turn"](1)
            case ChooseSeat(seat):
                return _FIELDS["choose_seat"](seat)
            case ChooseRegion(region):
                return _FIELDS["choose_region"](region)
            case ChooseDeck(deck):
                return _FIELDS["choose_deck"](deck)
            case ChooseOption(option):
                return _FIELDS["choose_option"](option)
        return _CARD_FIELDS[type(action)](action.card)

    def details(self) -> pb.Edition:
        return edition_message()

    def view_bytes(self, view: View) -> bytes:
        table = view.table
        if table is not self._table:  # several viewers in a row share one table
            self._table, self._table_bytes = table, _TABLE(_table_bytes(table))
        if view.seat is None:
            return self._table_bytes
        own = self._table_bytes + _SEAT(view.seat) + _HAND(view.hand) + _FACE_DOWN(view.face_down)
        if view.tops or view.known:
            own += _TOP_SIZES(view.top_sizes) + _TOPS(view.tops) + _KNOWN_SIZES(view.known_sizes) + _KNOWN(view.known)
        return own


def _table_bytes(table: Table) -> bytes:
    return b"".join(
        [
            *[encode(getattr(table, name)) for name, encode in _NUMBERS],
            *[encode(getattr(table, name)) for name, encode in _LISTS],
            _EDITION(table.edition.encode()),
        ]
    )


def edition_message(name: str = Options().edition) -> pb.Edition:
    """An edition as a bot can fetch it. Raises OptionError naming ``edition`` when there is none of that name."""
    edition = GAME.edition(name)
    return pb.Edition(
        name=name,
        title=edition.title,
        spaces=edition.spaces[1:],
        posts=[
            pb.Station.values()[POST_1 + next(place for place, post in enumerate(edition.posts) if region in post)]
            for region in range(1, 5)
        ],
        tracks=[
            pb.UpgradeTrack(squares=edition.squares[track], costs=edition.upgrade_costs[track])
            for track in range(1, len(TRACKS))
        ],
        start_gold=edition.start_gold,
        specialty_price=edition.specialty_price,
        hand_limit=edition.hand_limit,
        goal=edition.goal,
        set_points=edition.set_points,
        post_sale=edition.post_sale,
        city_sale=edition.city_sale,
        cards=[
            pb.CardInfo(
                number=card.number,
                name=card.name,
                deck=pb.Deck.values()[card.deck],
                cost=card.cost,
                eternal=card.eternal,
                used=bool(card.use),
                copies=COPIES[card.deck],
                text=card.text,
            )
            for card in edition.cards
        ],
        source=edition.source,
    )


CODEC = TradeAndTriumphCodec()
