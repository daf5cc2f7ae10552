"""Servers that speak TLS."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from croupier_service.conformance.certificates import Authority
from croupier_service.conformance.check import check, require
from croupier_service.conformance.checks.returning import torn_connection
from croupier_service.conformance.failures import Failed
from croupier_service.conformance.stage import Stage

TRIES = 2
"""Connections of a bot after which it has turned away from a server, if it has not played there."""


@asynccontextmanager
async def _authority() -> AsyncIterator[Authority]:
    with tempfile.TemporaryDirectory(prefix="croupier-check-") as folder:
        yield await Authority.made(Path(folder), "croupier check")


@check(
    why="Beyond a single machine a server speaks TLS: else everybody on the way reads the bot's token, and its cards.",
    remedy="Where CROUPIER_TLS_CA names a file, speak TLS, and trust the authorities in that file (PEM); where "
    "CROUPIER_TLS is 1, those that the system trusts.",
    fresh=True,
    advice=True,
)
async def tls(stage: Stage) -> None:
    """Speaks TLS where CROUPIER_TLS_CA says whom to trust, also when it comes back."""
    async with _authority() as authority:
        await stage.encrypt(authority.serves(await authority.issue("server")))
        await stage.launch(CROUPIER_TLS_CA=str(authority.certificate.cert))
        await torn_connection(stage)


@check(
    why="By mutual TLS a server knows its bots by their certificates, and lets nobody else as far as a greeting.",
    remedy="Where CROUPIER_TLS_CERT and CROUPIER_TLS_KEY name files, show that certificate (PEM; the key in PKCS #8).",
    fresh=True,
    advice=True,
)
async def own_certificate(stage: Stage) -> None:
    """Shows the certificate in CROUPIER_TLS_CERT to a server that asks for one."""
    async with _authority() as authority:
        own = await authority.issue(stage.name)
        await stage.encrypt(authority.serves(await authority.issue("server"), asks=True))
        await stage.launch(
            CROUPIER_TLS_CA=str(authority.certificate.cert),
            CROUPIER_TLS_CERT=str(own.cert),
            CROUPIER_TLS_KEY=str(own.key),
        )
        await stage.line()
        shown = stage.relay.certificate
        require(shown == stage.name, f"it shows the certificate of {shown!r}, not the one in CROUPIER_TLS_CERT")


@check(
    why="Whoever can put a server of their own in the way would be shown the bot's token.",
    remedy="Trust no authorities but those in CROUPIER_TLS_CA, and do not switch the verification off.",
    fresh=True,
)
async def untrusted_server(stage: Stage) -> None:
    """Says nothing to a server whose certificate no authority in CROUPIER_TLS_CA has signed."""
    async with _authority() as authority, _authority() as stranger:
        await stage.encrypt(stranger.serves(await stranger.issue("server")))
        await stage.launch(CROUPIER_TLS_CA=str(authority.certificate.cert))
        await _turns_away(stage)


@check(
    why="An authority signs certificates for many; that of another server proves nothing about this one.",
    remedy="Compare the name in the server's certificate with the host in CROUPIER_TARGET; TLS libraries do it unless "
    "they are told not to.",
    fresh=True,
)
async def another_host(stage: Stage) -> None:
    """Says nothing to a server whose certificate is for another host."""
    async with _authority() as authority:
        own = await authority.issue("elsewhere", "subjectAltName=DNS:elsewhere.example")
        await stage.encrypt(authority.serves(own))
        await stage.launch(CROUPIER_TLS_CA=str(authority.certificate.cert))
        await _turns_away(stage)


async def _turns_away(stage: Stage) -> None:
    """Wait until the bot has come several times, or ended with an error; it may not have opened a stream."""

    async def comes_again() -> None:
        for _ in range(TRIES):
            await stage.relay.arrivals.get()

    async def comes_or_plays() -> None:
        either = [asyncio.ensure_future(comes_again()), asyncio.ensure_future(stage.server.calls.get())]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in either:
                task.cancel()

    try:
        await stage.first(comes_or_plays(), "the bot does not connect", stage.settings.start_patience)
    except Failed:
        if stage.process is None or stage.process.code != 1:  # an error that ends it is as good
            raise
    require(not stage.server.opened, "it opened a stream there, and has shown its token")
