"""Where a page listens."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass


class PageError(ValueError):
    """A page that cannot be served as it was asked for. The message names the option and says what would be right."""


class AddressError(PageError):
    """An address on which nothing can be served. The message says what would be right."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files."""

    cert: str
    """What the page shows, with any intermediate ones."""
    key: str
    """Its private key, without a passphrase."""
    client_ca: str | None = None
    """Who signs what browsers have to show; None: they need not show any."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a page is served, and how it is reached there."""

    address: Address
    tls: Tls | None = None
    """None: plain HTTP."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks of reverse proxies: who asks through them is who they say it is."""
    names: tuple[str, ...] = ()
    """By which browsers call it, beside addresses."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that are answered to; empty: any. A page for this machine alone has none but its own."""
        return ("localhost", *self.names) if self.address.loopback or self.names else ()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def parse_address(text: str, *, insecure: bool = False, tls: bool = False) -> Address:
    """Read PORT or HOST:PORT.

    Args:
        text: what was given; a port alone is on 127.0.0.1.
        insecure: whether other machines may reach it without TLS.
        tls: whether it is served over TLS.

    Raises:
        AddressError: it is no address, or one that other machines can reach though nobody said that they may.

    >>> str(parse_address("8080"))
    '127.0.0.1:8080'
    """
    host, colon, port = text.rpartition(":")
    host = host.strip("[]") if colon else "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535 or not host:
        raise AddressError(f"is a port, or host:port, such as 8080 or 127.0.0.1:8080, not {text!r}")
    address = Address(host, int(port))
    if not (address.loopback or insecure or tls):
        raise AddressError(
            f"{host} can be reached from other machines, and the page would be served without TLS, so that "
            "tokens could be listened to: put it behind a proxy that speaks TLS, or say --insecure if you mean it"
        )
    return address


def site_of(
    text: str,
    *,
    insecure: bool = False,
    tls: Tls | None = None,
    proxies: Sequence[str] = (),
    names: Sequence[str] = (),
) -> Site:
    """Read where and how a page is to be served; see `parse_address` and `Site`.

    Raises:
        AddressError: it is nowhere.
        PageError: a proxy is none.
    """
    address = parse_address(text, insecure=insecure, tls=tls is not None)
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise PageError(
                f"a proxy is an address, or a network such as 10.0.0.0/8 (without bits of a host), not {proxy!r}"
            ) from None
    return Site(address, tls, tuple(proxies), tuple(names))
