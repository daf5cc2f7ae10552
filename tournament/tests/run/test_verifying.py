"""What a tournament has published can be checked, and whatever is changed in it is found."""

import asyncio
import gzip
import io
import json
import shutil
import tarfile

import pytest

from croupier_games.kernel import Record, Seed, find_game
from croupier_games.kernel.playout import random_playout
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import end, publish_all
from croupier_tournament.run.ledger import FINAL, FINISHED, Game, Recorded
from croupier_tournament.run.verifying import Unreadable, verify_folder

GAME = find_game("trick-and-trade")
TABLE = {
    "title": "Spring",
    "game": "trick-and-trade",
    "seats": 3,
    "blocks": 4,
    "options": {"first_leader": 1},
    "entrants": [{"name": name, "remote": True} for name in ("ann", "bob", "cat", "dan")],
    "run": {"ledger": None},
}
SECRET = bytes(range(32))


def played(tournament, key):
    """A game as it came out of a server that plays at random."""
    block = tournament.plan.blocks[key.block]
    options = GAME.options({"first_leader": "1"})
    *_, table = random_playout(GAME, 3, options, Seed(tournament.deal_seed(block.deal)))
    record = Record.of(table)
    seating = tournament.seating(key)
    return (
        Game(
            block=key.block,
            replay=key.replay,
            state=FINAL,
            attempt=0,
            owner="me",
            leased=1000.0,
            server="host:1",
            bots=seating,
            session=f"s{key}",
            points=record.points,
            placings=record.placings,
            forfeited=(False,) * 3,
            faults=({},) * 3,
            decisions=(18,) * 3,
            charged=(7,) * 3,
            ended=1001.0,
        ),
        record.to_text(GAME),
    )


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The folder of a tournament that is over."""
    folder = tmp_path_factory.mktemp("published") / "spring"
    table = {name: value for name, value in TABLE.items() if name != "run"}

    async def make():
        ledger, tournament = await Folder(folder).create(table, text=None, programs=folder.parent, secret=SECRET)
        async with ledger:
            games = {key: played(tournament, key) for key in tournament.plan.order}
            records = {key: Recorded.of(text) for key, (_, text) in games.items()}
            await ledger.write(tournament.id, [game for game, _ in games.values()], records)
            values = {"state": FINISHED, "reason": "all is played"}
            await publish_all(tournament, ledger, Folder(folder), values)

    asyncio.run(make())
    return folder


@pytest.fixture
def folder(published, tmp_path):
    """A copy to be tampered with; the ledger is not in it, because nobody else has it."""
    shutil.copytree(published, tmp_path / "spring", ignore=shutil.ignore_patterns("ledger*", "runner.json", "logs"))
    return tmp_path / "spring"


def change_lines(folder, change):
    path = folder / "games.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines = change(lines) or lines
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def change_document(folder, **fields):
    path = folder / "tournament.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def change_records(folder, change):
    path = folder / "records.tar.gz"
    with tarfile.open(path) as archive:
        texts = {member.name: archive.extractfile(member).read().decode() for member in archive}
    changed = change(texts) or texts
    with tarfile.open(path, "w:gz") as archive:
        for name, text in changed.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))


def first(texts):
    return next(iter(texts))


def test_a_tournament_as_it_was_published_is_verified(folder):
    verdict = verify_folder(folder, jobs=1)
    assert (verdict.problems, verdict.notes, verdict.games) == ([], [], 12)
    assert verdict.checked == ["commitment", "plan", "12 games with their seeds and records", "standings"]


def test_many_games_are_verified_by_several_processes(folder, monkeypatch):
    monkeypatch.setattr("croupier_tournament.run.verifying.FEW", 1)
    monkeypatch.setattr("croupier_tournament.run.verifying.CHUNK", 5)
    told = []
    verdict = verify_folder(folder, jobs=2, told=lambda *counts: told.append(counts))
    assert (verdict.problems, verdict.games, told[-1]) == ([], 12, (12, 12))


def test_nothing_that_a_clock_says_is_in_what_is_compared(folder):
    for name in ("standings.json", "standings.csv", "games.jsonl"):
        text = (folder / name).read_text()
        assert "1970-01-01T00:16:4" not in text
        assert "charged" not in text
    assert '"began":"1970-01-01T00:16:40.000+00:00"' in (folder / "timing.jsonl").read_text()
    with gzip.open(folder / "records.tar.gz") as packed:
        assert packed.read(1)
        assert packed.mtime == 0


def test_nothing_private_is_published(folder):
    document = json.loads((folder / "tournament.json").read_text())
    assert "run" not in document["spec"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda folder: change_document(folder, secret="00" * 32), "the secret is not the one that was committed to"),
        (lambda folder: change_document(folder, secret="00" * 32), "b000000-r0: the seed of deal 0 does not follow"),
        (lambda folder: change_document(folder, commitment="00" * 32), "the secret is not the one that was committed"),
        (
            lambda folder: change_document(folder, plan={"hash": "00", "counted_blocks": None}),
            "the spec gives a plan of the hash",
        ),
        (lambda folder: change_document(folder, rules_version=99), "played was version 99 of the rules"),
        (
            lambda folder: change_lines(folder, lambda lines: lines[0].update(points=[99, 0, 0])),
            "b000000-r0: published are points (99, 0, 0)",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: lines[0].update(placings=[1, 1, 1])),
            "b000000-r0: published are points",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: lines[0].update(forfeited=[True, False, False])),
            "b000000-r0: published are points",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: lines[0].update(seed="00" * 32)),
            "b000000-r0: its record has another seed than was published",
        ),
        (lambda folder: change_lines(folder, lambda lines: lines[0].update(deal=3)), "b000000-r0: planned was deal 0"),
        (
            lambda folder: change_lines(folder, lambda lines: lines[0]["entrants"].reverse()),
            "b000000-r0: planned were",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: lines[0].update(bots=["eve"] * 3)),
            "b000000-r0: eve played for",
        ),
        (lambda folder: change_lines(folder, lambda lines: lines[:-1]), "12 games were planned to count, 11 are there"),
        (
            lambda folder: change_lines(folder, lambda lines: [lines[1], lines[0], *lines[2:]]),
            "b000000-r1: records.tar.gz holds records/b000000-r0.txt where its record should be",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: [*lines, {**lines[0], "game": "b000009-r0"}]),
            "b000009-r0: no such game counts",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: lines[0].update(game="what")),
            "games.jsonl, line 1 cannot be read",
        ),
        (
            lambda folder: change_records(folder, lambda texts: texts.update({first(texts): "croupier-record 1\n"})),
            "b000000-r0: its record is not right",
        ),
        (
            lambda folder: change_records(
                folder,
                lambda texts: texts.update({first(texts): texts[first(texts)].replace("option first_leader 1\n", "")}),
            ),
            "b000000-r0: ",
        ),
        (
            lambda folder: change_records(folder, lambda texts: texts.update({"records/more.txt": "more"})),
            "records.tar.gz holds records/more.txt, which is no game's record",
        ),
        (
            lambda folder: change_records(folder, lambda texts: dict(list(texts.items())[:-1])),
            "b000003-r2: records.tar.gz holds nothing where its record should be",
        ),
        (
            lambda folder: (folder / "records.tar.gz").write_bytes(b"something else"),
            "the published files cannot be read",
        ),
        (lambda folder: (folder / "records.tar.gz").unlink(), "the published files cannot be read"),
        (
            lambda folder: (folder / "standings.json").write_text("{}"),
            "standings.json is not what follows from the games",
        ),
    ],
)
def test_whatever_is_changed_is_found(folder, change, problem):
    change(folder)
    verdict = verify_folder(folder, jobs=1)
    assert any(found.startswith(problem) for found in verdict.problems), verdict.problems


def test_a_tournament_whose_secret_is_not_out_yet_is_checked_as_far_as_that_goes(folder):
    change_document(folder, secret=None, state="paused")
    verdict = verify_folder(folder, jobs=1)
    assert verdict.problems == []
    assert any("the secret is not revealed before the end" in note for note in verdict.notes)


def test_before_the_first_pause_there_is_only_the_promise(folder):
    for name in ("games.jsonl", "records.tar.gz", "standings.json"):
        (folder / name).unlink()
    change_document(folder, secret=None, state="running")
    verdict = verify_folder(folder, jobs=1)
    assert (verdict.problems, verdict.games) == ([], 0)
    assert any("no games have been published yet" in note for note in verdict.notes)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, r"tournament\.json is missing"),
        ("{}", "is of the format None; this program reads 'croupier-tournament 1'"),
        ("[", "cannot be read"),
        ('{"format": "croupier-tournament 1"}', "cannot be read"),
        ('{"format": "croupier-tournament 1", "secret": null, "spec": {}}', "the spec in .* cannot be played"),
    ],
)
def test_a_folder_without_a_tournament_is_told(tmp_path, text, problem):
    if text is not None:
        (tmp_path / "tournament.json").write_text(text)
    with pytest.raises(Unreadable, match=problem):
        verify_folder(tmp_path)


async def test_a_tournament_that_is_cancelled_reveals_its_secret_and_keeps_what_is_final(tmp_path):
    table = {name: value for name, value in TABLE.items() if name != "run"}
    place = Folder(tmp_path / "it")
    ledger, tournament = await place.create(table, text=None, programs=tmp_path, secret=SECRET)
    async with ledger:
        some = [key for key in sorted(tournament.plan.order) if key.block == 2]
        games = {key: played(tournament, key) for key in some}
        records = {key: Recorded.of(text) for key, (_, text) in games.items()}
        await ledger.write(tournament.id, [game for game, _ in games.values()], records)
        await end(tournament, ledger, place)
    verdict = verify_folder(place.path, jobs=1)
    assert (verdict.problems, verdict.games) == ([], 3)
    assert json.loads((place.path / "tournament.json").read_text())["secret"] == SECRET.hex()
