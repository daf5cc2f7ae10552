"""The Croupier SDK: write a bot, seat it, play.

    import croupier

    class First(croupier.Bot):
        def choose(self, decision):
            return decision.actions[0]

    croupier.run(First(), name="first")

What is named here is the SDK's public face, with `croupier.trick_and_trade` (what bots for that game need),
`croupier.admin` (for those who organise games) and `croupier.v1` (the contract's own messages and services).
"""

from croupier import before_grpc as _before_grpc  # noqa: F401
from croupier.backoff import Backoff
from croupier.bot import Actions, Bot, Choice, Decision, End, Session
from croupier.envelope import unwrap
from croupier.errors import CroupierError, Refused, Replaced, RequestError, ServerError
from croupier.running import play, run
from croupier.tls import TLS, BadCertificate, Certificates

__all__ = [
    "TLS",
    "Actions",
    "Backoff",
    "BadCertificate",
    "Bot",
    "Certificates",
    "Choice",
    "CroupierError",
    "Decision",
    "End",
    "Refused",
    "Replaced",
    "RequestError",
    "ServerError",
    "Session",
    "play",
    "run",
    "unwrap",
]
