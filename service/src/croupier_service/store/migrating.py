"""Brings a database to the schema of this version; never back."""

from __future__ import annotations

from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from .address import StoreError


def newest() -> str:
    """The revision of the schema that this version of Croupier has: ``0001``."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def revision(connection: Connection) -> str | None:
    """The revision that the database has; None: it is empty. Raises StoreError where it is newer than this version."""
    current = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if current is not None and current not in known:
        raise StoreError(
            f"the store was written by a newer Croupier (its schema is {current}, this version knows {newest()}); "
            "use that version, or another store"
        )
    return current


def upgrade(connection: Connection) -> str | None:
    """Apply the migrations that are missing, in the transaction of the connection; returns the revision from before.

    Raises StoreError where the database is newer than this version.
    """
    before = revision(connection)
    if before != newest():
        command.upgrade(_config(connection), "head")
    return before


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    folder = str(files(__package__) / "migrations")
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
