"""Entrants' processes: one for each command entrant and server, kept running under the entrant's limits."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from croupier import Backoff
from croupier.processes import Kept, Program, tail
from croupier_tournament.spec import Command, Entrant

PRIVATE = ("CROUPIER_TOKEN", "CROUPIER_TARGET", "CROUPIER_NAME")
"""What the runner's environment may hold for the runner alone."""
MIB = 1024 * 1024


class Entrants:
    """The processes of command entrants.

    Args:
        entrants: all entrants; those that are no commands are left alone.
        logs: the folder of their logs.
        folder: in which they run.
        crashed: told an entrant's name, how its process has ended, and the end of its log; says whether it is started
            again.
        backoff: how long to wait before that; None: as bots wait for servers.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        *,
        logs: Path,
        folder: Path,
        crashed: Callable[[str, str, str], bool],
        backoff: Backoff | None = None,
    ) -> None:
        self._entrants = entrants
        self._logs = logs
        self._folder = folder
        self._crashed = crashed
        self._backoff = backoff
        self._kept: dict[tuple[str, str], Kept] = {}

    def start(self, target: str, *, several: bool, except_for: Sequence[str] = ()) -> None:
        """Start everybody on a server.

        Args:
            target: the server.
            several: whether there are others, so that logs need the server in their names.
            except_for: who is not started.
        """
        for entrant in self._entrants:
            if isinstance(entrant.kind, Command) and entrant.name not in except_for:
                self._kept[entrant.name, target] = Kept(
                    self._program(entrant, entrant.kind, target, several=several),
                    self._told(entrant.name, self._log(entrant.name, target, several=several)),
                    self._backoff,
                )

    async def give_up(self, name: str) -> None:
        """Stop an entrant's processes for good."""
        mine = [key for key in self._kept if key[0] == name]
        await asyncio.gather(*(self._kept.pop(key).close() for key in mine))

    async def close(self) -> None:
        """Stop them all."""
        everybody = list(self._kept.values())
        self._kept.clear()
        await asyncio.gather(*(kept.close() for kept in everybody))

    def _told(self, name: str, log: Path) -> Callable[[str], bool]:
        return lambda how: self._crashed(name, how, tail(log))

    def _log(self, name: str, target: str, *, several: bool) -> Path:
        return self._logs / (f"{name}@{target.replace(':', '-')}.log" if several else f"{name}.log")

    def _program(self, entrant: Entrant, command: Command, target: str, *, several: bool) -> Program:
        limits = command.limits
        wanted = {
            "CPU": limits.cpu_s,
            "AS": limits.memory_mib and limits.memory_mib * MIB,
            "NOFILE": limits.files,
            "FSIZE": limits.file_size_mib and limits.file_size_mib * MIB,
            "CORE": 0,
        }
        return Program(
            command.argv,
            log=self._log(entrant.name, target, several=several),
            environment=environment(entrant, command, target, self._entrants),
            folder=self._folder,
            limits={name: value for name, value in wanted.items() if value is not None},
            time_s=limits.time_s,
        )


def environment(entrant: Entrant, command: Command, target: str, everybody: Sequence[Entrant]) -> dict[str, str]:
    """Return an entrant's environment: the runner's, with where to play as whom, and without anybody else's tokens."""
    tokens = {other.kind.token_env for other in everybody if isinstance(other.kind, Command)}
    given = {name: value for name, value in os.environ.items() if name not in PRIVATE and name not in tokens}
    given |= {"CROUPIER_TARGET": target, "CROUPIER_NAME": entrant.name}
    if command.token_env is not None and command.token_env in os.environ:
        given["CROUPIER_TOKEN"] = os.environ[command.token_env]
    return given
