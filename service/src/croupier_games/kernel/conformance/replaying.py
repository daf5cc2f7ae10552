"""The same game again: determinism, records, results, forfeits."""

from __future__ import annotations

from typing import Any

from ..game import State
from ..record import Record, RecordError, annotated, replay, verify
from ..result import rank
from .data import difference, strange
from .trial import Knowledge, Trial, check


@check
def check_determinism(trial: Trial) -> None:
    """The same seed and decisions give the same game, whether or not anybody asks questions meanwhile."""
    first = {position.move: Knowledge.of(position.state) for position in trial.sample}
    for table in trial.tables():
        move = len(table.inputs)
        if move in first and (found := difference(first[move], Knowledge.of(table.state))):
            raise trial.wrong(f"the same seed gives two games: {found}", move)
    undisturbed = tuple(table.moves), Knowledge.of(table.state)
    for table in trial.tables():
        if len(table.inputs) in first:
            _ask(trial, table.state)
    if found := difference(undisturbed, (tuple(table.moves), Knowledge.of(table.state)), "game"):
        raise trial.wrong(f"the game goes otherwise when questions are asked: {found}")


def _ask(trial: Trial, state: State[Any, Any]) -> None:
    """Ask everything there is to ask."""
    Knowledge.of(state)
    trial.game.describe(state)
    state.seen_components()
    for seat in range(trial.seats):
        state.clone().redeal(seat, trial.dice("asking"))
        state.redeal(seat, trial.dice("asking"))
        for action in state.legal_actions(seat):
            state.check(seat, action)
            for viewer in (None, *range(trial.seats)):
                state.shown(viewer, seat, action)


@check
def check_records(trial: Trial) -> None:
    """The record of a game survives as text, verifies, and replays to the same moves and views."""
    game = trial.game
    table = trial.end()
    record = Record.of(table)
    for what, text in (("plain", record.to_text(game)), ("annotated", annotated(record, game))):
        read = Record.from_text(text, lambda _: game)
        if found := difference(read, record):
            raise trial.wrong(f"the {what} record is read back otherwise: {found}")
    again = replay(record, game)
    if found := difference(tuple(table.moves), tuple(again.moves), "moves"):
        raise trial.wrong(f"the record replays to other moves: {found}")
    if found := difference(Knowledge.of(table.state), Knowledge.of(again.state)):
        raise trial.wrong(f"the record replays to another end: {found}")
    verify(record, game)


@check
def check_results(trial: Trial) -> None:
    """Points and placings for each seat, as ``rank`` makes them: 1, 2, 2, 4. Forfeits are not the game's business."""
    end = trial.sample[-1]
    result = end.state.result()
    assert result is not None
    widths = {len(result.points), len(result.placings), len(result.decided_by), len(result.forfeited)}
    if widths != {trial.seats} or any(len(tie.values) != trial.seats for tie in result.tie_breaks):
        raise trial.wrong(f"the result does not have {trial.seats} values of each kind: {result!r}", end.move)
    if problem := strange(result, "result()"):
        raise trial.wrong(problem, end.move)
    if any(result.forfeited):
        raise trial.wrong("the game forfeits a seat: that is for the table to do", end.move)
    sign = -1 if result.fewest_wins else 1
    keys = [(sign * p, *ties) for p, *ties in zip(result.points, *(t.values for t in result.tie_breaks), strict=True)]
    for seat, key in enumerate(keys):
        placing = 1 + sum(other > key for other in keys)
        if result.placings[seat] != placing:
            problem = f"seat {seat} is placed {result.placings[seat]}, by its points and tie-breaks it is {placing}"
            raise trial.wrong(problem, end.move)
    ranked = rank(result.points, result.tie_breaks, fewest_wins=result.fewest_wins, note=result.note)
    if found := difference(ranked, result):
        raise trial.wrong(f"the result is not what rank() gives: {found}", end.move)


@check
def check_forfeits(trial: Trial) -> None:
    """Games go on when seats are substituted or vacated at any point, place vacated seats last, and verify."""
    whim = trial.dice("forfeits")
    some = whim.shuffled(range(trial.seats))[: 1 + whim.below(trial.seats)]
    soon = {seat: whim.below(trial.length // 2 + 1) for seat in some}
    for leaving in (soon, dict.fromkeys(range(trial.seats), 0)):
        for table in trial.tables(vacate_after=leaving, substitute_one_in=6):
            state, vacated = table.state, table.vacated
            asked = [seat for seat in state.to_act() if seat in vacated and not state.may_wait(seat)]
            if asked:
                raise trial.wrong(f"seats {asked} are vacated, but still asked", len(table.inputs))
        result = table.result()
        assert result is not None
        gone = {result.placings[seat] for seat in table.vacated}
        stayed = {result.placings[seat] for seat in range(trial.seats) if seat not in table.vacated}
        if gone and stayed and min(gone) <= max(stayed):
            raise trial.wrong(f"vacated seats are not placed last: {result!r}", len(table.inputs))
        record = Record.of(table)
        try:
            verify(Record.from_text(record.to_text(trial.game), lambda _: trial.game), trial.game)
        except RecordError as error:
            raise trial.wrong(f"the record of a game with vacated seats does not verify: {error}") from error
