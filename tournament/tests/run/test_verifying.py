"""What a tournament has published can be checked, and whatever is changed in it is found."""

import asyncio
import gzip
import io
import json
import shutil
import tarfile
from dataclasses import replace
from types import SimpleNamespace

import pytest

from croupier_games.kernel import Record, Seed, find_game
from croupier_games.kernel.playout import random_playout
from croupier_tournament.report import standings_csv, standings_json
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import end, publish_all
from croupier_tournament.run.ledger import FINAL, FINISHED, Game, Recorded
from croupier_tournament.run.standing import published_games, rate, subject_of
from croupier_tournament.run.stopping import Stopping
from croupier_tournament.run.verifying import Unreadable, read, verify_folder
from croupier_tournament.spec import Stopping as Rule

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
    seed = Seed(tournament.deal_seed(block.deal))
    *_, table = random_playout(GAME, 3, options, seed, seed.dice(f"replay {key.replay}"))
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


async def play(folder, table, rules=()):
    """Play a tournament to its end and publish it; returns after how many blocks each of some rules would stop it."""
    ledger, tournament = await Folder(folder).create(table, text=None, programs=folder.parent, secret=SECRET)
    async with ledger:
        games = {key: played(tournament, key) for key in tournament.plan.order}
        records = {key: Recorded.of(text) for key, (_, text) in games.items()}
        await ledger.write(tournament.id, [game for game, _ in games.values()], records)
        values = {"state": FINISHED, "reason": "all is played"}
        await publish_all(tournament, ledger, Folder(folder), values)

        async def flush():
            pass

        stops = {}
        for rule in rules:
            ruled = replace(tournament, spec=replace(tournament.spec, stopping=rule))
            books = SimpleNamespace(first=len(tournament.plan.blocks))
            stopping = Stopping(ruled, ledger, SimpleNamespace(books=books, flush=flush))
            await stopping.look()
            stops[rule] = stopping.counted
        return stops


def copied(folder, to):
    """A copy to be tampered with; the ledger is not in it, because nobody else has it."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("ledger*", "runner.json", "logs"))
    return to


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The folder of a tournament that is over."""
    folder = tmp_path_factory.mktemp("published") / "spring"
    asyncio.run(play(folder, {name: value for name, value in TABLE.items() if name != "run"}))
    return folder


@pytest.fixture
def folder(published, tmp_path):
    """A copy of it."""
    return copied(published, tmp_path / "spring")


EVIDENCE, PRECISION = Rule(alpha=0.8), Rule(half_width=35.0)
DUEL = {
    "title": "Duel",
    "game": "trick-and-trade",
    "seats": 3,
    "format": "head-to-head",
    "pair": ["ann", "bob"],
    "blocks": 64,
    "seed": "y",
    "options": {"first_leader": 1},
    "entrants": [{"name": name, "remote": True} for name in ("ann", "bob", "cat")],
}


@pytest.fixture(scope="module")
def whole_duel(tmp_path_factory):
    """The folder of a duel that was played to its end, and after how many blocks rules would have stopped it."""
    folder = tmp_path_factory.mktemp("published") / "duel"
    return folder, asyncio.run(play(folder, DUEL, [EVIDENCE, PRECISION]))


@pytest.fixture
def duel(whole_duel, tmp_path):
    """A copy of it."""
    return copied(whole_duel[0], tmp_path / "duel")


def cut(folder, blocks, **stopping):
    """Publish only so many blocks of a duel, with everything that follows from them."""
    document = json.loads((folder / "tournament.json").read_text())
    plan = {**document["plan"], "counted_blocks": blocks}
    change_document(folder, plan=plan, spec={**document["spec"], "stopping": stopping})
    change_lines(folder, lambda lines: lines[: 3 * blocks])
    change_records(folder, lambda texts: dict(list(texts.items())[: 3 * blocks]))
    it = read(folder)
    standing = rate(published_games(folder / "games.jsonl", it.plan), len(it.plan.entrants))
    report = standing.report(subject_of(it.spec, it.plan, it.document["commitment"]))
    (folder / "standings.json").write_bytes(standings_json(report))
    (folder / "standings.csv").write_bytes(standings_csv(report))


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
        (
            lambda folder: (folder / "standings.csv").write_text("table,rank\n"),
            "standings.csv is not what follows from the games",
        ),
        (lambda folder: change_document(folder, secret=None), "the tournament is over, but its secret is not"),
        (
            lambda folder: change_lines(folder, lambda lines: lines[4].update(block=3)),
            "b000001-r1: published are block 3 and replay 1",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: lines[4].update(replay=0)),
            "b000001-r1: published are block 1 and replay 0",
        ),
        (
            lambda folder: change_lines(folder, lambda lines: lines[4]["faults"].__setitem__(0, {"disqualified": 1})),
            "b000001-r1: ",
        ),
        (
            lambda folder: (folder / "games.jsonl").write_bytes((folder / "games.jsonl").read_bytes() + b"\xff\n"),
            "the published files cannot be read",
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


def test_a_plan_that_its_stopping_rule_has_cut_short_is_verified(duel, whole_duel):
    stops = whole_duel[1]
    assert 1 < stops[EVIDENCE] < 60
    cut(duel, stops[EVIDENCE], alpha=EVIDENCE.alpha)
    verdict = verify_folder(duel, jobs=1)
    assert (verdict.problems, verdict.notes, verdict.games) == ([], [], 3 * stops[EVIDENCE])
    assert verdict.checked[-2:] == ["stopping", "standings"]


def test_either_of_two_stopping_rules_may_have_cut_the_plan_short(duel, whole_duel):
    assert whole_duel[1][PRECISION] == 60
    cut(duel, 60, alpha=0.000_001, half_width=PRECISION.half_width)
    assert verify_folder(duel, jobs=1).problems == []


@pytest.mark.parametrize("more", [-1, 1])
def test_a_plan_that_was_cut_short_at_another_block_than_the_evidence_says_is_found(duel, whole_duel, more):
    decided = whole_duel[1][EVIDENCE]
    cut(duel, decided + more, alpha=EVIDENCE.alpha)
    met = "by none of them" if more < 0 else f"after {decided}"
    assert verify_folder(duel, jobs=1).problems == [
        f"the plan was cut short after {decided + more} of 64 blocks, but alpha = 0.8 is met {met}"
    ]


@pytest.mark.parametrize(
    ("blocks", "stopping", "says"),
    [
        (30, {"half_width": PRECISION.half_width}, "half_width = 35 is met by none of them"),
        (40, {"half_width": 2000.0}, "half_width = 2000 is met after 30"),
        (60, {"half_width": 2000.0}, "half_width = 2000 is met after 30"),
        (7, {}, "the spec has no stopping rule"),
    ],
)
def test_a_plan_that_was_cut_short_without_a_reason_is_found(duel, blocks, stopping, says):
    cut(duel, blocks, **stopping)
    assert verify_folder(duel, jobs=1).problems == [f"the plan was cut short after {blocks} of 64 blocks, but {says}"]


def test_a_tournament_that_was_cut_short_has_all_its_blocks_in_any_state(duel, whole_duel):
    decided = whole_duel[1][EVIDENCE]
    cut(duel, decided, alpha=EVIDENCE.alpha)
    change_lines(duel, lambda lines: lines[:-3])
    change_records(duel, lambda texts: dict(list(texts.items())[:-3]))
    change_document(duel, state="cancelled")
    problem = f"{3 * decided} games were planned to count, {3 * decided - 3} are there"
    assert problem in verify_folder(duel, jobs=1).problems


@pytest.mark.parametrize("missing", [0, 4, 11])
@pytest.mark.parametrize("state", ["paused", "cancelled"])
def test_every_block_is_whole(folder, missing, state):
    change_lines(folder, lambda lines: [*lines[:missing], *lines[missing + 1 :]])
    change_records(folder, lambda texts: {n: t for k, (n, t) in enumerate(texts.items()) if k != missing})
    change_document(folder, state=state)
    problems = verify_folder(folder, jobs=1).problems
    assert any("missing: every block that counts is whole" in problem for problem in problems), problems


def disqualify(folder, entrant, **kind):
    """Publish that an entrant of some kind was disqualified before its first game."""
    spec = json.loads((folder / "tournament.json").read_text())["spec"]
    entrants = [{"name": each["name"], **kind} if each["name"] == entrant else each for each in spec["entrants"]]
    change_document(folder, spec={**spec, "entrants": entrants})

    def forfeit(lines):
        for line in lines:
            if entrant in line["entrants"]:
                seat = line["entrants"].index(entrant)
                line["bots"][seat], line["faults"][seat] = "house:random", {"disqualified": 1}

    change_lines(folder, forfeit)


def test_games_lost_by_disqualification_are_told_because_nothing_proves_them(folder):
    disqualify(folder, "ann", command=["./ann"])
    verdict = verify_folder(folder, jobs=1)
    assert "ann: 9 games lost by disqualification, which no record proves" in verdict.notes
    assert not any("played for" in problem for problem in verdict.problems)


def test_only_a_command_entrant_can_be_disqualified(folder):
    disqualify(folder, "ann", remote=True)
    problems = verify_folder(folder, jobs=1).problems
    assert any("house:random played for ann, which is no command entrant" in problem for problem in problems)


@pytest.mark.parametrize("name", ["games.jsonl", "records.tar.gz", "standings.json", "standings.csv"])
@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_a_file_that_is_missing_when_the_tournament_is_over_is_found(folder, name, state):
    (folder / name).unlink()
    change_document(folder, state=state)
    problems = verify_folder(folder, jobs=1).problems
    assert any(name in problem for problem in problems), problems


def test_while_a_tournament_is_paused_a_file_may_be_missing(folder):
    (folder / "standings.csv").unlink()
    change_document(folder, state="paused")
    verdict = verify_folder(folder, jobs=1)
    assert verdict.problems == []
    assert "there are no standings to be checked: standings.csv is missing" in verdict.notes


def test_standings_without_a_game_are_found(folder):
    change_lines(folder, lambda lines: lines.clear())
    change_records(folder, lambda texts: texts.clear())
    change_document(folder, state="cancelled")
    problems = verify_folder(folder, jobs=1).problems
    assert [problem[:14] for problem in problems] == ["standings.json", "standings.csv "]


@pytest.mark.parametrize("name", ["state", "commitment", "rules_version", "plan", "secret", "title", "game"])
def test_a_field_that_is_missing_from_the_document_is_found(folder, name):
    path = folder / "tournament.json"
    path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != name}))
    assert verify_folder(folder, jobs=1).problems


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"state": "over"}, "state is one of running, paused, finished, cancelled, not 'over'"),
        ({"commitment": 7}, "commitment is a SHA-256, not 7"),
        ({"plan": []}, "plan is an object, not []"),
        ({"plan": {"counted_blocks": "x"}}, "plan.counted_blocks is null, or 1 to 4, not 'x'"),
        ({"plan": {"counted_blocks": 5}}, "plan.counted_blocks is null, or 1 to 4, not 5"),
        ({"plan": {"counted_blocks": True}}, "plan.counted_blocks is null, or 1 to 4, not True"),
        ({"plan": {}}, "plan.counted_blocks is null, or 1 to 4, not 'missing'"),
        ({"plan": {"counted_blocks": None, "blocks": 5}}, "plan.blocks is 5; by the spec it is 4"),
        ({"plan": {"counted_blocks": None, "games": 13}}, "plan.games is 13; by the spec it is 12"),
        ({"title": "Autumn"}, "title is 'Autumn'; by the spec it is 'Spring'"),
    ],
)
def test_a_field_of_the_document_that_is_wrong_is_told_by_name(folder, fields, problem):
    change_document(folder, **fields)
    assert f"tournament.json: {problem}" in verify_folder(folder, jobs=1).problems


@pytest.mark.parametrize("name", ["game", "block", "deal", "replay", "seed", "entrants", "bots"])
def test_a_line_without_a_field_is_found(folder, name):
    change_lines(folder, lambda lines: lines[5].__delitem__(name))
    problems = verify_folder(folder, jobs=1).problems
    assert any(problem.startswith("games.jsonl, line 6 cannot be read: KeyError") for problem in problems), problems


@pytest.mark.parametrize("name", ["points", "placings", "forfeited", "faults", "decisions"])
def test_a_game_without_a_result_is_found(folder, name):
    change_lines(folder, lambda lines: lines[5].__delitem__(name))
    assert any(
        f"KeyError('{name}')" in problem or f"'{name}'" in problem for problem in verify_folder(folder, jobs=1).problems
    )


async def test_what_was_changed_before_a_resume_is_published_and_verified(tmp_path):
    table = {name: value for name, value in TABLE.items() if name != "run"}
    place = Folder(tmp_path / "it")
    ledger, _ = await place.create(table, text=None, programs=tmp_path, secret=SECRET)
    await ledger.close()
    changed = {**table, "title": "Autumn", "stopping": {"half_width": 20.0}}
    place.file("spec.json").write_text(json.dumps(changed))
    ledger, tournament = await place.open()
    async with ledger:
        games = {key: played(tournament, key) for key in tournament.plan.order}
        records = {key: Recorded.of(text) for key, (_, text) in games.items()}
        await ledger.write(tournament.id, [game for game, _ in games.values()], records)
        await publish_all(tournament, ledger, place, {"state": FINISHED})
    document = json.loads(place.file("tournament.json").read_text())
    assert (document["title"], document["spec"]["stopping"]) == ("Autumn", {"half_width": 20.0})
    assert verify_folder(place.path, jobs=1).problems == []
