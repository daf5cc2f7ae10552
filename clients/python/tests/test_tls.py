"""TLS: what is trusted, what is shown, and what is said when it does not work out."""

import asyncio
import logging

import grpc
import pytest
import trustme
from cryptography.hazmat.primitives import serialization

import croupier
from croupier import admin
from croupier.tls import chosen, credentials
from croupier.v1 import play_pb2
from croupier.v1.session_pb2 import ListGamesRequest

CA = trustme.CA()
QUICK = croupier.Backoff(base=0.001, cap=0.001)


@pytest.fixture
def pem(tmp_path):
    """Writes PEM files, and returns their paths."""

    def write(name, *parts):
        path = tmp_path / f"{name}.pem"
        path.write_bytes(b"".join(part if isinstance(part, bytes) else part.bytes() for part in parts))
        return path

    return write


@pytest.fixture
def ca(pem):
    return pem("ca", CA.cert_pem)


class Secure:
    """A server that greets bots; ``seen`` are the tokens they have shown."""

    def __init__(self, host="localhost", *, mutual=False):
        issued = CA.issue_cert(host)
        chain = b"".join(part.bytes() for part in issued.cert_chain_pems)
        roots = CA.cert_pem.bytes() if mutual else None
        self._credentials = grpc.ssl_server_credentials(
            [(issued.private_key_pem.bytes(), chain)], roots, require_client_auth=mutual
        )
        self.seen = asyncio.Queue()

    async def __aenter__(self):
        async def play(_requests, context):
            self.seen.put_nowait(dict(context.invocation_metadata()).get("authorization"))
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, "you have been seen")

        method = grpc.stream_stream_rpc_method_handler(
            play,
            request_deserializer=play_pb2.PlayRequest.FromString,
            response_serializer=play_pb2.PlayResponse.SerializeToString,
        )
        self._server = grpc.aio.server()
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("croupier.v1.PlayService", {"Play": method}),)
        )
        port = self._server.add_secure_port("127.0.0.1:0", self._credentials)
        await self._server.start()
        self.target = f"localhost:{port}"
        return self

    async def __aexit__(self, *_):
        await self._server.stop(0)


class Heard(logging.Handler):
    """What the SDK logs, as it comes."""

    def __init__(self):
        super().__init__()
        self._messages = asyncio.Queue()

    def emit(self, record):
        self._messages.put_nowait(record.getMessage())

    async def message(self, part=""):
        """The next message that holds this."""
        async with asyncio.timeout(40):
            while part not in (message := await self._messages.get()):
                pass
        return message


@pytest.fixture
async def heard():
    handler, logger = Heard(), logging.getLogger("croupier")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(level)


class First(croupier.Bot):
    def choose(self, decision):
        return 0


async def let_in(server, tls, **arguments):
    with pytest.raises(croupier.Refused, match="you have been seen"):
        await croupier.play(First(), server.target, tls=tls, backoff=QUICK, **arguments)


async def why_not(server, tls, heard):
    """What the bot is told while it cannot connect."""
    playing = asyncio.create_task(croupier.play(First(), server.target, tls=tls, backoff=QUICK))
    message = await heard.message()
    playing.cancel()
    await asyncio.wait([playing])
    assert server.seen.empty()
    return message


async def test_a_bot_trusts_the_authority_it_is_given(ca):
    async with Secure() as server:
        await let_in(server, ca)
        await let_in(server, str(ca))
        await let_in(server, croupier.Certificates(ca=ca))


async def test_a_bot_shows_its_own_certificate_where_the_server_asks_for_one(ca, pem):
    issued = CA.issue_cert("ann.example.org")
    cert, key = pem("bot", *issued.cert_chain_pems), pem("key", issued.private_key_pem)
    async with Secure(mutual=True) as server:
        await let_in(server, croupier.Certificates(ca, cert, key))


async def test_what_is_not_said_is_in_the_environment(ca, monkeypatch):
    monkeypatch.setenv("CROUPIER_TLS_CA", str(ca))
    monkeypatch.setenv("CROUPIER_TOKEN", "a-token\n")  # as it stands in a file
    async with Secure() as server:
        await let_in(server, None)
        assert await server.seen.get() == "Bearer a-token"


@pytest.mark.parametrize("value", ["", "0", "no"])
def test_an_environment_that_says_no_means_plain_text(value):
    assert chosen(None, {"CROUPIER_TLS": value}) is False


# What is said when it does not work out.


async def test_an_unknown_authority_is_told_from_a_server_that_is_not_there(pem, heard):
    stranger = pem("stranger", trustme.CA().cert_pem)
    async with Secure() as server:
        assert "signed by none of the authorities that this side trusts" in await why_not(server, stranger, heard)


async def test_a_certificate_for_another_host_is_named_as_such(ca, heard):
    async with Secure("example.org") as server:
        assert "the server's certificate is for another host name" in await why_not(server, ca, heard)


@pytest.mark.parametrize("mutual", [False, True])
async def test_a_server_that_hangs_up_at_once_may_want_tls_or_a_certificate(mutual, ca, heard):
    async with Secure(mutual=mutual) as server:
        said = await why_not(server, ca if mutual else False, heard)
        assert "does it speak TLS (tls=True), or ask for a certificate (CROUPIER_TLS_CERT)?" in said


async def test_a_server_that_speaks_plain_text_is_named_as_such(ca):
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with admin.connect(f"localhost:{port}", tls=ca) as connected:
        with pytest.raises(croupier.RequestError, match="the server speaks plain text, not TLS"):
            await connected.sessions.ListGames(ListGamesRequest())
    await server.stop(0)


@pytest.mark.parametrize("broken", ["missing", "nonsense", "half", "other key", "passphrase", "key nonsense"])
async def test_a_bad_file_is_named_before_anything_is_tried(broken, ca, pem, tmp_path):
    issued, other = CA.issue_cert("a.example.org"), CA.issue_cert("b.example.org")
    cert, key, nonsense = pem("bot", *issued.cert_chain_pems), pem("key", issued.private_key_pem), pem("bad", b"bad")
    private = serialization.load_pem_private_key(issued.private_key_pem.bytes(), None)
    pem_format, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    encrypted = private.private_bytes(pem_format, pkcs8, serialization.BestAvailableEncryption(b"secret"))
    tls, says = {
        "missing": (tmp_path / "no.pem", f"tls: cannot read {tmp_path / 'no.pem'}: No such file or directory"),
        "nonsense": (nonsense, f"tls: {nonsense} holds no certificate in PEM"),
        "half": (croupier.Certificates(ca, cert), "tls: cert was given without key; they belong together"),
        "other key": (croupier.Certificates(ca, cert, pem("other", other.private_key_pem)), "is not the key of"),
        "passphrase": (croupier.Certificates(ca, cert, pem("locked", encrypted)), "has a passphrase"),
        "key nonsense": (croupier.Certificates(ca, cert, nonsense), "are not a certificate and a private key in PEM"),
    }[broken]
    with pytest.raises(croupier.BadCertificate) as error:
        await croupier.play(First(), "localhost:1", tls=tls)
    assert says in str(error.value)
    with pytest.raises(croupier.BadCertificate):
        async with admin.connect("localhost:1", tls=tls):
            pass
    assert credentials(croupier.Certificates(ca, cert, key)) is not None


async def test_a_file_that_goes_missing_while_the_bot_plays_is_waited_for(ca, heard):
    good = ca.read_bytes()
    async with Secure("example.org") as server:  # so that it never gets in
        playing = asyncio.create_task(croupier.play(First(), server.target, tls=ca, backoff=QUICK))
        await heard.message("another host name")
        ca.unlink()
        await heard.message("cannot read")
        ca.write_bytes(good)
        await heard.message("another host name")
        assert not playing.done()
        playing.cancel()
        await asyncio.wait([playing])
