"""The ledger's tables, for SQLite and PostgreSQL alike."""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

VERSION = 2
"""Of these tables. A ledger of another version is refused."""

metadata = MetaData()

about = Table("ledger_about", metadata, Column("version", Integer, primary_key=True))

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("number", BigInteger, nullable=False, unique=True),  # in the order of their making
    Column("request_id", String(128), unique=True),
    Column("title", Text, nullable=False),
    Column("spec", Text, nullable=False),  # JSON
    Column("plan_hash", String(64), nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("secret", String(64), nullable=False),  # private until the end
    Column("commitment", String(64), nullable=False),  # its SHA-256
    Column("state", String(16), nullable=False),
    Column("wish", String(16), nullable=False, server_default=""),  # what somebody wants of whoever runs it
    Column("counted", Integer),  # blocks before this one count; null: all that are final
    Column("reason", Text, nullable=False, server_default=""),  # why it ended
    Column("created", Float, nullable=False),
    Column("ended", Float),
    Column("owner", String(128)),  # who runs it
    Column("heartbeat", Float),  # when the owner last said so
)

games = Table(
    "games",
    metadata,
    Column("tournament", String(64), ForeignKey("tournaments.id"), primary_key=True),
    Column("block", Integer, primary_key=True),
    Column("replay", SmallInteger, primary_key=True),
    Column("state", String(10), nullable=False),  # leased, reported, final, void
    Column("attempt", Integer, nullable=False),
    Column("owner", String(128), nullable=False),
    Column("leased", Float, nullable=False),
    Column("server", String(256), nullable=False),
    Column("session", String(128), nullable=False, server_default=""),
    Column("bots", Text, nullable=False),  # as they sat, JSON; below likewise, by seat
    Column("points", Text),
    Column("placings", Text),
    Column("forfeited", Text),
    Column("faults", Text),  # counts by kind
    Column("decisions", Text),
    Column("charged", Text),  # milliseconds
    Column("ended", Float),
    sqlite_with_rowid=False,
)
Index("games_by_state", games.c.tournament, games.c.state)

records = Table(
    "records",
    metadata,
    Column("tournament", String(64), primary_key=True),
    Column("block", Integer, primary_key=True),
    Column("replay", SmallInteger, primary_key=True),
    Column("text", LargeBinary, nullable=False),  # zlib
    Column("charged", LargeBinary, nullable=False),  # milliseconds by input: JSON, zlib
)

voids = Table(
    "voids",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("tournament", String(64), nullable=False, index=True),
    Column("block", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("games", Integer, nullable=False),  # how many of its games had begun
    Column("reason", Text, nullable=False),
    Column("at", Float, nullable=False),
)

entrants = Table(
    "entrants",
    metadata,
    Column("tournament", String(64), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("crashes", Integer, nullable=False),
    Column("disqualified", Text),  # why; null: it is not
)
