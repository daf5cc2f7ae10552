"""Traces: follows a share of the frames through the server. Needs the optional extra ``traces``.

What is followed is wrapped while traces are on, as OpenTelemetry's own instrumentations do: the code itself knows
nothing of it, and off it costs nothing. No span holds a card, a choice or the text of an error: those tell of hands.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import structlog
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Span, get_current_span, set_span_in_context

from croupier_games.kernel import Table

from .rpc.link import StreamLink
from .sessions.journal import Store, StoreJournal
from .sessions.session import Session

log = structlog.get_logger("croupier.traces")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A step of a followed decision that waits for the store."""

    within: Context
    session_id: str
    since_ns: int


@contextmanager
def traced(store: Store, share: float, processor: SpanProcessor | None = None) -> Iterator[None]:
    """Follow a share of all frames, as long as the context lasts; afterwards the rest is sent.

    ``processor`` is where spans go; None: by OTLP to where OTEL_EXPORTER_OTLP_ENDPOINT says.
    """
    resource = Resource.create({"service.name": "croupier", "service.version": version("croupier-service")})
    provider = TracerProvider(sampler=ParentBased(TraceIdRatioBased(share)), resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
    troubles, telemetry = _Troubles(), logging.getLogger("opentelemetry")
    telemetry.addHandler(troubles)
    propagate, telemetry.propagate = telemetry.propagate, False
    wrapped: list[tuple[Any, str, Any]] = []
    follower = _Follower(provider)
    for owner, name, wrap in (
        (StreamLink, "frame", follower.frame),
        (Session, "act", follower.decide),
        (Table, "choose", follower.rules),
        (StoreJournal, "put", follower.put),
        (store, "commit", follower.commit),
    ):
        wrapped.append((owner, name, owner.__dict__.get(name)))
        setattr(owner, name, wrap(getattr(owner, name)))
    try:
        yield
    finally:
        for owner, name, before in wrapped:
            if before is None:  # it was its class's
                delattr(owner, name)
            else:
                setattr(owner, name, before)
        provider.shutdown()
        telemetry.removeHandler(troubles)
        telemetry.propagate = propagate


class _Troubles(logging.Handler):
    """Spans that cannot be sent: OpenTelemetry tells the standard library's log, and this one tells ours."""

    def emit(self, record: logging.LogRecord) -> None:
        log.log(record.levelno, "traces", detail=record.getMessage())


class _Follower:
    """What goes around each of the functions."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("croupier")
        self._kept: list[_Kept] = []

    def frame(self, handle: Callable[..., int]) -> Callable[..., int]:
        def frame(link: StreamLink, frame: bytes, max_bytes: int) -> int:
            with self._span("frame", {"bot": link.bot.name if link.bot is not None else "", "bytes": len(frame)}):
                return handle(link, frame, max_bytes)

        return frame

    def decide(self, act: Callable[..., int]) -> Callable[..., int]:
        def decide(session: Session, bot: str, decision_id: int, now: float, **choice: Any) -> int:
            if not get_current_span().is_recording():
                return act(session, bot, decision_id, now, **choice)
            ids: dict[str, str | int] = {
                "session": session.id,
                "decision": decision_id,
                "game": session.table.game.name,
                "bot": bot,
            }
            with self._span("decide", ids):
                return act(session, bot, decision_id, now, **choice)

        return decide

    def rules(self, choose: Callable[..., None]) -> Callable[..., None]:
        def rules(table: Table, seat: int, action: Any) -> None:
            if not get_current_span().is_recording():
                choose(table, seat, action)
                return
            with self._span("rules", {"game": table.game.name, "seat": seat}) as span:
                try:
                    choose(table, seat, action)
                except Exception as error:
                    span.set_attribute("error.type", type(error).__name__)
                    raise

        return rules

    def put(self, put: Callable[..., None]) -> Callable[..., None]:
        def keep(journal: StoreJournal, session: Session, step: Any, charged_ms: int) -> None:
            put(journal, session, step, charged_ms)
            span = get_current_span()
            if span.is_recording():
                self._kept.append(_Kept(set_span_in_context(span), session.id, time.time_ns()))

        return keep

    def commit(self, commit: Callable[..., Any]) -> Callable[..., Any]:
        async def store(batch: Sequence[Any]) -> None:
            kept, self._kept = self._kept, []  # all that was put in so far is in this batch
            try:
                await commit(batch)
            except BaseException:
                self._kept = [*kept, *self._kept]  # it comes with the next one
                raise
            for one in kept:
                ids: dict[str, str | int] = {"session": one.session_id, "entries": len(batch)}
                self._tracer.start_span("store", one.within, start_time=one.since_ns, attributes=ids).end()

        return store

    @contextmanager
    def _span(self, name: str, attributes: dict[str, str | int]) -> Iterator[Span]:
        """A span; texts of errors stay out of it."""
        with self._tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            yield span
