"""Where a store is: ``memory:``, a file, or the URL of a database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import URL

MEMORY = "memory:"
FORMS = f"{MEMORY}, a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"


class StoreError(Exception):
    """A store cannot be used, or not any more. The message says why, and what would help; it holds no password."""


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """One of: neither (memory), ``file`` (SQLite), ``url`` (PostgreSQL)."""

    file: Path | None = None
    url: URL | None = None

    @classmethod
    def parse(cls, text: str) -> StoreAddress:
        """Read what a user gives. Raises StoreError saying which forms there are."""
        if text == MEMORY:
            return cls()
        if "://" not in text:
            if not text or text.startswith((":", "sqlite:", "postgresql:")):
                raise StoreError(f"a store is {FORMS}, not {text!r}")
            return cls(file=Path(text).expanduser())
        from sqlalchemy import make_url  # noqa: PLC0415 - takes time to load, and memory and files do without
        from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

        try:
            url = make_url(text)
        except (ArgumentError, ValueError):
            raise StoreError(f"this is not a URL that can be read; a store is {FORMS}") from None
        kind = url.drivername.partition("+")[0]
        if kind == "sqlite":
            if not url.database or url.database == ":memory:":
                raise StoreError(f"a URL of SQLite names a file (sqlite:///croupier.db); to keep nothing, say {MEMORY}")
            return cls(file=Path(url.database).expanduser())
        if kind in ("postgresql", "postgres"):
            if not url.database:
                raise StoreError("a URL of PostgreSQL names a database: postgresql://USER:PASSWORD@HOST/DATABASE")
            return cls(url=url.set(drivername="postgresql+asyncpg"))
        raise StoreError(f"a store is {FORMS}, not {kind}")

    def __str__(self) -> str:
        """For people and logs; a password is not shown."""
        if self.file is not None:
            return str(self.file)
        if self.url is not None:
            return self.url.set(drivername="postgresql").render_as_string(hide_password=True)
        return MEMORY
