"""Run by Alembic: applies migrations over the connection that ``migrating.py`` hands in, in its transaction."""

from __future__ import annotations

from alembic import context

from croupier_service.store.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
