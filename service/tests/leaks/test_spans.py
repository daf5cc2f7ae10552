"""Traces tell nothing that is hidden."""

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from test_redealt import everything_that_a_seat_is_told
from twins import GAMES, Twin, positions, redealt, wrong_actions

from croupier_games.kernel import Seed
from croupier_service.store.memory import MemoryStore
from croupier_service.traces import _Follower, traced


@pytest.mark.parametrize(("name", "seats", "options"), GAMES)
def test_spans_are_the_same_whatever_a_seat_cannot_see(name, seats, options, monkeypatch):
    dice = Seed.of(f"traces/{name}/{seats}").dice("redeal")
    seen = []
    for position in positions(name, seats, options, 2):
        state = position.table().state
        for one in (state, redealt(state, 0, dice)):
            spans = InMemorySpanExporter()
            with traced(MemoryStore(), 1.0, SimpleSpanProcessor(spans)):
                twin = Twin(position, one, monkeypatch)
                everything_that_a_seat_is_told(twin, 0, wrong_actions(twin, 0), monkeypatch)
            seen.append([(span.name, dict(span.attributes)) for span in spans.get_finished_spans()])
    assert seen[0::2] == seen[1::2]
    assert all(seen)


def test_an_attribute_with_a_hand_in_it_would_be_noticed(monkeypatch):
    position = next(one for one in positions("trick-and-trade", 3, {}, 20) if 0 in one.table().state.to_act())
    state, really = position.table().state, _Follower._span
    seen = []
    for one in (state, redealt(state, 0, Seed.of("controls").dice("redeal"))):
        spans = InMemorySpanExporter()
        with traced(MemoryStore(), 1.0, SimpleSpanProcessor(spans)):
            hand = repr(one.hands[1])
            monkeypatch.setattr(
                _Follower, "_span", lambda self, name, ids, hand=hand: really(self, name, {**ids, "x": hand})
            )
            twin = Twin(position, one, monkeypatch)
            everything_that_a_seat_is_told(twin, 0, wrong_actions(twin, 0), monkeypatch)
        seen.append([dict(span.attributes) for span in spans.get_finished_spans()])
    assert seen[0] != seen[1]
