"""The page beside a server, as far as the server has to do with it."""

from pathlib import Path

import pytest

from croupier_service import page
from croupier_service.main import serve
from croupier_service.rpc.tls import TlsFiles


def test_a_server_without_the_pages_distribution_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(page, "entry_points", lambda **_: ())
    flags = ["--listen", "127.0.0.1:0", "--metrics", "off", "--store", "memory:", "--web", "0", "--log-level", "error"]
    assert serve(flags) == 1
    assert "pip install croupier-tournament" in capsys.readouterr().err


async def test_a_page_that_does_not_start_is_said_not_to(capfd, tmp_path):
    with pytest.raises(page.PageError, match="has not started"):
        async with page.page(tmp_path / "door", ["--listen", "nowhere"]):
            pass
    assert "is a port, or host:port" in " ".join(capfd.readouterr().err.split())


def test_nobody_else_can_open_the_pages_door():
    with page.door() as way_in:
        assert way_in.parent.stat().st_mode & 0o777 == 0o700
        assert len(str(way_in)) < 100  # more is no name of a socket
    assert not way_in.parent.exists()


def test_the_page_shows_what_the_server_shows_and_is_told_of_its_proxies():
    told = {"seats": True, "insecure": False, "proxies": ["10.0.0.1", "fd00::/8"], "names": ["cards.example.org"]}
    tls = TlsFiles(Path("cert.pem"), Path("key.pem"), Path("ca.pem"))
    flags = page.flags_of_page("0.0.0.0:8080", tls=tls, **told)
    assert flags == [
        *("--listen", "0.0.0.0:8080", "--seats"),
        *("--tls-cert", "cert.pem", "--tls-key", "key.pem", "--tls-client-ca", "ca.pem"),
        *("--proxy", "10.0.0.1", "--proxy", "fd00::/8", "--name", "cards.example.org"),
    ]
