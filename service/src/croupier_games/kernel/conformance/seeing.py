"""What is seen: views, secrets, and states that look alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from typing import Any

from ..game import IllegalAction, Seat, State
from ..playout import Stuck, play_out
from .data import difference, strange
from .trial import Knowledge, Position, Trial, apply, check


@check
def check_views(trial: Trial) -> None:
    """Views are plain frozen data, equal and of equal hash when nothing has happened; asking changes nothing."""
    for position in trial.sample:
        state, move = position.state, position.move
        first = Knowledge.of(state)
        seen = [("public_view()", first.public), *((f"view({s})", view) for s, view in enumerate(first.views))]
        for path, view in seen:
            if not is_dataclass(view):
                raise trial.wrong(f"{path} is a {type(view).__name__}, not a frozen dataclass", move)
            if problem := strange(view, path):
                raise trial.wrong(problem, move)
        again = Knowledge.of(state)
        if found := difference(first, again):
            raise trial.wrong(f"asked a second time, the state answers otherwise: {found}", move)
        if hash(first.views) != hash(again.views) or hash(first.public) != hash(again.public):
            raise trial.wrong("equal views have different hashes", move)


@check
def check_secrets(trial: Trial) -> None:
    """While others have still to choose, nothing tells them what a seat has chosen beyond what ``shown`` says."""
    for position in trial.sample:
        state, move = position.state, position.move
        acting = state.to_act()
        for seat in acting:
            actions = list(state.legal_actions(seat))
            viewers: list[Seat | None] = [None, *range(trial.seats)]
            shown = {viewer: [state.shown(viewer, seat, action) for action in actions] for viewer in viewers}
            _check_shown(trial, shown, seat, actions, move)
            if len(acting) > 1:
                _check_pending(trial, position, seat, actions, shown)


def _check_shown(trial: Trial, shown: dict[Seat | None, list[Any]], seat: Seat, actions: list[Any], move: int) -> None:
    for index, action in enumerate(actions):
        if shown[seat][index] != action:
            raise trial.wrong(f"{trial.says(seat, action)} is not shown to seat {seat} itself", move)
        for viewer, what in shown.items():
            if shown[None][index] == action != what[index]:
                problem = f"{trial.says(seat, action)} is shown to spectators, but not to seat {viewer}"
                raise trial.wrong(problem, move)


def _check_pending(
    trial: Trial, position: Position, seat: Seat, actions: list[Any], shown: dict[Seat | None, list[Any]]
) -> None:
    """Compare, for each viewer, the positions after two actions of this seat that are shown to it alike."""
    after = []
    for action in actions:
        apply(trial, copy := position.state.clone(), seat, action, position.move)
        after.append(copy)
    for viewer, what in shown.items():
        first: dict[Any, int] = {}
        for index, masked in enumerate(what):
            one, other = first.setdefault(masked, index), index
            a, b = after[one], after[other]
            if viewer == seat or one == other or not _pending(position.state, a, b, seat):
                continue
            if found := difference(_Seen.by(viewer, a), _Seen.by(viewer, b)):
                who = "spectators" if viewer is None else f"seat {viewer}"
                choice = f"{trial.says(seat, actions[one])} from {trial.game.notation(actions[other])!r}"
                raise trial.wrong(f"while others have still to choose, {who} can tell {choice}: {found}", position.move)


def _pending(before: State[Any, Any], a: State[Any, Any], b: State[Any, Any], actor: Seat) -> bool:
    """Whether the same others, somebody at least, have still to choose."""
    others = set(a.to_act()) - {actor}
    return bool(others) and others == set(b.to_act()) - {actor} and others <= set(before.to_act())


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one viewer has before it."""

    view: Any
    legal_actions: tuple[Any, ...]
    may_wait: bool
    deadline: int | None

    @classmethod
    def by(cls, viewer: Seat | None, state: State[Any, Any]) -> _Seen:
        if viewer is None:
            return cls(state.public_view(), (), may_wait=False, deadline=state.deadline())
        legal = tuple(state.legal_actions(viewer))
        return cls(state.view(viewer), legal, state.may_wait(viewer), state.deadline())


@check
def check_clone(trial: Trial) -> None:
    """A clone and its original live apart, and the same decisions lead them to the same end."""
    positions = {position.move: position for position in trial.sample}
    for table in trial.tables():
        position = positions.get(len(table.inputs))
        if position is None:
            continue
        original, move = table.state, position.move  # never itself a clone
        before = Knowledge.of(original)
        clone = original.clone()
        twin = clone.clone()
        if found := difference(before, Knowledge.of(clone)) or difference(before, Knowledge.of(twin)):
            raise trial.wrong(f"a clone differs from its original: {found}", move)
        limit = trial.stamina()
        end = _play_on(trial, clone, "clone()", position, limit)
        if found := difference(before, Knowledge.of(original)):
            raise trial.wrong(f"playing on with a clone changed the original: {found}", move)
        if extra := original.drain_engine_moves():
            raise trial.wrong(f"the original reports engine moves of its clone: {extra!r}", move)
        if found := difference(before, Knowledge.of(twin)):
            raise trial.wrong(f"playing on with the original changed a clone of it: {found}", move)
        if found := difference(end, _play_on(trial, twin, "clone()", position, limit)):
            raise trial.wrong(f"a clone and its original, played alike, end differently: {found}", move)


@check
def check_redeal(trial: Trial) -> None:
    """A re-deal looks the same to its seat, can be played to its end, and is another game where something is hidden."""
    varied = not trial.hidden
    for position in trial.sample:
        state, move = position.state, position.move
        before = Knowledge.of(state)
        for seat in range(trial.seats):
            purpose = f"a re-deal for seat {seat}"
            other = state.redeal(seat, trial.dice(purpose))
            if found := difference(before, Knowledge.of(state)):
                raise trial.wrong(f"a re-deal changed the state it was made from: {found}", move)
            after = Knowledge.of(other)
            if found := _apart(before, after, seat) or _refused_otherwise(trial, state, other, seat):
                raise trial.wrong(f"seat {seat} can tell a re-deal from the game: {found}", move)
            if (one := trial.game.describe(state)) != (two := trial.game.describe(other)):
                raise trial.wrong(f"describe() tells what is hidden from seat {seat}: {one!r} or {two!r}", move)
            if found := difference(after, Knowledge.of(state.redeal(seat, trial.dice(purpose)))):
                raise trial.wrong(f"two re-deals by the same dice differ: {found}", move)
            limit = trial.stamina()
            end = _play_on(trial, other, purpose, position, limit)
            varied = varied or difference(before, after) is not None
            varied = varied or difference(end, _play_on(trial, state.clone(), purpose, position, limit)) is not None
            if found := _apart(end, Knowledge.of(other.redeal(seat, trial.dice(purpose))), seat):
                raise trial.wrong(f"seat {seat} can tell a re-deal of the re-deal, played on, from it: {found}", move)
        if found := difference(before, Knowledge.of(state)):
            raise trial.wrong(f"playing on with a re-deal changed the state it was made from: {found}", move)
    if not varied:
        raise trial.wrong(
            "no re-deal ever changed anything, so it keeps what is hidden; "
            "a game in which nothing is says so: hidden=False, or --nothing-hidden"
        )


def _apart(a: Knowledge, b: Knowledge, seat: Seat) -> str | None:
    """How a seat can tell two states from one another."""
    return next((found for path, x, y in _of_seat(a, b, seat) if (found := difference(x, y, path))), None)


def _refused_otherwise(trial: Trial, one: State[Any, Any], two: State[Any, Any], seat: Seat) -> str | None:
    """How refusals of illegal actions tell a seat what is hidden from it."""
    for action in trial.illegal(one.legal_actions(seat), trial.dice("refusals")):
        refusals: dict[tuple[str, str], None] = {}
        for state in (one, two):
            try:
                state.check(seat, action)
            except IllegalAction as error:
                refusals[error.rule, str(error)] = None
        if len(refusals) > 1:
            return f"{trial.says(seat, action)} is refused for {' or '.join(map(str, refusals))}"
    return None


def _of_seat(a: Knowledge, b: Knowledge, seat: Seat) -> Iterator[tuple[str, Any, Any]]:
    yield "view", a.views[seat], b.views[seat]
    yield "legal_actions", a.legal[seat], b.legal[seat]
    yield "public_view", a.public, b.public
    yield "to_act", a.to_act, b.to_act
    yield "deadline", a.deadline, b.deadline
    yield "may_wait", a.may_wait, b.may_wait
    yield "result", a.result, b.result


def _play_on(trial: Trial, state: State[Any, Any], purpose: str, position: Position, limit: int | None) -> Knowledge:
    """Play a state to its end, or for so many inputs; what is known then."""
    try:
        dice = trial.dice(f"playing on after {purpose} at {position.move}")
        trial.spent += play_out(state, dice, position.now_ms, stop_after=limit)
        return Knowledge.of(state)
    except Exception as error:
        reason = str(error) if isinstance(error, Stuck) else f"{type(error).__name__}: {error}"
        raise trial.wrong(f"after {purpose}, it cannot be played to its end: {reason}", position.move) from error
