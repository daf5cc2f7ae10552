"""Who may call what: the one table. What is not in it, nobody may call.

``rpc/interceptors.py`` enforces it before a request is read; a test holds it against every method of the contract.
"""

from __future__ import annotations

from enum import Enum

from .roles import Role


class Reach(Enum):
    """Whose things a call may reach."""

    NONE = "none"
    """It may not be made at all."""
    OWN = "own"
    """The caller's own: play under its own name; look at sessions in which it sits."""
    ALL = "all"


NO, OWN, ALL = Reach.NONE, Reach.OWN, Reach.ALL

ROLES = (Role.BOT, Role.ORGANISER, Role.SPECTATOR, Role.OPERATOR)

# fmt: off
TABLE: dict[str, tuple[Reach, Reach, Reach, Reach]] = {
    # method                                              bot  organiser spectator operator
    "croupier.v1.PlayService/Play":                      (OWN, NO,       NO,       OWN),

    "croupier.v1.SessionService/ListGames":              (ALL, ALL,      ALL,      ALL),
    "croupier.v1.SessionService/GetGame":                (ALL, ALL,      ALL,      ALL),
    "croupier.v1.SessionService/CreateSession":          (NO,  ALL,      NO,       ALL),
    "croupier.v1.SessionService/GetSession":             (OWN, ALL,      ALL,      ALL),
    "croupier.v1.SessionService/ListSessions":           (OWN, ALL,      ALL,      ALL),
    "croupier.v1.SessionService/AbortSession":           (NO,  ALL,      NO,       ALL),
    "croupier.v1.SessionService/GetRecord":              (OWN, ALL,      ALL,      ALL),
    "croupier.v1.SessionService/Organise":               (NO,  ALL,      NO,       ALL),

    "croupier.v1.SpectatorService/WatchSession":         (OWN, ALL,      ALL,      ALL),

    "croupier.v1.BotService/CreateBot":                  (NO,  NO,       NO,       ALL),
    "croupier.v1.BotService/ListBots":                   (NO,  ALL,      NO,       ALL),
    "croupier.v1.BotService/RotateToken":                (NO,  NO,       NO,       ALL),
    "croupier.v1.BotService/DeleteBot":                  (NO,  NO,       NO,       ALL),

    "croupier.v1.TournamentService/CreateTournament":    (NO,  ALL,      NO,       ALL),
    "croupier.v1.TournamentService/GetTournament":       (ALL, ALL,      ALL,      ALL),
    "croupier.v1.TournamentService/ListTournaments":     (ALL, ALL,      ALL,      ALL),
    "croupier.v1.TournamentService/PauseTournament":     (NO,  ALL,      NO,       ALL),
    "croupier.v1.TournamentService/ResumeTournament":    (NO,  ALL,      NO,       ALL),
    "croupier.v1.TournamentService/CancelTournament":    (NO,  ALL,      NO,       ALL),
    "croupier.v1.TournamentService/GetStandings":        (ALL, ALL,      ALL,      ALL),
    "croupier.v1.TournamentService/ListMatches":         (ALL, ALL,      ALL,      ALL),
    "croupier.v1.TournamentService/WatchTournament":     (ALL, ALL,      ALL,      ALL),

    "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": (ALL, ALL, ALL, ALL),
}
# fmt: on

WITHOUT_TOKEN = frozenset({"grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch"})
"""What may be called without a token: load balancers ask, and have none."""


def reach(method: str, role: Role) -> Reach:
    """How far a role reaches with a method (``package.Service/Method``)."""
    row = TABLE.get(method)
    return NO if row is None else row[ROLES.index(role)]


def roles_for(method: str) -> list[Role]:
    """The roles that may call a method, for error texts."""
    return [role for role in ROLES if reach(method, role) is not NO]
