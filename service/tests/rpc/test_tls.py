"""Certificates: the server's own, those of who calls, and new ones while it runs."""

import errno
import os
import re
from pathlib import Path

import grpc
import pytest
import structlog
import trustme
from cryptography.hazmat.primitives import serialization
from serving import Serving

from croupier.v1 import session_pb2 as pb
from croupier.v1 import session_pb2_grpc
from croupier_service.main import serve
from croupier_service.rpc.tls import BadCertificate, Certificates, TlsFiles

CA = trustme.CA()
STRANGER = trustme.CA()


def write(folder, issued, name="server"):
    """A certificate and its key as files."""
    cert, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    cert.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())
    return cert, key


@pytest.fixture
def files(tmp_path):
    (tmp_path / "ca.pem").write_bytes(CA.cert_pem.bytes())
    return TlsFiles(*write(tmp_path, CA.issue_cert("localhost")))


def address(server):
    return f"localhost:{server.server.address.rpartition(':')[2]}"


async def ask(server, authority=CA, client=None):
    """Call the server once over a new connection."""
    key, cert = (client.private_key_pem.bytes(), client.cert_chain_pems[0].bytes()) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes(), key, cert)
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with grpc.aio.secure_channel(address(server), credentials, options) as channel:
        await session_pb2_grpc.SessionServiceStub(channel).ListGames(pb.ListGamesRequest(), timeout=30)


async def refused(*args, **kwargs):
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await ask(*args, **kwargs)
    assert error.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_server_shows_its_certificate(files):
    async with Serving(tls=files) as server:
        await ask(server)
        await refused(server, STRANGER)


async def test_a_server_that_speaks_tls_speaks_no_plain_text(files):
    async with Serving(tls=files) as server:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await server.sessions.ListGames(pb.ListGamesRequest(), timeout=30)
        assert error.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_with_mutual_tls_only_those_with_a_certificate_of_the_authority_are_let_in(files, tmp_path):
    mutual = TlsFiles(files.cert, files.key, tmp_path / "ca.pem")
    async with Serving(tls=mutual) as server:
        await ask(server, client=CA.issue_cert("ann.example.org"))
        await refused(server)
        await refused(server, client=STRANGER.issue_cert("ann.example.org"))


async def test_a_certificate_does_not_stand_in_for_a_token(files, tmp_path):
    mutual = TlsFiles(files.cert, files.key, tmp_path / "ca.pem")
    async with Serving(tls=mutual, ask_for_tokens=True) as server:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await ask(server, client=CA.issue_cert("ann.example.org"))
        assert error.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_new_certificate_is_shown_to_new_connections_without_a_restart(files):
    other = trustme.CA()
    async with Serving(tls=files) as server:
        await ask(server)
        write(files.cert.parent, other.issue_cert("localhost"))
        await ask(server, other)
        await refused(server, CA)


async def test_a_certificate_that_is_half_written_does_not_take_the_place_of_the_good_one(files):
    other = trustme.CA()
    good = files.key.read_bytes()
    async with Serving(tls=files) as server:
        with structlog.testing.capture_logs() as logs:
            cert, key = write(files.cert.parent, other.issue_cert("localhost"))
            new = key.read_bytes()
            key.write_bytes(good)  # the new certificate is there, its key is not yet
            await ask(server)
            cert_text = cert.read_bytes()
            cert.unlink()
            await ask(server)
        warned = [entry["why"] for entry in logs if entry["log_level"] == "warning"]
        assert any("is not the key of" in why for why in warned)
        assert not any(b"PRIVATE KEY" in str(entry).encode() for entry in logs)
        key.write_bytes(new)
        cert.write_bytes(cert_text)
        await ask(server, other)


async def test_a_key_that_was_readable_too_late_is_shown_once_it_is(files, monkeypatch):
    """A renewal copies it first and gives it to the server afterwards, which changes neither its time nor its size."""
    other = trustme.CA()
    read = Path.read_bytes
    locked = True

    def read_bytes(path):
        if locked and path == files.key:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    locked = False
    async with Serving(tls=files) as server:
        locked = True
        write(files.cert.parent, other.issue_cert("localhost"))
        await ask(server)
        locked = False
        files.key.chmod(0o600)
        await ask(server, other)


# Files that cannot be used.


def bad(files):
    with pytest.raises(BadCertificate) as error:
        Certificates(files)
    return error.value.field, str(error.value)


def test_files_that_cannot_be_read_are_named(files, tmp_path):
    assert bad(TlsFiles(tmp_path / "no.pem", files.key))[0] == "cert"
    assert bad(TlsFiles(files.cert, tmp_path / "no.pem"))[0] == "key"
    field, why = bad(TlsFiles(files.cert, files.key, tmp_path / "no.pem"))
    assert (field, why) == ("client_ca", f"cannot read {tmp_path / 'no.pem'}: No such file or directory")


def test_files_that_do_not_hold_what_they_should_are_named(files, tmp_path):
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    assert bad(TlsFiles(nonsense, files.key))[0] == "cert"
    assert "not a certificate and a private key" in bad(TlsFiles(files.cert, nonsense))[1]
    assert bad(TlsFiles(files.cert, files.key, nonsense))[0] == "client_ca"


def test_a_key_of_another_certificate_is_named(files, tmp_path):
    _, other = write(tmp_path, CA.issue_cert("localhost"), "other")
    assert bad(TlsFiles(files.cert, other)) == ("key", f"{other} is not the key of {files.cert}")


def test_a_key_with_a_passphrase_is_refused_rather_than_asked_about(files, tmp_path):
    locked = tmp_path / "locked.pem"
    key = serialization.load_pem_private_key(files.key.read_bytes(), None)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    locked.write_bytes(key.private_bytes(pem, pkcs8, serialization.BestAvailableEncryption(b"secret")))
    assert bad(TlsFiles(files.cert, locked)) == ("key", f"{locked} has a passphrase; the server needs one without")


# The command line.

PUBLIC = ["--listen", "0.0.0.0:0", "--metrics", "off"]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (PUBLIC, "without tokens (--auth) and without TLS"),
        ([*PUBLIC, "--insecure"], "say --insecure twice"),
        ([*PUBLIC, "--auth"], "would be without TLS (--tls-cert, --tls-key)"),
        ([*PUBLIC, "--tls-cert", "CERT", "--tls-key", "KEY"], "would be without tokens (--auth)"),
        (["--metrics", "0.0.0.0:0"], "say --insecure"),
        (["--web", "0.0.0.0:0"], "say --insecure"),
        (["--web", "here:"], "is host:port"),
        (["--web-seats"], "is for the page, which --web turns on"),
        (["--web-proxy", "10.0.0.1"], "is for the page, which --web turns on"),
        (["--web-name", "cards.example.org"], "is for the page, which --web turns on"),
        (["--web", "0", "--web-proxy", "10.0.0.1/8"], "is the address of a reverse proxy, or its network"),
        (["--web", "0", "--web-proxy", "*"], "is the address of a reverse proxy, or its network"),
        (["--auth", "--store", "memory:"], "needs a store that lasts"),
        (["--tls-cert", "CERT"], "TLS takes both --tls-cert and --tls-key"),
        (["--tls-key", "KEY"], "TLS takes both --tls-cert and --tls-key"),
        (["--tls-client-ca", "CERT"], "TLS takes both --tls-cert and --tls-key"),
        (["--tls-cert", "KEY", "--tls-key", "KEY"], "not a certificate and a private key in PEM"),
        (["--tls-cert", "CERT", "--tls-key", "no.pem"], "Invalid value for --tls-key: cannot read no.pem"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_would_be_open_to_the_world_is_refused_with_what_is_missing(argv, says, files, capsys):
    paths = {"CERT": str(files.cert), "KEY": str(files.key)}
    assert serve([paths.get(word, word) for word in argv]) == 2
    assert says in re.sub(r"[│\s]+", " ", capsys.readouterr().err)
