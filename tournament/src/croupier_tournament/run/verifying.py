"""Checks a tournament by what it has published, and by nothing else.

Whoever has the folder can check that the deals follow from a secret that was committed to before the first game, that
exactly the planned games are there, or those after which the stopping rule was met, that every result follows from the
rules, and that the standings follow from the results. The ledger is not looked at.
"""

import json
import os
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from croupier_games.kernel import OptionError, Record, RecordError, UnknownGame, find_game, verify
from croupier_tournament.plan import GameKey, Plan
from croupier_tournament.rating import EProcess, NotConverged, Precision, Results, block_scores, fit
from croupier_tournament.report import standings_csv, standings_json
from croupier_tournament.run.games import DISQUALIFIED
from croupier_tournament.run.ledger import CANCELLED, FINISHED, STATES
from croupier_tournament.run.publish import FORMAT, forget
from croupier_tournament.run.secret import commitment, deal_seed
from croupier_tournament.run.standing import published_games, rate, subject_of
from croupier_tournament.run.tournament import STAND_IN, plan_of
from croupier_tournament.spec import Command, Spec, SpecError
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
    disqualified: Counter[str] = field(default_factory=Counter)
    """Games that each entrant lost by disqualification."""


@dataclass(frozen=True, slots=True)
class Published:
    """A tournament as its `tournament.json` has it."""

    document: Mapping[str, Any]
    spec: Spec
    plan: Plan
    secret: bytes | None

    @property
    def over(self) -> bool:
        """Whether the tournament has come to its end, one way or the other."""
        return self.document["state"] in (FINISHED, CANCELLED)

    @property
    def counted(self) -> int | None:
        """Blocks that count, from the first on; None: the plan was not cut short."""
        found: int | None = self.document["plan"]["counted_blocks"]
        return found

    @property
    def most_blocks(self) -> int:
        """Only blocks before this one can be there."""
        return len(self.plan.blocks) if self.counted is None else self.counted


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
    verdict.problems += _unusable(published)
    if verdict.problems:
        return verdict
    _check_commitment(published, verdict)
    _check_plan(published, verdict)
    if not (folder / "games.jsonl").exists():
        if published.over:
            verdict.problems.append("games.jsonl is missing: the tournament is over")
        else:
            verdict.notes.append(
                "no games have been published yet: games.jsonl is written when the tournament pauses or ends"
            )
        return verdict
    _check_games(published, folder, verdict, jobs or os.cpu_count() or 1, told)
    _check_stopping(published, folder, verdict)
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
        secret = bytes.fromhex(document["secret"]) if document.get("secret") else None
        return Published(document, spec, plan_of(spec), secret)
    except FileNotFoundError:
        raise Unreadable(f"there is no tournament in {folder}: {path.name} is missing") from None
    except SpecError as error:
        raise Unreadable(f"the spec in {path} cannot be played: {error}") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable(f"{path} cannot be read: {error!r}") from error


def _unusable(published: Published) -> Iterator[str]:
    """Say which fields of `tournament.json` nothing can be held to."""
    document, blocks = published.document, len(published.plan.blocks)
    if document.get("state") not in STATES:
        yield f"tournament.json: state is one of {', '.join(STATES)}, not {document.get('state')!r}"
    if not isinstance(document.get("commitment"), str):
        yield f"tournament.json: commitment is a SHA-256, not {document.get('commitment')!r}"
    plan = document.get("plan")
    if not isinstance(plan, Mapping):
        yield f"tournament.json: plan is an object, not {plan!r}"
        return
    counted = plan.get("counted_blocks", "missing")
    if counted is not None and not (type(counted) is int and 0 < counted <= blocks):
        yield f"tournament.json: plan.counted_blocks is null, or 1 to {blocks}, not {counted!r}"


def _check_commitment(published: Published, verdict: Verdict) -> None:
    promised = published.document["commitment"]
    if published.secret is None and published.over:
        verdict.problems.append("the tournament is over, but its secret is not in tournament.json")
    elif published.secret is None:
        verdict.notes.append("the secret is not revealed before the end: seeds are held to the records alone")
    elif commitment(published.secret).hex() != promised:
        verdict.problems.append(f"the secret is not the one that was committed to: its SHA-256 is not {promised}")
    else:
        verdict.checked.append("commitment")


def _check_plan(published: Published, verdict: Verdict) -> None:
    document, spec, plan = published.document, published.spec, published.plan
    promised = document["plan"].get("hash")
    if plan.hash != promised:
        verdict.problems.append(f"the spec gives a plan of the hash {plan.hash}, published is {promised}")
    else:
        verdict.checked.append("plan")
    rules, played = find_game(spec.game).rules_version, document.get("rules_version")
    if rules != played:
        verdict.problems.append(f"played was version {played} of the rules of {spec.game}, here is version {rules}")
    for name, given, expected in (
        ("title", document.get("title"), spec.title),
        ("game", document.get("game"), spec.game),
        ("plan.version", document["plan"].get("version"), plan.version),
        ("plan.blocks", document["plan"].get("blocks"), len(plan.blocks)),
        ("plan.games", document["plan"].get("games"), len(plan)),
    ):
        if given != expected:
            verdict.problems.append(f"tournament.json: {name} is {given!r}; by the spec it is {expected!r}")


def _check_games(
    published: Published, folder: Path, verdict: Verdict, jobs: int, told: Callable[[int, int], object]
) -> None:
    planned = published.most_blocks * published.plan.spec.seats
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
    whole = published.document["state"] == FINISHED or published.counted is not None
    if whole and verdict.games != planned:
        verdict.problems.append(f"{planned} games were planned to count, {verdict.games} are there")
    for name, lost in sorted(verdict.disqualified.items()):
        verdict.notes.append(f"{name}: {lost:,} games lost by disqualification, which no record proves")


def _pairs(published: Published, folder: Path, verdict: Verdict) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each published game with its record, after holding it to the plan and its seed to the secret."""
    previous, last = GameKey(-1, -1), published.plan.spec.seats - 1
    try:
        with (folder / "games.jsonl").open(encoding="utf-8") as lines, _archive(folder) as archive:
            records = iter(archive)
            for number, line in enumerate(lines, start=1):
                try:
                    game = json.loads(line)
                    key = GameKey.parse(game["game"])
                    record = next(records, None)
                    verdict.problems += _against_plan(published, key, previous, game)
                    verdict.problems += _disqualifications(published, key, game, verdict.disqualified)
                    previous = key
                    if record is None or record.name != f"records/{key}.txt":
                        held = "nothing" if record is None else record.name
                        verdict.problems.append(f"{key}: records.tar.gz holds {held} where its record should be")
                        return
                    file = archive.extractfile(record)
                    yield game, file.read().decode("utf-8", "replace") if file is not None else ""
                    forget(archive)
                except (ValueError, LookupError, TypeError, AttributeError) as error:
                    verdict.problems.append(f"games.jsonl, line {number} cannot be read: {error!r}")
            if previous.replay not in (-1, last):
                verdict.problems.append(
                    f"{previous}: replays of its block are missing: every block that counts is whole"
                )
            if (extra := next(records, None)) is not None:
                verdict.problems.append(f"records.tar.gz holds {extra.name}, which is no game's record")
    except (OSError, EOFError, ValueError, tarfile.TarError) as error:
        verdict.problems.append(f"the published files cannot be read: {error}")


def _archive(folder: Path) -> tarfile.TarFile:
    return tarfile.open(folder / "records.tar.gz", mode="r|gz")


def _against_plan(published: Published, key: GameKey, previous: GameKey, game: Mapping[str, Any]) -> Iterator[str]:
    plan, seats = published.plan, published.plan.spec.seats
    if not (key.block < published.most_blocks and key.replay < seats):
        yield f"{key}: no such game counts"
        return
    next_block = GameKey(key.block, 0)
    if key <= previous:
        yield f"{key}: comes after {previous}; games are in the order of the plan, each once"
    elif key != (next_block if previous.replay in (-1, seats - 1) else GameKey(previous.block, previous.replay + 1)):
        yield f"{key}: replays before it are missing: every block that counts is whole"
    if (game["block"], game["replay"]) != (key.block, key.replay):
        yield f"{key}: published are block {game['block']} and replay {game['replay']}"
    if (seating := plan.seating(key)) != tuple(game["entrants"]):
        yield f"{key}: planned were {', '.join(seating)}; published are {', '.join(game['entrants'])}"
    deal = plan.blocks[key.block].deal
    if deal != game["deal"]:
        yield f"{key}: planned was deal {deal}, published is {game['deal']}"
    if published.secret is not None and deal_seed(published.secret, plan.hash, deal).hex() != game["seed"]:
        yield f"{key}: the seed of deal {deal} does not follow from the secret"


def _disqualifications(
    published: Published, key: GameKey, game: Mapping[str, Any], lost: Counter[str]
) -> Iterator[str]:
    """Hold the bots to the entrants: only a command entrant can be disqualified, and then the stand-in plays for it."""
    for name, bot, faults in zip(published.plan.seating(key), game["bots"], game["faults"], strict=True):
        entrant = published.spec.entrant(name)
        if bot == entrant.bot:
            if DISQUALIFIED in faults:
                yield f"{key}: {name} has played itself, so it was not disqualified"
        elif bot != STAND_IN:
            yield f"{key}: {bot} played for {name}"
        elif not isinstance(entrant.kind, Command):
            yield f"{key}: {bot} played for {name}, which is no command entrant: only those can be disqualified"
        elif faults != {DISQUALIFIED: 1}:
            yield f"{key}: {bot} played for {name}, which was not disqualified"
        else:
            lost[name] += 1


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
    try:
        if record.seed.hex() != game["seed"]:
            yield "its record has another seed than was published"
        absent = {seat for seat, faults in enumerate(game["faults"]) if DISQUALIFIED in faults}
        published = (tuple(game["points"]), tuple(game["placings"]), tuple(game["forfeited"]))
    except (KeyError, TypeError) as error:
        yield f"its line in games.jsonl cannot be read: {error!r}"
        return
    forfeited = frozenset(absent | {seat for seat, given in enumerate(result.forfeited) if given})
    placed = result.with_forfeits(forfeited)
    if published != (placed.points, placed.placings, placed.forfeited):
        yield (
            f"published are points {published[0]}, placings {published[1]} and forfeits {published[2]}; "
            f"by its record they are {placed.points}, {placed.placings} and {placed.forfeited}"
        )


def _check_stopping(published: Published, folder: Path, verdict: Verdict) -> None:
    """Replay the rule that has cut the plan short: it is met by the last block that counts, and was not before."""
    counted, rule = published.counted, published.spec.stopping
    if counted is None:
        return
    met: dict[str, int | None] = {}
    try:
        if rule.alpha is not None:
            met[f"alpha = {rule.alpha:g}"] = _decided(folder / "games.jsonl", published.plan, rule.alpha)
        if rule.half_width is not None:
            found = _known_well_enough(folder / "games.jsonl", published.plan, rule.half_width, counted)
            met[f"half_width = {rule.half_width:g}"] = found
    except (OSError, ValueError, LookupError, TypeError) as error:
        verdict.problems.append(f"the stopping rule cannot be replayed: {error}")
        return
    if counted in met.values():
        verdict.checked.append("stopping")
        return
    says = [f"{name} is met " + ("by none of them" if at is None else f"after {at}") for name, at in met.items()]
    verdict.problems.append(
        f"the plan was cut short after {counted} of {len(published.plan.blocks)} blocks, but "
        + (", and ".join(says) if says else "the spec has no stopping rule")
    )


def _decided(path: Path, plan: Plan, alpha: float) -> int | None:
    """After how many blocks one of the pair is better; None: after none of those that are there."""
    pair = plan.spec.pair
    assert pair is not None  # the plan of a head-to-head has one
    results = Results(published_games(path, plan), len(plan.entrants))
    evidence = EProcess(alpha, two_sided=True)
    for score in block_scores(results, *map(plan.entrants.index, pair)):
        if evidence.add(float(score)) is not None:
            return evidence.blocks
    return None


def _known_well_enough(path: Path, plan: Plan, half_width: float, blocks: int) -> int | None:
    """At which look everybody's interval is narrow enough; None: at none up to so many blocks."""
    precision, look = Precision(half_width), 0
    while (look := precision.next_look(look)) <= blocks:
        results = Results(islice(published_games(path, plan), look * plan.spec.seats), len(plan.entrants))
        with suppress(NotConverged):
            if precision.reached(fit(results, len(plan.entrants))):
                return look
    return None


def _check_standings(published: Published, folder: Path, verdict: Verdict) -> None:
    """Recompute the standings from the published games, and compare them byte for byte."""
    plan, games = published.plan, folder / "games.jsonl"
    try:
        expected: dict[str, bytes | None] = {"standings.json": None, "standings.csv": None}
        if games.stat().st_size:
            standing = rate(published_games(games, plan), len(plan.entrants))
            report = standing.report(subject_of(published.spec, plan, published.document["commitment"]))
            expected = {"standings.json": standings_json(report), "standings.csv": standings_csv(report)}
        told = {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in expected}
    except (OSError, ValueError, LookupError, TypeError, NotConverged) as error:
        verdict.problems.append(f"the standings cannot be recomputed: {error}")
        return
    for name, content in expected.items():
        if told[name] is None and content is not None:
            (verdict.problems if published.over else verdict.notes).append(
                f"there are no standings to be checked: {name} is missing"
            )
        elif told[name] != content:
            verdict.problems.append(f"{name} is not what follows from the games: recomputed, its bytes are others")
    if told == expected and any(expected.values()):
        verdict.checked.append("standings")
