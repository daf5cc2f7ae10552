"""Where the page is served: through proxies, under names, over TLS. Over real HTTP: a server of its own makes it."""

import asyncio
import json
import ssl
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import trustme

from croupier_tournament.web import serving as module
from croupier_tournament.web.address import Address, PageError, Site, Tls, site_of
from croupier_tournament.web.app import Shown
from croupier_tournament.web.limits import Limits, Rate
from croupier_tournament.web.serving import serving

LOCAL = Address("127.0.0.1", 0)
PATIENCE = 30
FEW = Shown(target="127.0.0.1:1", limits=Limits(requests=Rate(0.001, 2)))
"""Two requests of each address, and then no more."""


async def ask(url, context=None, **headers):
    """What is answered: the status, and JSON."""

    def asked():
        request = urllib.request.Request(
            f"{url}api/page", headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    return await asyncio.to_thread(asked)


async def test_visitors_behind_a_proxy_that_is_named_are_counted_each_by_itself():
    async with serving(FEW, Site(LOCAL, proxies=("127.0.0.0/8",))) as url:
        for visitor in ("198.51.100.1", "198.51.100.2", "2001:db8::1"):
            found = [(await ask(url, x_forwarded_for=visitor))[0] for _ in range(3)]
            assert found == [200, 200, 429], visitor
        # Whatever a visitor claims comes before what the proxy has seen.
        assert (await ask(url, x_forwarded_for="203.0.113.9, 198.51.100.1"))[0] == 429


async def test_nobody_else_is_believed_who_asks_for_somebody():
    for proxies in ((), ("198.51.100.7",)):
        async with serving(FEW, Site(LOCAL, proxies=proxies)) as url:
            found = [(await ask(url, x_forwarded_for=f"198.51.100.{number}"))[0] for number in range(3)]
            assert found == [200, 200, 429], proxies


async def test_a_page_for_this_machine_answers_to_its_names_and_no_other():
    async with serving(Shown(target="127.0.0.1:1"), Site(LOCAL, names=("cards.example.org",))) as url:
        assert (await ask(url, host="cards.example.org"))[0] == 200
        assert (await ask(url, host="localhost:8080"))[0] == 200
        status, refused = await ask(url, host="evil.example")
        assert (status, refused["error"]) == (421, "this page is not called 'evil.example'")


@pytest.mark.parametrize("proxy", ["nginx", "*", "10.0.0.1/8", ""])
def test_what_is_no_proxy_is_refused(proxy):
    with pytest.raises(PageError, match="a proxy is an address, or a network such as"):
        site_of("8080", proxies=[proxy])


@pytest.fixture
def authority():
    return trustme.CA()


@pytest.fixture
def files(tmp_path, authority):
    """Where a certificate is; called again, it is another one."""

    def write():
        issued = authority.issue_cert("127.0.0.1")
        (tmp_path / "cert.pem").write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
        (tmp_path / "key.pem").write_bytes(issued.private_key_pem.bytes())
        return Tls(str(tmp_path / "cert.pem"), str(tmp_path / "key.pem"))

    return write


def trusting(authority):
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def shown(url, context):
    """The certificate that is shown."""
    host, port = url.split("/")[2].split(":")
    with (
        ssl.create_connection((host, int(port)), PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname=host) as secure,
    ):
        return secure.getpeercert()["serialNumber"]


async def test_a_certificate_that_is_renewed_is_shown_to_who_comes_next(files, authority, monkeypatch):
    monkeypatch.setattr(module, "RENEW_S", 0.02)
    context = trusting(authority)
    tls = files()
    async with serving(Shown(target="127.0.0.1:1"), Site(LOCAL, tls)) as url:
        assert (await ask(url, context))[0] == 200
        first = await asyncio.to_thread(shown, url, context)
        await asyncio.to_thread(Path(tls.key).write_text, "half written")
        async with asyncio.timeout(PATIENCE):
            assert await asyncio.to_thread(shown, url, context) == first
            files()
            while await asyncio.to_thread(shown, url, context) == first:
                pass


async def test_a_certificate_that_is_none_is_said_to_be(tmp_path):
    (tmp_path / "none.pem").write_text("nothing")
    site = Site(LOCAL, Tls(str(tmp_path / "none.pem"), str(tmp_path / "none.pem")))
    with pytest.raises(OSError, match="PEM"):
        async with serving(Shown(target="127.0.0.1:1"), site):
            pass
