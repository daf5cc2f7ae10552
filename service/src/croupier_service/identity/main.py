"""``croupier bot create``, ``list``, ``rotate`` and ``delete``."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import typer

from croupier_service.sessions.host import HostError

from .manage import Manager, Shown, manager
from .registry import MAX_LIFETIME_S
from .roles import Role

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2

T = TypeVar("T")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

ROLES = [role.word for role in Role]
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}

Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="1 to 64 characters a-z 0-9 - _ .")]
Store: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="STORE",
        help="Work on this store itself (see `croupier serve --store`), whether a server runs on it or not.",
    ),
]
Target: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="Ask this server. [default: $CROUPIER_TARGET, or localhost:7700]"),
]
Token: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="TOKEN", help="An operator's token. [default: $CROUPIER_TOKEN, which no process list shows]"),
]
Format: TypeAlias = Annotated[
    Literal["text", "json"], typer.Option("--format", help="For people, or for programs.", show_default=True)
]


def create(argv: Sequence[str]) -> int:
    """Register a bot, or somebody else who needs a token, and show the token this once."""
    return _command("create", argv)


def list_(argv: Sequence[str]) -> int:
    """List who has a token."""
    return _command("list", argv)


def rotate(argv: Sequence[str]) -> int:
    """Replace a token: the old one is refused at once."""
    return _command("rotate", argv)


def delete(argv: Sequence[str]) -> int:
    """Remove a bot and its token; its records stay."""
    return _command("delete", argv)


@app.command("create")
def _create(
    name: Name,
    *,
    role: Annotated[str, typer.Option(metavar="ROLE", help=f"What it may do: {', '.join(ROLES)}.")] = "bot",
    expires: Annotated[
        str, typer.Option(metavar="TIME", help="When the token stops being good: 12h, 30d, 8w, or never.")
    ] = "never",
    store: Store = None,
    target: Target = None,
    token: Token = None,
    output: Format = "text",
) -> None:
    """Register a bot, or somebody else who needs a token, and show the token this once.

    The token alone goes to stdout (so `TOKEN=$(croupier bot create ann)` works), the rest to stderr.

    The first operator is made on the store: `croupier bot create me --role operator --store croupier.db`. After that,
    CROUPIER_TOKEN and --target do, from any machine (CROUPIER_TLS, CROUPIER_TLS_CA for TLS).

    Exit codes: 0 done, 1 refused or not reached, 2 wrong usage.
    """
    if role not in ROLES:
        raise typer.BadParameter(f"is one of {', '.join(ROLES)}, not {role!r}", param_hint="--role")
    lifetime = _lifetime(expires)
    shown, made = _run(store, target, token, lambda at: at.create(name, Role[role.upper()], lifetime))
    _say_token(shown, made, "created", output)


@app.command("list")
def _list(*, store: Store = None, target: Target = None, token: Token = None, output: Format = "text") -> None:
    """List who has a token, by name.

    Exit codes: 0 done, 1 refused or not reached, 2 wrong usage.
    """

    async def everybody(at: Manager) -> list[Shown]:
        return [shown async for shown in at.all()]

    found = _run(store, target, token, everybody)
    if output == "json":
        print(json.dumps([_as_json(shown) for shown in found], indent=2))
    else:
        _print_table(found)


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
    target: Target = None,
    token: Token = None,
    output: Format = "text",
) -> None:
    """Replace a token: the old one is refused at once, and streams that were opened with it end.

    The new token alone goes to stdout, the rest to stderr. A bot that plays has the grace of its server
    (`croupier serve --grace`) to come back with it.

    Exit codes: 0 done, 1 refused or not reached, 2 wrong usage.
    """
    lifetime = None if expires is None else _lifetime(expires)
    shown, made = _run(store, target, token, lambda at: at.rotate(name, lifetime))
    _say_token(shown, made, "rotated the token of", output)


@app.command("delete")
def _delete(
    name: Name, *, store: Store = None, target: Target = None, token: Token = None, output: Format = "text"
) -> None:
    """Remove a bot and its token; its records stay. Its name is free then.

    Exit codes: 0 done, 1 refused or not reached, 2 wrong usage.
    """
    _run(store, target, token, lambda at: at.delete(name))
    print(json.dumps({"deleted": name}) if output == "json" else f"deleted {name}")


# -- inside ------------------------------------------------------------------------------------------------------------


def _command(name: str, argv: Sequence[str]) -> int:
    try:
        app([name, *argv], prog_name="croupier bot")  # says by itself what is wrong with its arguments
    except SystemExit as done:
        return int(done.code or EXIT_OK)
    return EXIT_OK


def _run(store: str | None, target: str | None, token: str | None, work: Callable[[Manager], Awaitable[T]]) -> T:
    """Do it. Ends the command with what is wrong in one line."""
    from croupier import CroupierError
    from croupier_service.store.address import StoreError

    if store and (target or token):
        raise typer.BadParameter("is the store itself: give either it or --target and --token", param_hint="--store")

    async def main() -> T:
        async with manager(store, target, token) as at:
            return await work(at)

    try:
        return asyncio.run(main())
    except HostError as error:
        said = f"{error.field}: {error}" if error.field else str(error)
    except StoreError as error:
        said = str(error)
    except CroupierError as error:
        said = f"{target or os.environ.get('CROUPIER_TARGET') or 'localhost:7700'}: {error}"
    print(f"croupier bot: {said}", file=sys.stderr)
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


def _say_token(shown: Shown, token: str, what: str, output: str) -> None:
    if output == "json":
        print(json.dumps({**_as_json(shown), "token": token}))
        return
    until = f"good until {_when(shown.expires_at)}" if shown.expires_at else "good until it is rotated"
    print(f"{what} {shown.name} ({shown.role.word}); the token is {until}, and shown this once:", file=sys.stderr)
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
    from rich.console import Console
    from rich.table import Table

    if not found:
        print("nobody has a token yet; `croupier bot create NAME` makes one", file=sys.stderr)
        return
    table = Table(box=None, pad_edge=False)
    for head in ("name", "role", "online", "last seen", "expires"):
        table.add_column(head, no_wrap=True)
    for shown in found:
        online = {True: "yes", False: "no", None: "?"}[shown.online]
        last_seen, expires = _when(shown.last_seen_at) or "never", _when(shown.expires_at) or "never"
        table.add_row(shown.name, shown.role.word, online, last_seen, expires)
    console = Console()
    console.print(table, width=None if console.is_terminal else 200)


def _when(seconds: float | None) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC") if seconds is not None else ""


def _iso(seconds: float | None) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds is not None else None
