"""Balanced incomplete block designs: few tables at which every two entrants meet equally often.

They are developed from the base blocks of `designs.txt`, never solved for. Where every set of entrants makes but a few
tables, and where two sit at a table, all sets of entrants are the design.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import combinations
from math import comb

from croupier_tournament.plan.spec import PlanError

FEW_TABLES = 60
FIXED = "i"

BaseBlock = tuple[int | str, ...]


def design_tables(entrants: int, seats: int) -> list[tuple[int, ...]]:
    """Return the tables of a design for so many entrants, each rising.

    Raises:
        PlanError: none is known; names the nearest numbers of entrants for which one is.
    """
    known = families().get((entrants, seats))
    if known is not None:
        modulus, blocks = known
        return [table for block in blocks for table in develop(block, modulus)]
    if _all_tables(entrants, seats):
        return list(combinations(range(entrants), seats))
    raise PlanError("format", _no_design(entrants, seats))


def develop(block: BaseBlock, modulus: int) -> Iterator[tuple[int, ...]]:
    """Yield all different translates of a base block, each rising. The fixed point becomes the number `modulus`.

    >>> list(develop((0, 1, 3), 4))
    [(0, 1, 3), (0, 1, 2), (1, 2, 3), (0, 2, 3)]
    >>> list(develop((0, 2, "i"), 4))
    [(0, 2, 4), (1, 3, 4)]
    """
    seen = set()
    for shift in range(modulus):
        table = tuple(sorted(modulus if isinstance(point, str) else (point + shift) % modulus for point in block))
        if table not in seen:
            seen.add(table)
            yield table


@cache
def families() -> dict[tuple[int, int], tuple[int, tuple[BaseBlock, ...]]]:
    """Return modulus and base blocks by numbers of entrants and seats."""
    found = {}
    for line in files(__package__).joinpath("designs.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        head, _, text = line.partition(" | ")
        seats, entrants, modulus = map(int, head.split())
        blocks = tuple(
            tuple(point if point == FIXED else int(point) for point in block.split(",")) for block in text.split()
        )
        found[entrants, seats] = modulus, blocks
    return found


def sizes(seats: int) -> list[int]:
    """Return the numbers of entrants for which there is a design with so many seats, rising; from 64 on incomplete."""
    listed = {entrants for entrants, known in families() if known == seats}
    return sorted(listed | {entrants for entrants in range(seats, 65) if _all_tables(entrants, seats)})


def _all_tables(entrants: int, seats: int) -> bool:
    return seats == 2 or comb(entrants, seats) <= FEW_TABLES


def _no_design(entrants: int, seats: int) -> str:
    known = sizes(seats)
    below = [str(size) for size in known if size < entrants][-1:]
    above = [str(size) for size in known if size > entrants][:1]
    return (
        f"no design is known for {entrants} entrants at tables of {seats}; the nearest sizes are "
        f"{' and '.join(below + above)} entrants; the format balanced takes any number"
    )
