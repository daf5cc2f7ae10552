"""What a tournament looks like on a terminal, within 80 columns."""

import shutil
import sys
from pathlib import Path

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from croupier_tournament.report.standings import FEWEST_DEALS, Standing, standings
from croupier_tournament.run.bots import AnswerTimes
from croupier_tournament.run.local import Tournament

LEGEND = """\
wins: a shared one counts in part · place: the average, 1 is best
p50, p99: from reading a decision to having chosen, measured in the bot"""


def introduction(tournament: Tournament) -> Text:
    """Say what is going to be played, and where it can be watched."""
    settings, plan = tournament.settings, tournament.plan
    kinds: dict[str, list[str]] = {}
    for bot in tournament.entrants:
        kinds.setdefault(bot.kind, []).append(bot.name)
    bots = ", ".join(f"{', '.join(names)} ({kind})" for kind, names in kinds.items())
    text = Text()
    text.append(tournament.game.title, style="bold")
    text.append(
        f", {settings.seats} seats: {len(plan)} games on {plan[-1].deal + 1} deals, each played from every seat"
    )
    if len(plan) > settings.games:
        text.append(f"\n({settings.games} asked for; only whole rounds are fair)")
    text.append(f"\n  bots     {bots}\n  server   {tournament.server}")
    text.append(f"\n  metrics  http://{tournament.metrics}/metrics\n")
    return text


def show(tournament: Tournament, console: Console) -> None:
    """Print the table, how it came about, and what to do next."""
    console.print(report(tournament))


def report(tournament: Tournament) -> RenderableType:
    """Return the table, how it came about, and what to do next."""
    if not tournament.games:
        return summary(tournament)
    parts = table(tournament), legend(tournament), "", summary(tournament)
    return Group(*parts) if tournament.stopped else Group(*parts, "", further())


def table(tournament: Tournament) -> Table:
    """Return the standings as a table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("bot", "kind"):
        table.add_column(name)
    for name in ("games", "points", "wins", "place", "p50 ms", "p99 ms", "faults"):
        table.add_column(name, justify="right")
    kinds = {entrant.name: entrant.kind for entrant in tournament.entrants}
    for row in standings(tournament.games, list(kinds)):
        table.add_row(row.bot, kinds[row.bot], *cells(row, tournament.times.get(row.bot)))
    return table


def cells(row: Standing, times: AnswerTimes | None) -> list[str]:
    """Return what the table says of a bot, after its name and kind."""
    margin = f" ± {row.half_width:.1f}" if row.half_width is not None else ""
    return [
        str(row.games),
        f"{row.mean_points:.1f}{margin}",
        f"{row.wins:.1f}",
        f"{row.average_placing:.2f}",
        milliseconds(times.p50) if times else "-",
        milliseconds(times.p99) if times else "-",
        ", ".join(f"{count} {kind}" for kind, count in sorted(row.faults.items())) or "0",
    ]


def milliseconds(time: float) -> str:
    """Return a time with as many digits as are known of it.

    >>> milliseconds(0.4321), milliseconds(12.345), milliseconds(123.45)
    ('0.43', '12.3', '123')
    """
    return f"{time:.2f}" if time < 10 else f"{time:.1f}" if time < 100 else f"{time:.0f}"


def legend(tournament: Tournament) -> Text:
    """Say what the columns mean."""
    if any(row.half_width is None for row in standings(tournament.games, [bot.name for bot in tournament.entrants])):
        points = f"points: the mean; from {FEWEST_DEALS} deals of a bot on with its 95% interval"
    else:
        points = "points: the mean ± half the width of its 95% interval, by deal"
    return Text(f"{points}\n{LEGEND}", style="dim")


def summary(tournament: Tournament) -> Text:
    """Say how much was played how fast, and whether it is proven."""
    games, decisions, seconds = tournament.games, tournament.decisions, tournament.seconds
    text = Text()
    if tournament.stopped:
        text.append(f"Stopped after {len(games)} of {len(tournament.plan)} games.\n", style="yellow")
    if seconds:
        text.append(f"{decisions:,} decisions in {seconds:.1f} s: {decisions / seconds:,.0f} a second.\n")
    if tournament.proven + len(tournament.unproven):
        proven = f"{tournament.proven} of {len(games)} results proven: fetched as records, replayed by the rules."
        text.append(proven, style="" if tournament.unproven else "green")
    for problem in tournament.unproven:
        text.append(f"\n{problem}", style="red")
    return text


def further() -> Text:
    """Say what a reader may want to do next."""
    return Text(
        f"Next  write a bot of your own   docs/tutorial/first-bot.md\n"
        f"      play it on a server       {command()} serve\n"
        f"      other tables, more games  {command()} demo --help"
    )


def command() -> str:
    """Return what to type for `croupier` here."""
    if shutil.which("croupier"):
        return "croupier"
    script, here = Path(sys.executable).with_name("croupier"), Path.cwd()
    return str(script.relative_to(here) if script.is_relative_to(here) else script)
