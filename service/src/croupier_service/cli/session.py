"""``croupier session``: list, show, create, abort and watch the sessions of a server."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from enum import StrEnum
from typing import Annotated

import typer

from croupier import admin
from croupier.errors import RequestError
from croupier.v1 import game_pb2, session_pb2
from croupier_games.kernel import OptionError, Seed, UnknownGame, find_game
from croupier_games.kernel.game import name_value
from croupier_service.wire.registry import codecs

from .connecting import (
    DEFAULT_TARGET,
    EXIT_FAILED,
    Connection,
    Format,
    FormatOption,
    Target,
    Tls,
    TlsCa,
    Token,
    as_json,
    explained,
    json_line,
    run,
    say,
    stdout,
)
from .showing import Log, Stage
from .standing import tell, tell_all
from .tables import look_of
from .watching import Follow, session_of, updates

PAGE = 200
FIELDS = {
    "game": "GAME",
    "bots": "--bots",
    "options": "--option",
    "seed": "--seed",
    "labels": "--label",
    "request_id": "--request-id",
    "spectator_delay_ms": "--spectator-delay",
    "clock.think_time_ms": "--think-time",
    "clock.bank_ms": "--bank",
    "clock.increment_ms": "--increment",
    "faults.policy": "--forfeit",
    "faults.max_faults": "--max-faults",
    "faults.attempts": "--attempts",
    "session_id": "SESSION",
    "from_seq": "--from",
}
"""The options that fill the fields of requests."""

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True, rich_markup_mode="markdown"
)


class StateName(StrEnum):
    """Where a session stands."""

    RUNNING = "running"
    FINISHED = "finished"
    ABORTED = "aborted"


class ViewKind(StrEnum):
    """How a session is shown."""

    AUTO = "auto"
    LIVE = "live"
    LOG = "log"


def session(argv: Sequence[str]) -> int:
    """List, show, create, abort and watch the sessions of a server."""
    return run(app, "session", argv)


@app.callback()
def _session() -> None:
    """List, show, create, abort and watch the sessions of a server.

    Exit codes: 0 done, 1 the server refused (stderr says why, naming the option), 2 wrong usage, 3 no server can be
    reached, 130 interrupted.
    """


SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.", show_default=False)]


@app.command("list")
def _list(
    *,
    state: Annotated[StateName | None, typer.Option(help="Only those in this state.")] = None,
    game: Annotated[str, typer.Option(metavar="GAME", help="Only those of this game.", show_default=False)] = "",
    bot: Annotated[str, typer.Option(metavar="BOT", help="Only those in which it sits.", show_default=False)] = "",
    label: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Only those with this label.")] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many.")] = 50,
    output: FormatOption = Format.TEXT,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
) -> None:
    """List sessions, newest first."""
    labels = _pairs(label, "--label")

    async def found(server: admin.Server) -> tuple[list[session_pb2.Session], bool]:
        request = session_pb2.ListSessionsRequest(game=game, bot=bot, page_size=min(PAGE, limit + 1))
        if state is not None:
            request.state = session_pb2.SessionState.Value(f"SESSION_STATE_{state.name}")
        sessions: list[session_pb2.Session] = []
        while len(sessions) <= limit:
            reply = await server.sessions.ListSessions(request)
            sessions += [one for one in reply.sessions if labels.items() <= dict(one.labels).items()]
            if not reply.next_page_token:
                break
            request.page_token = reply.next_page_token
        return sessions[:limit], len(sessions) > limit

    connection = Connection("session list", target, token, tls, tls_ca)
    sessions, more = connection.call(found, {"game": "--game", "bot": "--bot", "state": "--state"})
    tell_all(sessions, output)
    if more:
        say("session list", f"there are more than these {limit}; --limit shows them")


@app.command("show")
def _show(
    session_id: SessionId,
    *,
    output: FormatOption = Format.TEXT,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
) -> None:
    """Show one session: who sits where, how the clocks stand, how it ended."""
    connection = Connection("session show", target, token, tls, tls_ca)
    one = connection.call(lambda server: session_of(server, session_id), FIELDS)
    tell(one, output)


@app.command("create")
def _create(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's name.", show_default=False)],
    *,
    bots: Annotated[
        str,
        typer.Option(
            metavar="BOT,BOT,...",
            help="Who sits where, in seat order: names of bots that have connected, or house:NAME.",
            show_default=False,
        ),
    ],
    seed: Annotated[
        str,
        typer.Option(
            metavar="HEX",
            help="64 hexadecimal digits, for duplicate deals. Without it the server draws one, commits to it and "
            "reveals it at the end.",
            show_default=False,
        ),
    ] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the game.")] = None,
    label: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A label of your own.")] = None,
    think_time: Annotated[float | None, typer.Option(min=0, metavar="SECONDS", help="For each decision.")] = None,
    bank: Annotated[float | None, typer.Option(min=0, metavar="SECONDS", help="For the whole session.")] = None,
    increment: Annotated[float | None, typer.Option(min=0, metavar="SECONDS", help="After each decision.")] = None,
    max_faults: Annotated[int | None, typer.Option(min=1, metavar="N", help="After which a seat is vacated.")] = None,
    attempts: Annotated[int | None, typer.Option(min=1, metavar="N", help="At each decision.")] = None,
    forfeit: Annotated[bool, typer.Option("--forfeit", help="Vacate a seat at its first missed decision.")] = False,
    spectator_delay: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How far spectators lag behind.")
    ] = 0.0,
    request_id: Annotated[
        str, typer.Option(metavar="TEXT", help="Makes it safe to ask again: the same id, the same session.")
    ] = "",
    watch: Annotated[bool, typer.Option("--watch", help="Watch it at once.")] = False,
    output: FormatOption = Format.TEXT,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
) -> None:
    """Deal and start a session.

    For example: croupier session create trick-and-trade --bots first,house:greedy,house:random
    """
    request = session_pb2.CreateSessionRequest(
        request_id=request_id,
        game=game,
        bots=[bot.strip() for bot in bots.split(",")],
        seed=_seed(seed),
        labels=_pairs(label, "--label"),
        spectator_delay_ms=_ms(spectator_delay) or 0,
        clock=game_pb2.ClockSettings(think_time_ms=_ms(think_time), bank_ms=_ms(bank), increment_ms=_ms(increment)),
        faults=game_pb2.FaultSettings(
            policy=game_pb2.FAULT_POLICY_FORFEIT if forfeit else game_pb2.FAULT_POLICY_UNSPECIFIED,
            max_faults=max_faults,
            attempts=attempts,
        ),
    )
    options = _pairs(option, "--option")
    if options:
        request.options.CopyFrom(_options(game, options))

    async def create(server: admin.Server) -> session_pb2.Session:
        return (await server.sessions.CreateSession(request)).session

    connection = Connection("session create", target, token, tls, tls_ca)
    one = connection.call(create, FIELDS)
    if watch:
        _watch_it(connection, Follow(one.session_id), output, ViewKind.AUTO)
    else:
        tell(one, output)


@app.command("abort")
def _abort(
    session_ids: Annotated[list[str], typer.Argument(metavar="SESSION...", help="Their ids.", show_default=False)],
    *,
    output: FormatOption = Format.TEXT,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
) -> None:
    """End running sessions without a result."""
    connection = Connection("session abort", target, token, tls, tls_ca)

    async def abort(server: admin.Server) -> bool:
        all_well = True
        for session_id in session_ids:
            try:
                reply = await server.sessions.AbortSession(session_pb2.AbortSessionRequest(session_id=session_id))
            except RequestError as error:
                if len(session_ids) == 1:
                    raise
                say("session abort", *explained(error, target, FIELDS))
                all_well = False
                continue
            if output is Format.JSON:
                json_line(as_json(reply.session))
            else:
                typer.echo(f"session {session_id} is aborted after {reply.session.seq} events")
        return all_well

    if not connection.call(abort, FIELDS):
        raise typer.Exit(EXIT_FAILED)


@app.command("watch")
def _watch(
    session_id: SessionId,
    *,
    from_seq: Annotated[
        int, typer.Option("--from", min=0, metavar="N", help="Show only what came after so many events.")
    ] = 0,
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Go on to the end, or stop at what there is now.")
    ] = True,
    view: Annotated[
        ViewKind,
        typer.Option(
            help="Draw the table over and over, or tell line by line; auto: live on a terminal, while it runs."
        ),
    ] = ViewKind.AUTO,
    output: FormatOption = Format.TEXT,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
) -> None:
    """Watch a session, running or over, as a spectator may see it.

    Where the server is lost on the way, it is looked for again, and nothing is shown twice. JSON lines are the
    contract's SessionUpdate messages.
    """
    connection = Connection("session watch", target, token, tls, tls_ca)
    _watch_it(connection, Follow(session_id, from_seq, follow), output, view)


def _watch_it(connection: Connection, asked: Follow, output: Format, view: ViewKind) -> None:
    def lost(error: RequestError) -> None:
        say(connection.command, f"{connection.target}: {error.message}; trying again")

    asked = Follow(asked.session_id, asked.from_seq, asked.follow, lost)

    async def show(server: admin.Server) -> None:
        if output is Format.JSON:
            async for update in updates(server, asked):
                json_line(as_json(update))
                sys.stdout.flush()
            return
        one = await session_of(server, asked.session_id)
        bots = [seat.bot for seat in one.seats]
        running = one.state == session_pb2.SESSION_STATE_RUNNING
        console = stdout()
        live = view is ViewKind.LIVE or (view is ViewKind.AUTO and running and asked.follow and console.is_terminal)
        with closing((Stage if live else Log)(console, look_of(one.game), bots)) as shown:
            async for update in updates(server, asked):
                shown.update(update)

    connection.call(show, FIELDS)


# What there is to read of a command line.


def _pairs(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    try:
        return dict(name_value(text) for text in texts or ())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def _seed(text: str) -> bytes:
    if not text:
        return b""
    try:
        return Seed.from_hex(text).raw
    except ValueError:
        raise typer.BadParameter(
            f"is 64 hexadecimal digits, not {text!r}; leave it out, and the server draws one", param_hint="--seed"
        ) from None


def _options(game: str, texts: dict[str, str]) -> game_pb2.GameOptions:
    try:
        options = find_game(game).options(texts)
        return codecs()[game].options_to_wire(options)
    except (UnknownGame, KeyError) as error:
        raise typer.BadParameter(str(error), param_hint="GAME") from error
    except OptionError as error:
        raise typer.BadParameter(f"{error.field} {error}", param_hint="--option") from error


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
