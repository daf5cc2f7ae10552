"""Identities and their tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add a table."""
    op.create_table(
        "identities",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("role", sa.SmallInteger, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("issued_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.Column("last_seen_at", sa.Double),
        sa.Column("request_key", sa.String(64)),
        sa.PrimaryKeyConstraint("name", name="identities_pkey"),
        sa.UniqueConstraint("token_hash", name="identities_token_hash_key"),
        sa.UniqueConstraint("request_key", name="identities_request_key_key"),
    )
