"""Playing a bot: `run` for programs that do nothing else, `play` for asyncio programs."""

import asyncio
import contextlib
import inspect
import os
import re
import signal
from collections.abc import Collection, Coroutine
from typing import Any, Literal, cast

from croupier import eventloop
from croupier.backoff import Backoff
from croupier.bot import Bot
from croupier.connection import Connection
from croupier.errors import ServerError
from croupier.log import LOG, console
from croupier.playing import Playing
from croupier.tls import TLS, chosen, credentials
from croupier.v1 import play_pb2

DEFAULT_TARGET = "localhost:7700"
TARGET = re.compile(r"(?:dns:(?://[^/\s]*/)?)?(?:[^\s:/\[\]]+|\[[^\s/\[\]]+\]):(?P<port>\d{1,5})|unix:.+")
"""host:port, with [::1]:7700 for IPv6, and what else gRPC takes: dns:///host:port, unix:/path."""
BACKOFF = Backoff()


def run(
    bot: Bot,
    target: str | None = None,
    *,
    name: str | None = None,
    token: str | None = None,
    tls: TLS = None,
    sessions: int | None = None,
    on_error: Literal["log", "raise"] = "log",
    verbose: bool | None = None,
) -> None:
    """Seat a bot at a server and play until stopped. Ctrl-C and SIGTERM end it cleanly.

    While the server cannot be reached, it is tried again and again, after 0.1 s at first and 10 s at last. A lost
    connection costs no session: the server asks again what was open.

    Where the program has not set up logging, the SDK's warnings are shown on stderr meanwhile.

    Args:
        bot: the player.
        target: the server, "host:port"; None: CROUPIER_TARGET of the environment, or else "localhost:7700".
        name: the bot's name on the server, 1 to 64 characters a-z 0-9 - _ .; None: CROUPIER_NAME of the environment,
            or else that of the bot's class (`class RandomBot`: "random-bot").
        token: what proves the name, where the server asks for proof; None: CROUPIER_TOKEN of the environment, or else
            none.
        tls: True: TLS with the usual authorities; a path: TLS with the authorities in that PEM file; `Certificates`:
            those, and a certificate of the bot's own; False: plain text; None: what CROUPIER_TLS (1), CROUPIER_TLS_CA,
            CROUPIER_TLS_CERT and CROUPIER_TLS_KEY of the environment say, or else plain text.
        sessions: return when so many sessions are over, leaving any others; None: never.
        on_error: what an error in the bot's code does. "log": it is logged, the session's clock decides, and the other
            sessions go on; for bots at work. "raise": everything stops and the error is raised; for bots being written.
        verbose: whether to show when connections come about, not only what goes wrong; None: if stderr is a terminal.

    Raises:
        Refused: the server will not have this bot, and asking again would not help.
        Replaced: a newer connection of the same bot took over.
        BadCertificate: a file for TLS cannot be used.
        TypeError, ValueError: the bot, its name or another setting is none.
        RuntimeError: called from within an event loop.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise RuntimeError("croupier.run() waits; in a notebook or an async function write: await croupier.play(...)")
    with console(verbose=verbose):
        try:
            playing = play(bot, target, name=name, token=token, tls=tls, sessions=sessions, on_error=on_error)
            eventloop.run(until_terminated(playing))
        except KeyboardInterrupt:
            LOG.info("stopped")


async def until_terminated(playing: Coroutine[Any, Any, None]) -> None:
    """Play until that ends by itself or by SIGTERM, unless the program has set up something else for that signal."""
    task = asyncio.current_task()
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        assert task is not None
        task.cancel()

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    try:
        await playing
    except asyncio.CancelledError:
        if not terminated:
            raise
        LOG.info("stopped")


async def play(
    bot: Bot,
    target: str | None = None,
    *,
    name: str | None = None,
    token: str | None = None,
    tls: TLS = None,
    sessions: int | None = None,
    on_error: Literal["log", "raise"] = "log",
    backoff: Backoff = BACKOFF,
) -> None:
    """Do the same as `run` in a program that has an event loop: play until cancelled.

    Several bots can play in one loop, under different names. Logging is left to the program.

    Args:
        bot: as for `run`, and so on.
        target: see there.
        name: see there.
        token: see there.
        tls: see there.
        sessions: see there.
        on_error: see there.
        backoff: how long to wait before trying again.

    Raises:
        Refused: the server will not have this bot, and asking again would not help.
        Replaced: a newer connection of the same bot took over.
        BadCertificate: a file for TLS cannot be used.
        TypeError, ValueError: the bot, its name or another setting is none.
    """
    check_bot(bot)
    target = target or os.environ.get("CROUPIER_TARGET") or DEFAULT_TARGET
    name = name or os.environ.get("CROUPIER_NAME") or kebab(type(bot).__name__)
    token = token or os.environ.get("CROUPIER_TOKEN")
    if not re.fullmatch(r"[a-z0-9._-]{1,64}", name):
        raise ValueError(f"{name!r} is no name for a bot: it takes 1 to 64 characters a-z 0-9 - _ .")
    check_settings(target, token, sessions, on_error)
    tls = chosen(tls)
    credentials(tls)  # better now than at every attempt to connect
    playing = Playing(bot, name, sessions=sessions, on_error=on_error)
    connections = Connections(playing, tls=tls, backoff=backoff)
    connections.open(target, token, home=True)
    try:
        await playing.stopped
    finally:
        await connections.close()


def check_bot(bot: Bot) -> None:
    """See that this is a bot whose hooks can be called.

    Raises:
        TypeError, ValueError: it is not.
    """
    if not isinstance(bot, Bot):
        raise TypeError(f"expected an instance of a subclass of croupier.Bot, got {bot!r}")
    kind, games, limit = type(bot).__name__, cast("object", bot.games), cast("object", bot.max_sessions)
    if isinstance(games, str):
        raise TypeError(f"{kind}.games must be a tuple of names, ({games!r},), not {games!r}")
    if not isinstance(games, Collection) or not all(isinstance(game, str) for game in games):
        raise TypeError(f"{kind}.games must be a tuple of names, not {games!r}")
    if not isinstance(limit, int) or not 0 <= limit < 2**32:
        raise ValueError(f"{kind}.max_sessions must be a number of sessions, or 0: any, not {limit!r}")
    for hook in ("on_start", "on_events", "on_rewind", "on_result", "on_end"):
        if inspect.iscoroutinefunction(getattr(bot, hook)):
            raise TypeError(f"{kind}.{hook} must be a plain function: only choose may be async")


def check_settings(target: str, token: str | None, sessions: int | None, on_error: str) -> None:
    """See that these are settings with which a bot can play.

    Raises:
        ValueError: one of them is not; its name is in the message.
    """
    found = TARGET.fullmatch(target)
    if found is None or not 0 < int(found["port"] or 1) < 2**16:
        raise ValueError(f'target {target!r} is no address: it takes "host:port"')
    if not re.fullmatch(r"[ -~]*", (token or "").strip()):
        raise ValueError("token: it takes one line of printable ASCII characters")
    if sessions is not None and sessions < 1:
        raise ValueError(f"sessions is 1 or more, or None: no end, not {sessions!r}")
    if on_error not in ("log", "raise"):
        raise ValueError(f'on_error is "log" or "raise", not {on_error!r}')


def kebab(name: str) -> str:
    """Turn a class name into a bot's name.

    >>> kebab("RandomBot"), kebab("Greedy2"), kebab("MyMCTSBot")
    ('random-bot', 'greedy2', 'my-mcts-bot')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


class Connections:
    """The connection to the server that was named, and those to servers to which it has sent the bot on."""

    def __init__(self, playing: Playing, *, tls: TLS, backoff: Backoff) -> None:
        self._playing = playing
        self._tls = tls
        self._backoff = backoff
        self._open: dict[asyncio.Task[None], Connection] = {}

    def open(self, target: str, token: str | None, *, home: bool) -> Connection:
        """Begin to keep a connection: for good if it is the bot's home, else until nothing is left to play there."""
        connection = Connection(
            self._playing,
            target,
            token,
            tls=self._tls,
            backoff=self._backoff,
            home=home,
            moved=self._follow,
            over=self._forget,
        )
        task = asyncio.create_task(connection.keep(), name=f"croupier {target}")
        self._open[task] = connection
        task.add_done_callback(self._closed)
        return connection

    async def close(self) -> None:
        """End all connections."""
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _follow(self, start: play_pb2.SessionStart) -> None:
        """Go where a session is hosted. There is one connection to each server, for all the sessions it hosts."""
        LOG.info("session %s is hosted by %s", start.session_id, start.endpoint)
        self._forget(start.session_id)
        for connection in self._open.values():
            if connection.target == start.endpoint and not connection.home:
                connection.token = start.seat_token
                break
        else:
            connection = self.open(start.endpoint, start.seat_token, home=False)
        connection.expected.add(start.session_id)

    def _forget(self, session_id: str) -> None:
        """Expect a session nowhere any more."""
        for connection in self._open.values():
            connection.expected.discard(session_id)

    def _closed(self, task: asyncio.Task[None]) -> None:
        """See why a connection is no longer kept."""
        connection = self._open.pop(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and (connection.home or not isinstance(error, ServerError)):
            self._playing.stop(error)
        elif error is not None:
            LOG.warning("%s does not let the bot play there: %s", connection.target, error)
        elif connection.expected:  # a session was sent there at the moment of closing
            self.open(connection.target, connection.token, home=False).expected |= connection.expected
