"""Whose turn it is, and what is legal."""

from __future__ import annotations

import re
from typing import Any

from ..game import IllegalAction, Seat, State
from ..table import Chosen
from .data import difference
from .trial import Knowledge, Trial, apply, check

MAX_ACTIONS = 128
ILLEGAL_APPLIED = 4  # illegal actions tried with apply(), per position and seat


@check
def check_turns(trial: Trial) -> None:
    """Whoever is to act has a short list without duplicates, and nobody else has one; a game that is over rests."""
    before: _Open | None = None
    for table in trial.tables():
        state, move = table.state, len(table.inputs)
        if state.seats != trial.seats:
            raise trial.wrong(f"the state says that it has {state.seats} seats", move)
        now = _Open(trial, state)
        if type(now.to_act) is not tuple or len(set(now.to_act)) != len(now.to_act):
            raise trial.wrong(f"to_act() is {now.to_act!r}, which is not a tuple of different seats", move)
        _check_progress(trial, now, move, table.now_ms)
        for seat in range(trial.seats):
            _check_list(trial, state, seat, now, move)
        if before is not None and isinstance(last := table.inputs[-1], Chosen):
            _check_open_decisions(trial, before, now, last.seat, move)
        before = now
        if extra := state.drain_engine_moves():
            raise trial.wrong(f"engine moves are reported a second time: {extra!r}", move)
    if strangers := [made for made in table.moves if type(made.seat) is not int or made.seat < 0]:
        raise trial.wrong(f"the engine reports moves of nobody: {strangers!r}")


class _Open:
    """The open decisions of a position."""

    def __init__(self, trial: Trial, state: State[Any, Any]) -> None:
        self.to_act = state.to_act()
        self.deadline = state.deadline()
        self.over = state.result() is not None
        self.may_wait = [state.may_wait(seat) for seat in range(trial.seats)]
        self.legal = [tuple(state.legal_actions(seat)) for seat in range(trial.seats)]


def _check_progress(trial: Trial, now: _Open, move: int, now_ms: int) -> None:
    if strangers := set(now.to_act) - set(range(trial.seats)):
        raise trial.wrong(f"seats {strangers} are to act, but do not exist", move)
    if now.over:
        if now.to_act:
            raise trial.wrong(f"the game is over, but seats {now.to_act} are to act", move)
        if now.deadline is not None:
            raise trial.wrong(f"the game is over, but has a deadline at {now.deadline} ms", move)
    elif now.deadline is None:
        if not now.to_act:
            raise trial.wrong("the game is not over, but nobody is to act and it has no deadline", move)
    elif type(now.deadline) is not int or now.deadline <= now_ms:
        raise trial.wrong(f"the deadline is {now.deadline!r} ms, but it was told that it is {now_ms} ms", move)


def _check_list(trial: Trial, state: State[Any, Any], seat: Seat, now: _Open, move: int) -> None:
    legal = now.legal[seat]
    if seat in now.to_act:
        if not legal:
            raise trial.wrong(f"seat {seat} is to act, but has no legal action", move)
    elif legal:
        raise trial.wrong(f"seat {seat} is not to act, but has legal actions: {legal!r}", move)
    elif now.may_wait[seat]:
        raise trial.wrong(f"seat {seat} is not to act, but may wait", move)
    if len(legal) > MAX_ACTIONS:
        raise trial.wrong(f"seat {seat} has {len(legal)} legal actions, more than {MAX_ACTIONS}: ask one by one", move)
    if len(set(legal)) != len(legal):
        twice = next(action for action in legal if legal.count(action) > 1)
        raise trial.wrong(f"seat {seat} is offered {twice!r} twice", move)
    if tuple(state.legal_actions(seat)) != legal:
        raise trial.wrong(f"seat {seat} has its legal actions in another order when asked again", move)


def _check_open_decisions(trial: Trial, old: _Open, new: _Open, actor: Seat, move: int) -> None:
    if set(new.to_act) != set(old.to_act) - {actor}:
        return
    for seat in new.to_act:
        if not (old.may_wait[seat] or new.may_wait[seat]) and old.legal[seat] != new.legal[seat]:
            raise trial.wrong(f"seat {seat} may not wait, but its open decision changed when seat {actor} acted", move)


@check
def check_legality(trial: Trial) -> None:
    """``check`` and ``apply`` accept what is listed and nothing else; a refusal names its rule and changes nothing."""
    whim = trial.dice("legality")
    for position in trial.sample:
        state, move = position.state, position.move
        before = Knowledge.of(state)
        for seat in range(trial.seats):
            legal = before.legal[seat]
            for action in legal:
                try:
                    state.check(seat, action)
                except IllegalAction as error:
                    problem = f"{trial.says(seat, action)} is listed, but check says: {error}"
                    raise trial.wrong(problem, move) from None
            for action in trial.illegal(legal, whim):
                _refuses(trial, "check", state, seat, action, move)
        if found := difference(before, Knowledge.of(state)):
            raise trial.wrong(f"check changed the state: {found}", move)
        for seat in range(trial.seats):
            legal = before.legal[seat]
            for action in whim.shuffled(legal)[: trial.positions]:
                apply(trial, state.clone(), seat, action, move)
            for action in trial.illegal(legal, whim)[:ILLEGAL_APPLIED]:
                _refuses(trial, "apply", copy := state.clone(), seat, action, move)
                found = difference(before, Knowledge.of(copy))
                if found or copy.drain_engine_moves():
                    found = found or "it reports engine moves"
                    raise trial.wrong(f"{trial.says(seat, action)} was refused, but changed the state: {found}", move)


def _refuses(trial: Trial, method: str, state: State[Any, Any], seat: Seat, action: Any, move: int) -> None:
    try:
        getattr(state, method)(seat, action)
    except IllegalAction as error:
        if not re.fullmatch(r"\S+", error.rule) or not str(error).strip():
            problem = f"{trial.says(seat, action)} is refused without a rule's name and a message"
            raise trial.wrong(problem, move) from None
    else:
        raise trial.wrong(f"{trial.says(seat, action)} is not listed, but {method} lets it pass", move)
