"""Each message that is put together by hand is what the generated classes build."""

from hypothesis import given, settings
from hypothesis import strategies as st
from positions import action_message, game_of, positions, same, states, view_message

from croupier.v1 import game_pb2, play_pb2
from croupier_games.kernel import TieBreak, rank
from croupier_games.trick_and_trade.actions import PLAYS, TAKE_LEAD, TAKES, Play
from croupier_service.wire.messages import GameWire, in_frame, result_to_wire
from croupier_service.wire.trick_and_trade import TrickAndTradeCodec

WIRE = GameWire(TrickAndTradeCodec())
uint32, uint64 = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)


@given(
    states,
    st.text(max_size=40),
    uint64,
    uint32,
    st.integers(1, 10),
    st.one_of(st.none(), uint32),
    uint32,
    uint32,
)
def test_a_decision_is_what_the_generated_classes_build(
    state, session_id, seq, decision_id, attempt, think_time_ms, bank_ms, last_charged_ms
):
    for seat in range(state.seats):
        legal = state.legal_actions(seat)
        encoded = WIRE.decisions(session_id, seat).encode(
            seq, decision_id, attempt, legal, state.view(seat),
            think_time_ms=think_time_ms, bank_ms=bank_ms, last_charged_ms=last_charged_ms,
        )  # fmt: skip
        expected = play_pb2.Decision(
            session_id=session_id,
            seq=seq,
            decision_id=decision_id,
            attempt=attempt,
            actions=[action_message(action) for action in legal],
            view=view_message(state.view(seat)),
            think_time_ms=think_time_ms,
            bank_ms=bank_ms,
            standing=think_time_ms is None,
            last_charged_ms=last_charged_ms,
            seat=seat,
        )
        frame = play_pb2.PlayResponse.FromString(encoded)
        same(frame, play_pb2.PlayResponse(messages=[play_pb2.ServerMessage(decision=expected)]))


@given(st.text(max_size=40), st.binary(max_size=32), st.integers(0, 4), uint64, st.booleans())
def test_the_start_of_a_session_is_what_the_generated_classes_build(session_id, commitment, seat, seq, resumed):
    common = play_pb2.SessionStart(
        session_id=session_id, game="trick-and-trade", rules_version=1, seats=5, seed_commitment=commitment
    )
    encoded = WIRE.session_start(common.SerializeToString(), seat, seq, resumed=resumed)
    expected = play_pb2.SessionStart(seat=seat, seq=seq, resumed=resumed)
    expected.MergeFrom(common)
    same(play_pb2.PlayResponse.FromString(encoded), in_one(session_start=expected))


@given(states, st.binary(max_size=32), uint64, st.booleans())
def test_the_end_of_a_session_is_what_the_generated_classes_build(state, seed, seq, finished):
    result = game_pb2.Result(points=[3, 0, -1], placings=[1, 2, 3]) if finished else None
    common = play_pb2.SessionEnd(session_id="one", seq=seq, reason=1, result=result, seed=seed)
    for seat in range(state.seats):
        view = state.view(seat) if finished else None
        encoded = WIRE.session_end(common.SerializeToString(), seat, view)
        expected = play_pb2.SessionEnd(seat=seat, view=None if view is None else view_message(view))
        expected.MergeFrom(common)
        same(play_pb2.PlayResponse.FromString(encoded), in_one(session_end=expected))


def in_one(**said):
    """A frame with one message."""
    return play_pb2.PlayResponse(messages=[play_pb2.ServerMessage(**said)])


def test_think_time_of_zero_is_not_the_same_as_none():
    state = next(positions(3, 1))
    read = [
        play_pb2.PlayResponse.FromString(
            WIRE.decisions("", 0).encode(0, 1, 1, [], state.view(0), think_time_ms=think, bank_ms=0, last_charged_ms=0)
        ).messages[0].decision
        for think in (0, None)
    ]  # fmt: skip
    told = [(decision.HasField("think_time_ms"), decision.standing) for decision in read]
    assert told == [(True, False), (False, True)]


@given(states)
def test_a_view_is_what_the_generated_classes_build(state):
    for view in (*(state.view(seat) for seat in range(state.seats)), state.public_view()):
        same(WIRE.view(view), view_message(view))


@given(states)
def test_a_spectator_is_no_seat_and_seat_0_is_one(state):
    assert not WIRE.view(state.public_view()).trick_and_trade.HasField("seat")
    assert WIRE.view(state.view(0)).trick_and_trade.HasField("seat")


def test_every_action_is_what_the_generated_classes_build():
    for action in (*PLAYS.values(), *TAKES, TAKE_LEAD):
        same(WIRE.action(action), action_message(action))


def test_views_of_two_games_in_turn_are_not_mixed_up():
    """The encoded table of the latest position is remembered."""
    for one, other in zip(game_of(3, 0), game_of(4, 0), strict=False):
        for view in (one.view(0), other.view(0), one.view(1), other.view(3), one.public_view()):
            same(WIRE.view(view), view_message(view))


def test_encoded_actions_are_remembered_without_mixing_them_up():
    """Even when a game makes new objects for each decision, which are forgotten in between."""
    wire = GameWire(TrickAndTradeCodec())
    view = next(positions(3, 1)).view(0)
    for start in range(1, 6_000, 3):
        cards = [(start + nth) % 40 + 1 for nth in range(3)]
        encoded = wire.decisions("", 0).encode(
            0, 1, 1, [Play(card) for card in cards], view, think_time_ms=0, bank_ms=0, last_charged_ms=0
        )
        decision = play_pb2.PlayResponse.FromString(encoded).messages[0].decision
        assert [action.trick_and_trade.play for action in decision.actions] == cards


@given(st.text(max_size=2_000))
def test_any_message_can_stand_in_a_frame_beside_others(text):
    said = play_pb2.ServerMessage(drain=play_pb2.Drain(grace_ms=5, reason=text))
    frame = play_pb2.PlayResponse.FromString(in_frame(said) + in_frame(said))
    same(frame, play_pb2.PlayResponse(messages=[said, said]))


numbers = st.integers(-(2**31), 2**31 - 1)


@given(st.data(), st.integers(1, 5))
@settings(max_examples=30)
def test_a_result_says_everything_that_it_says(data, seats):
    row = st.lists(numbers, min_size=seats, max_size=seats)
    ties = data.draw(st.lists(st.builds(TieBreak, st.text(max_size=9), row.map(tuple)), max_size=3))
    result = rank(
        data.draw(row),
        ties,
        fewest_wins=data.draw(st.booleans()),
        note=data.draw(st.text(max_size=9)),
        forfeited=data.draw(st.frozensets(st.integers(0, seats - 1))),
    )
    message = game_pb2.Result.FromString(result_to_wire(result).SerializeToString())
    assert tuple(message.points) == result.points
    assert tuple(message.placings) == result.placings
    assert tuple(message.decided_by) == result.decided_by
    assert tuple(message.forfeited) == result.forfeited
    assert [(tie.name, tuple(tie.values)) for tie in message.tie_breaks] == [(tie.name, tie.values) for tie in ties]
    assert (message.fewest_wins, message.note) == (result.fewest_wins, result.note)
