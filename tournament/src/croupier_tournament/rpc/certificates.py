"""The certificate that TournamentService shows; read again when its files change.

The game server has the like of it (`croupier_service.rpc.tls`); a tournament imports nothing of the service.
"""

import ssl
from pathlib import Path
from typing import Any

import grpc
import structlog

log = structlog.get_logger("croupier.tls")


class BadCertificate(Exception):
    """Files that cannot be used. The message says which, and why."""


class Certificates:
    """A certificate, followed by any intermediate ones, and its key without a passphrase: PEM files.

    Raises:
        BadCertificate: they cannot be used.
    """

    def __init__(self, cert: Path, key: Path) -> None:
        self._cert, self._key = cert, key
        self._stamp = self._stamped()
        self._first = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        """For the server's port."""
        renewed: Any = self._renewed  # None means unchanged to gRPC, but its types do not say so
        return grpc.dynamic_ssl_server_credentials(self._first, renewed, require_client_authentication=False)

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """What has changed; None: nothing. Called by gRPC for each connection, in any thread."""
        try:
            stamp = self._stamped()
            if stamp == self._stamp:
                return None
            self._stamp = stamp
            return self._read()
        except BadCertificate as error:  # perhaps it is half written: the old one is good until it is not
            log.warning("the new certificate cannot be used; going on with the old one", why=str(error))
            return None

    def _stamped(self) -> list[tuple[int, int, int, int]]:
        try:
            found = [path.stat() for path in (self._cert, self._key)]
        except OSError as error:
            raise BadCertificate(f"cannot read {error.filename}: {error.strerror}") from error
        return [(one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in found]

    def _read(self) -> grpc.ServerCertificateConfiguration:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self._cert, self._key, password=_no_passphrase)
            pair = (self._key.read_bytes(), self._cert.read_bytes())
        except ssl.SSLError as error:
            why = "are not a certificate and its private key in PEM"
            raise BadCertificate(f"{self._cert} and {self._key} {why}") from error
        except OSError as error:
            raise BadCertificate(f"cannot read {error.filename}: {error.strerror}") from error
        return grpc.ssl_server_certificate_configuration([pair])


def _no_passphrase() -> str:
    raise BadCertificate("the key has a passphrase; the service needs one without")
