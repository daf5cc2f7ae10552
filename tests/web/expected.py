"""What a table must show of a state, read from the rules: zones by name, with what lies in them as text.

The page is drawn from JSON in the browser; this is made from the dataclasses of the rules. Where both agree at every
step, the page shows what the record says.
"""

from croupier_games.kernel import Record, find_game, replaying
from croupier_games.trade_and_triumph import GAME as TRADE_AND_TRIUMPH
from croupier_games.trades.cards import RANKS
from croupier_games.trick_and_trade.cards import RANK, SUIT, SUITS
from croupier_games.trick_stakes.cards import COLOR, COLOR_NAMES, MARKS, NUMBER


def states_of(text):
    """The table of a record after the deal and after each input; it is the same object each time."""
    record = Record.from_text(text, find_game)
    return record, replaying(record, find_game(record.game))


def zones(name, state, seats):
    """What must be shown of a state with the cards of these seats open."""
    table = state.public_view().table
    views = {seat: state.view(seat) for seat in seats}
    made = {"hand-" + str(seat): list(view.hand) for seat, view in views.items()}
    made |= MAKERS[name](table, views)
    return {zone: [str(int(value)) for value in values] for zone, values in made.items() if values is not None}


def trick_and_trade(table, views):
    over = table.phase == 3
    made = {
        "round": [table.round],
        "pile": [table.pile],
        "trick": table.trick,
        "front": None if over else table.front_row,
        "back": table.back_row if table.back_row and not over else None,
    }
    for suit in range(4):
        made[f"value-{suit}"] = [table.values[suit]]
        made[f"won-{suit}"] = [card for card in table.won if SUIT[card] == suit]
        for seat in range(table.seats):
            made[f"icons-{seat}-{suit}"] = [table.icons[4 * seat + suit]]
    return made


def trick_stakes(table, views):
    made = {
        "race": [table.race],
        "standing": table.standing,
        "trick": table.trick,
        "turned-up": table.turned_up[-4:],
        "dummy": table.dummy or None,
    }
    for space in range(8):
        made[f"space-{space}"] = [horse for horse in table.standing if table.spaces[horse - 1] == space]
    for place in range(4):
        made[f"whips-{place}"] = [table.whips[place]]
        for color in range(1, 5):
            count = table.hand_colors[4 * place + color - 1]
            made[f"backs-{place}-{color}"] = [count] if count else None
    for seat in range(table.seats):
        made[f"points-{seat}"] = [table.points[seat]]
        up = table.tickets_up[table.seats * (table.race - 1) + seat]
        down = table.tickets_down[table.seats * (table.race - 1) + seat]
        down = down or (views[seat].ticket_down if seat in views else 0)
        made[f"ticket-up-{seat}"] = [up] if up else None
        made[f"ticket-down-{seat}"] = [down] if down else None
    return made


def trades(table, views):
    made = {
        "turns-left": None if table.turns_left is None else [table.turns_left],
        "now-ms": None if table.time_limit_ms is None else [table.now_ms],
        "deck": [table.deck],
        "declared": [table.declared],
        "trades": [trade.number for trade in table.trades] or None,
    }
    for seat in range(table.seats):
        made[f"deck-trades-{seat}"] = [table.deck_trades_left[seat]]
        made[f"partner-{seat}"] = [table.partners[seat]] if table.partners[seat] else None
    return made


def trade_and_triumph(table, views):
    over = table.phase == 16
    spaces = TRADE_AND_TRIUMPH.edition(table.edition).spaces
    made = {
        "round": [table.round],
        **{name: None if over else [getattr(table, name)] for name in ("moves", "draws", "plays")},
        **{f"deck-{deck}": [table.deck_sizes[deck - 1]] for deck in (1, 2, 3)},
        **{
            f"discards-{deck}": [len(getattr(table, f"{name}_discards"))]
            for deck, name in enumerate(("trade", "influence", "specialty"), start=1)
        },
    }
    traders = range(table.seats)
    for station in (1, 2, 3):
        made[f"station-{station}"] = [seat for seat in traders if table.stations[seat] == station]
    for route in range(1, 9):
        for space in range(1, spaces[(route - 1) % 4 + 1] + 1):
            here = [seat for seat in traders if (table.routes[seat], table.spaces[seat]) == (route, space)]
            made[f"route-{route}-{space}"] = here
    for seat in traders:
        made[f"points-{seat}"] = [table.points[seat]]
        made[f"gold-{seat}"] = [table.gold[seat]]
        for region in range(1, 5):
            made[f"resource-{seat}-{region}"] = [table.resources[4 * seat + region - 1]]
        for track in range(1, 4):
            made[f"upgrade-{seat}-{track}"] = [table.upgrades[3 * seat + track - 1]]
        size = table.face_down_sizes[seat]
        made[f"face-down-size-{seat}"] = [size] if size else None
        if seat in views:
            made[f"face-down-{seat}"] = views[seat].face_down or None
        first = sum(table.eternal_sizes[:seat])
        eternals = table.eternals[first : first + table.eternal_sizes[seat]]
        made[f"eternals-{seat}"] = eternals or None
    return made


MAKERS = {
    "trick-and-trade": trick_and_trade,
    "trick-stakes": trick_stakes,
    "trades": trades,
    "trade-and-triumph": trade_and_triumph,
}


def card_names(name, state, seats):
    """What the cards in the hands of these seats are called, for those who listen to the page."""
    views = [state.view(seat) for seat in seats]
    match name:
        case "trick-and-trade":
            return [f"{SUITS[SUIT[card]]} {RANK[card]}" for view in views for card in view.hand]
        case "trick-stakes":
            return [
                f"{COLOR_NAMES[COLOR[card]].lower()} {NUMBER[card]}, of {horse}, moves {MARKS[card]}"
                for view in views
                for card in view.hand
                if (horse := HORSES[view.known[card - 1]])
            ]
        case "trades":
            return [_french(view, card) for view in views for card in view.hand]
    edition = TRADE_AND_TRIUMPH.edition(state.public_view().table.edition)
    printed = {card.number: card for card in edition.cards}
    decks = ("", "trade", "influence", "specialty")
    return [
        f"{printed[card].name}, {decks[printed[card].deck]}, costs {printed[card].cost}: {printed[card].text}"
        for view in views
        for card in view.hand
    ]


HORSES = ("", "Vanilla Beans", "Forêt Noire", "Silver Arrasan", "Gâteau Opéra")
WORDS = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}


def _french(view, card):
    rank = RANKS[(card - 1) % 13]
    suit = ("clubs", "diamonds", "hearts", "spades")[(card - 1) % 52 // 13]
    notes = [
        note
        for note, cards in (
            ("laid for a trade", view.laid),
            ("drawn for a trade", view.drawn),
            ("received in the last trade", view.received),
        )
        if card in cards
    ]
    return f"{WORDS.get(rank, rank)} of {suit}" + (f", {', '.join(notes)}" if notes else "")
