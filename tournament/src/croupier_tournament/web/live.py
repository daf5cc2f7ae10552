"""Running games, followed once each, however many people watch."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Self

import structlog

from croupier import Backoff, RequestError
from croupier.v1 import game_pb2, play_pb2, session_pb2, spectator_pb2
from croupier_tournament.run.wire import kind_name
from croupier_tournament.web.answers import WebError
from croupier_tournament.web.channels import GameServerChannel, of
from croupier_tournament.web.feeds import Tape
from croupier_tournament.web.shapes import CAUSES, changes, message_action_json, message_view_json, result_json
from croupier_tournament.web.visitors import Visitor

log = structlog.get_logger("croupier.web")

MOST_GAMES = 200
"""Games followed at once."""
LINGER_S = 15.0
"""How long a game is followed that nobody watches any more, in seconds."""
BACKOFF = Backoff(base=0.5, cap=5.0)
ATTEMPTS = 20
"""Losses in a row of a server after which a game is given up."""


class Film:
    """What spectators are shown of one session, as frames; made from the contract's updates.

    The updates hold nothing that a spectator may not know, and nothing is added to them here.
    """

    def __init__(self, tape: Tape) -> None:
        self.seq = 0
        self._tape = tape
        self._table: dict[str, Any] | None = None
        self._moves: list[dict[str, Any]] = []
        self._notes: list[dict[str, Any]] = []

    def show(self, updates: list[spectator_pb2.SessionUpdate], *, again: bool) -> None:
        """Take what came in one response; `again`: the first of it has been seen."""
        for update in updates:
            if update.HasField("event"):
                if update.event.seq <= self.seq:
                    continue
                self.seq = update.event.seq
                self._event(update.event)
                if update.HasField("charged_ms") and self._moves:
                    self._moves[-1]["charged_ms"] = update.charged_ms
            if update.HasField("view") and not (again and self._table is not None and not update.HasField("event")):
                self._frame(message_view_json(update.view)["table"])
            if update.HasField("end"):
                self._flush()
                self._tape.add("end", end_json(update.end))
                self._tape.end()
        self._flush()

    def _event(self, event: game_pb2.Event) -> None:
        match event.WhichOneof("event"):
            case "moved":
                self._moves.append(moved_json(event.moved))
            case "faulted":
                self._notes.append({"seat": event.faulted.seat, "fault": kind_name(event.faulted.kind)})
            case "vacated":
                self._notes.append({"seat": event.vacated.seat, "vacated": True})

    def _frame(self, table: dict[str, Any]) -> None:
        frame = {"moves": self._moves, "notes": self._notes, "table": changes(self._table, table), "own": {}}
        self._table, self._moves, self._notes = table, [], []
        self._tape.add("frame", frame)

    def _flush(self) -> None:
        """What has changed nothing that is public is a frame of its own: somebody chose in secret."""
        if self._table is not None and (self._moves or self._notes):
            self._frame(self._table)


def moved_json(moved: game_pb2.Moved) -> dict[str, Any]:
    """A move as its receiver may know it."""
    return {
        "seat": moved.seat,
        "action": message_action_json(moved.action) if moved.HasField("action") else None,
        "cause": CAUSES.get(moved.cause, ""),
    }


def end_json(end: play_pb2.SessionEnd) -> dict[str, Any]:
    """How a session ended."""
    return {
        "aborted": end.reason == play_pb2.END_REASON_ABORTED,
        "result": result_json(end.result) if end.HasField("result") else None,
        "seed": end.seed.hex(),
    }


class Projector:
    """Follows one session for all who watch it with the same token.

    Attributes:
        tape: what they are shown.
        look: when it is next seen whether anybody watches; None: nobody has come yet.
    """

    def __init__(self, channel: GameServerChannel, session_id: str, visitor: Visitor) -> None:
        self.tape = Tape()
        self.look: asyncio.TimerHandle | None = None
        self._channel = channel
        self._session_id = session_id
        self._visitor = visitor
        self._film = Film(self.tape)
        self._losses = 0

    async def run(self) -> None:
        """Follow it to its end, coming back where the server was lost on the way."""
        while not self.tape.done:
            try:
                await self._follow()
            except RequestError as error:
                self._losses += 1
                lost = error.code.name in ("UNAVAILABLE", "ABORTED", "DEADLINE_EXCEEDED")
                if not lost or self._losses > ATTEMPTS:
                    self.tape.add("failed", {"error": error.message})
                    self.tape.end()
                    return
                self.tape.add("lost", {"error": error.message})
                await BACKOFF.sleep(BACKOFF.delay(self._losses - 1))
            else:
                if not self.tape.done:  # a session of which there is no end to see
                    self.tape.end()

    async def _follow(self) -> None:
        request = spectator_pb2.WatchSessionRequest(session_id=self._session_id, from_seq=self._film.seq)
        again = self._film.seq > 0
        async for response in self._channel.server.spectators.WatchSession(request, metadata=of(self._visitor)):
            self._losses = 0
            self._film.show(list(response.updates), again=again)
            again = False


class Cinema:
    """The running games that somebody watches. An async context manager."""

    def __init__(self, linger_s: float = LINGER_S) -> None:
        self._linger_s = linger_s
        self._shown: dict[tuple[str, str, str], tuple[Projector, asyncio.Task[None]]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [task for _, task in self._shown.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def open(
        self, channel: GameServerChannel, session_id: str, visitor: Visitor
    ) -> tuple[session_pb2.Session, AsyncIterator[bytes]]:
        """A session as it stands, and what there is to see of it, as server-sent events.

        Raises:
            RequestError: the server does not show it to this visitor.
            WebError: too many games are watched.
        """
        session = await channel.session(session_id, visitor)
        key = (channel.target, session_id, visitor.token)
        if key not in self._shown:
            if len(self._shown) >= MOST_GAMES:
                raise WebError(503, f"{MOST_GAMES} games are being watched, which is the most; try again later")
            projector = Projector(channel, session_id, visitor)
            task = asyncio.create_task(projector.run())
            self._shown[key] = projector, task
            task.add_done_callback(lambda task: self._over(key, projector, task))
        projector, _ = self._shown[key]
        self._look_later(key, projector)  # who has asked may go before the first chunk
        return session, self._follow(key, projector)

    async def _follow(self, key: tuple[str, str, str], projector: Projector) -> AsyncIterator[bytes]:
        try:
            async with aclosing(projector.tape.follow()) as chunks:
                async for chunk in chunks:
                    yield chunk
        finally:
            self._look_later(key, projector)

    def _over(self, key: tuple[str, str, str], projector: Projector, task: asyncio.Task[None]) -> None:
        """It is over, one way or the other: those who watch go, and those who come later begin anew."""
        self._forget(key, projector)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a game cannot be shown", session=key[1], error=repr(error))
            projector.tape.add("failed", {"error": f"something went wrong here: {error}"})
        projector.tape.end()

    def _look_later(self, key: tuple[str, str, str], projector: Projector) -> None:
        """See in a while whether anybody watches."""
        if projector.look is not None:
            projector.look.cancel()
        projector.look = asyncio.get_running_loop().call_later(self._linger_s, self._close_if_unwatched, key, projector)

    def _close_if_unwatched(self, key: tuple[str, str, str], projector: Projector) -> None:
        if not projector.tape.viewers and (task := self._forget(key, projector)) is not None:
            task.cancel()

    def _forget(self, key: tuple[str, str, str], projector: Projector) -> asyncio.Task[None] | None:
        """Nobody joins it any more. Returns what runs it; None: that is forgotten already."""
        shown, task = self._shown.get(key, (None, None))
        if shown is not projector:
            return None
        del self._shown[key]
        return task


def session_json(session: session_pb2.Session) -> dict[str, Any]:
    """A session as everybody may see it."""
    return {
        "id": session.session_id,
        "game": session.game,
        "rules_version": session.rules_version,
        "state": session_pb2.SessionState.Name(session.state).removeprefix("SESSION_STATE_").lower(),
        "seats": [
            {
                "bot": seat.bot,
                "connected": seat.connected,
                "vacated": seat.vacated,
                "faults": {kind_name(fault.kind): fault.count for fault in seat.faults},
                "decisions": seat.decisions,
                "charged_ms": seat.charged_ms,
                "bank_ms": seat.bank_ms,
            }
            for seat in session.seats
        ],
        "clock": {field.name: value for field, value in session.clock.ListFields()},
        "events": session.seq,
        "to_act": list(session.to_act),
        "result": result_json(session.result) if session.HasField("result") else None,
        "labels": dict(session.labels),
        "commitment": session.seed_commitment.hex(),
        "created": session.create_time.ToJsonString(),
        "ended": session.end_time.ToJsonString() if session.HasField("end_time") else None,
        "delay_ms": session.spectator_delay_ms,
    }
