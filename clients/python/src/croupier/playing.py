"""What all connections of a bot share while it is played."""

import asyncio
from typing import Literal

from croupier.bot import Bot
from croupier.log import LOG


class Playing:
    """One bot being played, and the one door through which that ends.

    Attributes:
        bot: the bot.
        name: its name on the server.
        stopped: done when playing is over: with a result after enough sessions, with an exception after a failure.
    """

    def __init__(self, bot: Bot, name: str, *, sessions: int | None, on_error: Literal["log", "raise"]) -> None:
        self.bot = bot
        self.name = name
        self.stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._left = sessions
        self._raises = on_error == "raise"

    def session_over(self) -> None:
        """Count a session that has ended; the last one wanted ends the playing."""
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self.stop()

    def crashed(self, what: str, error: Exception) -> None:
        """Report an error in the bot's own code: log it, or stop with it."""
        if self._raises:
            self.stop(error)
        else:
            LOG.error("%s", what, exc_info=error)

    def stop(self, error: BaseException | None = None) -> None:
        """End the playing; only the first reason counts."""
        if self.stopped.done():
            return
        if error is None:
            self.stopped.set_result(None)
        else:
            self.stopped.set_exception(error)
