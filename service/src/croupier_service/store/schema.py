"""The tables. What changes here needs a migration beside it (``migrations/versions``); a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

REVISION = "0002"
"""The latest migration. Revisions are numbers of four digits, so that the newer one is the greater text."""

METADATA = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
    }
)
BIG = BigInteger().with_variant(Integer(), "sqlite")
"""64 bits; in SQLite every integer has them, and only one called INTEGER can be the row's own number."""

sessions = Table(
    "sessions",
    METADATA,
    Column("number", BIG, primary_key=True, autoincrement=False),  # in the order of creation
    Column("id", String(64), nullable=False, unique=True),
    Column("state", SmallInteger, nullable=False),  # as in the contract: 1 running, 2 finished, 3 aborted
    Column("game", Text, nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("options", Text, nullable=False),  # JSON: texts by name, those that are not at their defaults
    Column("bots", Text, nullable=False),  # JSON: names, seat by seat
    Column("seed", String(64), nullable=False),  # hexadecimal
    Column("seed_given", SmallInteger, nullable=False),
    Column("think_time_ms", Integer, nullable=False),
    Column("bank_ms", Integer, nullable=False),
    Column("increment_ms", Integer, nullable=False),
    Column("policy", SmallInteger, nullable=False),
    Column("max_faults", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("labels", Text, nullable=False),  # JSON: texts by name
    Column("spectator_delay_ms", Integer, nullable=False),
    Column("created_at", Double, nullable=False),  # seconds since 1970
    Column("request_key", String(64), unique=True),  # SHA-256 of the request id, so that any text will do
    Column("fingerprint", String(64)),  # SHA-256 of the request
    Column("ended_at", Double),
    Column("ending", Text),  # JSON: events, seats, result
    Column("set_aside", Text),  # why it could not be gone on with; such a session counts as aborted
    Index("sessions_state_number_idx", "state", "number"),
    Index("sessions_game_number_idx", "game", "number"),
)

seats = Table(
    "seats",
    METADATA,
    Column("session", BIG, ForeignKey("sessions.number"), primary_key=True, autoincrement=False),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("bot", Text, nullable=False),
    Index("seats_bot_session_idx", "bot", "session"),
)

steps = Table(
    "steps",
    METADATA,
    Column("session", BIG, ForeignKey("sessions.number"), primary_key=True, autoincrement=False),
    Column("first", Integer, primary_key=True, autoincrement=False),  # the number of the first of them
    Column("lines", Text, nullable=False),  # one for each step, see lines.py
)
"""All steps of a session that is over, in one row; of a running one, in pieces, those that have left the log."""

identities = Table(
    "identities",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("role", SmallInteger, nullable=False),  # as in the contract
    Column("token_hash", String(64), nullable=False, unique=True),  # SHA-256, hexadecimal
    Column("created_at", Double, nullable=False),  # seconds since 1970, like the others
    Column("issued_at", Double, nullable=False),
    Column("expires_at", Double),
    Column("last_seen_at", Double),
    Column("request_key", String(64), unique=True),  # SHA-256 of the request id, so that any text will do
)

log = Table(
    "log",
    METADATA,
    Column("number", BIG, primary_key=True, autoincrement=False),
    Column("lines", Text, nullable=False),  # one for each step, see lines.py
)
"""The steps of running sessions as they came, a row for each batch: written once at the end of the table, which costs a
tenth of a row for each step in its own place. Rows that no running session needs are deleted."""
