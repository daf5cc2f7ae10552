"""What is encoded by hand is read by the generated classes as what it was."""

import weakref

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from croupier.v1 import game_pb2, play_pb2
from croupier_service.wire.encode import key, message, once, packed, small, uint, varint

uint32, uint64 = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)


@given(uint64)
@example(0)
@example(127)
@example(128)
@example(16_383)
@example(16_384)
@example(2**63)
@example(2**64 - 1)
def test_an_integer_has_seven_bits_in_each_byte(number):
    read = play_pb2.Ping.FromString(key(1, 0) + varint(number))
    assert read.nonce == number
    assert number == 0 or key(1, 0) + varint(number) == play_pb2.Ping(nonce=number).SerializeToString()


def test_a_negative_number_is_none():
    with pytest.raises(ValueError, match="byte"):
        varint(-1)


@given(uint32)
def test_a_field_holds_its_number_and_a_zero_is_left_out(number):
    assert uint(3)(number) == play_pb2.Decision(decision_id=number).SerializeToString()
    assert uint(3)(0) == b""


@given(uint32)
def test_where_presence_counts_a_zero_is_written(number):
    assert uint(7, explicit=True)(number) == play_pb2.Decision(think_time_ms=number).SerializeToString()
    assert uint(3, explicit=True)(number) == play_pb2.Act(index=number).SerializeToString()
    assert play_pb2.Act.FromString(uint(3, explicit=True)(0)).WhichOneof("choice") == "index"


@given(st.integers(1, 2**29 - 1))
def test_any_field_number_can_be_written(field):
    wide = uint(field)(1)
    assert wide.endswith(b"\x01")
    assert wide[:-1] == varint(field << 3)


@given(st.lists(st.one_of(st.integers(0, 200), uint32), max_size=300))
@example([])
@example([127])
@example([128])
@example([0] * 128)
def test_a_list_of_numbers_is_packed(numbers):
    assert packed(2)(numbers) == packed(2)(tuple(numbers)) == game_pb2.Result(placings=numbers).SerializeToString()


@given(st.text(max_size=200))
@example("x" * 127)
@example("x" * 128)
@example("x" * 1_023)
@example("x" * 1_024)
@example("x" * 20_000)
def test_a_text_or_message_has_its_length_before_it(text):
    assert text == "" or message(1)(text.encode()) == play_pb2.Act(session_id=text).SerializeToString()
    assert play_pb2.Act.FromString(message(1)(text.encode())).session_id == text


def test_an_empty_message_is_there_all_the_same():
    assert message(3)(b"") == play_pb2.ClientMessage(ack=play_pb2.Ack()).SerializeToString()


@given(st.lists(st.integers(0, 127), max_size=50))
def test_a_stretch_of_small_numbers_stands_as_it_is(numbers):
    assert small(numbers) == bytes(numbers)


@pytest.mark.parametrize("number", [128, 255, 256, -1])
def test_a_stretch_of_small_numbers_holds_no_large_one(number):
    with pytest.raises(ValueError, match=r"128 or more|range\(0, 256\)"):
        small([1, number])


class Thing:
    def __init__(self, number):
        self.number = number


def test_an_object_is_encoded_once_while_it_is_remembered():
    calls = []
    encode = once(lambda thing: calls.append(thing.number) or varint(thing.number), 2)
    one, two, three = Thing(1), Thing(2), Thing(3)
    assert [encode(thing) for thing in (one, two, one, two, three, one)] == [b"\1", b"\2", b"\1", b"\2", b"\3", b"\1"]
    assert calls == [1, 2, 3, 1]  # the third was one too many, so all were forgotten


def test_what_is_remembered_is_bounded_and_what_is_forgotten_is_free():
    encode = once(lambda thing: varint(thing.number), 100)
    alive = weakref.WeakSet()
    for number in range(1_000):
        alive.add(thing := Thing(number))
        assert encode(thing) == varint(number)
        del thing
        assert len(alive) <= 100
