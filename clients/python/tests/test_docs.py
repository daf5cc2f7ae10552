"""The programs in the documentation run as they stand."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

import croupier

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["clients/python/README.md", "docs/tutorial/first-bot.md"]


@pytest.mark.parametrize("page", PAGES)
async def test_each_bot_on_the_page_plays(page, server, play, monkeypatch):
    run = []
    monkeypatch.setattr(croupier, "run", lambda bot, **arguments: run.append(type(bot)))
    names = {"__name__": "page"}
    for program in re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(program, page, "exec"), names)
    kinds = [kind for kind in names.values() if isinstance(kind, type) and issubclass(kind, croupier.Bot)]
    assert kinds
    assert run
    assert set(run) <= set(kinds)
    for kind in kinds:
        task = play(kind(), on_error="raise", sessions=1)
        stream = await server.accept()
        await stream.say(stream.start("a"), stream.ask("a", 1))
        async with asyncio.timeout(40):
            while (await stream.hear())[0].WhichOneof("message") != "act":
                pass
            await stream.say(stream.over("a"))
            await task
    for name, function in names.items():
        if name.startswith("test_"):
            function()


def test_the_tutorials_game_says_in_a_line_why_there_is_none():
    page = (ROOT / "docs/tutorial/first-bot.md").read_text("utf-8")
    [program] = [
        text for text in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL) if "CreateSession" in text
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, "frist"],
        env={"CROUPIER_TARGET": "localhost:1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("UNAVAILABLE: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_first_bot_is_six_lines():
    program = re.search(r"```python\n(.*?)```", (ROOT / PAGES[0]).read_text("utf-8"), re.DOTALL)[1]
    assert len([line for line in program.splitlines() if line]) <= 6
