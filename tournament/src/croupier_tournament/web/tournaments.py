"""What the page asks of tournaments. It is for everybody whom the gallery admits, as reading is in TournamentService.

A game is replayed from its record once its whole block is final: before that, another game may be playing the same
deal. A game that runs is seen as spectators see it.
"""

from collections.abc import AsyncIterator, Callable
from itertools import islice

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from croupier_tournament.plan import GameKey
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import FINAL, Game
from croupier_tournament.run.report_files import report_of
from croupier_tournament.web.answers import WebError, answer, number_of
from croupier_tournament.web.bots import Biographies
from croupier_tournament.web.channels import Channels
from croupier_tournament.web.gallery import Gallery
from croupier_tournament.web.live import Cinema
from croupier_tournament.web.replays import Replays, replay_json
from croupier_tournament.web.showcase import EXPORTS, LIVE_EXPORTS, Showcase, exports, game_json, tournament_json
from croupier_tournament.web.streams import live_route
from croupier_tournament.web.visitors import Visitors

PAGE, MOST_PAGE = 50, 200
STATES = ("leased", "reported", "final", "void")
Heavy = Callable[[Request], None]
Streaming = Callable[[Request, AsyncIterator[bytes]], Response]


class TournamentPages:
    """See the module.

    Args:
        gallery: the tournaments.
        channels: of game servers.
        cinema: where running games are followed.
        visitors: who asks.
        heavy: counts what has to be computed, and raises where that is too much.
        streaming: makes an answer of server-sent events.
    """

    def __init__(
        self,
        gallery: Gallery,
        channels: Channels,
        cinema: Cinema,
        visitors: Visitors,
        heavy: Heavy,
        streaming: Streaming,
    ) -> None:
        self._gallery = gallery
        self._channels = channels
        self._cinema = cinema
        self._visitors = visitors
        self._heavy = heavy
        self._streaming = streaming
        self._replays = Replays()
        self._biographies = Biographies(gallery.ledger)
        self._showcases: dict[str, Showcase] = {}

    async def farewell(self) -> None:
        """Let those who watch see how tournaments stand in the end, before the page goes."""
        for showcase in self._showcases.values():
            await showcase.farewell()

    async def close(self) -> None:
        """Stop looking at tournaments."""
        for showcase in self._showcases.values():
            await showcase.close()

    def routes(self) -> list[Route]:
        """Where what is asked."""
        one = "/api/tournaments/{tournament}"
        return [
            Route("/api/tournaments", self.listing),
            Route(one, self.overview),
            Route(f"{one}/events", self.events),
            Route(f"{one}/games", self.games),
            Route(f"{one}/games/{{game}}", self.game),
            Route(f"{one}/games/{{game}}/replay", self.replay),
            live_route(f"{one}/games/{{game}}/live", self.live),
            Route(f"{one}/bots", self.bots),
            Route(f"{one}/files/{{name}}", self.file),
        ]

    async def listing(self, request: Request) -> Response:
        """All tournaments, newest first."""
        await self._gallery.admit(self._visitors.of(request))
        shown = []
        for hosted in await self._gallery.all():
            entry = await self._gallery.entry(hosted)
            progress = await self._gallery.progress(hosted)
            state = self._gallery.state(entry)
            shown.append({**tournament_json(hosted.tournament), "state": state, "final": progress.final})
        return answer({"tournaments": shown})

    async def overview(self, request: Request) -> Response:
        """One tournament."""
        hosted = await self._hosted(request)
        return answer(tournament_json(hosted.tournament))

    async def events(self, request: Request) -> Response:
        """How it goes, as server-sent events: tournament, progress, standings, running, troubles, exports."""
        hosted = await self._hosted(request)
        showcase = self._showcases.get(hosted.tournament.id)
        if showcase is None:
            showcase = self._showcases[hosted.tournament.id] = Showcase(self._gallery, hosted)
        return self._streaming(request, showcase.follow())

    async def games(self, request: Request) -> Response:
        """Games in the order of the plan; `with=NAME` (several: all of them sit there), `from=NUMBER`, `limit=N`."""
        hosted = await self._hosted(request)
        tournament, seats = hosted.tournament, hosted.tournament.spec.seats
        wanted = set()
        for name in request.query_params.getlist("with"):
            if name not in tournament.names:
                raise WebError(400, f"with: {name!r} is no entrant", {"with": f"{name!r} is no entrant"})
            wanted.add(tournament.names.index(name))
        first = number_of(request.query_params.get("from", "0"), "from", 0, 2**40)
        limit = number_of(request.query_params.get("limit", str(PAGE)), "limit", 1, MOST_PAGE)
        numbers = (
            number
            for number in range(first, len(tournament.plan))
            if not wanted or wanted <= set(tournament.table(number // seats))
        )
        found = [GameKey(*divmod(number, seats)) for number in islice(numbers, limit + 1)]
        shown = found[:limit]
        known = await self._known(hosted, shown)
        last = found[limit] if len(found) > limit else None
        return answer(
            {
                "games": [game_json(tournament, key, known.get(key)) for key in shown],
                "next": None if last is None else last.block * seats + last.replay,
            }
        )

    async def game(self, request: Request) -> Response:
        """One game."""
        hosted = await self._hosted(request)
        key, game = await self._game(request, hosted)
        return answer(game_json(hosted.tournament, key, game))

    async def replay(self, request: Request) -> Response:
        """A game of a final block, frame by frame, as `viewer` (public, a seat, open) may see it."""
        hosted = await self._hosted(request)
        key, game = await self._game(request, hosted)
        if game is None or game.state != FINAL:
            raise WebError(409, "the game can be replayed once all games of its deal are over")
        viewer = request.query_params.get("viewer", "public")
        kept = await self._gallery.ledger.record(hosted.tournament.id, key)
        if kept is None:
            raise WebError(404, "there is no record of this game")
        self._heavy(request)
        seating = hosted.tournament.seating(key)
        known = (hosted.tournament.id, str(key), game.attempt, viewer)
        more = {"id": str(key)}
        made = await self._replays.of(
            known, lambda: replay_json(kept.record(), viewer, seating, kept.charged_ms(), more)
        )
        return Response(made, media_type="application/json")

    async def live(self, request: Request) -> Response:
        """A running game as server-sent events: frame, end; lost and failed where something is wrong."""
        hosted = await self._hosted(request)
        _, game = await self._game(request, hosted)
        if game is None or not game.session:
            raise WebError(409, "the game has not begun")
        where = self._gallery.server(hosted, game.server)
        if where is None:
            raise WebError(503, "the server on which it is played is not there now")
        target, tls = where
        channel = self._channels.to(target, tls=tls)
        _, chunks = await self._cinema.open(channel, game.session, self._visitors.of(request))
        return self._streaming(request, chunks)

    async def bots(self, request: Request) -> Response:
        """Every entrant: what it has done, and how its rating has come about."""
        hosted = await self._hosted(request)
        self._heavy(request)
        return answer({"bots": await self._biographies.of(hosted)})

    async def file(self, request: Request) -> Response:
        """One of the files that anybody may have."""
        hosted = await self._hosted(request)
        name = request.path_params["name"]
        over = (await self._gallery.entry(hosted)).over
        standing = await self._gallery.standing(hosted)
        if name not in EXPORTS or name not in {
            found["name"] for found in exports(hosted, rated=standing is not None, over=over)
        }:
            raise WebError(404, f"there is no file {name!r}, or not yet")
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        if over or name not in LIVE_EXPORTS:
            return FileResponse(hosted.place.file(name), filename=name, headers=headers)
        assert standing is not None  # it would not be among them
        made = LIVE_EXPORTS[name](report_of(hosted.tournament, standing))
        return Response(made, media_type="application/octet-stream", headers=headers)

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _hosted(self, request: Request) -> Hosted:
        await self._gallery.admit(self._visitors.of(request))
        return await self._gallery.find(request.path_params["tournament"])

    async def _game(self, request: Request, hosted: Hosted) -> tuple[GameKey, Game | None]:
        plan = hosted.tournament.plan
        try:
            key = GameKey.parse(request.path_params["game"])
        except ValueError as error:
            raise WebError(404, str(error)) from error
        if not (0 <= key.block < len(plan.blocks) and 0 <= key.replay < hosted.tournament.spec.seats):
            raise WebError(404, f"the plan has no game {key}")
        return key, (await self._known(hosted, [key])).get(key)

    async def _known(self, hosted: Hosted, keys: list[GameKey]) -> dict[GameKey, Game]:
        """What is known of games: from who runs them, and else from the ledger."""
        if not keys:
            return {}
        first, last = keys[0], keys[-1]
        found = {
            game.key: game
            async for game in self._gallery.ledger.games(
                hosted.tournament.id,
                states=STATES,
                after=GameKey(first.block, first.replay - 1),
                before_block=last.block + 1,
            )
        }
        play = hosted.running.play
        if play is not None:
            for block in play.books.open.values():
                found |= {game.key: game for game in block.games.values()}
        return found
