"""The page beside a real server, over real HTTP: what it lets whom do, and that it shows nobody what is hidden.

Everything that visitors are sent while a game runs is kept as it came over the wire. Afterwards the record tells what
was hidden at each moment, and the seed.
"""

import asyncio
import json
import signal
import ssl
import urllib.error
import urllib.request
from contextlib import asynccontextmanager

import pytest
import trustme
from processes import Process, command
from test_provable_deals import assert_nowhere

from croupier import admin
from croupier.v1 import session_pb2
from croupier_games.kernel import Record, find_game, replaying
from croupier_service.identity.manage import in_store
from croupier_service.identity.roles import Role
from croupier_tournament.web.address import Address, Site
from croupier_tournament.web.app import Shown
from croupier_tournament.web.serving import serving
from croupier_tournament.web.shapes import view_json

PATIENCE = 60.0
GAMES = {
    "trick-and-trade": (3, {}),
    "trick-stakes": (3, {}),
    "trades": (3, {"turns_per_seat": "4"}),
    "trade-and-triumph": (2, {"round_cap": "3"}),
}
SECRET = ("hand", "laid", "drawn", "received", "last_seen", "left_since", "known", "tops", "face_down", "own", "asked")
"""Names under which views hold what only their seat may know; and those under which pages would show it."""


class Visitor:
    """Talks plain HTTP to a page, and keeps every byte that comes back."""

    def __init__(self, url, token="", cookie=""):
        self.host = url.split("/")[2]
        self.token = token
        self.cookie = cookie
        self.heard = bytearray()
        self.events = []
        self.news = asyncio.Event()
        self._streams = []

    async def ask(self, path, method="GET", body=None):
        """One request: status and JSON."""
        reader, writer = await self._send(path, method, body)
        raw = await asyncio.wait_for(reader.read(), PATIENCE)
        writer.close()
        self.heard += raw
        head, _, rest = raw.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        if b"set-cookie: " in head:
            self.cookie = head.split(b"set-cookie: ")[1].split(b";")[0].decode()
        if b"transfer-encoding: chunked" in head:
            rest = dechunked(rest)
        return status, json.loads(rest) if rest.startswith((b"{", b"[")) else rest

    def follow(self, path):
        """Follow server-sent events until `close`."""
        self._streams.append(asyncio.create_task(self._follow(path)))

    async def _follow(self, path):
        reader, writer = await self._send(path, "GET", None)
        try:
            await reader.readuntil(b"\r\n\r\n")
            waiting = b""
            while size := int(await reader.readuntil(b"\r\n"), 16):
                chunk = await reader.readexactly(size)
                await reader.readexactly(2)
                self.heard += chunk
                waiting += chunk
                *whole, waiting = waiting.replace(b"\r\n", b"\n").split(b"\n\n")
                for event in whole:
                    if event.startswith(b"event: "):
                        name, data = event.decode().split("\n", 1)
                        self.events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
                        self.news.set()
        finally:
            writer.close()

    async def until(self, wanted):
        """Wait until one of the events is as wanted; that event's data."""
        async with asyncio.timeout(PATIENCE):
            while not (found := [data for name, data in self.events if wanted(name, data)]):
                self.news.clear()
                await self.news.wait()
        return found[0]

    async def close(self):
        for stream in self._streams:
            stream.cancel()
        await asyncio.gather(*self._streams, return_exceptions=True)

    async def _send(self, path, method, body):
        host, port = self.host.split(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=2**24)
        data = b"" if body is None else json.dumps(body).encode()
        head = [f"{method} {path} HTTP/1.1", f"host: {self.host}", "connection: close", f"content-length: {len(data)}"]
        head += ["content-type: application/json"] if body is not None else []
        head += [f"authorization: Bearer {self.token}"] if self.token else []
        head += [f"cookie: {self.cookie}"] if self.cookie else []
        writer.write("\r\n".join([*head, "", ""]).encode() + data)
        await writer.drain()
        return reader, writer


def dechunked(raw):
    whole = b""
    while raw:
        size, _, raw = raw.partition(b"\r\n")
        whole += raw[: int(size, 16)]
        raw = raw[int(size, 16) + 2 :]
    return whole


@asynccontextmanager
async def page_of(server, **shown):
    """A page in this process, of a server in its own."""
    async with serving(Shown(target=server.target, **shown), Site(Address("127.0.0.1", 0))) as url:
        yield url


async def record_of(server, session_id):
    async with admin.connect(server.target) as connected:
        reply = await connected.sessions.GetRecord(session_pb2.GetRecordRequest(session_id=session_id))
    return Record.from_text(reply.text, find_game)


def secrets_in(document, path=""):
    """Where a document holds what only a seat may know."""
    if isinstance(document, list):
        return [found for item in document for found in secrets_in(item, path)]
    if not isinstance(document, dict):
        return []
    own = [f"{path}/{name}" for name, value in document.items() if name in SECRET and value not in ({}, [], None)]
    return own + [found for name, value in document.items() for found in secrets_in(value, f"{path}/{name}")]


async def begun(person, body):
    """Begin a game, once the person's chair has arrived at the server; the session's id."""
    async with asyncio.timeout(PATIENCE):
        while (answer := await person.ask("/api/sessions", "POST", body))[0] != 201:
            pass
    return answer[1]["id"]


async def look_around(onlooker, session_id):
    """Ask for everything that there is while a session runs."""
    for path in ("/api/sessions", f"/api/sessions/{session_id}", "/api/bots", "/api/games", "/api/page", "/"):
        await onlooker.ask(path)
    for viewer in ("public", "open", "0"):
        status, refused = await onlooker.ask(f"/api/sessions/{session_id}/replay?viewer={viewer}")
        assert status == 409, refused
    assert (await onlooker.ask(f"/api/chairs/{'0' * 32}/events"))[0] == 404


async def play(person, chair, looking):
    """Take the first legal action again and again, and look around now and then; how often it was asked."""
    asked = acts = 0

    def news(name, data):
        return name == "end" or (name == "decision" and data["decision"]["id"] > asked)

    while "end" not in await person.until(news):
        if acts % 15 == 0:
            await looking()
        decision = [data for name, data in person.events if name == "decision"][-1]
        asked = decision["decision"]["id"]
        act = {"key": decision["key"], "decision": asked, "index": 0}
        status, said = await person.ask(f"/api/chairs/{chair}/acts", "POST", act)
        assert status == 200, said
        acts += 1
    return acts


@pytest.mark.timeout(240)
@pytest.mark.parametrize("game", GAMES)
async def test_nothing_hidden_is_in_anything_that_visitors_are_sent_while_a_game_runs(serve, game):
    seats, options = GAMES[game]
    server = serve(think_time=60, ping_interval=10, stall_timeout=60)
    before = []
    async with page_of(server, seats=True) as url:
        onlooker, person = Visitor(url), Visitor(url)
        chair = (await person.ask("/api/chairs", "POST", {"name": "ann"}))[1]["chair"]
        person.follow(f"/api/chairs/{chair}/events")
        bots = ["house:greedy"] * (seats - 1) + ["ann"]
        session_id = await begun(person, {"game": game, "bots": bots, "options": options})
        onlooker.follow(f"/api/sessions/{session_id}/live")

        async def looking():
            await look_around(onlooker, session_id)
            before[:] = [bytes(onlooker.heard), bytes(person.heard)]

        assert await play(person, chair, looking) > 2
        await onlooker.until(lambda name, _: name == "end")
        await onlooker.close()
        await person.close()
        record = await record_of(server, session_id)
    assert min(map(len, before)) > 500
    assert_nowhere(record.seed.raw, before)  # of what was sent before the end
    tables, mine = [], []
    for table in replaying(record, find_game(game)):
        tables.append(view_json(table.state.public_view())["table"])
        mine.append(view_json(table.state.view(seats - 1)))
    only_public(onlooker.events, tables)
    only_own(person.events, mine)


def only_public(events, tables):
    """Spectators: every table is one that the rules make public, and nothing comes with it."""
    shown, frames = {}, 0
    for name, data in events:
        assert not secrets_in(data), name
        if name == "frame":
            shown = {**shown, **data["table"]}
            assert shown in tables
            frames += 1
    assert frames > 5


def only_own(events, mine):
    """A person: its own view whenever it is asked, and otherwise nothing but what everybody may know."""
    for name, data in events:
        if name == "decision":
            assert data["decision"]["view"] in mine
            assert not secrets_in({**data["decision"], "view": None})
        elif name == "end":
            assert data["end"]["view"] == mine[-1]
        elif name != "begin":
            assert not secrets_in(data), name


def test_what_is_secret_would_be_found_wherever_it_is():
    assert secrets_in({"frames": [{"table": {}, "own": {"1": {"hand": [3]}}}]}) == ["/frames/own", "/frames/own/1/hand"]
    assert secrets_in([{"a": [{"face_down": [17]}]}]) == ["/a/face_down"]
    assert not secrets_in({"own": {}, "hand": [], "table": {"round": 1}})


@pytest.mark.timeout(180)
async def test_visitors_may_do_what_their_tokens_may_do_and_no_more(serve, tmp_path):
    store = str(tmp_path / "store.db")
    tokens = {}
    async with in_store(store) as manager:
        for name, role in (("op", Role.OPERATOR), ("eye", Role.SPECTATOR), ("ann", Role.BOT)):
            tokens[name] = (await manager.create(name, role, 0))[1]
    server = serve(auth=True, store=store)
    bots = ["house:greedy", "house:random", "house:greedy"]
    begin = {"game": "trick-and-trade", "bots": bots}
    async with page_of(server, seats=True) as url:
        nobody, eye, ann, op = Visitor(url), *(Visitor(url, tokens[name]) for name in ("eye", "ann", "op"))
        assert (await nobody.ask("/api/sessions"))[0] == 401
        assert (await nobody.ask("/api/sessions", "POST", begin))[0] == 401
        assert (await eye.ask("/api/sessions", "POST", begin))[0] == 403
        assert (await ann.ask("/api/sessions", "POST", begin))[0] == 403
        status, session = await op.ask("/api/sessions", "POST", begin)
        assert status == 201
        eye.follow(f"/api/sessions/{session['id']}/live")
        await eye.until(lambda name, _: name == "end")
        await eye.close()
        assert (await eye.ask(f"/api/sessions/{session['id']}/replay?viewer=open"))[0] == 200
        assert (await ann.ask(f"/api/sessions/{session['id']}/replay"))[0] == 403  # she did not sit there
        assert (await nobody.ask(f"/api/sessions/{session['id']}/replay?viewer=open"))[
            0
        ] == 401  # though it is known here
        assert [row["name"] for row in (await op.ask("/api/bots"))[1]["bots"] if row["role"]] == ["ann", "eye", "op"]
        assert not [row for row in (await eye.ask("/api/bots"))[1]["bots"] if row["role"]]
        # A cookie stands for a token; a wrong token gets none.
        assert (await nobody.ask("/api/login", "POST", {"token": "croupier_operator_" + "0" * 64}))[0] == 401
        assert not nobody.cookie
        assert await nobody.ask("/api/login", "POST", {"token": tokens["eye"]}) == (200, {"role": "spectator"})
        assert tokens["eye"].encode() not in nobody.heard
        assert (await nobody.ask("/api/sessions"))[0] == 200
        assert (await nobody.ask("/api/page"))[1]["logged_in"] is True
        cookie = nobody.cookie
        await nobody.ask("/api/logout", "POST", {})
        nobody.cookie = cookie
        assert (await nobody.ask("/api/sessions"))[0] == 401  # forgotten here, too
        # A seat under a name that is not one's own.
        _, sat = await ann.ask("/api/chairs", "POST", {"name": "op"})
        ann.follow(f"/api/chairs/{sat['chair']}/events")
        gone = await ann.until(lambda name, data: name == "gone" or (name == "begin" and data["gone"]))
        assert "WRONG" in str(gone) or "PERMISSION_DENIED" in str(gone)
        await ann.close()
    async with page_of(server, public_token=tokens["eye"]) as url:
        anybody = Visitor(url)
        assert (await anybody.ask("/api/sessions"))[0] == 200  # the page's own spectator's token
        assert (await anybody.ask("/api/sessions", "POST", begin))[0] == 404  # read-only


CUP = """\
title = "Watched"
game = "trick-and-trade"
seats = 3
blocks = 40
[run]
concurrency = 4
""" + "".join(
    f'[[entrants]]\nname = "{name}"\nhouse = "{house}"\n'
    for name, house in (("ann", "greedy"), ("bob", "random"), ("cat", "greedy"), ("dan", "random"))
)


@pytest.mark.timeout(240)
async def test_a_tournament_is_watched_from_its_first_game_to_its_end_and_its_page_ends_with_it(tmp_path):
    spec = tmp_path / "cup.toml"
    spec.write_text(CUP)
    with Process(*command(), "tournament", "run", str(spec), "--web", "0", "--format", "jsonl") as run:
        while (said := await asyncio.to_thread(run.hear, PATIENCE))["event"] != "web":
            pass
        onlooker = Visitor(said["web"])
        listed = (await onlooker.ask("/api/tournaments"))[1]["tournaments"]
        onlooker.follow(f"/api/tournaments/{listed[0]['id']}/events")
        begun = await onlooker.until(lambda name, data: name == "progress" and data["running"])
        assert (begun["state"], begun["planned"]) == ("running", 120)
        ended = await onlooker.until(lambda name, data: name == "progress" and data["state"] == "finished")
        assert (ended["final"], ended["eta_s"]) == (120, None)
        shown = await onlooker.until(lambda name, data: name == "standings" and data["games"] == 120)
        finals = [data["final"] for name, data in onlooker.events if name == "progress"]
        assert finals == sorted(finals)
        assert len(set(finals)) > 2  # it has been seen to go on
        assert await asyncio.to_thread(run.wait, PATIENCE) == 0, run.stderr()
        await onlooker.close()
    published = json.loads((tmp_path / "cup" / "standings.json").read_text())
    assert {name: shown[name] for name in published} == published
    secret = json.loads((tmp_path / "cup" / "tournament.json").read_text())["secret"]
    assert_nowhere(bytes.fromhex(secret), [bytes(onlooker.heard)])
    assert (tmp_path / "cup" / "logs" / "page.log").read_text() == ""
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await onlooker.ask("/healthz")


@pytest.mark.timeout(180)
def test_the_page_of_a_server_ends_with_it_and_games_go_on_without_it(serve):
    server = serve(web=0)
    url = server.said["web"]
    with urllib.request.urlopen(f"{url}api/sessions", timeout=PATIENCE) as answer:
        assert json.load(answer) == {"sessions": [], "next": ""}
    server.signal(signal.SIGTERM)
    assert server.wait(PATIENCE) == 0
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{url}healthz", timeout=5)


@pytest.mark.timeout(180)
async def test_the_page_of_a_server_with_tls_speaks_it_too_and_asks_for_what_the_server_asks_for(serve, tmp_path):
    authority, store = trustme.CA(), tmp_path / "store.db"
    issued = authority.issue_cert("cards.example.org", "127.0.0.1")  # not by the name under which the page could call
    (tmp_path / "cert.pem").write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
    (tmp_path / "key.pem").write_bytes(issued.private_key_pem.bytes())
    (tmp_path / "ca.pem").write_bytes(authority.cert_pem.bytes())
    async with in_store(str(store)) as manager:
        token = (await manager.create("eye", Role.SPECTATOR, 0))[1]
    files = {"tls_cert": tmp_path / "cert.pem", "tls_key": tmp_path / "key.pem", "tls_client_ca": tmp_path / "ca.pem"}
    server = serve(auth=True, store=store, web=0, **files)
    url = server.said["web"]
    assert url.startswith("https://")
    stranger = ssl.create_default_context(cafile=tmp_path / "ca.pem")
    friend = ssl.create_default_context(cafile=tmp_path / "ca.pem")
    authority.issue_cert("friend").configure_cert(friend)

    def ask(context, token=""):
        request = urllib.request.Request(
            f"{url}api/sessions", headers={"authorization": f"Bearer {token}"} if token else {}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    with pytest.raises(OSError, match=r"(?i)certificate|reset|eof|closed"):
        await asyncio.to_thread(ask, stranger)
    assert (await asyncio.to_thread(ask, friend))[0] == 401
    assert await asyncio.to_thread(ask, friend, token) == (200, {"sessions": [], "next": ""})
