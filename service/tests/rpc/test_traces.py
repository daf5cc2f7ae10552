"""A trace follows a decision through frame, rules and store."""

import builtins
import logging
import sys
from types import SimpleNamespace

import pytest
import structlog
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from serving import Serving
from test_server import eventful

from croupier_games.kernel import Table
from croupier_service.main import serve
from croupier_service.rpc.link import StreamLink
from croupier_service.sessions.journal import StoreJournal
from croupier_service.sessions.session import Session
from croupier_service.store.memory import MemoryStore
from croupier_service.traces import _Follower, traced

FOLLOWED = ((StreamLink, "frame"), (Session, "act"), (Table, "choose"), (StoreJournal, "put"))


@pytest.fixture
def spans():
    return InMemorySpanExporter()


def by_trace(spans):
    """The finished spans of each trace, by name."""
    traces = {}
    for span in spans.get_finished_spans():
        traces.setdefault(span.context.trace_id, {}).setdefault(span.name, []).append(span)
    return list(traces.values())


async def test_a_trace_follows_a_decision_through_frame_rules_and_store(spans):
    store = MemoryStore()
    with traced(store, 1.0, SimpleSpanProcessor(spans)):
        async with Serving(store) as server:
            session = await eventful(server)
    full = [trace for trace in by_trace(spans) if set(trace) == {"frame", "decide", "rules", "store"}]
    assert full
    for trace in full:
        (frame,) = trace["frame"]
        names = {span.context.span_id: span.name for parts in trace.values() for span in parts}
        parents = {(span.name, names[span.parent.span_id]) for parts in trace.values() for span in parts if span.parent}
        assert parents == {("decide", "frame"), ("rules", "decide"), ("store", "decide")}
        for decide in trace["decide"]:
            assert decide.attributes["session"] == session.session_id
            assert decide.attributes["decision"] >= 1
            assert decide.attributes["game"] == "trick-and-trade"
            assert decide.attributes["bot"] == frame.attributes["bot"]
        for kept in trace["store"]:
            assert kept.attributes["session"] == session.session_id
            assert kept.attributes["entries"] >= 1
            assert kept.start_time <= kept.end_time


async def test_an_illegal_choice_shows_as_a_kind_of_error_without_its_text(spans):
    store = MemoryStore()
    with traced(store, 1.0, SimpleSpanProcessor(spans)):
        async with Serving(store) as server:
            await eventful(server)
    wrong = [span for span in spans.get_finished_spans() if "error.type" in span.attributes]
    assert {span.attributes["error.type"] for span in wrong} == {"IllegalAction"}
    assert all(not span.events and not span.status.description for span in spans.get_finished_spans())


async def test_only_a_share_of_the_frames_is_followed(spans):
    store = MemoryStore()
    with traced(store, 1e-9, SimpleSpanProcessor(spans)):
        async with Serving(store) as server:
            await eventful(server)
    assert spans.get_finished_spans() == ()


async def test_what_the_store_could_not_keep_is_followed_until_it_could(spans):
    async def unwell(_batch):
        if failures:
            raise failures.pop()

    failures = [OSError("the disk is full")]
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    follower = _Follower(provider)
    put, commit = follower.put(lambda *_: None), follower.commit(unwell)
    with provider.get_tracer("test").start_as_current_span("decide"):
        put(None, SimpleNamespace(id="s1"), None, 0)
    with pytest.raises(OSError, match="disk is full"):
        await commit(["an entry"])
    assert [span.name for span in spans.get_finished_spans()] == ["decide"]
    await commit(["an entry"])
    decide, kept = spans.get_finished_spans()
    assert (kept.name, kept.attributes["session"], kept.parent.span_id) == ("store", "s1", decide.context.span_id)


def test_afterwards_everything_is_as_it_was(spans):
    def fail():
        assert [getattr(owner, name) for owner, name in FOLLOWED] != before
        assert "commit" in vars(store)
        raise ZeroDivisionError

    store = MemoryStore()
    before = [getattr(owner, name) for owner, name in FOLLOWED]
    with pytest.raises(ZeroDivisionError), traced(store, 1.0, SimpleSpanProcessor(spans)):
        fail()
    assert [getattr(owner, name) for owner, name in FOLLOWED] == before
    assert "commit" not in vars(store)


def test_what_opentelemetry_complains_of_is_logged_like_everything_else(spans):
    telemetry = logging.getLogger("opentelemetry.exporter")
    with structlog.testing.capture_logs() as logs:
        with traced(MemoryStore(), 1.0, SimpleSpanProcessor(spans)):
            telemetry.warning("failed to export to %s", "somewhere")
        assert not logging.getLogger("opentelemetry").handlers
    assert logs == [{"event": "traces", "detail": "failed to export to somewhere", "log_level": "warning"}]


def test_without_what_they_need_traces_are_refused_in_one_clear_line(monkeypatch, capsys):
    def no_telemetry(name, *args, **kwargs):
        if name.startswith("opentelemetry"):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return load(name, *args, **kwargs)

    load = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", no_telemetry)
    monkeypatch.delitem(sys.modules, "croupier_service.traces")
    monkeypatch.delattr("croupier_service.traces")
    assert serve(["--traces", "0.5"]) == 2
    said = " ".join(capsys.readouterr().err.replace("│", "").split())
    assert "pip install 'croupier-service[traces]'" in said
