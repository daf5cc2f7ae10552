"""Checks a tournament by what it has published, and by nothing else.

Whoever has the folder can check that the deals follow from a secret that was committed to before the first game, that
exactly the planned games are there, that every result follows from the rules, and that the standings follow from the
results. The ledger is not looked at.
"""

import json
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from croupier_games.kernel import OptionError, Record, RecordError, UnknownGame, find_game, verify
from croupier_tournament.plan import GameKey, Plan
from croupier_tournament.rating import NotConverged
from croupier_tournament.report import standings_json
from croupier_tournament.run.publish import FORMAT, forget
from croupier_tournament.run.secret import commitment, deal_seed
from croupier_tournament.run.standing import published_games, rate, subject_of
from croupier_tournament.run.tournament import STAND_IN, plan_of
from croupier_tournament.spec import Spec, SpecError
from croupier_tournament.spec.reading import spec_of

CHUNK = 100
"""Games that a process checks in one go."""
FEW = 2 * CHUNK
"""So few games are checked in this process: others take longer to start than they save."""
MOST_PROBLEMS = 100
"""After so many nothing more is looked at."""


class Unreadable(Exception):
    """There is nothing that could be checked. The message says why."""


@dataclass(slots=True)
class Verdict:
    """What came of it."""

    games: int = 0
    """Whose records were replayed."""
    problems: list[str] = field(default_factory=list)
    """What is wrong; empty: nothing."""
    checked: list[str] = field(default_factory=list)
    """What has been checked, for people."""
    notes: list[str] = field(default_factory=list)
    """What could not be checked, and why."""


@dataclass(frozen=True, slots=True)
class Published:
    """A tournament as its `tournament.json` has it."""

    document: Mapping[str, Any]
    spec: Spec
    plan: Plan
    secret: bytes | None


def verify_folder(
    folder: Path, *, jobs: int | None = None, told: Callable[[int, int], object] = lambda *_: None
) -> Verdict:
    """Check everything that a folder holds.

    Args:
        folder: the tournament's.
        jobs: processes to use; None: one for each processor.
        told: told how many games of how many have been checked.

    Raises:
        Unreadable: there is no tournament in it, or none that this program can read.
    """
    verdict = Verdict()
    published = read(folder)
    _check_commitment(published, verdict)
    _check_plan(published, verdict)
    if not (folder / "games.jsonl").exists():
        verdict.notes.append(
            "no games have been published yet: games.jsonl is written when the tournament pauses or ends"
        )
        return verdict
    _check_games(published, folder, verdict, jobs or os.cpu_count() or 1, told)
    _check_standings(published, folder, verdict)
    return verdict


def read(folder: Path) -> Published:
    """Read `tournament.json` and plan the tournament again. Raises Unreadable."""
    path = folder / "tournament.json"
    try:
        document = json.loads(path.read_text("utf-8"))
        if document.get("format") != FORMAT:
            raise Unreadable(f"{path} is of the format {document.get('format')!r}; this program reads {FORMAT!r}")
        spec = spec_of(document["spec"])
        secret = bytes.fromhex(document["secret"]) if document["secret"] else None
        return Published(document, spec, plan_of(spec), secret)
    except FileNotFoundError:
        raise Unreadable(f"there is no tournament in {folder}: {path.name} is missing") from None
    except SpecError as error:
        raise Unreadable(f"the spec in {path} cannot be played: {error}") from error
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise Unreadable(f"{path} cannot be read: {error!r}") from error


def _check_commitment(published: Published, verdict: Verdict) -> None:
    promised = published.document["commitment"]
    if published.secret is None:
        verdict.notes.append("the secret is not revealed before the end: seeds are held to the records alone")
    elif commitment(published.secret).hex() != promised:
        verdict.problems.append(f"the secret is not the one that was committed to: its SHA-256 is not {promised}")
    else:
        verdict.checked.append("commitment")


def _check_plan(published: Published, verdict: Verdict) -> None:
    promised = published.document["plan"]["hash"]
    if published.plan.hash != promised:
        verdict.problems.append(f"the spec gives a plan of the hash {published.plan.hash}, published is {promised}")
    else:
        verdict.checked.append("plan")
    rules = find_game(published.spec.game).rules_version
    if rules != published.document["rules_version"]:
        verdict.problems.append(
            f"played was version {published.document['rules_version']} of the rules of {published.spec.game}, "
            f"here is version {rules}"
        )


def _check_games(
    published: Published, folder: Path, verdict: Verdict, jobs: int, told: Callable[[int, int], object]
) -> None:
    plan = published.plan
    counted = published.document["plan"]["counted_blocks"]
    planned = (len(plan.blocks) if counted is None else counted) * plan.spec.seats
    options = dict(published.spec.options)
    with ExitStack() as stack:
        executor: Executor | None = None
        if jobs > 1 and planned > FEW:
            executor = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=get_context("spawn")))
        pairs = _pairs(published, folder, verdict)
        for chunks in iter(lambda: [chunk for _ in range(2 * jobs) if (chunk := list(islice(pairs, CHUNK)))], []):
            work = executor.map if executor is not None else map
            for found in work(check_records, chunks, [options] * len(chunks)):
                verdict.problems += found
            verdict.games += sum(map(len, chunks))
            told(verdict.games, planned)
            if len(verdict.problems) > MOST_PROBLEMS:
                verdict.notes.append("there is more wrong; the rest was not looked at")
                return
    verdict.checked.append(f"{verdict.games:,} games with their seeds and records")
    if published.document["state"] == "finished" and verdict.games != planned:
        verdict.problems.append(f"{planned} games were planned to count, {verdict.games} are there")


def _pairs(published: Published, folder: Path, verdict: Verdict) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each published game with its record, after holding it to the plan and its seed to the secret."""
    previous = GameKey(-1, -1)
    try:
        with (folder / "games.jsonl").open(encoding="utf-8") as lines, _archive(folder) as archive:
            records = iter(archive)
            for number, line in enumerate(lines, start=1):
                try:
                    game = json.loads(line)
                    key = GameKey.parse(game["game"])
                    record = next(records, None)
                    verdict.problems += _against_plan(published, key, previous, game)
                    previous = key
                    if record is None or record.name != f"records/{key}.txt":
                        held = "nothing" if record is None else record.name
                        verdict.problems.append(f"{key}: records.tar.gz holds {held} where its record should be")
                        return
                    file = archive.extractfile(record)
                    yield game, file.read().decode("utf-8", "replace") if file is not None else ""
                    forget(archive)
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    verdict.problems.append(f"games.jsonl, line {number} cannot be read: {error!r}")
            if (extra := next(records, None)) is not None:
                verdict.problems.append(f"records.tar.gz holds {extra.name}, which is no game's record")
    except (OSError, EOFError, tarfile.TarError) as error:
        verdict.problems.append(f"the published files cannot be read: {error}")


def _archive(folder: Path) -> tarfile.TarFile:
    return tarfile.open(folder / "records.tar.gz", mode="r|gz")


def _against_plan(published: Published, key: GameKey, previous: GameKey, game: Mapping[str, Any]) -> Iterator[str]:
    plan = published.plan
    counted = published.document["plan"]["counted_blocks"]
    if not (key.block < (len(plan.blocks) if counted is None else counted) and key.replay < plan.spec.seats):
        yield f"{key}: no such game counts"
        return
    if key <= previous:
        yield f"{key}: comes after {previous}; games are in the order of the plan, each once"
    if (seating := plan.seating(key)) != tuple(game["entrants"]):
        yield f"{key}: planned were {', '.join(seating)}; published are {', '.join(game['entrants'])}"
    deal = plan.blocks[key.block].deal
    if deal != game["deal"]:
        yield f"{key}: planned was deal {deal}, published is {game['deal']}"
    if published.secret is not None and deal_seed(published.secret, plan.hash, deal).hex() != game["seed"]:
        yield f"{key}: the seed of deal {deal} does not follow from the secret"
    for name, bot in zip(seating, game["bots"], strict=True):
        if bot not in (published.spec.entrant(name).bot, STAND_IN):
            yield f"{key}: {bot} played for {name}"


def check_records(games: Sequence[tuple[Mapping[str, Any], str]], options: Mapping[str, str]) -> list[str]:
    """Hold published games to their records, and those to the rules. Returns what is wrong.

    Args:
        games: each with the text of its record.
        options: of the game, as texts by name.
    """
    return [f"{game['game']}: {problem}" for game, text in games for problem in _check_record(game, text, options)]


def _check_record(game: Mapping[str, Any], text: str, options: Mapping[str, str]) -> Iterator[str]:
    try:
        record = Record.from_text(text, find_game)
        rules = find_game(record.game)
        result = verify(record, rules)
        expected = rules.options(options)
    except (RecordError, OptionError, UnknownGame) as error:
        yield f"its record is not right: {error}"
        return
    if record.options != expected:
        yield f"it was played with {record.options}, not with {expected}"
    if record.seed.hex() != game["seed"]:
        yield "its record has another seed than was published"
    absent = {seat for seat, faults in enumerate(game["faults"]) if "disqualified" in faults}
    forfeited = frozenset(absent | {seat for seat, given in enumerate(result.forfeited) if given})
    placed = result.with_forfeits(forfeited)
    published = (tuple(game["points"]), tuple(game["placings"]), tuple(game["forfeited"]))
    if published != (placed.points, placed.placings, placed.forfeited):
        yield (
            f"published are points {published[0]}, placings {published[1]} and forfeits {published[2]}; "
            f"by its record they are {placed.points}, {placed.placings} and {placed.forfeited}"
        )


def _check_standings(published: Published, folder: Path, verdict: Verdict) -> None:
    """Recompute the standings from the published games, and compare them byte for byte."""
    path = folder / "standings.json"
    try:
        told = path.read_bytes()
        standing = rate(published_games(folder / "games.jsonl", published.plan), len(published.plan.entrants))
        subject = subject_of(published.spec, published.plan, published.document["commitment"])
        expected = standings_json(standing.report(subject))
    except FileNotFoundError:
        verdict.notes.append("there are no standings to be checked: standings.json is missing")
        return
    except (OSError, ValueError, LookupError, TypeError, NotConverged) as error:
        verdict.problems.append(f"the standings cannot be recomputed: {error}")
        return
    if told != expected:
        verdict.problems.append("standings.json is not what follows from the games: recomputed, its bytes are others")
    else:
        verdict.checked.append("standings")
