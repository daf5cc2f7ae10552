"""TLS: whom to trust, and what to show."""

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NoReturn, TypeAlias

import grpc

from croupier.errors import CroupierError


class BadCertificate(CroupierError):
    """A file for TLS cannot be read, or is not what it should be."""


@dataclass(frozen=True)
class Certificates:
    """PEM files for TLS.

    croupier.run(bot, "cards.example.org:7700", tls=croupier.Certificates(ca="ca.pem", cert="bot.pem", key="bot.key"))

    Attributes:
        ca: the authorities to trust; None: the usual ones.
        cert: the bot's own certificate, where the server asks for one; any intermediate ones follow it in the file.
        key: its private key, without a passphrase.
    """

    ca: str | PathLike[str] | None = None
    cert: str | PathLike[str] | None = None
    key: str | PathLike[str] | None = None


TLS: TypeAlias = bool | str | PathLike[str] | Certificates | grpc.ChannelCredentials | None
"""None: what the environment says, or else plain text. False: plain text. True: TLS with the usual authorities. A
path: TLS with the authorities in that PEM file. `Certificates`: those, and a certificate of one's own. Or any
credentials that gRPC can make."""


def chosen(tls: TLS, environment: Mapping[str, str] | None = None) -> TLS:
    """Return what to do where nothing was said: what the environment says.

    >>> chosen(None, {"CROUPIER_TLS": "1"}), chosen(None, {}), chosen(False, {"CROUPIER_TLS": "1"})
    (True, False, False)
    >>> chosen(None, {"CROUPIER_TLS_CA": "ca.pem"})
    Certificates(ca='ca.pem', cert=None, key=None)
    """
    if tls is not None:
        return tls
    environment = os.environ if environment is None else environment
    files = {name: environment.get(f"CROUPIER_TLS_{name.upper()}") or None for name in ("ca", "cert", "key")}
    if any(files.values()):
        return Certificates(**files)
    return environment.get("CROUPIER_TLS", "").lower() in {"1", "true", "yes", "on"}


def credentials(tls: TLS) -> grpc.ChannelCredentials | None:
    """Return what gRPC needs; None: plain text. Files are read anew each time, so that renewed ones are found.

    Raises:
        BadCertificate: a file cannot be read, or is not what it should be.
    """
    if tls is None or tls is False:
        return None
    if isinstance(tls, grpc.ChannelCredentials):
        return tls
    if tls is True:
        return grpc.ssl_channel_credentials()
    files = tls if isinstance(tls, Certificates) else Certificates(ca=tls)
    ca, cert, key = (None if path is None else read(path) for path in (files.ca, files.cert, files.key))
    check(files)
    return grpc.ssl_channel_credentials(ca, key, cert)


def read(path: str | PathLike[str]) -> bytes:
    """Return what a file holds.

    Raises:
        BadCertificate: it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadCertificate(f"tls: cannot read {os.fspath(path)}: {error.strerror}") from None


def check(files: Certificates) -> None:
    """See that the files hold what they should. gRPC itself would only say that it cannot connect.

    Raises:
        BadCertificate: they do not.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if files.ca is not None:
        try:
            context.load_verify_locations(files.ca)
        except ssl.SSLError:
            raise BadCertificate(f"tls: {os.fspath(files.ca)} holds no certificate in PEM") from None
    if files.cert is None and files.key is None:
        return
    if files.cert is None or files.key is None:
        given, missing = ("cert", "key") if files.key is None else ("key", "cert")
        raise BadCertificate(f"tls: {given} was given without {missing}; they belong together")

    def no_passphrase() -> NoReturn:
        raise BadCertificate(f"tls: {os.fspath(files.key or '')} has a passphrase; give a key without one")

    try:
        context.load_cert_chain(files.cert, files.key, no_passphrase)
    except ssl.SSLError as error:
        pair = os.fspath(files.cert), os.fspath(files.key)
        if error.reason == "KEY_VALUES_MISMATCH":
            raise BadCertificate(f"tls: {pair[1]} is not the key of {pair[0]}") from None
        raise BadCertificate(f"tls: {pair[0]} and {pair[1]} are not a certificate and a private key in PEM") from None
