"""A server with tokens and TLS, as an operator sets it up: from the first token to a bot that is shut out."""

import asyncio
import io
import json
import os
import re
import signal
import urllib.request
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

import pytest
import trustme
from processes import PATIENCE

import croupier
from croupier import admin
from croupier.v1.session_pb2 import CreateSessionRequest, ListGamesRequest
from croupier_service.identity.main import create, delete, list_, rotate

CA = trustme.CA()
COMMANDS = {"create": create, "delete": delete, "list": list_, "rotate": rotate}


class First(croupier.Bot):
    """Plays the first legal action; ``seated`` is set when it sits somewhere."""

    def __init__(self):
        self.seated = asyncio.Event()

    def on_start(self, session):
        self.seated.set()

    def choose(self, decision):
        return 0


class Stuck(First):
    async def choose(self, decision):
        await asyncio.Event().wait()


class Operator:
    """Runs `croupier bot`, on the store or at the server, in this process: starting one takes longer than all the rest.

    ``tokens`` are all that it has been shown.
    """

    def __init__(self, store, ca):
        self.store = store
        self.ca = ca
        self.tokens = []

    async def bot(self, name, *words, at=None, token="", exit_code=0):
        """Stdout of a command, or stderr where it is to fail."""
        where = ("--target", at) if at else ("--store", str(self.store))
        out, err = io.StringIO(), io.StringIO()
        with (
            patch.dict(os.environ, {"CROUPIER_TLS_CA": str(self.ca), "CROUPIER_TOKEN": token}),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            assert await asyncio.to_thread(COMMANDS[name], [*words, *where]) == exit_code, err.getvalue()
        self.tokens += re.findall(r"croupier_[a-z]+_[0-9a-f]{64}", out.getvalue())
        return (err if exit_code else out).getvalue().strip()


@pytest.fixture
def operator(tmp_path):
    (tmp_path / "ca.pem").write_bytes(CA.cert_pem.bytes())
    return Operator(tmp_path / "croupier.db", tmp_path / "ca.pem")


@pytest.fixture
def secure(serve, operator, tmp_path):
    """Starts a server with tokens and TLS; ``target`` is how its certificate names it."""

    def start(**flags):
        issued = CA.issue_cert("localhost")
        cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
        cert.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
        key.write_bytes(issued.private_key_pem.bytes())
        server = serve(store=operator.store, auth=True, tls_cert=cert, tls_key=key, **flags)
        server.target = server.target.replace("127.0.0.1", "localhost")
        return server

    return start


async def refused_in_the_end(organiser):
    """Why the server does not answer any more."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await organiser.sessions.ListGames(ListGamesRequest())
            except croupier.RequestError as error:
                return error.message


async def created(organiser, request):
    """Start a session as soon as its bots are there."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await organiser.sessions.CreateSession(request)
            except croupier.RequestError as error:
                if error.reason != "UNKNOWN_BOT":
                    raise


async def test_every_line_of_the_log_is_json_whoever_knocks(secure):
    server = secure()
    for address in (server.target.replace("localhost", "127.0.0.1"), server.metrics):
        host, _, port = address.rpartition(":")
        for said in (b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01 nothing like this"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(said)
            writer.transport.abort() if said.startswith(b"\x16") else writer.write_eof()
            await asyncio.wait([asyncio.ensure_future(reader.read())], timeout=PATIENCE)
            writer.close()
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    events = [json.loads(line)["event"] for line in server.stderr().splitlines()]
    assert "listening" in events


def scrape(address):
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=PATIENCE) as page:
        return page.read().decode()


@pytest.mark.timeout(180)
async def test_from_the_first_token_to_a_bot_that_is_shut_out(secure, operator, tmp_path):
    boss = await operator.bot("create", "boss", "--role", "operator")  # before there is a server
    server = secure(grace=60, stall_timeout=60)
    ca, target = tmp_path / "ca.pem", server.target
    ann = await operator.bot("create", "ann", "--expires", "30d", at=target, token=boss)
    olga = await operator.bot("create", "olga", "--role", "organiser")  # beside the server, on its store

    async with admin.connect(target, olga, tls=ca) as organiser:
        playing = asyncio.create_task(croupier.play(First(), target, name="ann", token=ann, tls=ca, sessions=1))
        request = CreateSessionRequest(game="trick-and-trade", bots=["ann", "house:random", "house:random"])
        await created(organiser, request)
        async with asyncio.timeout(PATIENCE):
            await playing

        # Another bot's token, no token, nonsense: refused for good, with the reason.
        for token, code, says in (
            (olga, "PERMISSION_DENIED", "Play takes the role bot or operator; olga is organiser"),
            (None, "UNAUTHENTICATED", "this server asks for a token"),
            ("ann", "UNAUTHENTICATED", "what was given is no token"),
            (ann.replace("0", "1"), "UNAUTHENTICATED", "the token is not good here"),
        ):
            with pytest.raises(croupier.Refused, match=says) as refused:
                await croupier.play(First(), target, name="ann", token=token, tls=ca)
            assert refused.value.code.name == code
        with pytest.raises(croupier.Refused, match="the token is ann's, and plays under no other name"):
            await croupier.play(First(), target, name="bob", token=ann, tls=ca)

        # In the middle of a game its token is rotated.
        stuck = Stuck()
        playing = asyncio.create_task(croupier.play(stuck, target, name="ann", token=ann, tls=ca))
        async with asyncio.timeout(PATIENCE):
            await organiser.sessions.CreateSession(request)
            await stuck.seated.wait()
            listed = await operator.bot("list", "--format", "json", at=target, token=boss)
            online = {one["name"]: one["online"] for one in map(json.loads, listed.splitlines())}
            assert online == {"ann": True, "boss": False, "olga": False}
            new = await operator.bot("rotate", "ann", at=target, token=boss)
            with pytest.raises(croupier.Refused, match="the token of 'ann' was rotated"):
                await playing
            said = await operator.bot("delete", "ann", at=target, token=boss, exit_code=1)
            assert "ann sits in 1 running sessions" in said
            # Under the new one it finds its seat again.
            await croupier.play(First(), target, name="ann", token=new, tls=ca, sessions=1)

        # What is done on the store, the server notices too.
        await operator.bot("delete", "olga")
        assert "the token is not good here" in await refused_in_the_end(organiser)

    refused = await operator.bot("create", "eve", at=target, token=new, exit_code=1)
    assert "CreateBot takes the role operator; ann is bot" in refused
    said = await asyncio.to_thread(scrape, server.metrics) + server.stderr()
    assert len(set(operator.tokens)) == 4
    for token in operator.tokens:
        assert token not in said
        assert token[-64:] not in said
