"""The card gallery: a page of documentation with every card of an edition, made from its data.

python -m croupier_games.trade_and_triumph.gallery            compares; exit status 1 when the page is out of date
python -m croupier_games.trade_and_triumph.gallery --write    writes it anew
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .cards import COPIES, DECKS, INFLUENCE, REGIONS, SPECIALTY, TRACKS
from .edition import Edition, Printed, packaged

PAGE = Path("docs/reference/cards-trade-and-triumph.md")
STANDARD = "standard"


def page(edition: Edition) -> str:
    """The page, as Markdown."""
    copies = {deck: "one each" if COPIES[deck] == 1 else "two each" for deck in (1, 2, 3)}
    lines = [
        "# Cards of Trade and Triumph",
        "",
        f"The {edition.title.lower()}: board, upgrades and all cards. This page is made from the edition's data by",
        "`python -m croupier_games.trade_and_triumph.gallery --write`.",
        "",
        "## Board",
        "",
        "| region | spaces of a route | leads to |",
        "| --- | --- | --- |",
        *(f"| {REGIONS[region]} | {edition.spaces[region]} | {_post(edition, region)} |" for region in range(1, 5)),
        "",
        "## Upgrades",
        "",
        "| track | actions a turn | gold for each step |",
        "| --- | --- | --- |",
        *(
            f"| {TRACKS[track]} | {_row(edition.squares[track])} | {_row(edition.upgrade_costs[track])} |"
            for track in (1, 2, 3)
        ),
    ]
    for deck in (1, 2, 3):
        cards = [card for card in edition.cards if card.deck == deck]
        lines += ["", f"## {DECKS[deck].capitalize()} cards, {copies[deck]}", "", *_table(deck, cards)]
    return "\n".join(lines) + "\n"


def _table(deck: int, cards: Sequence[Printed]) -> list[str]:
    cost = "" if deck == SPECIALTY else " cost |"
    stays = " stays |" if deck == INFLUENCE else ""
    head = f"| no. | card |{cost}{stays} what it does |"
    lines = [head, "| --- " * (head.count("|") - 1) + "|"]
    for card in cards:
        cells = [str(card.number), card.name]
        if cost:
            cells.append(str(card.cost))
        if stays:
            cells.append("eternal" if card.eternal else "")
        lines.append("| " + " | ".join([*cells, card.text]) + " |")
    return lines


def _post(edition: Edition, region: int) -> str:
    return next(f"post {place}" for place, post in enumerate(edition.posts, start=1) if region in post)


def _row(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns 0 when the page is, or now is, up to date."""
    parser = argparse.ArgumentParser(
        prog="python -m croupier_games.trade_and_triumph.gallery",
        description="The page with all cards of the standard edition: compare it with the data, or write it anew.",
    )
    parser.add_argument("--write", action="store_true", help="write it")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help=f"where it is ({PAGE})")
    asked = parser.parse_args(arguments)
    text = page(packaged(STANDARD))
    if asked.write:
        asked.page.write_text(text, encoding="utf-8")
        return 0
    if asked.page.is_file() and asked.page.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{asked.page} is not what the edition says: write it anew with --write\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
