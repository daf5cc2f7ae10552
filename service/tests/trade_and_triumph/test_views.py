"""What each viewer is told."""

from dataclasses import fields

from tabletop import do, give, lay, names, place

from croupier_games.trade_and_triumph import Draw, Play, PutBack, TakeBack, TakeSeen


def test_a_hand_and_face_down_cards_are_their_seats_own(deal):
    state = deal(seats=3)
    give(state, 1, "Silver Ingots", "Subsidy")
    lay(state, 1, "Spice Caravan")
    assert names(state, state.view(1).hand) == ["Silver Ingots", "Subsidy"]
    assert names(state, state.view(1).face_down) == ["Spice Caravan"]
    for view in (state.view(0), state.view(2), state.public_view()):
        assert (view.hand, view.face_down) == ((), ())


def test_everyone_sees_the_backs_and_the_printed_costs(deal):
    state = deal(seats=3)
    give(state, 1, "Silver Ingots", "Subsidy")
    lay(state, 1, "Spice Caravan", "Lamp Oil")
    table = state.public_view().table
    assert table.hand_sizes == (0, 0, 0, 1, 1, 0, 0, 0, 0)
    assert (table.face_down_sizes, table.face_down_costs) == ((0, 2, 0), (0, state.edition.printed("Lamp Oil").cost))


def test_viewers_share_the_table_until_it_changes(deal):
    state = deal()
    table = state.view(0).table
    assert state.view(1).table is table
    assert state.public_view().table is table
    do(state, "draw 1")
    assert state.view(0).table is not table


def test_where_traders_are(deal):
    state = deal(seats=4)
    place(state, 1, route=8, space=2)
    place(state, 2, station=3)
    table = state.table()
    assert (table.stations, table.routes, table.spaces) == ((1, 0, 3, 1), (0, 8, 0, 0), (0, 2, 0, 0))


def test_a_trade_card_is_played_face_down(deal):
    state = deal()
    trade, influence = (state.edition.printed(name).number for name in ("Lamp Oil", "Subsidy"))
    for viewer in (1, None):
        assert state.shown(viewer, 0, Play(trade)) is None
        assert state.shown(viewer, 0, Play(influence)) == Play(influence)
    assert state.shown(0, 0, Play(trade)) == Play(trade)


def test_what_a_look_leads_to_is_shown_to_its_seat_alone(deal):
    state = deal()
    for action in (TakeSeen(3), PutBack(3)):
        assert [state.shown(viewer, 0, action) for viewer in (0, 1, None)] == [action, None, None]
    for action in (TakeBack(3), Draw(1)):
        assert state.shown(1, 0, action) == action


def test_a_view_has_no_more_than_this(deal):
    view = deal().view(0)
    assert [field.name for field in fields(view)] == [
        *("table", "seat", "hand", "face_down", "top_sizes", "tops", "known_sizes", "known"),
    ]


def test_a_view_tells_what_the_turn_still_allows(deal):
    state = deal()
    do(state, "draw 2", "move 3")
    table = state.table()
    assert (table.moves, table.draws, table.plays, table.spaces_moved, table.decks_drawn) == (0, 0, 1, 1, (2,))
    assert (table.edition, table.round, table.first_seat, table.turn_actions) == ("standard", 1, 0, 2)


def test_an_open_choice_tells_what_it_is_about(with_card):
    state = with_card("specialty", 'play = [{ look = 3, deck = "trade", to = "order" }]')
    do(state, "play It")
    table = state.table()
    assert (table.phase.name, table.deck, table.wanted, state.edition.name(table.card)) == ("PUT_BACK", 1, 2, "It")
    assert state.view(1).tops == ()
