"""Whether records hold: each is played again by the rules alone, on all processors where there are many."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any

from croupier_games.kernel import Game, Record, RecordError, check_commitment, replay, verify

from .recordfiles import Entry

CHUNK = 40
"""Records that a process is given at once; as many as one of them are proved without another process."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one record."""

    where: str
    """Its file and line; where it does not hold, those of what is wrong."""
    holds: bool
    finished: bool
    committed: bool
    """Whether a commitment to its seed is there (and was held against it)."""
    game: str = ""
    session: str = ""
    """The session's id, where the record has it."""
    error: str = ""
    number: int | None = None
    """The first input that does not follow, 1-based."""
    seat: int | None = None
    rule: str = ""


def verdicts(entries: Iterable[Entry], commitment: bytes, workers: int = 0) -> Iterator[Verdict]:
    """A verdict for each record, in order.

    ``commitment`` is held against each seed, if it is not empty; ``workers`` 0: as many processes as processors.
    """
    chunks = _chunks(entries)
    beginning = list(islice(chunks, 2))
    if len(beginning) < 2 or workers == 1:
        for chunk in chain(beginning, chunks):
            yield from _prove_all(chunk, commitment)
        return
    workers = workers or os.cpu_count() or 1
    waiting: deque[Future[list[Verdict]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for chunk in chain(beginning, chunks):
            waiting.append(pool.submit(_prove_all, chunk, commitment))
            if len(waiting) > 2 * workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _chunks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    source = iter(entries)
    while chunk := list(islice(source, CHUNK)):
        yield chunk


def _prove_all(entries: Sequence[Entry], commitment: bytes) -> list[Verdict]:
    return [prove(entry, commitment) for entry in entries]


def prove(entry: Entry, commitment: bytes = b"") -> Verdict:
    """Play one record again."""
    verdict = Verdict(entry.where, holds=True, finished=True, committed=bool(commitment))
    try:
        record, game, about = entry.read()
        verdict = replace(
            verdict,
            finished=bool(record.points or record.placings),
            committed=verdict.committed or bool(record.commitment),
            game=game.name,
            session=str(about.get("id", "")),
        )
        _hold_against(record, commitment)
        if verdict.finished:
            verify(record, game)
        else:
            _follow(record, game)
    except RecordError as error:
        return replace(
            verdict,
            where=entry.where_is(error),
            holds=False,
            error=str(error),
            number=error.number,
            seat=error.seat,
            rule=error.rule,
        )
    return verdict


def _hold_against(record: Record, commitment: bytes) -> None:
    if commitment and record.seed.commitment() != commitment:
        raise RecordError(f"the seed is not the one that {commitment.hex()} commits to")


def _follow(record: Record, game: Game[Any, Any, Any]) -> None:
    """Of a record without a result only the inputs can be looked at."""
    check_commitment(record)
    if replay(record, game).result() is not None:
        raise RecordError("the game is over after its inputs, but the record has no result")
