"""A copy of a SQLite store, made while a server is at work in it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from .address import StoreError
from .sqlite import PRIVATE

PAGES_AT_ONCE = 2_000


def back_up(file: Path, to: Path, progress: Callable[[int, int], None]) -> int:
    """Copy the store as it is at this moment, whatever is written meanwhile; returns the size of the copy in bytes.

    ``progress`` is told the pages copied and all pages. The copy takes its name when it is complete and safe on the
    disk. Raises StoreError where there is no store, the copy exists already or cannot be written.
    """
    if not file.exists():
        raise StoreError(f"there is no store {file}")
    if to.exists():
        raise StoreError(f"{to} exists already; a backup overwrites nothing")
    part = to.with_name(f"{to.name}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE))
        with (
            closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as source,
            closing(sqlite3.connect(part)) as copy,
        ):
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # from here on it is this moment's state
            source.backup(copy, pages=PAGES_AT_ONCE, progress=lambda _, left, total: progress(total - left, total))
            source.execute("COMMIT")
            (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise StoreError(f"the copy of {file} is not sound: {found}")
        _sync(part)
        part.rename(to)
        _sync(to.absolute().parent)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"cannot copy {file} to {to}: {error}") from error
    finally:
        part.unlink(missing_ok=True)
    return to.stat().st_size


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
