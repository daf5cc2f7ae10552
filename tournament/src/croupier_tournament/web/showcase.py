"""What is shown of one tournament as it goes: each part is made once for all who watch, some times a second."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from croupier_games.kernel import UnknownGame, find_game
from croupier_tournament.plan import GameKey
from croupier_tournament.report import standings_csv, standings_json
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import FINAL, Entry, Game, LedgerError
from croupier_tournament.run.tournament import Tournament
from croupier_tournament.web.feeds import Board
from croupier_tournament.web.gallery import Gallery

log = structlog.get_logger("croupier.web")

CALM_LOOKS = 5
"""Of so many looks one asks the ledger: where it stands, which games run, what went wrong."""
MOST_UNWATCHED = 4
"""Looks while nobody watches, until there are no more."""
MOST_RUNNING = 24
"""Running games that are listed."""
LATEST_VOIDS = 20

EXPORTS = {
    "standings.json": "the standings, for programs",
    "standings.csv": "the standings, for spreadsheets",
    "games.jsonl": "every game, one a line",
    "timing.jsonl": "when games were played, and how long bots thought",
    "records.tar.gz": "the records, from which each game can be played again",
    "tournament.json": "spec, plan, commitment; the secret once it is over",
    "report.html": "the report, in one file",
}
"""Files of a tournament's folder that anybody may have. All others are nobody's business."""
LIVE_EXPORTS = {"standings.json": standings_json, "standings.csv": standings_csv}
"""Those that can be had while it runs."""


class Showcase:
    """See the module."""

    def __init__(self, gallery: Gallery, hosted: Hosted) -> None:
        self.board = Board()
        self._gallery = gallery
        self._hosted = hosted
        self._task: asyncio.Task[None] | None = None
        self._standings: dict[str, Any] | None = None
        self._entry: Entry | None = None
        self._looks = 0
        self._first = asyncio.Lock()

    async def follow(self) -> AsyncIterator[bytes]:
        """What there is to see, and then what changes, as server-sent events."""
        async with self._first:
            if self._task is None or self._task.done():
                self._looks = 0
                await self._look()
                self._task = asyncio.create_task(self._keep_looking())
        async with aclosing(self.board.follow()) as chunks:
            async for chunk in chunks:
                yield chunk

    async def close(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def farewell(self) -> None:
        """Show how it stands in the end, and let everybody go."""
        await self.close()
        if self._task is not None and not self.board.closed:
            self._looks = 0
            await self._look()
            self.board.close()

    async def _keep_looking(self) -> None:
        """Look while somebody watches, until it is over."""
        unwatched = 0
        while not self.board.closed and unwatched < MOST_UNWATCHED:
            await self._gallery.next_look()
            unwatched = 0 if self.board.viewers else unwatched + 1
            try:
                await self._look()
            except (SQLAlchemyError, LedgerError, OSError) as error:
                log.warning("a look at a tournament has failed", tournament=self._hosted.tournament.id, why=str(error))

    async def _look(self) -> None:
        gallery, hosted, board = self._gallery, self._hosted, self.board
        tournament = hosted.tournament
        calm = self._looks % CALM_LOOKS == 0
        if calm or self._entry is None:
            self._entry = await gallery.entry(hosted)
        entry = self._entry
        progress = await gallery.progress(hosted)
        state = gallery.state(entry)
        if not self._looks:
            board.put("tournament", tournament_json(tournament))
        board.put(
            "progress",
            {
                "state": state,
                "reason": entry.reason,
                "planned": progress.planned,
                "running": 0 if entry.over else progress.running,
                "final": progress.final,
                "voided": progress.voided,
                "rate": round(progress.rate, 2),
                "eta_s": None if progress.eta_s is None or entry.over else round(progress.eta_s, 1),
            },
        )
        standings = await gallery.standings(hosted)
        if standings is not None and standings is not self._standings:
            self._standings = standings
            board.put("standings", standings)
        if calm:
            running = [] if entry.over else await gallery.running_games(hosted, MOST_RUNNING)
            board.put("running", [game_json(tournament, game.key, game) for game in running])
            board.put("troubles", await self._troubles())
            board.put("exports", exports(hosted, rated=standings is not None, over=entry.over))
        self._looks += 1
        board.tell()
        if entry.over:
            board.close()

    async def _troubles(self) -> dict[str, Any]:
        tournament, ledger = self._hosted.tournament, self._gallery.ledger
        voids = await ledger.voids(tournament.id)
        marks = await ledger.marks(tournament.id)
        return {
            "voids": [
                {"block": void.block, "games": void.games, "reason": void.reason, "at_s": void.at}
                for void in voids[: -LATEST_VOIDS - 1 : -1]
            ],
            "entrants": {
                name: {"crashes": mark.crashes, "disqualified": mark.disqualified}
                for name, mark in sorted(marks.items())
                if mark.crashes or mark.disqualified
            },
        }


def tournament_json(tournament: Tournament) -> dict[str, Any]:
    """What is played, and what was promised about it before the first game."""
    spec, plan = tournament.spec, tournament.plan
    return {
        "id": tournament.id,
        "title": spec.title,
        "game": spec.game,
        "game_title": game_title(spec.game),
        "seats": spec.seats,
        "format": str(spec.format),
        "entrants": [{"name": name, "kind": spec.entrant(name).kind_name} for name in tournament.names],
        "planned": len(plan),
        "blocks": len(plan.blocks),
        "plan_hash": plan.hash,
        "commitment": tournament.commitment.hex(),
        "created_s": tournament.entry.created,
    }


def game_title(name: str) -> str:
    """A game's name for people; its own name where it is not installed here."""
    try:
        return find_game(name).title
    except UnknownGame:
        return name


def game_json(tournament: Tournament, key: GameKey, game: Game | None) -> dict[str, Any]:
    """A game for everybody. Points and placings are told once its whole block is final, as the contract does."""
    final = game is not None and game.state == FINAL
    shown: dict[str, Any] = {
        "game": str(key),
        "deal": tournament.plan.blocks[key.block].deal,
        "entrants": list(tournament.seating(key)),
        "state": "planned" if game is None else game.state,
    }
    if game is not None:
        shown["bots"] = list(game.bots)
    if game is not None and final:
        shown |= {
            "points": list(game.points),
            "placings": list(game.placings),
            "forfeited": list(game.forfeited),
            "faults": [dict(faults) for faults in game.faults],
            "decisions": list(game.decisions),
            "charged_ms": list(game.charged),
            "ended_s": game.ended,
        }
    return shown


def exports(hosted: Hosted, *, rated: bool, over: bool) -> list[dict[str, str]]:
    """The files that can be had now; `rated`: there are standings."""
    there = {name for name in EXPORTS if hosted.place.file(name).is_file()}
    if not over:  # what lies there may be of an earlier pause
        there = {"tournament.json"} & there | (set(LIVE_EXPORTS) if rated else set())
    return [{"name": name, "what": what} for name, what in EXPORTS.items() if name in there]
