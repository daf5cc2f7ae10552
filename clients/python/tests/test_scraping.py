import http.client
import socket

import pytest

from croupier import scraping
from croupier.scraping import ScrapeServer


def answers(environ, start):
    if environ["PATH_INFO"] == "/broken":
        raise ValueError("no metrics today")
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"a 1\n"]


def get(server, path="/metrics"):
    host, _, port = server.address.rpartition(":")
    connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=30)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_metrics_are_served(host):
    if host == "[::1]":
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("this machine has no IPv6")
    told = []
    with ScrapeServer(f"{host}:0", answers, told.append) as server:
        assert server.address.startswith(f"{host}:")
        assert get(server) == (200, b"a 1\n")
    assert told == []


def test_an_application_that_fails_is_told_and_the_next_one_is_served():
    told = []
    with ScrapeServer("127.0.0.1:0", answers, told.append) as server:
        assert get(server, "/broken") == (500, b"the server's log says more\n")
        assert get(server) == (200, b"a 1\n")
    assert told == ["ValueError('no metrics today')"]


def test_clients_that_say_nothing_are_sent_away_and_so_are_too_many(monkeypatch, capfd):
    monkeypatch.setattr(scraping._Handler, "timeout", 0.2)
    told = []
    with ScrapeServer("127.0.0.1:0", answers, told.append) as server:
        host, _, port = server.address.rpartition(":")
        silent = [socket.create_connection((host, int(port)), timeout=30) for _ in range(scraping.AT_ONCE + 5)]
        for client in silent:
            assert client.recv(1) == b""  # closed by the server
            client.close()
        room = server._server._room
        assert all(room.acquire(timeout=30) for _ in range(scraping.AT_ONCE))
        room.release(scraping.AT_ONCE)
        assert get(server) == (200, b"a 1\n")
    assert (told, capfd.readouterr()) == ([], ("", ""))


def test_where_it_cannot_listen_is_said():
    with ScrapeServer("127.0.0.1:0", answers, print) as server, pytest.raises(OSError, match="cannot serve metrics on"):
        ScrapeServer(server.address, answers, print)
