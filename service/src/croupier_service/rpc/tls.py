"""TLS: the server's certificate, and that of those who may call."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import structlog

log = structlog.get_logger("croupier.tls")


class BadCertificate(Exception):
    """A file cannot be used. ``field`` is the one to blame: ``cert``, ``key`` or ``client_ca``."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files. ``client_ca`` None: callers show no certificate; else theirs must be signed by one in that file."""

    cert: Path
    """The server's certificate, followed by any intermediate ones."""
    key: Path
    """Its private key, without a passphrase."""
    client_ca: Path | None = None

    def check(self) -> None:
        """See that the files can be read and belong together. Raises BadCertificate."""
        for field, path in self._named():
            try:
                path.read_bytes()
            except OSError as error:
                raise BadCertificate(field, f"cannot read {path}: {error.strerror}") from error
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.cert, self.key, password=_no_passphrase)
        except _Encrypted:
            raise BadCertificate("key", f"{self.key} has a passphrase; the server needs one without") from None
        except ssl.SSLError as error:
            mismatch = error.reason == "KEY_VALUES_MISMATCH"
            raise BadCertificate(
                "key" if mismatch else "cert",
                f"{self.key} is not the key of {self.cert}"
                if mismatch
                else f"{self.cert} and {self.key} are not a certificate and a private key in PEM",
            ) from error
        if self.client_ca is not None:
            try:
                context.load_verify_locations(self.client_ca)
            except ssl.SSLError as error:
                raise BadCertificate("client_ca", f"{self.client_ca} holds no certificate in PEM") from error

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """What gRPC wants of them. Raises BadCertificate."""
        self.check()
        roots = self.client_ca.read_bytes() if self.client_ca else None
        return grpc.ssl_server_certificate_configuration([(self.key.read_bytes(), self.cert.read_bytes())], roots)

    def stamp(self) -> tuple[tuple[int, int, int, int], ...]:
        """Changes when a file does, or who may read it. Raises OSError."""
        found = [path.stat() for _, path in self._named()]
        return tuple((one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in found)

    def _named(self) -> list[tuple[str, Path]]:
        named = [("cert", self.cert), ("key", self.key)]
        return named if self.client_ca is None else [*named, ("client_ca", self.client_ca)]


class Certificates:
    """Certificates that are read again when their files change: new connections get the new ones."""

    def __init__(self, files: TlsFiles) -> None:
        """Read them. Raises BadCertificate."""
        self._files = files
        files.check()
        self._stamp = files.stamp()
        self._first = files.configuration()

    def credentials(self) -> grpc.ServerCredentials:
        """For the server's port."""
        renewed: Any = self._renewed  # None means unchanged to gRPC, but its types do not say so
        return grpc.dynamic_ssl_server_credentials(
            self._first, renewed, require_client_authentication=self._files.client_ca is not None
        )

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """What has changed since the last time; None: nothing. Called by gRPC for each connection, in any thread."""
        try:
            stamp = self._files.stamp()
            if stamp == self._stamp:
                return None
            self._stamp = stamp
            configuration = self._files.configuration()
        except (BadCertificate, OSError) as error:  # perhaps it is half written: the old one is good until it is not
            log.warning("the new certificate cannot be used; going on with the old one", why=str(error))
            return None
        log.info("certificate renewed", cert=str(self._files.cert))
        return configuration


class _Encrypted(Exception):
    """The key has a passphrase."""


def _no_passphrase() -> str:
    raise _Encrypted
