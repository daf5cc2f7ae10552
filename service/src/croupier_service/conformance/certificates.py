"""Certificates for the checks that take TLS: an authority of their own, made anew each time, good for two days."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from pathlib import Path

from .failures import DoesNotApply

HERE = "subjectAltName=DNS:localhost,IP:127.0.0.1"
EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-batch")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its private key, as files in PEM."""

    cert: Path
    key: Path


class Authority:
    """Signs certificates; ``await Authority.made(folder, "name")``.

    Attributes:
        certificate: its own; the file is what to trust.
    """

    def __init__(self, folder: Path, certificate: Certificate) -> None:
        self.certificate = certificate
        self._folder = folder

    @classmethod
    async def made(cls, folder: Path, name: str) -> Authority:
        """Make one, whose files lie in the folder. Raises DoesNotApply where OpenSSL cannot."""
        own = await _request(folder, name, "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign")
        return cls(folder, own)

    async def issue(self, name: str, names: str = HERE) -> Certificate:
        """Sign a certificate for a server and a client. ``names``: where it is good. Raises DoesNotApply."""
        usage = "extendedKeyUsage=serverAuth,clientAuth"
        return await _request(self._folder, name, "basicConstraints=critical,CA:FALSE", usage, names, by=self)

    def serves(self, own: Certificate, *, asks: bool = False) -> ssl.SSLContext:
        """What a server speaks TLS with; ``asks``: it takes bots alone that show a certificate of this authority."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(own.cert, own.key)
        context.set_alpn_protocols(["h2"])
        if asks:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.certificate.cert)
        return context


async def _request(folder: Path, name: str, *extensions: str, by: Authority | None = None) -> Certificate:
    made = Certificate(folder / f"{name}.pem", folder / f"{name}-key.pem")
    argv = ["openssl", "req", "-x509", *EC, "-subj", f"/CN={name}", "-keyout", str(made.key), "-out", str(made.cert)]
    # Without a configuration: that of the machine adds what makes a certificate an authority's.
    argv += ["-config", "/dev/null"]
    argv += [word for extension in extensions for word in ("-addext", extension)]
    if by is not None:
        argv += ["-CA", str(by.certificate.cert), "-CAkey", str(by.certificate.key)]
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    except FileNotFoundError:
        raise DoesNotApply(
            "it takes certificates, which the program openssl makes, and that is not installed"
        ) from None
    said = (await process.communicate())[0].decode(errors="replace").strip()
    if process.returncode:
        raise DoesNotApply(f"openssl makes no certificate; it takes OpenSSL 3: {said.splitlines()[-1] if said else ''}")
    return made
