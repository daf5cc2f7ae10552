"""Where games are played: the servers, the entrants' processes, and who is missing where."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

from croupier_tournament.run.entrants import Entrants
from croupier_tournament.run.events import Audience, Event
from croupier_tournament.run.ledger import Ledger, Mark
from croupier_tournament.run.presence import Presence
from croupier_tournament.run.servers import LOCAL, GameServer, LocalServer, ServerAway
from croupier_tournament.run.tournament import STAND_IN, Tournament
from croupier_tournament.spec import Command, House, Problem, SpecError


class NobodyThere(Exception):
    """An entrant's bot does not appear. The message says whose and where."""


class Places:
    """See the module. An async context manager: servers are reached and processes started in it, and stopped with it.

    Args:
        tournament: what is played.
        ledger: where entrants' crashes are noted.
        audience: who is told.
        logs: the folder of the processes' logs.
        store: where a server that is started here keeps its sessions.
        programs: the folder in which entrants' programs run.

    Attributes:
        servers: those that games are played on.
        changed: called whenever a game may have become playable.
        disqualified: entrants whose seats a house bot plays, and why.
        failed: done, with the exception, when something could not be noted, or a process not be stopped.
    """

    def __init__(
        self, tournament: Tournament, ledger: Ledger, audience: Audience, *, logs: Path, store: Path, programs: Path
    ) -> None:
        self.servers: dict[str, GameServer] = {}
        self.changed: Callable[[], object] = lambda: None
        self.disqualified: dict[str, str] = {}
        self.crashes: dict[str, int] = {}
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tournament = tournament
        self._ledger = ledger
        self._audience = audience
        self._logs = logs
        self._store = store
        self._presence = Presence(asyncio.get_running_loop().time)
        self._stack = AsyncExitStack()
        self._working: set[asyncio.Task[None]] = set()
        self._marking = asyncio.Lock()
        self.entrants = Entrants(
            tournament.spec.entrants, logs=logs / "entrants", folder=programs, crashed=self._crashed
        )
        self.local: LocalServer | None = None

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await self.close()
        if kind is None and self.failed.done():
            self.failed.result()

    async def close(self) -> None:
        """Stop all processes and let go of all servers."""
        if self._working:
            await asyncio.wait(self._working)
        await self.entrants.close()
        await self._stack.aclose()

    async def _open(self) -> None:
        running = self._tournament.spec.running
        for name, mark in (await self._ledger.marks(self._tournament.id)).items():
            self.crashes[name] = mark.crashes
            if mark.disqualified is not None:
                self.disqualified[name] = mark.disqualified
        targets = running.servers
        if not targets:
            self.local = LocalServer(self._logs, self._store, self._server_crashed)
            self._stack.push_async_callback(self.local.close)
            targets = (await self.local.start(),)
        away = []
        for target in targets:
            name = "" if running.servers else LOCAL
            server = GameServer(target, self._tournament.spec.game, tls=running.tls, name=name)
            self._stack.push_async_callback(server.close)
            try:
                await server.reach()
            except ServerAway as error:
                away.append(str(error))
                server.wait_for_it()
            self.servers[server.name] = server
            server.told = self._told
        if len(away) == len(targets):
            raise ServerAway(f"no server can be reached: {'; '.join(away)}")
        for why in away:
            self._audience.event(Event("server", f"{why}; going on without it until it comes", {"state": "away"}))
        self._check_house_bots()
        for target in targets:
            self.entrants.start(target, several=len(targets) > 1, except_for=list(self.disqualified))

    def _check_house_bots(self) -> None:
        problems = []
        for server in self.servers.values():
            known = list(server.info.house_bots) if server.info is not None else None
            for number, entrant in enumerate(self._tournament.spec.entrants):
                if known is not None and isinstance(entrant.kind, House) and entrant.bot not in known:
                    there = ", ".join(bot.removeprefix("house:") for bot in known)
                    message = (
                        f"{server.target} has no house bot {entrant.kind.name!r} for this game; there are: {there}"
                    )
                    problems.append(Problem(f"entrants[{number}].house", message))
        if problems:
            raise SpecError(problems)

    # -- choosing --------------------------------------------------------------------------------------------------

    def choose(self, bots: Sequence[str]) -> GameServer | None:
        """The least loaded server where these bots can play now; None where there is none."""
        ready = [
            server
            for server in self.servers.values()
            if server.ready and self._presence.worth_a_try(server.target, bots)
        ]
        return min(ready, key=lambda server: server.running, default=None)

    def playable(self, server: GameServer, bots: Sequence[str]) -> bool:
        """Whether these bots can play there now."""
        return server.ready and self._presence.worth_a_try(server.target, bots)

    def seated(self, seating: Sequence[str]) -> tuple[str, ...]:
        """What servers call those who play for these entrants."""
        bots = self._tournament.bots
        return tuple(STAND_IN if name in self.disqualified else bots[name] for name in seating)

    # -- what happens ----------------------------------------------------------------------------------------------

    def there(self, server: GameServer, bots: Sequence[str]) -> None:
        """Bots were at a server."""
        self._presence.there(server.target, bots)

    def missing(self, server: GameServer, bot: str) -> None:
        """A bot has never been at a server."""
        if self._presence.missing(server.target, bot):
            self._audience.event(
                Event(
                    "entrant",
                    f"waiting for {bot} to connect to {server.target}",
                    {"entrant": bot, "state": "missing", "server": server.target},
                )
            )

    def full(self, server: GameServer, bot: str) -> None:
        """A bot plays as many games there as it can."""
        self._presence.full(server.target, bot)

    def look_for_missing(self) -> None:
        """Disqualify command entrants that have been missing for too long.

        Raises:
            NobodyThere: a remote one has been.
        """
        patience = self._tournament.spec.running.arrival_s
        for target, bot in self._presence.overdue(patience):
            why = f"has not connected to {target} within {patience:g} s"
            entrant = self._tournament.spec.entrant(bot)
            if isinstance(entrant.kind, Command):
                self.disqualify(bot, f"its process is running, but {why}")
            else:
                raise NobodyThere(
                    f"{bot} {why}; start it, and then resume (or give it more time: arrival_s in [run] of the spec)"
                )

    def disqualify(self, name: str, why: str) -> None:
        """Let an entrant play no more: its seats count as forfeited from now on."""
        if name in self.disqualified:
            return
        self.disqualified[name] = why
        self._presence.forget(name)
        self._background(self._note(name))
        self._background(self.entrants.give_up(name))
        self._audience.event(
            Event(
                "entrant",
                f"{name} is disqualified: {why}; its seats are played by {STAND_IN} and placed last",
                {"entrant": name, "state": "disqualified", "reason": why},
            )
        )
        self.changed()

    def _crashed(self, name: str, how: str, log: str) -> bool:
        kind = self._tournament.spec.entrant(name).kind
        assert isinstance(kind, Command)
        self.crashes[name] = crashes = self.crashes.get(name, 0) + 1
        self._audience.event(
            Event(
                "entrant",
                f"{name} {how} (crash {crashes}; {kind.limits.restarts} are forgiven)",
                {"entrant": name, "state": "crashed", "how": how, "crashes": crashes, "log": log},
            )
        )
        if crashes > kind.limits.restarts:
            self.disqualify(name, f"it has crashed {times(crashes)}; the last time it {how}")
            return False
        self._background(self._note(name))
        return True

    async def _note(self, name: str) -> None:
        """Note what is known against an entrant by now, after what was known before."""
        async with self._marking:
            mark = Mark(self.crashes.get(name, 0), self.disqualified.get(name))
            await self._ledger.mark(self._tournament.id, name, mark)

    def _server_crashed(self, how: str) -> None:
        self._audience.event(Event("server", f"the server {how}; starting it again", {"state": "crashed", "how": how}))

    def _told(self, server: GameServer) -> None:
        here = server.here.is_set()
        words = "is there again" if here else "does not answer; waiting for it"
        state = "here" if here else "away"
        self._audience.event(Event("server", f"{server.target} {words}", {"server": server.target, "state": state}))
        self.changed()

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self.failed.done():
            self.failed.set_exception(error)


def times(count: int) -> str:
    """Return how often, in words.

    >>> [times(count) for count in (1, 2, 3)]
    ['once', 'twice', '3 times']
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
