"""Brings a database to the schema of this version; never back.

Alembic is loaded only where there is something to do: that takes as long as all the rest of a server's start.
"""

from __future__ import annotations

from importlib.resources import files

from sqlalchemy import Connection, inspect, text

from .address import StoreError
from .schema import REVISION


def revision(connection: Connection) -> str | None:
    """The revision that the database has; None: it is empty. Raises StoreError where it is newer than this version."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    current: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if current is not None and current > REVISION:
        raise StoreError(
            f"the store was written by a newer Croupier (its schema is {current}, this version knows {REVISION}); "
            "use that version, or another store"
        )
    return current


def upgrade(connection: Connection) -> str | None:
    """Apply the migrations that are missing, in the transaction of the connection; returns the revision from before.

    Raises StoreError where the database is newer than this version.
    """
    before = revision(connection)
    if before != REVISION:
        from alembic import command  # noqa: PLC0415 - see the module
        from alembic.config import Config  # noqa: PLC0415

        config = Config()
        folder = str(files(__package__) / "migrations")
        config.set_main_option("script_location", folder.replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return before
