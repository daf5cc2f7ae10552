"""``croupier web``: what it says of wrong usage, without serving anything."""

import re

import pytest

from croupier_tournament.web.main import web


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--listen", "here"], "is a port, or host:port"),
        (["--listen", "0.0.0.0:80"], "say --insecure if you mean it"),
        (["--tls-cert", "missing.pem"], "does not exist"),
        (["--tls-ca", "missing.pem"], "does not exist"),
        (["--tls-client-ca", __file__], "takes --tls-cert and --tls-key"),
        (["--proxy", "nginx"], "a proxy is an address, or a network such as 10.0.0.0/8"),
        (["--proxy", "10.0.0.1/8"], "without bits of a host"),
    ],
)
def test_wrong_usage_has_exit_code_2_and_says_what_would_be_right(capsys, arguments, words):
    assert web(arguments) == 2
    assert words in re.sub(r"[│\s]+", " ", capsys.readouterr().err)


def test_help_says_who_may_do_what(capsys):
    assert web(["--help"]) == 0
    out = re.sub(r"[│\s]+", " ", capsys.readouterr().out)
    for words in ("CROUPIER_WEB_TOKEN, a spectator's token", "read-only unless --seats", "Exit codes: 0 stopped"):
        assert words in out


def test_a_token_that_lets_everybody_do_more_than_watch_is_refused(monkeypatch, capsys):
    monkeypatch.setenv("CROUPIER_WEB_TOKEN", "croupier_operator_" + "0" * 64)
    assert web(["--listen", "127.0.0.1:0"]) == 2
    err = re.sub(r"[│\s]+", " ", capsys.readouterr().err)
    assert "is a spectator's token" in err
    assert "0000" not in err


def test_an_address_that_is_taken_is_said_to_be(capsys):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert web(["--listen", f"127.0.0.1:{taken.getsockname()[1]}"]) == 1
    assert "cannot serve the page on 127.0.0.1:" in capsys.readouterr().err
