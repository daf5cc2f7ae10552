"""A tournament's folder: what is in it, and the private file that says where its ledger is.

spec.toml         the spec, as it was given (spec.json where it came over gRPC)
runner.json       private: the tournament's id, its ledger, where entrants' programs run
ledger.sqlite     private while it runs: the secret is in it
server.db         while it runs: the sessions of a server that is started for it
logs/             of the server and the page, and in entrants/ those of entrants' processes
tournament.json   for everybody: spec, plan hash, commitment; the secret once the tournament is over
standings.json, standings.csv, games.jsonl, timing.jsonl, records.tar.gz, report.html
"""

import json
import os
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from croupier_tournament.run.ledger import CANCELLED, Ledger
from croupier_tournament.run.opening import open_ledger
from croupier_tournament.run.tournament import Tournament, add_tournament, load, plan_of
from croupier_tournament.spec import SpecError, read_spec
from croupier_tournament.spec.reading import spec_of


class FolderError(Exception):
    """A folder cannot be used. The message says why, and what would help."""


@dataclass(frozen=True, slots=True)
class Private:
    """What `runner.json` holds."""

    tournament: str
    """Its id in the ledger."""
    ledger: str | None
    """The ledger's URL; None: the file in the folder."""
    programs: str
    """The folder in which entrants' programs run."""


class Folder:
    """A folder that a tournament lives in, or is going to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._created: str | None = None
        """The tournament that `create` has moved in."""
        self._made = False
        """Whether the folder was not there before."""

    @property
    def logs(self) -> Path:
        """Where logs go."""
        return self.path / "logs"

    @property
    def server_store(self) -> Path:
        """Where a server that is started for the tournament keeps its sessions."""
        return self.path / "server.db"

    def forget_server(self) -> None:
        """Remove what such a server has kept; what counts is in the ledger."""
        for path in self.path.glob(f"{self.server_store.name}*"):
            path.unlink(missing_ok=True)

    @property
    def taken(self) -> bool:
        """Whether a tournament lives in it."""
        return (self.path / "runner.json").exists()

    def file(self, name: str) -> Path:
        """A file in it."""
        return self.path / name

    async def create(
        self, table: Mapping[str, Any], *, text: str | None, programs: Path, secret: bytes | None = None
    ) -> tuple[Ledger, Tournament]:
        """Plan a tournament and move it in, with a ledger where the spec says.

        Args:
            table: the spec.
            text: the text of its TOML file, where there is one.
            programs: in which entrants' programs run.
            secret: from which all deals follow, 32 bytes; None: drawn.

        Raises:
            FolderError: somebody lives there already, or nothing can be written there.
            SpecError: the spec cannot be played.
            LedgerError: the ledger cannot be used.
        """
        if self.taken:
            raise FolderError(f"{self.path} has a tournament already: resume it, or choose another folder with --dir")
        spec = spec_of(table)
        plan = plan_of(spec)
        self._make()
        ledger = await open_ledger(spec.running.ledger or self.own_ledger(), new=True)
        try:
            tournament = await add_tournament(ledger, table, spec, plan, secret=secret)
            self.move_in(tournament, spec.running.ledger, text=text, programs=programs)
        except BaseException:
            await ledger.close()
            raise
        self._created = tournament.id
        return ledger, tournament

    async def move_out(self, ledger: Ledger, tournament: Tournament) -> None:
        """Make room for another one where `create` has moved in a tournament of which no game has begun.

        Anything else is left as it is.
        """
        if tournament.id != self._created or await ledger.counts(tournament.id):
            return
        await ledger.set_state(tournament.id, CANCELLED)
        await ledger.close()
        if self._made:
            shutil.rmtree(self.path)
        else:
            for name in ("runner.json", "tournament.json"):
                self.file(name).unlink(missing_ok=True)

    def move_in(self, tournament: Tournament, ledger: str | None, *, text: str | None, programs: Path) -> None:
        """Write what is needed to find a tournament again. Arguments are as in `Private` and `create`.

        Raises:
            FolderError: nothing can be written there.
        """
        self._make()
        try:
            if text is not None:
                self.file("spec.toml").write_text(text, "utf-8")
            else:
                self.file("spec.json").write_text(json.dumps(tournament.entry.spec, indent=2) + "\n", "utf-8")
            private = Private(tournament.id, ledger, str(programs.resolve()))
            self._write_private("runner.json", json.dumps(asdict(private), indent=2) + "\n")
        except OSError as error:
            raise FolderError(f"{self.path} cannot be written: {error.strerror}") from error

    async def open(self) -> tuple[Ledger, Tournament]:
        """Open the ledger of the tournament that lives there, and plan it again.

        Raises:
            FolderError: none does.
            LedgerError: the ledger cannot be used, or the spec was changed.
            SpecError: the spec cannot be played any more.
        """
        private = self.private()
        ledger = await open_ledger(private.ledger or self.own_ledger())
        try:
            return ledger, await load(ledger, private.tournament, self.table())
        except BaseException:
            await ledger.close()
            raise

    def private(self) -> Private:
        """What `runner.json` says. Raises FolderError."""
        path = self.file("runner.json")
        try:
            return Private(**json.loads(path.read_text("utf-8")))
        except FileNotFoundError:
            raise FolderError(f"there is no tournament in {self.path}: {path.name} is missing") from None
        except (OSError, TypeError, ValueError) as error:
            raise FolderError(f"{path} cannot be read: {error}") from error

    def programs(self) -> Path:
        """The folder in which entrants' programs run. Raises FolderError."""
        return Path(self.private().programs)

    def table(self) -> dict[str, Any]:
        """The spec. Raises FolderError or SpecError."""
        try:
            if self.file("spec.toml").exists():
                text = self.file("spec.toml").read_text("utf-8-sig")
                read_spec(text)  # says what is wrong with lines
                return tomllib.loads(text)
            table: dict[str, Any] = json.loads(self.file("spec.json").read_text("utf-8"))
        except SpecError:
            raise
        except (OSError, ValueError) as error:
            raise FolderError(f"the spec in {self.path} cannot be read: {error}") from error
        return table

    def own_ledger(self) -> str:
        """The URL of the ledger in it."""
        return f"sqlite:///{self.file('ledger.sqlite').resolve()}"

    def _make(self) -> None:
        try:
            self._made = self._made or not self.path.exists()
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolderError(f"{self.path} cannot be made: {error.strerror}") from error

    def _write_private(self, name: str, text: str) -> None:
        path = self.file(name)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
