"""What a game says of itself: its name, seats and options, and its actions as text."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from ..dice import Seed
from ..game import MalformedAction, OptionError, option_texts
from .data import difference, is_frozen, strange
from .trial import Trial, check

RESERVED = ("substitute", "vacate")  # what records write in the place of an action


@check
def check_declaration(trial: Trial) -> None:
    """Name, title, version, seat range and options are as the kernel and records need them."""
    game: Any = trial.game
    if not (isinstance(game.name, str) and re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", game.name)):
        raise trial.wrong(f"the name {game.name!r} is not in lower case with hyphens")
    if not (isinstance(game.title, str) and game.title.strip()):
        raise trial.wrong("it has no title for people")
    if type(game.rules_version) is not int or game.rules_version < 1:
        raise trial.wrong(f"the rules version {game.rules_version!r} is not a whole number from 1 on")
    if not (isinstance(game.seat_range, range) and game.seat_range.step == 1 and game.seat_range.start > 0):
        raise trial.wrong(f"the seat range {game.seat_range!r} is not a range of seat counts such as range(3, 6)")
    if not game.seat_range:
        raise trial.wrong("the seat range is empty")
    if not isinstance(game.components(), frozenset):
        raise trial.wrong("components() is not a frozenset of names")
    _check_options(trial)
    for seats in (game.seat_range.start - 1, game.seat_range.stop):
        try:
            game.deal(seats, trial.options, Seed.of(trial.seed))
        except OptionError as error:
            if error.field != "seats":
                raise trial.wrong(f"a deal for {seats} seats names {error.field!r} as wrong, not 'seats'") from None
        else:
            raise trial.wrong(f"it deals for {seats} seats, out of its seat range")


def _check_options(trial: Trial) -> None:
    game: Any = trial.game
    options_type: Any = game.options_type
    if not is_frozen(options_type):
        raise trial.wrong(f"options_type {options_type!r} is not a frozen dataclass")
    if not isinstance(trial.options, options_type):
        raise trial.wrong(f"the options are a {type(trial.options).__name__}, not a {options_type.__name__}")
    for option in fields(options_type):
        if option.default is MISSING or not isinstance(option.default, int | str | bool | None):
            raise trial.wrong(f"the option {option.name} has no default of int, str, bool or None")
    texts = option_texts(trial.options)
    for name, text in texts.items():
        if "\n" in text or text != text.strip():
            raise trial.wrong(f"the option {name} = {text!r} cannot stand on one line of a record")
    if (again := game.options(texts)) != trial.options:
        raise trial.wrong(f"options do not survive as text: {trial.options!r} is read back as {again!r}")
    try:
        game.options({"no such option": "1"})
    except OptionError:
        return
    raise trial.wrong("options() accepts an option that does not exist")


@check
def check_notation(trial: Trial) -> None:
    """Every action survives as one line of text; what is no action raises MalformedAction, never anything else."""
    game = trial.game
    for action in trial.known:
        if not is_dataclass(action):
            raise trial.wrong(f"the action {action!r} is not a frozen dataclass")
        if problem := strange(action, type(action).__name__):
            raise trial.wrong(f"an action is not plain data: {problem}")
        text = game.notation(action)
        if type(text) is not str or not text or text != " ".join(text.split()):
            raise trial.wrong(f"{action!r} is written {text!r}, which is not words on one line, one blank apart")
        if text in RESERVED:
            raise trial.wrong(f"{action!r} is written {text!r}, which means something else in a record")
        if difference(game.parse(text), action):
            raise trial.wrong(f"{action!r} is written {text!r}, which is read as {game.parse(text)!r}")
        if (nonsense := _parse(trial, f"{text} ?")) is not None:
            raise trial.wrong(f"{text + ' ?'!r} is read as {nonsense!r}, though it says more")
        for mutant in (text[:-1], text[1:], f"{text} 1", text.swapcase(), text.replace(" ", "")):
            _parse(trial, mutant)
    for nonsense in ("", " ", "no such action", "?"):
        if (action := _parse(trial, nonsense)) is not None:
            raise trial.wrong(f"{nonsense!r} is read as {action!r}")


def _parse(trial: Trial, text: str) -> Any:
    """The action, or None when it is malformed."""
    try:
        return trial.game.parse(text)
    except MalformedAction:
        return None
    except Exception as error:
        problem = f"parse({text!r}) raises {type(error).__name__}: {error}, where it should raise MalformedAction"
        raise trial.wrong(problem) from error
