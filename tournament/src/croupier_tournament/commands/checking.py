"""`verify`."""

from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from croupier_tournament.commands.guard import guarded, say_json, stderr, stdout
from croupier_tournament.main import EXIT_FALSE, EXIT_OK
from croupier_tournament.run.verifying import Verdict, verify_folder


@guarded
def verify(folder: Path, *, jobs: int | None, output: str) -> int:
    """Check what a tournament has published."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=stderr(), transient=True) as bar:
        task = bar.add_task("replaying records", total=None)
        verdict = verify_folder(
            folder, jobs=jobs, told=lambda done, total: bar.update(task, completed=done, total=total)
        )
    if output == "json":
        say_json(
            {
                "verified": not verdict.problems,
                "games": verdict.games,
                "problems": verdict.problems,
                "notes": verdict.notes,
            }
        )
    else:
        _print(verdict)
    return EXIT_FALSE if verdict.problems else EXIT_OK


def _print(verdict: Verdict) -> None:
    out = stdout()
    for problem in verdict.problems:
        out.print(problem, style="red", markup=False)
    for note in verdict.notes:
        out.print(f"note: {note}", style="dim", markup=False)
    if verdict.problems:
        out.print(f"not verified: {len(verdict.problems)} things are wrong", style="red")
    else:
        checked = ", ".join(verdict.checked)
        out.print(f"verified: {checked}", style="green", markup=False)
