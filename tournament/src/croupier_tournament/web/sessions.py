"""What the page asks of a game server: its games and sessions, each with the visitor's own token."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from croupier import RequestError
from croupier.v1 import bot_pb2
from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import OptionError
from croupier_games.trade_and_triumph import GAME as TRADE_AND_TRIUMPH
from croupier_tournament.run.wire import kind_name
from croupier_tournament.web.answers import WebError, answer
from croupier_tournament.web.channels import GameServerChannel, of
from croupier_tournament.web.live import Cinema, session_json
from croupier_tournament.web.replays import Replays, replay_json
from croupier_tournament.web.streams import live_route
from croupier_tournament.web.visitors import Visitor, Visitors

PAGE = 50
MOST_LOOKED_AT = 1000
"""Sessions, the newest, from which it is told what bots have been doing."""


def edition(request: Request) -> Response:
    """An edition of Trade and Triumph: names, costs and texts of its cards."""
    try:
        found = TRADE_AND_TRIUMPH.edition(request.path_params["name"])
    except OptionError as error:
        raise WebError(404, str(error)) from error
    cards = [
        {"number": card.number, "name": card.name, "deck": int(card.deck), "cost": card.cost, "text": card.text}
        for card in found.cards
    ]
    posts = [next(n for n, post in enumerate(found.posts, start=1) if region in post) for region in range(1, 5)]
    return answer(
        {
            "cards": cards,
            "spaces": list(found.spaces[1:]),
            "posts": posts,
            "squares": [list(found.squares[track]) for track in (1, 2, 3)],
            "upgrade_costs": [list(found.upgrade_costs[track]) for track in (1, 2, 3)],
            "goal": found.goal,
            "hand_limit": found.hand_limit,
        }
    )


class SessionPages:
    """See the module.

    Args:
        channel: the server.
        cinema: where running games are followed.
        visitors: who asks.
        heavy: counts what has to be computed, and raises where that is too much.
        streaming: makes an answer of server-sent events.
    """

    def __init__(
        self,
        channel: GameServerChannel,
        cinema: Cinema,
        visitors: Visitors,
        heavy: Callable[[Request], None],
        streaming: Callable[[Request, AsyncIterator[bytes]], Response],
    ) -> None:
        self._channel = channel
        self._cinema = cinema
        self._visitors = visitors
        self._heavy = heavy
        self._streaming = streaming
        self._replays = Replays()

    def routes(self) -> list[Route]:
        """Where what is asked."""
        return [
            Route("/api/games", self.games),
            Route("/api/sessions", self.listing),
            Route("/api/sessions/{session}", self.session),
            live_route("/api/sessions/{session}/live", self.live),
            Route("/api/sessions/{session}/replay", self.replay),
            Route("/api/bots", self.bots),
        ]

    async def games(self, request: Request) -> Response:
        """The games that the server hosts."""
        visitor = self._visitors.of(request)
        reply = await self._channel.server.sessions.ListGames(pb.ListGamesRequest(), metadata=of(visitor))
        return answer(
            {
                "games": [
                    {
                        "name": game.name,
                        "title": game.title,
                        "rules_version": game.rules_version,
                        "min_seats": game.min_seats,
                        "max_seats": game.max_seats,
                        "house_bots": list(game.house_bots),
                    }
                    for game in reply.games
                ]
            }
        )

    async def listing(self, request: Request) -> Response:
        """Sessions, newest first; `game`, `state` (running, finished, aborted), `bot`, `page`."""
        query = request.query_params
        states = {"": 0, "running": 1, "finished": 2, "aborted": 3}
        if query.get("state", "") not in states:
            raise WebError(400, "state: is running, finished or aborted", {"state": "is running, finished or aborted"})
        asked = pb.ListSessionsRequest(
            page_size=PAGE,
            page_token=query.get("page", ""),
            state=pb.SessionState.ValueType(states[query.get("state", "")]),
            game=query.get("game", ""),
            bot=query.get("bot", ""),
        )
        reply = await self._channel.server.sessions.ListSessions(asked, metadata=of(self._visitors.of(request)))
        return answer({"sessions": [session_json(one) for one in reply.sessions], "next": reply.next_page_token})

    async def session(self, request: Request) -> Response:
        """One session."""
        found = await self._channel.session(request.path_params["session"], self._visitors.of(request))
        return answer(session_json(found))

    async def live(self, request: Request) -> Response:
        """A session as a spectator sees it, as server-sent events: frame, end; lost and failed."""
        visitor = self._visitors.of(request)
        _, chunks = await self._cinema.open(self._channel, request.path_params["session"], visitor)
        return self._streaming(request, chunks)

    async def replay(self, request: Request) -> Response:
        """A finished session, frame by frame, as `viewer` (public, a seat, open) may see it."""
        visitor = self._visitors.of(request)
        session_id = request.path_params["session"]
        viewer = request.query_params.get("viewer", "public")
        asked = pb.GetRecordRequest(session_id=session_id)
        reply = await self._channel.server.sessions.GetRecord(asked, metadata=of(visitor))
        if not reply.record.HasField("result"):
            raise WebError(409, "the session was aborted: it has no record to replay")
        self._heavy(request)
        charged = [item.charged_ms for item in reply.record.inputs]
        bots = list(reply.record.bots)
        made = await self._replays.of(
            (session_id, viewer), lambda: replay_json(reply.text, viewer, bots, charged, {"id": session_id})
        )
        return Response(made, media_type="application/json")

    async def bots(self, request: Request) -> Response:
        """Who has played of late, and (for organisers and operators) who has a token."""
        visitor = self._visitors.of(request)
        self._heavy(request)
        seen = await self._seen(visitor)
        try:
            known = await self._channel.server.bots.ListBots(
                bot_pb2.ListBotsRequest(page_size=1000), metadata=of(visitor)
            )
        except RequestError as error:
            if error.code not in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED):
                raise
        else:
            for bot in known.bots:
                row = seen.setdefault(bot.name, _nobody(bot.name))
                row["online"] = bot.online
                row["role"] = bot_pb2.Role.Name(bot.role).removeprefix("ROLE_").lower()
                if bot.HasField("last_seen_time"):
                    row["last_s"] = max(row["last_s"] or 0, bot.last_seen_time.ToMilliseconds() / 1000)
        return answer({"bots": [_finished(row) for _, row in sorted(seen.items())]})

    async def _seen(self, visitor: Visitor) -> dict[str, dict[str, Any]]:
        asked = pb.ListSessionsRequest(page_size=500)
        rows: dict[str, dict[str, Any]] = {}
        looked_at = 0
        while looked_at < MOST_LOOKED_AT:
            reply = await self._channel.server.sessions.ListSessions(asked, metadata=of(visitor))
            looked_at += len(reply.sessions)
            for session in reply.sessions:
                for seat, one in enumerate(session.seats):
                    _count(rows.setdefault(one.bot, _nobody(one.bot)), session, seat)
            if not reply.next_page_token:
                break
            asked.page_token = reply.next_page_token
            await asyncio.sleep(0)
        return rows


def _nobody(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "role": "",
        "online": None,
        "games": 0,
        "running": 0,
        "wins": 0.0,
        "decisions": 0,
        "charged_ms": 0,
        "faults": {},
        "last_s": None,
    }


def _count(row: dict[str, Any], session: pb.Session, seat: int) -> None:
    one = session.seats[seat]
    running = session.state == pb.SESSION_STATE_RUNNING
    row["running"] += running
    if running and not one.bot.startswith("house:"):
        row["online"] = bool(row["online"]) or one.connected
    if session.HasField("result"):
        row["games"] += 1
        winners = sum(placing == 1 for placing in session.result.placings)
        row["wins"] += (session.result.placings[seat] == 1) / winners
    row["decisions"] += one.decisions
    row["charged_ms"] += one.charged_ms
    for fault in one.faults:
        name = kind_name(fault.kind)
        row["faults"][name] = row["faults"].get(name, 0) + fault.count
    at = session.end_time if session.HasField("end_time") else session.create_time
    row["last_s"] = max(row["last_s"] or 0.0, at.ToMilliseconds() / 1000)


def _finished(row: dict[str, Any]) -> dict[str, Any]:
    charged = row.pop("charged_ms")
    row["mean_ms"] = round(charged / row["decisions"], 2) if row["decisions"] else None
    row["win_share"] = round(row.pop("wins") / row["games"], 4) if row["games"] else None
    return row
