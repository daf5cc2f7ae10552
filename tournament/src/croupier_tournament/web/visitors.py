"""Who visits: by a token in the Authorization header, or by a cookie that a login has set.

The page has no rights of its own. What a visitor asks for is asked of the game server with the visitor's token, so what
the visitor may do is what the token's role may do there. Who shows none is asked for none here: the server decides.
"""

import asyncio
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from croupier_tournament.web.address import PageError
from croupier_tournament.web.answers import WebError

PUBLIC_TOKEN = "CROUPIER_WEB_TOKEN"  # noqa: S105 -- the name of a variable
COOKIE = "croupier_visit"
VISIT_S = 12 * 3600
"""How long a login lasts, in seconds."""
MOST_VISITS = 10_000


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who asks."""

    token: str = ""
    """Empty: none was shown."""

    @property
    def role(self) -> str:
        """What the token says of its role; empty where it says nothing. For what is shown; the server decides."""
        parts = self.token.split("_")
        return parts[1] if len(parts) == 3 and parts[0] == "croupier" else ""


def public_token() -> str:
    """The token with which those watch who have shown none, from the environment; empty: there is none.

    Raises:
        PageError: it is not a spectator's, so everybody could do more than watch.
    """
    token = os.environ.get(PUBLIC_TOKEN, "").strip()
    role = Visitor(token).role
    if role not in ("", "spectator"):
        raise PageError(
            f"{PUBLIC_TOKEN}: is a spectator's token; with this one of role {role}, everybody would be {role}"
        )
    return token


class Visitors:
    """Logins, and the tokens behind them. Tokens are kept in memory only, and never sent back."""

    def __init__(self, public: str = "", clock: Callable[[], float] | None = None) -> None:
        """`public`: the token with which those watch who have shown none; empty: none."""
        self._public = Visitor(public)
        self._clock = clock or asyncio.get_running_loop().time
        self._visits: dict[str, tuple[float, Visitor]] = {}

    def of(self, request: Request) -> Visitor:
        """Who asks. Raises WebError where the header makes no sense."""
        header = request.headers.get("authorization")
        if header is not None:
            kind, _, token = header.partition(" ")
            if kind.lower() != "bearer" or not token.strip() or len(token) > 512 or not token.isascii():
                raise WebError(401, "the header is: Authorization: Bearer TOKEN")
            return Visitor(token.strip())
        ends, visitor = self._visits.get(request.cookies.get(COOKIE, ""), (0.0, self._public))
        return visitor if ends > self._clock() else self._public

    def logged_in(self, request: Request) -> bool:
        """Whether there is a login behind the request's cookie."""
        return self._visits.get(request.cookies.get(COOKIE, ""), (0.0, None))[0] > self._clock()

    def log_in(self, request: Request, response: Response, token: str) -> None:
        """Remember a token that the server has found to be good, and let a cookie stand for it."""
        now = self._clock()
        self._visits = {name: visit for name, visit in self._visits.items() if visit[0] > now}
        while len(self._visits) >= MOST_VISITS:
            del self._visits[next(iter(self._visits))]
        name = secrets.token_hex(32)
        self._visits[name] = (now + VISIT_S, Visitor(token))
        response.set_cookie(
            COOKIE,
            name,
            max_age=VISIT_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )

    def log_out(self, request: Request, response: Response) -> None:
        """Forget the visitor's token."""
        self._visits.pop(request.cookies.get(COOKIE, ""), None)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")


def same_origin(request: Request) -> None:
    """See that a request that changes something comes from a page of ours, or from no page at all. Raises WebError."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise WebError(403, "another site's page has asked for this")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise WebError(403, "another site's page has asked for this")
