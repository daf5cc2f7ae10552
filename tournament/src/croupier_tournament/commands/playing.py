"""`run` and `resume`."""

import asyncio
import shlex
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from croupier import eventloop
from croupier_tournament.commands import collector
from croupier_tournament.commands.guard import complain, guarded, read_file, stderr, stdout, wrong_address
from croupier_tournament.commands.showing import Wanted
from croupier_tournament.main import EXIT_OK, EXIT_PAUSED, EXIT_USAGE
from croupier_tournament.report import StandingsTable
from croupier_tournament.run.audiences import JsonLines, Lines, Screen, Shown
from croupier_tournament.run.events import Audience, Event
from croupier_tournament.run.folder import Folder, FolderError
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import CANCELLED, FINISHED, PAUSED, Ledger
from croupier_tournament.run.metrics import MetricsServer
from croupier_tournament.run.report_files import report_of
from croupier_tournament.run.servers import ServerUnfit
from croupier_tournament.run.tournament import Tournament
from croupier_tournament.spec import SpecError
from croupier_tournament.web.address import Site
from croupier_tournament.web.beside import page_beside

Begin = Callable[[], Awaitable[tuple[Ledger, Tournament]]]


@guarded
def run(file: Path, folder: Path | None, *, metrics: str, page: Wanted, output: str) -> int:
    """Play a tournament from its beginning."""
    if problem := _wrong_metrics(metrics):
        complain(problem)
        return EXIT_USAGE
    site = page.site()
    _, table_of_spec, text = read_file(file)
    place = Folder(folder or file.with_suffix(""))
    if place.path == file:
        raise FolderError(f"a folder cannot be called like the spec, {file}: choose one with --dir")

    programs = file.resolve().parent

    async def begin() -> tuple[Ledger, Tournament]:
        return await place.create(table_of_spec, text=text, programs=programs)

    return play(place, begin, metrics=metrics, site=site, output=output)


@guarded
def resume(folder: Path, *, metrics: str, page: Wanted, output: str) -> int:
    """Go on with a tournament."""
    if problem := _wrong_metrics(metrics):
        complain(problem)
        return EXIT_USAGE
    site = page.site()
    place = Folder(folder)

    async def begin() -> tuple[Ledger, Tournament]:
        ledger, tournament = await place.open()
        if tournament.entry.state == FINISHED:
            await ledger.close()
            raise _Finished
        return ledger, tournament

    try:
        return play(place, begin, metrics=metrics, site=site, output=output)
    except _Finished:
        stderr().print(f"finished already; its files are in {folder}", markup=False, soft_wrap=True)
        return EXIT_OK


class _Finished(Exception):
    """There is nothing to go on with."""


def _wrong_metrics(metrics: str) -> str:
    return "" if metrics == "off" else wrong_address("--metrics", metrics)


def play(place: Folder, begin: Begin, *, metrics: str, output: str, site: Site | None = None) -> int:
    """Run a tournament until it is over, paused or stopped; then write its files."""
    console = stderr()
    audience: Shown
    if output == "jsonl":
        audience = JsonLines(sys.stdout)
    elif console.is_terminal:
        audience = Screen(console)
    else:
        audience = Lines(console)
    signals: list[int] = []
    with audience:
        state, hosted = eventloop.run(_run(place, begin, audience, metrics, site, signals))
    if output == "text" and hosted.standings is not None:
        stdout(wrap=True).print(StandingsTable(report_of(hosted.tournament, hosted.standings)))
    if state in (FINISHED, CANCELLED):
        if output == "text":
            stdout().print(f"report: {place.path / 'report.html'}", markup=False)
            if site is not None:
                again = f"croupier tournament watch {shlex.quote(str(place.path))}"
                stdout().print(f"the page has ended; it is there again with: {again}", markup=False, soft_wrap=True)
    else:
        console.print(
            f"to go on: croupier tournament resume {shlex.quote(str(place.path))}", markup=False, soft_wrap=True
        )
    if state == FINISHED:
        return EXIT_OK
    return 128 + signals[0] if signals else EXIT_PAUSED


async def _run(
    place: Folder, begin: Begin, audience: Shown, metrics: str, site: Site | None, signals: list[int]
) -> tuple[str, Hosted]:
    """Run it with Ctrl-C at hand; returns its state."""
    ledger, tournament = await begin()
    collector.calm()
    async with ledger:
        audience.event(introduction(tournament, place))
        async with AsyncExitStack() as stack:
            told: Audience = audience
            if site is not None:
                log = place.logs / "page.log"
                told = page = await stack.enter_async_context(page_beside(place.path, log, site, audience))
                audience.event(Event("web", f"the page is at {page.url}", {"web": page.url}))
            hosted = Hosted(tournament, ledger, told, place)
            if metrics != "off":
                server = stack.enter_context(MetricsServer(metrics, lambda: [hosted], place.path))
                audience.event(
                    Event("metrics", f"metrics on http://{server.address}/metrics", {"metrics": server.address})
                )
            playing = asyncio.create_task(hosted.run())
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    handler = _stopper(hosted, playing, signals)
                    asyncio.get_running_loop().add_signal_handler(number, handler, number)
            try:
                return await playing, hosted
            except asyncio.CancelledError:
                return PAUSED, hosted
            except (SpecError, ServerUnfit):  # it takes another spec: there shall be room for that
                await place.move_out(ledger, tournament)
                raise


def _stopper(hosted: Hosted, playing: "asyncio.Task[str]", signals: list[int]) -> Callable[[int], None]:
    """What a signal does: the first Ctrl-C lets running games end, the next signal stops at once, a third gives up."""

    def stop(number: int) -> None:
        signals.append(number)
        if hosted.running.play is None or len(signals) > 2:
            playing.cancel()
        elif number == signal.SIGINT and len(signals) == 1:
            hosted.running.pause()
        else:
            hosted.running.stop()

    return stop


def introduction(tournament: Tournament, place: Folder) -> Event:
    """Say what is going to be played, and what is promised about it."""
    spec, plan = tournament.spec, tournament.plan
    message = (
        f"{spec.title}: {spec.game}, {spec.seats} seats, {len(plan):,} games on {len(plan.blocks):,} deals\n"
        f"  entrants    {', '.join(f'{entrant.name} ({entrant.kind_name})' for entrant in spec.entrants)}\n"
        f"  plan        {plan.hash}\n"
        f"  commitment  {tournament.commitment.hex()}\n"
        f"  folder      {place.path}"
    )
    return Event(
        "planned",
        message,
        {
            "tournament": tournament.id,
            "title": spec.title,
            "game": spec.game,
            "seats": spec.seats,
            "entrants": list(tournament.names),
            "games": len(plan),
            "blocks": len(plan.blocks),
            "plan_hash": plan.hash,
            "commitment": tournament.commitment.hex(),
            "folder": str(place.path),
        },
    )
