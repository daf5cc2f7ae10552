"""Where a server may listen: what other machines can reach takes tokens and TLS, or somebody who means it."""

from __future__ import annotations

import ipaddress

import typer


def check_listen(address: str, *, auth: bool, tls: bool, insecure: int) -> None:
    """See that gRPC is not open to the world. Raises typer.BadParameter saying what is missing."""
    host = host_of("--listen", address)
    if is_loopback(host) or (auth and tls) or insecure >= 2:
        return
    missing = [what for what, there in (("tokens (--auth)", auth), ("TLS (--tls-cert, --tls-key)", tls)) if not there]
    raise typer.BadParameter(
        f"{host} can be reached from other machines, and this server would be without {' and without '.join(missing)}: "
        "whoever can reach it could play as any bot, or listen in; if you mean that, say --insecure twice",
        param_hint="--listen",
    )


def check_metrics(address: str, *, insecure: int) -> None:
    """See that metrics are not open to the world unmeant. Raises typer.BadParameter."""
    if address == "off":
        return
    host = host_of("--metrics", address)
    if not is_loopback(host) and not insecure:
        raise typer.BadParameter(
            f"{host} can be reached from other machines, and metrics are served without TLS or tokens; "
            "they hold numbers, no names and no cards: if you mean that, say --insecure",
            param_hint="--metrics",
        )


def host_of(option: str, address: str) -> str:
    """The host of ``host:port``. Raises typer.BadParameter naming the option."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise typer.BadParameter(f"is host:port, such as 127.0.0.1:7700, not {address!r}", param_hint=option)
    return host.strip("[]")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
