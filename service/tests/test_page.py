"""The page beside a server, as far as the server has to do with it."""

import pytest

from croupier_service import page
from croupier_service.main import serve


def test_a_server_without_the_pages_distribution_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(page, "entry_points", lambda **_: ())
    flags = ["--listen", "127.0.0.1:0", "--metrics", "off", "--store", "memory:", "--web", "0", "--log-level", "error"]
    assert serve(flags) == 1
    assert "pip install croupier-tournament" in capsys.readouterr().err


async def test_a_page_that_does_not_start_is_said_not_to(capfd):
    with pytest.raises(page.PageError, match="has not started"):
        async with page.page("127.0.0.1:1", ["--listen", "nowhere"]):
            pass
    assert "is a port, or host:port" in " ".join(capfd.readouterr().err.split())
