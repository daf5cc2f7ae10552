"""The balance report as a page, and what of it misses its target."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from croupier_games.trade_and_triumph import GAME
from croupier_games.trade_and_triumph.cards import DECKS

from .games import BOTS, GREEDY, IGNORING, RANDOM, WHOLE, Tally

Tallies = Mapping[tuple[str, int], Tally]
"""By kind of game and number of seats."""

SHORTEST, LONGEST = 20, 60
LENGTH_SHARE = 0.95
CAPPED_SHARE = 0.01
SEAT_MARGIN = 0.03
PLAYED_SHARE = 0.2
_Z = 1.96


class Report:
    """The page, and its failures."""

    def __init__(self, tallies: Tallies, command: str) -> None:
        """From what was counted; ``command`` is how to do it again."""
        self.tallies = tallies
        self.edition = GAME.edition()
        self.misses: list[str] = []
        self._lines: list[str] = []
        self._head(command)
        self._length()
        self._seats()
        self._ignoring()
        self._cards()

    @property
    def page(self) -> str:
        """As Markdown."""
        return "\n".join(self._lines) + "\n"

    def _say(self, *lines: str) -> None:
        self._lines += lines

    def _judge(self, what: str, *, holds: bool) -> str:
        if not holds:
            self.misses.append(what)
        return "holds" if holds else "**missed**"

    def _head(self, command: str) -> None:
        games = sum(tally.games for tally in self.tallies.values())
        decisions = sum(tally.decisions for tally in self.tallies.values())
        self._say(
            "# Balance of Trade and Triumph",
            "",
            f"The {self.edition.title.lower()}, measured with the project's own bots in {games:,} games of",
            f"{decisions:,} decisions.",
            "The same command writes the same page, on any machine:",
            "",
            "```shell",
            command,
            "```",
            "",
            "Intervals are 95%. A win that is shared counts in parts.",
            "",
        )

    def _kind(self, kind: str) -> list[tuple[int, Tally]]:
        return [(seats, tally) for (name, seats), tally in sorted(self.tallies.items()) if name == kind]

    def _length(self) -> None:
        self._say(
            "## Length",
            "",
            f"Target: greedy bots end their game in {SHORTEST} to {LONGEST} rounds ({LENGTH_SHARE:.0%} of the games,",
            "and the average); random ones before the cap nearly always.",
            "",
            "| bots | seats | games | average | shortest | 5% | half | 95% | longest | in range | capped | target |",
            "| --- " * 12 + "|",
        )
        for kind in (GREEDY, RANDOM):
            for seats, tally in self._kind(kind):
                rounds = sorted(tally.rounds.elements())
                count = len(rounds)
                average = sum(rounds) / count
                fits = sum(SHORTEST <= number <= LONGEST for number in rounds) / count
                holds = tally.capped <= CAPPED_SHARE * count
                if kind == GREEDY:
                    holds = holds and fits >= LENGTH_SHARE and SHORTEST <= average <= LONGEST
                self._say(
                    f"| {kind} | {seats} | {count} | {average:.1f} | {rounds[0]} | {rounds[count // 20]} | "
                    f"{rounds[count // 2]} | {rounds[-1 - count // 20]} | {rounds[-1]} | {fits:.1%} | {tally.capped} | "
                    f"{self._judge(f'length of {kind} games with {seats} seats', holds=holds)} |"
                )
        self._say("")

    def _seats(self) -> None:
        self._say(
            "## The first seat",
            "",
            f"Target: what it wins is within {100 * SEAT_MARGIN:.0f} points of a hundred of a fair share. Greedy bots.",
            "",
            "| seats | fair | first | second | third | fourth | target |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        )
        for seats, tally in self._kind(GREEDY):
            shares = [tally.wins_by_order[order] / WHOLE / tally.games for order in range(seats)]
            cells = [_percent(share, tally.games) for share in shares] + ["–"] * (4 - seats)
            holds = abs(shares[0] - 1 / seats) <= SEAT_MARGIN
            verdict = self._judge(f"the first of {seats} seats", holds=holds)
            self._say(f"| {seats} | {1 / seats:.1%} | {' | '.join(cells)} | {verdict} |")
        self._say("")

    def _ignoring(self) -> None:
        self._say(
            "## Bots that ignore a deck",
            "",
            "Target: none wins more often than the one that uses all. All of them meet, every deal in every seating.",
            "The share of wins among the games in which the bot sat:",
            "",
            f"| seats | {' | '.join(BOTS)} | target |",
            f"| --- | {'--- | ' * len(BOTS)}--- |",
        )
        for seats, tally in self._kind(IGNORING):
            shares = {name: tally.bot_wins[name] / WHOLE / max(1, tally.bot_games[name]) for name in BOTS}
            best, *others = shares.values()
            cells = [_percent(share, tally.bot_games[name]) for name, share in shares.items()]
            verdict = self._judge(f"bots that ignore a deck, {seats} seats", holds=best >= max(others))
            self._say(f"| {seats} | {' | '.join(cells)} | {verdict} |")
        self._say("")

    def _cards(self) -> None:
        total = Tally()
        fair = 0.0
        for seats, tally in self._kind(GREEDY):
            total.add(tally)
            fair += tally.games / seats
        fair /= max(1, total.games)
        self._say(
            "## Cards",
            "",
            f"Target: every card is played at least {PLAYED_SHARE:.0%} as often as its deck's cards are on average.",
            "Greedy bots, all numbers of seats together. *Relative* is plays against the average of the deck;",
            f"*winning* is how often a seat that has played the card wins the game, where {fair:.1%} is average.",
            "",
        )
        for deck in (1, 2, 3):
            self._deck(deck, total)

    def _deck(self, deck: int, total: Tally) -> None:
        cards = [card for card in self.edition.cards if card.deck == deck]
        average = sum(total.played[card.number] for card in cards) / len(cards)
        self._say(
            f"### {DECKS[deck].capitalize()} cards",
            "",
            "| card | drawn | played | relative | winning |",
            "| --- | --- | --- | --- | --- |",
        )
        for card in cards:
            number = card.number
            relative = total.played[number] / average if average else 0.0
            sides = total.sides[number]
            winning = _percent(total.winning_sides[number] / WHOLE / sides, sides) if sides else "–"
            mark = ""
            if relative < PLAYED_SHARE:
                mark = " **missed**"
                self.misses.append(
                    f"{card.name} is played {relative:.2f} times as often as its deck's cards are on average"
                )
            self._say(
                f"| {card.name} | {total.drawn[number]} | {total.played[number]} | {relative:.2f}{mark} | {winning} |"
            )
        self._say("")


def _percent(share: float, count: int) -> str:
    """A share with its interval: half its width, by Wilson's standard error."""
    if not count:
        return "–"
    spread = _Z * sqrt(share * (1 - share) / count + _Z * _Z / (4 * count * count)) / (1 + _Z * _Z / count)
    return f"{share:.1%} ± {100 * spread:.1f}"
