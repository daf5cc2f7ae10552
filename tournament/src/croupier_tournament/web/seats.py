"""Seats that people take in the browser, through PlayService like any bot.

A `Chair` is a bot of the SDK whose choices are made by a person: it holds the stream to the server, passes on what it
is told, and answers with what the person clicks. The person's clock is the server's.
"""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import croupier
from croupier import CroupierError, Decision, End, Session
from croupier.v1 import game_pb2, play_pb2
from croupier.v1 import session_pb2 as pb
from croupier_tournament.run.wire import kind_name, options_message
from croupier_tournament.spec import SpecError
from croupier_tournament.web.answers import WebError, address_of, answer, body_of, number_of, text_of
from croupier_tournament.web.channels import GameServerChannel, of
from croupier_tournament.web.feeds import Tape
from croupier_tournament.web.limits import TooMuch
from croupier_tournament.web.live import moved_json, session_json
from croupier_tournament.web.shapes import message_action_json, message_view_json, result_json
from croupier_tournament.web.visitors import Visitors, same_origin

log = structlog.get_logger("croupier.web")

MOST_CHAIRS = 200
MOST_AT_ONE_ADDRESS = 40
"""Chairs; a whole class room may sit behind one address, but not everybody."""
AWAY_S = 120.0
"""How long a chair is kept whose person has no page open, in seconds; and how long one is remembered that is empty."""
THINK_TIME_MS, BANK_MS = 60_000, 600_000
"""The clock of games that people begin here, unless they say otherwise: people are slower than bots."""
NAME = re.compile(r"[a-z0-9._-]{1,64}")


class Chair(croupier.Bot):
    """A person at the table. Everything that it is told is for this person's eyes only.

    Attributes:
        id: its secret: who knows it, decides.
        name: the name that it plays under.
        address: where the person is.
        tape: what is said to the person's page.
    """

    wants_events = True

    def __init__(self, name: str, address: str = "") -> None:
        self.id = secrets.token_hex(16)
        self.name = name
        self.address = address
        self.tape = Tape(self.kept)
        self.task: asyncio.Task[None] | None = None
        self._games: dict[str, dict[str, Any]] = {}
        self._answers: dict[str, tuple[int, asyncio.Future[int]]] = {}
        self._gone = ""

    # -- what the server says --------------------------------------------------------------------------------------

    def on_start(self, session: Session) -> None:
        key = _key(session.id, session.seat)
        self._games[key] = {
            "key": key,
            "session": session.id,
            "game": session.game,
            "seat": session.seat,
            "seats": session.seats,
            "clock": {field.name: value for field, value in session.clock.ListFields()},
            "decision": None,
            "moves": [],
            "end": None,
        }
        self.tape.add("start", self._games[key])

    async def choose(self, decision: Decision[Any, Any]) -> int:
        key = _key(decision.session.id, decision.session.seat)
        message = decision.message
        waiting: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._answers[key] = message.decision_id, waiting
        game = self._games[key]
        game["decision"] = asked = {
            "id": message.decision_id,
            "seq": message.seq,
            "attempt": message.attempt,
            "standing": message.standing,
            "actions": [message_action_json(action) for action in message.actions],
            "view": message_view_json(message.view),
            "think_time_ms": message.think_time_ms if message.HasField("think_time_ms") else None,
            "bank_ms": message.bank_ms,
            "last_charged_ms": message.last_charged_ms,
        }
        game["asked_at"] = asyncio.get_running_loop().time()
        self.tape.add("decision", {"key": key, "decision": game["decision"]})
        try:
            return await waiting
        finally:
            if self._answers.get(key, (0, None))[1] is waiting:
                del self._answers[key]
            if game["decision"] is asked:
                game["decision"] = {**asked, "actions": [], "answered": True}
                self.tape.add("answered", {"key": key, "id": message.decision_id})

    def on_events(self, session: Session, events: Sequence[game_pb2.Event]) -> None:
        key = _key(session.id, session.seat)
        shown = [event_json(event) for event in events]
        self._games[key]["moves"].extend(shown)
        self.tape.add("moves", {"key": key, "moves": shown})

    def on_result(self, session: Session, result: play_pb2.ActResult) -> None:
        outcome = play_pb2.ActOutcome.Name(result.outcome).removeprefix("ACT_OUTCOME_").lower().replace("_", " ")
        said = {
            "key": _key(session.id, session.seat),
            "outcome": outcome,
            "rule": result.rule,
            "message": result.message,
            "fault": kind_name(result.fault) if result.fault else "",
            "faults": result.faults,
            "max_faults": result.max_faults,
        }
        self.tape.add("result", said)

    def on_rewind(self, session: Session) -> None:
        game = self._games[_key(session.id, session.seat)]
        game["moves"] = [move for move in game["moves"] if move["seq"] <= session.seq]
        game["decision"] = None
        self.tape.add("start", game)

    def on_end(self, session: Session, end: End) -> None:
        key = _key(session.id, session.seat)
        game = self._games[key]
        game["decision"] = None
        game["end"] = {
            "aborted": end.result is None,
            "result": None if end.result is None else result_json(end.result),
            "view": message_view_json(end.message.view) if end.message.HasField("view") else None,
            "seed": end.seed.hex(),
        }
        self.tape.add("end", {"key": key, "end": game["end"]})
        over = [name for name, one in self._games.items() if one["end"] is not None]
        for name in over[:-MOST_OVER]:
            del self._games[name]

    # -- what the person says --------------------------------------------------------------------------------------

    def act(self, key: str, decision: int, index: int) -> None:
        """Answer a decision. Raises WebError where it is not open (any more), or has no such action."""
        game = self._games.get(key)
        if game is None:
            raise WebError(404, f"you sit in no game {key!r}", {"key": "no such game"})
        asked, waiting = self._answers.get(key, (0, None))
        if waiting is None or asked != decision or waiting.done():
            raise WebError(409, "this decision is open no more: answered, out of time, or asked anew")
        number_of(index, "index", 0, len(game["decision"]["actions"]) - 1)
        waiting.set_result(index)

    def kept(self) -> dict[str, Any]:
        """All that a page that begins now has to know; clocks are those of this moment."""
        now = asyncio.get_running_loop().time()
        return {"name": self.name, "gone": self._gone, "games": [_at(game, now) for game in self._games.values()]}

    def leave(self, why: str) -> None:
        """The chair is empty from now on."""
        if not self._gone:
            self._gone = why
            self.tape.add("gone", {"why": why})
            self.tape.end()


MOST_OVER = 5
"""Games that are over and still shown to who has played them."""


def _key(session_id: str, seat: int) -> str:
    return f"{session_id}/{seat}"


def _at(game: dict[str, Any], now: float) -> dict[str, Any]:
    """A game with its clock as it stands now."""
    shown = {name: value for name, value in game.items() if name != "asked_at"}
    decision = game["decision"]
    if decision is None or decision["think_time_ms"] is None:
        return shown
    used = round((now - game["asked_at"]) * 1000)
    over = max(0, used - decision["think_time_ms"])
    return {
        **shown,
        "decision": {
            **decision,
            "think_time_ms": max(0, decision["think_time_ms"] - used),
            "bank_ms": max(0, decision["bank_ms"] - over),
        },
    }


def event_json(event: game_pb2.Event) -> dict[str, Any]:
    """An event as its receiver may know it."""
    match event.WhichOneof("event"):
        case "moved":
            return {"seq": event.seq, **moved_json(event.moved)}
        case "faulted":
            return {"seq": event.seq, "seat": event.faulted.seat, "fault": kind_name(event.faulted.kind)}
        case "vacated":
            return {"seq": event.seq, "seat": event.vacated.seat, "vacated": True}
    return {"seq": event.seq}


class SeatPages:
    """Taking a seat, being told, answering, leaving; and beginning a game. Only where the page is not read-only."""

    def __init__(
        self,
        channel: GameServerChannel,
        visitors: Visitors,
        streaming: Callable[[Request, AsyncIterator[bytes]], Response],
        away_s: float = AWAY_S,
    ) -> None:
        self._channel = channel
        self._visitors = visitors
        self._streaming = streaming
        self._away_s = away_s
        self._chairs: dict[str, Chair] = {}
        self._empty: dict[str, Chair] = {}
        """Whose persons have yet to hear why they sit there no more."""

    def routes(self) -> list[Route]:
        """Where what is asked."""
        one = "/api/chairs/{chair}"
        return [
            Route("/api/chairs", self.sit_down, methods=["POST"]),
            Route(one, self.leave, methods=["DELETE"]),
            Route(f"{one}/events", self.events),
            Route(f"{one}/acts", self.act, methods=["POST"]),
            Route("/api/sessions", self.begin, methods=["POST"]),
        ]

    async def close(self) -> None:
        """Everybody leaves."""
        tasks = [chair.task for chair in self._chairs.values() if chair.task is not None]
        for chair in self._chairs.values():
            chair.leave("the page is closing")
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def sit_down(self, request: Request) -> Response:
        """`{"name": ...}`: connect to the server under this name, as a bot does. Answers `{"chair": secret}`."""
        same_origin(request)
        document = await body_of(request)
        name = text_of(document, "name", 64)
        if not NAME.fullmatch(name):
            message = "is 1 to 64 characters a-z 0-9 - _ ."
            raise WebError(400, f"name: {message}", {"name": message})
        visitor = self._visitors.of(request)
        await self._channel.check(visitor)
        if len(self._chairs) >= MOST_CHAIRS:
            raise WebError(503, "all chairs are taken; try again later")
        address = address_of(request)
        if sum(chair.address == address for chair in self._chairs.values()) >= MOST_AT_ONE_ADDRESS:
            raise TooMuch(f"{MOST_AT_ONE_ADDRESS} people sit at your address, which is the most", 10)
        chair = Chair(name, address)
        self._chairs[chair.id] = chair
        chair.task = asyncio.create_task(self._keep(chair, visitor.token))
        chair.task.add_done_callback(lambda _: self._free(chair))
        self._watch(chair)
        return answer({"chair": chair.id, "name": name})

    async def leave(self, request: Request) -> Response:
        """Stand up: the seat's clocks decide from now on."""
        same_origin(request)
        chair = self._chair(request)
        chair.leave("you have left")
        if chair.task is not None:
            chair.task.cancel()
        return answer({})

    async def events(self, request: Request) -> Response:
        """What the chair is told: begin, start, decision, answered, moves, result, end, gone."""
        return self._streaming(request, self._told(self._chair(request)))

    async def act(self, request: Request) -> Response:
        """`{"key": game, "decision": number, "index": number}`: answer a decision by one of its actions."""
        same_origin(request)
        chair = self._chair(request)
        document = await body_of(request)
        decision = number_of(document.get("decision"), "decision", 1, 2**32 - 1)
        index = number_of(document.get("index"), "index", 0, 10_000)
        chair.act(text_of(document, "key"), decision, index)
        return answer({})

    async def begin(self, request: Request) -> Response:
        """Begin a game: `{"game", "bots": [...], "options": {}, "think_time_ms", "bank_ms"}`; answers the session."""
        same_origin(request)
        visitor = self._visitors.of(request)
        document = await body_of(request)
        bots = document.get("bots")
        if not isinstance(bots, list) or not all(isinstance(bot, str) for bot in bots) or len(bots) > 64:
            raise WebError(400, "bots: is a list of names in seat order", {"bots": "is a list of names"})
        game = text_of(document, "game")
        asked = pb.CreateSessionRequest(
            game=game,
            bots=bots,
            clock=game_pb2.ClockSettings(
                think_time_ms=number_of(document.get("think_time_ms", THINK_TIME_MS), "think_time_ms", 0, 86_400_000),
                bank_ms=number_of(document.get("bank_ms", BANK_MS), "bank_ms", 0, 86_400_000),
            ),
        )
        options = document.get("options") or {}
        if not isinstance(options, dict):
            raise WebError(400, "options: is an object", {"options": "is an object of names and values"})
        try:
            message = options_message(game, {str(name): str(value) for name, value in options.items()})
        except (SpecError, KeyError, ValueError, TypeError, StopIteration) as error:
            raise WebError(400, f"options: {error}", {"options": str(error)}) from error
        if message is not None:
            asked.options.CopyFrom(message)
        reply = await self._channel.server.sessions.CreateSession(asked, metadata=of(visitor))
        return answer(session_json(reply.session), 201)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _chair(self, request: Request) -> Chair:
        secret = request.path_params["chair"]
        chair = self._chairs.get(secret) or self._empty.get(secret)
        if chair is None:
            raise WebError(404, "there is no such chair (any more): sit down again")
        return chair

    async def _keep(self, chair: Chair, token: str) -> None:
        """Hold the stream for as long as somebody sits there."""
        channel = self._channel
        try:
            # A blank token is none; without one the SDK would take the environment's, which is not the visitor's.
            await croupier.play(chair, channel.target, name=chair.name, token=token or " ", tls=channel.tls)
        except CroupierError as error:
            chair.leave(str(error))
        except asyncio.CancelledError:
            chair.leave("you have left")
            raise
        except Exception as error:
            log.exception("a chair has broken", chair=chair.name)
            chair.leave(f"something went wrong here: {error}")

    def _free(self, chair: Chair) -> None:
        """Somebody else may sit down instead."""
        self._empty[chair.id] = self._chairs.pop(chair.id)
        if len(self._empty) > MOST_CHAIRS:
            del self._empty[next(iter(self._empty))]
        asyncio.get_running_loop().call_later(self._away_s, self._empty.pop, chair.id, None)

    async def _told(self, chair: Chair) -> AsyncIterator[bytes]:
        try:
            async with aclosing(chair.tape.follow()) as chunks:
                async for chunk in chunks:
                    yield chunk
        finally:
            self._watch(chair)

    def _watch(self, chair: Chair) -> None:
        """See in a while whether the person is still there."""
        asyncio.get_running_loop().call_later(self._away_s, self._leave_if_away, chair)

    def _leave_if_away(self, chair: Chair) -> None:
        if not chair.tape.viewers and chair.task is not None and not chair.task.done():
            chair.leave("nobody was there any more")
            chair.task.cancel()
