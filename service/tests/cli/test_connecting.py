"""What all commands that talk to a server do alike: whom they trust, and how they say what is wrong."""

import json
import re
from pathlib import Path

import grpc
import pytest

from croupier.errors import RequestError
from croupier.tls import Certificates
from croupier.v1 import session_pb2
from croupier_service.cli.connecting import Connection, Format, explained, say
from croupier_service.cli.standing import tell

FIELDS = {"bots": "--bots", "labels": "--label", "clock.think_time_ms": "--think-time", "options": "--option"}


@pytest.fixture
def environment(monkeypatch):
    for name in ("", "_CA", "_CERT", "_KEY"):
        monkeypatch.delenv(f"CROUPIER_TLS{name}", raising=False)

    def set_to(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"CROUPIER_TLS_{name.upper()}", value)

    return set_to


def connection(*, tls=False, tls_ca=None):
    return Connection("session list", "cards.example:7700", None, tls, tls_ca)


def test_without_an_option_the_environment_decides_whether_to_speak_tls(environment):
    assert connection()._tls() is None


def test_the_usual_authorities_are_trusted_if_asked_for(environment):
    assert connection(tls=True)._tls() is True


def test_an_authority_that_is_named_goes_with_the_certificate_of_the_environment(environment):
    named = connection(tls_ca=Path("ca.pem"))
    assert named._tls() == Certificates(ca=Path("ca.pem"))
    environment(cert="me.pem", key="me.key", ca="another.pem")
    assert named._tls() == Certificates(ca=Path("ca.pem"), cert="me.pem", key="me.key")


@pytest.mark.parametrize(
    ("field", "option"),
    [
        ("bots", "--bots"),
        ("bots[0]", "--bots, number 1"),
        ("labels[cup]", "--label cup"),
        ("clock.think_time_ms", "--think-time"),
        ("options.first_leader", "--option first_leader"),
        ("something.else[3]", "something.else[3]"),
        ("?", "?"),
    ],
)
def test_a_bad_field_is_named_by_its_option(field, option):
    error = RequestError(grpc.StatusCode.INVALID_ARGUMENT, "no", "BAD", ((field, "is wrong"),))
    assert explained(error, "x", FIELDS) == [f"{option}: is wrong"]


def test_every_bad_field_has_a_line():
    error = RequestError(grpc.StatusCode.INVALID_ARGUMENT, "no", "BAD", (("bots", "are few"), ("seed", "is short")))
    assert explained(error, "x", FIELDS) == ["--bots: are few", "seed: is short"]


def test_no_terminal_obeys_what_a_server_says(capsys):
    red = "x\x1b[31mRED\x9b0m"
    tell(session_pb2.Session(session_id="one", labels={"label": red}), Format.TEXT)
    tell(session_pb2.Session(session_id="one", labels={"label": red}), Format.JSON)
    say("session show", red)
    text = capsys.readouterr()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text.out + text.err)
    assert r"label=x\u001b[31mRED\u009b0m" in text.out
    assert text.err == "croupier session show: x\\u001b[31mRED\\u009b0m\n"
    assert json.loads(text.out.splitlines()[-1])["labels"] == {"label": red}


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (grpc.StatusCode.UNAVAILABLE, "cards.example:7700: no (is a server running there? "),
        (grpc.StatusCode.UNIMPLEMENTED, "cards.example:7700: no (is this a Croupier server, and not an older one?)"),
        (grpc.StatusCode.UNAUTHENTICATED, "no (give your token: --token, or CROUPIER_TOKEN)"),
        (grpc.StatusCode.PERMISSION_DENIED, "no"),
    ],
)
def test_what_to_do_about_it_is_said(code, said):
    (line,) = explained(RequestError(code, "no"), "cards.example:7700", FIELDS)
    assert line.startswith(said)
