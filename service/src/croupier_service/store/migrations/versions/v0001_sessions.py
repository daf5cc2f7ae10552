"""Sessions, their seats, their steps, and the log of what came in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """From an empty database."""
    op.create_table(
        "sessions",
        sa.Column("number", BIG, autoincrement=False, nullable=False),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("state", sa.SmallInteger, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("rules_version", sa.Integer, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("bots", sa.Text, nullable=False),
        sa.Column("seed", sa.String(64), nullable=False),
        sa.Column("seed_given", sa.SmallInteger, nullable=False),
        sa.Column("think_time_ms", sa.Integer, nullable=False),
        sa.Column("bank_ms", sa.Integer, nullable=False),
        sa.Column("increment_ms", sa.Integer, nullable=False),
        sa.Column("policy", sa.SmallInteger, nullable=False),
        sa.Column("max_faults", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("labels", sa.Text, nullable=False),
        sa.Column("spectator_delay_ms", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("request_key", sa.String(64)),
        sa.Column("fingerprint", sa.String(64)),
        sa.Column("ended_at", sa.Double),
        sa.Column("ending", sa.Text),
        sa.Column("set_aside", sa.Text),
        sa.PrimaryKeyConstraint("number", name="sessions_pkey"),
        sa.UniqueConstraint("id", name="sessions_id_key"),
        sa.UniqueConstraint("request_key", name="sessions_request_key_key"),
    )
    op.create_index("sessions_state_number_idx", "sessions", ["state", "number"])
    op.create_index("sessions_game_number_idx", "sessions", ["game", "number"])
    op.create_table(
        "seats",
        sa.Column("session", BIG, autoincrement=False, nullable=False),
        sa.Column("seat", sa.SmallInteger, autoincrement=False, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("session", "seat", name="seats_pkey"),
        sa.ForeignKeyConstraint(["session"], ["sessions.number"], name="seats_session_fkey"),
    )
    op.create_index("seats_bot_session_idx", "seats", ["bot", "session"])
    op.create_table(
        "steps",
        sa.Column("session", BIG, autoincrement=False, nullable=False),
        sa.Column("first", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("lines", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("session", "first", name="steps_pkey"),
        sa.ForeignKeyConstraint(["session"], ["sessions.number"], name="steps_session_fkey"),
    )
    op.create_table(
        "log",
        sa.Column("number", BIG, autoincrement=False, nullable=False),
        sa.Column("lines", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="log_pkey"),
    )
