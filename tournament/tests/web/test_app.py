"""What holds for every answer of the page, without a game server or a tournament."""

import pytest
from asking import ask

from croupier_tournament.web.address import AddressError, parse_address
from croupier_tournament.web.app import HEADERS, STATIC, Shown, page
from croupier_tournament.web.limits import Limits, Rate

NOWHERE = "127.0.0.1:1"


@pytest.fixture
async def app():
    async with page(Shown(target=NOWHERE, hosts=("localhost",))) as made:
        yield made


@pytest.mark.parametrize("path", ["/", "/t/abc/games/x", "/static/app.js", "/api/page", "/api/nothing", "/healthz"])
async def test_every_answer_keeps_browsers_strict(app, path):
    answer = await ask(app, path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert "server" not in answer.headers


async def test_paths_of_the_page_lead_to_the_page_and_others_nowhere(app):
    index = (STATIC / "index.html").read_bytes()
    assert (await ask(app, "/sessions/0123")).body == index
    missing = await ask(app, "/api/nothing")
    assert (missing.status, missing.json["error"]) == (404, "there is nothing at /api/nothing")
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/nothing.js"):
        answer = await ask(app, path)
        assert answer.status == 404
        assert b"import" not in answer.body


def test_the_page_asks_nobody_but_its_own_server():
    for path in STATIC.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg") and "vendor" not in path.parts:
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            assert "http://" not in text, path
            assert "https://" not in text, path
            assert "innerHTML" not in text, path
            assert "eval(" not in text, path
    assert "Apache License" in (STATIC / "vendor" / "LICENSE").read_text("utf-8")


async def test_the_page_is_read_only_unless_it_is_told_otherwise(app):
    for path, method in (
        ("/api/chairs", "POST"),
        ("/api/sessions", "POST"),
        ("/api/chairs/x/acts", "POST"),
        ("/api/chairs/x", "DELETE"),
    ):
        answer = await ask(app, path, method=method, body={})
        assert answer.status in (404, 405), path
    assert (await ask(app, "/api/page")).json["seats"] is False


async def test_a_game_server_that_is_away_is_said_to_be(app):
    answer = await ask(app, "/api/sessions")
    assert answer.status == 503
    assert "the game server does not answer" in answer.json["error"]


async def test_another_sites_page_cannot_change_anything(app):
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        answer = await ask(app, "/api/login", method="POST", body={"token": "x"}, headers=headers)
        assert (answer.status, answer.json["error"]) == (403, "another site's page has asked for this")
    answer = await ask(app, "/api/login", method="POST", body=b"token=x", headers={"content-type": "text/plain"})
    assert answer.status == 415


async def test_a_name_that_was_pointed_here_is_refused(app):
    assert (await ask(app, "/api/page", headers={"host": "evil.example:8080"})).status == 421
    for host in ("localhost:8080", "127.0.0.1:8080", "[::1]:8080"):
        assert (await ask(app, "/api/page", headers={"host": host})).status == 200


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "not JSON"),
        (b"[]", 400, "a JSON object"),
        (b'{"token": 7}', 400, "token: is a text"),
        (b"{}", 400, "token: is what `croupier bot create` has shown"),
        (b'{"token": "' + b"x" * 100_000 + b'"}', 413, "at most 65,536 bytes"),
    ],
)
async def test_a_body_that_makes_no_sense_is_refused_by_name(app, body, status, message):
    answer = await ask(app, "/api/login", method="POST", body=body)
    assert answer.status == status
    assert message in answer.json["error"]


@pytest.mark.parametrize("header", ["", "Basic abc", "Bearer", "Bearer " + "x" * 600])
async def test_a_header_that_is_no_token_is_refused(app, header):
    answer = await ask(app, "/api/page", headers={"authorization": header})
    assert (answer.status, answer.json["error"]) == (401, "the header is: Authorization: Bearer TOKEN")


async def test_who_asks_too_much_is_told_when_to_come_back():
    async with page(Shown(target=NOWHERE, limits=Limits(requests=Rate(1, 3)))) as app:
        for _ in range(3):
            assert (await ask(app, "/api/page")).status == 200
        refused = await ask(app, "/api/page")
        assert (refused.status, refused.headers["Retry-After"]) == (429, "1")
        assert (await ask(app, "/api/page", client="10.0.0.9")).status == 200
        for number in range(3):  # of IPv6 a whole network is one visitor
            assert (await ask(app, "/api/page", client=f"2001:db8::{number}")).status == 200
        assert (await ask(app, "/api/page", client="2001:db8::ffff")).status == 429


@pytest.mark.parametrize("text", ["", "x", "80x", "1.2.3.4:", "127.0.0.1:70000", ":80"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(AddressError, match="is a port, or host:port"):
        parse_address(text)


def test_an_address_for_others_takes_tls_or_a_word():
    with pytest.raises(AddressError, match="say --insecure if you mean it"):
        parse_address("0.0.0.0:8080")
    assert str(parse_address("0.0.0.0:8080", insecure=True)) == "0.0.0.0:8080"
    assert str(parse_address("0.0.0.0:8080", tls=True)) == "0.0.0.0:8080"
    assert str(parse_address("[::1]:8080")) == "[::1]:8080"
