"""``croupier health``: whether a server takes work, for those who watch over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import grpc
import typer
from grpc_health.v1 import health_pb2, health_pb2_grpc

from croupier import admin
from croupier.errors import RequestError

from .connecting import (
    DEFAULT_TARGET,
    EXIT_FAILED,
    Connection,
    Format,
    FormatOption,
    Target,
    Tls,
    TlsCa,
    json_line,
    run,
)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


def health(argv: Sequence[str]) -> int:
    """Say whether a server takes work."""
    return run(app, "health", argv)


@app.command()
def _health(
    *,
    target: Target = DEFAULT_TARGET,
    service: Annotated[
        str,
        typer.Option(metavar="NAME", help="One service, such as croupier.v1.PlayService; not given: all of it."),
    ] = "",
    timeout: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="How long the answer may take.")] = 3.0,
    tls: Tls = False,
    tls_ca: TlsCa = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Ask a game server or a tournament service whether it takes work. Needs no token.

    Exit codes: 0 it does, 1 it does not (it is starting or draining, or has no such service), 2 wrong usage, 3 it
    cannot be reached in time.
    """
    connection = Connection("health", target, None, tls, tls_ca)

    async def check(server: admin.Server) -> str:
        stub: Any = health_pb2_grpc.HealthStub(server.channel)
        try:
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=timeout)
        except RequestError as error:
            if error.code is grpc.StatusCode.NOT_FOUND:
                return "SERVICE_UNKNOWN"
            raise
        return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)

    status = connection.call(check)
    if output is Format.JSON:
        json_line({"target": target, "service": service, "status": status})
    else:
        typer.echo(status.lower().replace("_", " "))
    if status != "SERVING":
        raise typer.Exit(EXIT_FAILED)
