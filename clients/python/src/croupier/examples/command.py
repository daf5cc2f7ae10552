"""The command line that all examples share."""

import argparse
import json
import sys

import croupier
from croupier.examples.timing import Timed


def main(bot: croupier.Bot) -> None:
    """Play a bot where the command line says, until Ctrl-C or until so many sessions are over."""
    parser = argparse.ArgumentParser(description=type(bot).__doc__)
    parser.add_argument("--target", help="the server, host:port (default: $CROUPIER_TARGET, or localhost:7700)")
    parser.add_argument("--name", help="the bot's name (default: $CROUPIER_NAME, or what its class is called)")
    parser.add_argument("--token", help="what proves the name (default: $CROUPIER_TOKEN)")
    parser.add_argument("--tls", action="store_true", default=None, help="encrypt, trusting the usual authorities")
    parser.add_argument(
        "--tls-ca", metavar="PEM", help="encrypt, trusting these authorities (default: $CROUPIER_TLS_CA)"
    )
    parser.add_argument("--tls-cert", metavar="PEM", help="the bot's own certificate (default: $CROUPIER_TLS_CERT)")
    parser.add_argument("--tls-key", metavar="PEM", help="its private key (default: $CROUPIER_TLS_KEY)")
    parser.add_argument("--sessions", type=int, metavar="N", help="stop when N sessions are over")
    parser.add_argument(
        "--stats",
        action="store_true",
        help="at the end say in a line of JSON on stdout how many decisions there were and what they took, "
        "from reading one to having chosen",
    )
    if hasattr(bot, "seed"):
        parser.add_argument("--seed", help="choose alike wherever the bot is shown the same (default: do not)")
    options = parser.parse_args()
    if hasattr(bot, "seed"):
        bot.seed = options.seed
    files = croupier.Certificates(options.tls_ca, options.tls_cert, options.tls_key)
    tls = options.tls if files == croupier.Certificates() else files
    timed = Timed(bot) if options.stats else None
    try:
        croupier.run(
            timed or bot, options.target, name=options.name, token=options.token, tls=tls, sessions=options.sessions
        )
    except (croupier.CroupierError, ValueError) as error:
        sys.exit(f"{parser.prog}: {error}")
    if timed:
        p50, p99 = (timed.times.quantile(share) * 1000 for share in (0.5, 0.99))
        stats = {"decisions": timed.times.count, "p50_ms": round(p50, 4), "p99_ms": round(p99, 4)}
        sys.stdout.write(json.dumps(stats) + "\n")
