"""``croupier bot create``, ``list``, ``rotate`` and ``delete``: at a server, or on its store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import typer

from croupier_service.cli.connecting import (
    DEFAULT_TARGET,
    EXIT_FAILED,
    Connection,
    Format,
    FormatOption,
    Target,
    Tls,
    TlsCa,
    Token,
    json_line,
    run,
    say,
    stdout,
)
from croupier_service.sessions.errors import HostError

from .manage import AtServer, Manager, Shown, in_store
from .registry import MAX_LIFETIME_S
from .roles import Role

T = TypeVar("T")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

ROLES = [role.word for role in Role]
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
FIELDS = {"name": "NAME", "expires_in_s": "--expires"}

Name = Annotated[str, typer.Argument(metavar="NAME", help="1 to 64 characters a-z 0-9 - _ .")]
Store = Annotated[
    str | None,
    typer.Option(
        metavar="STORE",
        help="Ask no server: work on this store (see `croupier serve --store`), whether a server runs on it or not.",
        show_default=False,
    ),
]


def create(argv: Sequence[str]) -> int:
    """Register a bot, or somebody else who needs a token, and show the token this once."""
    return run(app, "bot", ["create", *argv])


def list_(argv: Sequence[str]) -> int:
    """List who has a token."""
    return run(app, "bot", ["list", *argv])


def rotate(argv: Sequence[str]) -> int:
    """Replace a token: the old one is refused at once."""
    return run(app, "bot", ["rotate", *argv])


def delete(argv: Sequence[str]) -> int:
    """Remove a bot and its token; its records stay."""
    return run(app, "bot", ["delete", *argv])


@app.command("create")
def _create(
    name: Name,
    *,
    role: Annotated[str, typer.Option(metavar="ROLE", help=f"What it may do: {', '.join(ROLES)}.")] = "bot",
    expires: Annotated[
        str, typer.Option(metavar="TIME", help="When the token stops being good: 12h, 30d, 8w, or never.")
    ] = "never",
    store: Store = None,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Register a bot, or somebody else who needs a token, and show the token this once.

    The token alone goes to stdout (so `TOKEN=$(croupier bot create ann)` works), the rest to stderr.

    The first operator is made on the store: `croupier bot create me --role operator --store croupier.db`. After that,
    any machine will do, with CROUPIER_TOKEN.

    Exit codes: 0 done, 1 refused, 2 wrong usage, 3 no server reached.
    """
    if role not in ROLES:
        raise typer.BadParameter(f"is one of {', '.join(ROLES)}, not {role!r}", param_hint="--role")
    lifetime = _lifetime(expires)
    server = Connection("bot create", target, token, tls, tls_ca)
    shown, made = _work(server, store, lambda at: at.create(name, Role[role.upper()], lifetime))
    _say_token(server, shown, made, "created", output)


@app.command("list")
def _list(
    *,
    store: Store = None,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """List who has a token, by name. With `--format json`, one object a line.

    Exit codes: 0 done, 1 refused, 2 wrong usage, 3 no server reached.
    """

    async def everybody(at: Manager) -> list[Shown]:
        return [shown async for shown in at.all()]

    found = _work(Connection("bot list", target, token, tls, tls_ca), store, everybody)
    if output is Format.JSON:
        for shown in found:
            json_line(_as_json(shown))
    elif found:
        _print_table(found)
    else:
        say("bot list", "nobody has a token yet; `croupier bot create NAME` makes one")


@app.command("rotate")
def _rotate(
    name: Name,
    *,
    expires: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="12h, 30d, 8w, or never. [default: after as long as the old one was made for]"
        ),
    ] = None,
    store: Store = None,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Replace a token: the old one is refused at once, and streams that were opened with it end.

    The new token alone goes to stdout, the rest to stderr. A bot that plays has the grace of its server
    (`croupier serve --grace`) to come back with it.

    Exit codes: 0 done, 1 refused, 2 wrong usage, 3 no server reached.
    """
    lifetime = None if expires is None else _lifetime(expires)
    server = Connection("bot rotate", target, token, tls, tls_ca)
    shown, made = _work(server, store, lambda at: at.rotate(name, lifetime))
    _say_token(server, shown, made, "rotated the token of", output)


@app.command("delete")
def _delete(
    name: Name,
    *,
    store: Store = None,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Remove a bot and its token; its records stay. Its name is free then.

    Exit codes: 0 done, 1 refused, 2 wrong usage, 3 no server reached.
    """
    _work(Connection("bot delete", target, token, tls, tls_ca), store, lambda at: at.delete(name))
    if output is Format.JSON:
        json_line({"deleted": name})
    else:
        print(f"deleted {name}")


# -- inside ------------------------------------------------------------------------------------------------------------


def _work(server: Connection, store: str | None, work: Callable[[Manager], Awaitable[T]]) -> T:
    """Do it at the server, or on a store where one is named. Ends the command with what is wrong in one line."""
    if store is None:
        return server.call(lambda connected: work(AtServer(connected.bots)), FIELDS)
    from croupier_service.store.address import StoreError

    async def on_store() -> T:
        async with in_store(store) as manager:
            return await work(manager)

    try:
        return asyncio.run(on_store())
    except HostError as error:
        said = f"{FIELDS.get(error.field, error.field)}: {error}"
    except StoreError as error:
        said = str(error)
    say(server.command, said)
    raise typer.Exit(EXIT_FAILED)


def _lifetime(text: str) -> int:
    """Seconds; 0: for ever."""
    if text == "never":
        return 0
    found = re.fullmatch(r"([1-9]\d*)([smhdw])", text)
    seconds = int(found[1]) * UNITS[found[2]] if found else 0
    if not 0 < seconds <= MAX_LIFETIME_S:
        raise typer.BadParameter(
            f"is a number with s, m, h, d or w after it (30d), at most a hundred years, or never; not {text!r}",
            param_hint="--expires",
        )
    return seconds


def _say_token(server: Connection, shown: Shown, token: str, what: str, output: Format) -> None:
    if output is Format.JSON:
        json_line({**_as_json(shown), "token": token})
        return
    until = f"good until {_when(shown.expires_at)}" if shown.expires_at else "good until it is rotated"
    say(server.command, f"{what} {shown.name} ({shown.role.word}); the token is {until}, and shown this once:")
    print(token, flush=True)


def _as_json(shown: Shown) -> dict[str, Any]:
    return {
        "name": shown.name,
        "role": shown.role.word,
        "online": shown.online,
        "created": _iso(shown.created_at),
        "last_seen": _iso(shown.last_seen_at),
        "expires": _iso(shown.expires_at),
    }


def _print_table(found: Sequence[Shown]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in ("name", "role", "online", "last seen", "expires"):
        table.add_column(head, no_wrap=True)
    for shown in found:
        online = {True: "yes", False: "no", None: "?"}[shown.online]
        last_seen, expires = _when(shown.last_seen_at) or "never", _when(shown.expires_at) or "never"
        table.add_row(shown.name, shown.role.word, online, last_seen, expires)
    stdout().print(table)


def _when(seconds: float | None) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC") if seconds is not None else ""


def _iso(seconds: float | None) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds is not None else None
