"""The kernel: what all games share.

``Game`` and ``State`` say what a game is; ``Seed`` and ``Dice`` where chance comes from; ``Table`` plays one and
``Record`` writes it down; ``verify`` proves a record; ``rank`` makes placings, ``quick`` makes views quickly;
``games`` and ``find_game`` list what is
installed. Three tools stand beside them: ``conformance`` holds every game to the contract, ``golden`` keeps games as
text for people to review, ``playout`` plays at random.
"""

from .dice import Dice, Seed
from .game import Game, IllegalAction, MalformedAction, NoOptions, OptionError, Seat, State, option_texts, parse_options
from .quick import quick
from .record import (
    Record,
    RecordError,
    annotated,
    check_commitment,
    input_line,
    parse_input,
    replay,
    replaying,
    verify,
)
from .registry import UnknownGame, find_game, games
from .result import Result, TieBreak, rank
from .table import Chosen, Input, Move, Substituted, Table, Ticked, Vacated

__all__ = [
    "Chosen",
    "Dice",
    "Game",
    "IllegalAction",
    "Input",
    "MalformedAction",
    "Move",
    "NoOptions",
    "OptionError",
    "Record",
    "RecordError",
    "Result",
    "Seat",
    "Seed",
    "State",
    "Substituted",
    "Table",
    "Ticked",
    "TieBreak",
    "UnknownGame",
    "Vacated",
    "annotated",
    "check_commitment",
    "find_game",
    "games",
    "input_line",
    "option_texts",
    "parse_input",
    "parse_options",
    "quick",
    "rank",
    "replay",
    "replaying",
    "verify",
]
