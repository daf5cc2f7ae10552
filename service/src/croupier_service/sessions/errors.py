"""Requests that cannot be met, by kind. ``reason`` is for programs, ``field`` names what is wrong."""

from __future__ import annotations


class HostError(Exception):
    """A request that cannot be met.

    ``reason`` is stable for programs, ``field`` names what is wrong (empty: nothing in particular).
    """

    def __init__(self, reason: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.field = field


class NotFound(HostError):
    """There is no such thing."""


class BadRequest(HostError):
    """A field is out of range."""


class Conflict(HostError):
    """It contradicts what is already there, or comes at the wrong time."""


class Unavailable(HostError):
    """Not now."""


class TooSlow(HostError):
    """Something did not come in time."""


class Unauthenticated(HostError):
    """Nobody knows who is asking."""


class Denied(HostError):
    """Who is asking may not do this."""


class OverLimit(HostError):
    """There is too much of something. ``retry_s`` says when to try again, in seconds."""

    def __init__(self, reason: str, message: str, retry_s: float, field: str = "") -> None:
        super().__init__(reason, message, field)
        self.retry_s = retry_s
