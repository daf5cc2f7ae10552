"""Records: a finished (or unfinished) game as readable text, and the proof that its result follows from the rules.

A record is the game, its rules version, options, seats, seed and inputs; all else is derived. Its text is made to be
read and diffed: golden games are records whose comments show the table after each move. Lines starting with ``#`` are
ignored. ``docs/reference/records.md`` describes the format.

    croupier-record 1
    game trick-and-trade
    rules 1
    seats 4
    option first_leader 2
    seed 9f86d0...
    commitment a591a6...
    input 2 play ZEUS-4
    input 3 substitute
    input 1 vacate
    input tick 1500
    result points 12 9 20 -3
    result placings 2 3 1 4
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .dice import Seed
from .game import Game, IllegalAction, MalformedAction, OptionError, Seat, option_texts
from .result import Result
from .table import Chosen, Input, Substituted, Table, Ticked, Vacated

FORMAT = "croupier-record 1"


class RecordError(ValueError):
    """A record that cannot be read, or does not follow from the rules. The message names the line or input.

    For programs: ``line`` is the line of its text that cannot be read, 1-based; ``number`` the first input that does
    not follow, 1-based, ``seat`` whose it is, ``rule`` what it breaks. None or empty where that is not what is wrong.
    """

    def __init__(
        self,
        message: str,
        *,
        line: int | None = None,
        number: int | None = None,
        seat: Seat | None = None,
        rule: str = "",
    ) -> None:
        super().__init__(message)
        self.line = line
        self.number = number
        self.seat = seat
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Record:
    """Everything from which a game can be played again."""

    game: str
    rules_version: int
    seats: int
    options: Any
    seed: Seed
    inputs: tuple[Input, ...]
    points: tuple[int, ...] = ()
    """The result it claims; empty while unfinished."""
    placings: tuple[int, ...] = ()
    commitment: bytes = b""
    """What was published before the game to commit to the seed: its SHA-256. Empty where nothing was."""

    @classmethod
    def of(cls, table: Table, *, up_to: int | None = None) -> Record:
        """The record of a table as it stands, or as it stood after ``up_to`` inputs, without a result."""
        result = table.result() if up_to is None else None
        return cls(
            game=table.game.name,
            rules_version=table.game.rules_version,
            seats=table.seats,
            options=table.options,
            seed=table.seed,
            inputs=tuple(table.inputs[:up_to]),
            points=result.points if result else (),
            placings=result.placings if result else (),
        )

    def to_text(self, game: Game[Any, Any, Any]) -> str:
        """The record as text, without comments."""
        lines = [*_header(self), *(input_line(game, item) for item in self.inputs), *_footer(self)]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_text(cls, text: str, find_game: Callable[[str], Game[Any, Any, Any]]) -> Record:
        """Read ``to_text``, with or without comments. Raises RecordError naming the line.

        ``find_game`` gives the game of a name, or raises KeyError.
        """
        return _Reader(find_game).read(text)


def replay(record: Record, game: Game[Any, Any, Any]) -> Table:
    """Play a record again. Raises RecordError naming the first input that does not follow from the rules."""
    for table in replaying(record, game):  # noqa: B007 - to its end
        pass
    return table


def verify(record: Record, game: Game[Any, Any, Any]) -> Result:
    """Play a finished record again and compare its result; hold the seed to the commitment, where there is one.

    Raises RecordError saying where it differs.
    """
    check_commitment(record)
    result = replay(record, game).result()
    if result is None:
        raise RecordError(f"the game is not over after its {len(record.inputs)} inputs")
    if result.points != record.points:
        raise RecordError(f"the record claims points {record.points}, the rules give {result.points}")
    if result.placings != record.placings:
        raise RecordError(f"the record claims placings {record.placings}, the rules give {result.placings}")
    return result


def check_commitment(record: Record) -> None:
    """Raise RecordError where the seed is not the one that was committed to."""
    if record.commitment and record.commitment != record.seed.commitment():
        raise RecordError(
            f"the seed is not the one that was committed to: its SHA-256 is {record.seed.commitment().hex()}, "
            f"the commitment {record.commitment.hex()}"
        )


def annotated(record: Record, game: Game[Any, Any, Any]) -> str:
    """The record as text with comments after each input: the moves that followed from it, then the public table.

    Raises RecordError as ``replay`` does.
    """
    lines = _header(record)
    for number, table in enumerate(replaying(record, game)):
        item = record.inputs[number - 1] if number else None
        if item is not None:
            lines.append(input_line(game, item))
        lines += _comments(table, table.latest + isinstance(item, Chosen))
    return "\n".join([*lines, *_footer(record)]) + "\n"


def input_line(game: Game[Any, Any, Any], item: Input) -> str:
    """One input as a line of a record."""
    match item:
        case Chosen(seat, action):
            return f"input {seat} {game.notation(action)}"
        case Substituted(seat):
            return f"input {seat} substitute"
        case Vacated(seat):
            return f"input {seat} vacate"
        case Ticked(now_ms):
            return f"input tick {now_ms}"


def parse_input(game: Game[Any, Any, Any], text: str) -> Input:
    """The inverse of ``input_line``, without the word ``input``. Raises ValueError."""
    who, _, what = text.partition(" ")
    if who == "tick":
        return Ticked(_whole(what))
    if what == "substitute":
        return Substituted(_whole(who))
    if what == "vacate":
        return Vacated(_whole(who))
    return Chosen(_whole(who), game.parse(what))


def replaying(record: Record, game: Game[Any, Any, Any]) -> Iterator[Table]:
    """The table after the deal and after each input; it is the same one each time. Raises RecordError as ``replay``."""
    if (record.game, record.rules_version) != (game.name, game.rules_version):
        raise RecordError(
            f"the record is of {record.game} rules {record.rules_version}, "
            f"this is {game.name} rules {game.rules_version}"
        )
    try:
        table = Table(game, record.seats, record.options, record.seed)
    except OptionError as error:
        raise RecordError(f"{error.field}: {error}") from error
    yield table
    for number, item in enumerate(record.inputs, start=1):
        try:
            table.put(item)
        except (IllegalAction, MalformedAction) as error:
            rule = error.rule if isinstance(error, IllegalAction) else "malformed"
            raise RecordError(
                f"input {number} ({input_line(game, item)}) breaks {rule}: {error}",
                number=number,
                seat=None if isinstance(item, Ticked) else item.seat,
                rule=rule,
            ) from error
        yield table


def _header(record: Record) -> list[str]:
    return [
        FORMAT,
        f"game {record.game}",
        f"rules {record.rules_version}",
        f"seats {record.seats}",
        *(f"option {name} {value}" for name, value in option_texts(record.options).items()),
        f"seed {record.seed.hex()}",
        *([f"commitment {record.commitment.hex()}"] if record.commitment else []),
    ]


def _footer(record: Record) -> list[str]:
    if not record.points:
        return []
    return [
        f"result points {' '.join(map(str, record.points))}",
        f"result placings {' '.join(map(str, record.placings))}",
    ]


def _comments(table: Table, first_move: int) -> list[str]:
    game = table.game
    lines = [f"#   {move.cause} {move.seat} {game.notation(move.action)}" for move in table.moves[first_move:]]
    described = game.describe(table.state)
    return [*lines, f"#   {described}"] if described else lines


def commitment_from_hex(text: str) -> bytes:
    """The 32 bytes of a commitment. Raises ValueError."""
    commitment = bytes.fromhex(text)
    if len(commitment) != 32:
        raise ValueError(f"a commitment has 64 hexadecimal digits, not {len(text)}")
    return commitment


class _Reader:
    """Reads one record's text line by line."""

    def __init__(self, find_game: Callable[[str], Game[Any, Any, Any]]) -> None:
        self._find_game = find_game
        self._game: Game[Any, Any, Any] | None = None
        self._numbers: dict[str, int] = {}
        self._options: dict[str, str] = {}
        self._seed: Seed | None = None
        self._commitment = b""
        self._inputs: list[Input] = []
        self._results: dict[str, tuple[int, ...]] = {}
        self._said: set[str] = set()

    def read(self, text: str) -> Record:
        lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), start=1)]
        lines = [(n, line) for n, line in lines if line and not line.startswith("#")]
        if not lines or lines[0][1] != FORMAT:
            first = lines[0][0] if lines else 1
            raise RecordError(f"line {first}: a record starts with {FORMAT!r}", line=first)
        for number, line in lines[1:]:
            try:
                self._line(*line.split(" ", 1))
            except (ValueError, KeyError) as error:
                raise RecordError(f"line {number}: {line!r}: {error}", line=number) from error
        if self._game is None or self._seed is None or not {"rules", "seats"} <= self._numbers.keys():
            raise RecordError("a record has the lines game, rules, seats and seed")
        try:
            options = self._game.options(self._options)
        except OptionError as error:
            raise RecordError(f"option {error.field}: {error}") from error
        return Record(
            game=self._game.name,
            rules_version=self._numbers["rules"],
            seats=self._numbers["seats"],
            options=options,
            seed=self._seed,
            inputs=tuple(self._inputs),
            points=self._results.get("points", ()),
            placings=self._results.get("placings", ()),
            commitment=self._commitment,
        )

    def _line(self, word: str, rest: str = "") -> None:
        match word:
            case "game":
                self._once(word)
                self._game = self._find_game(rest)
            case "rules" | "seats":
                self._once(word)
                self._numbers[word] = _whole(rest)
            case "option":
                name, _, value = rest.partition(" ")
                self._once(f"option {name}")
                self._options[name] = value
            case "seed":
                self._once(word)
                self._seed = Seed.from_hex(rest)
            case "commitment":
                self._once(word)
                self._commitment = commitment_from_hex(rest)
            case "input":
                if self._game is None:
                    raise ValueError("the game line comes first")
                self._inputs.append(parse_input(self._game, rest))
            case "result":
                name, _, values = rest.partition(" ")
                if name not in ("points", "placings"):
                    raise ValueError("results are points and placings")
                self._once(f"result {name}")
                self._results[name] = tuple(map(_whole, values.split()))
            case _:
                raise ValueError("lines are game, rules, seats, option, seed, commitment, input and result")

    def _once(self, what: str) -> None:
        if what in self._said:
            raise ValueError(f"there is a line {what!r} already")
        self._said.add(what)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None
