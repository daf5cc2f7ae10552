"""The browser, processes that serve pages, and what holds for every page."""

import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright
from processes import Process, Server, command

CHROMIUM = os.environ.get("CROUPIER_CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
PATIENCE_MS = 60_000
SEATS = {"trick-and-trade": 4, "trick-stakes": 3, "trades": 4, "trade-and-triumph": 2}
OPTIONS = {"trade-and-triumph": {"round_cap": "10"}}
"""Short games, but complete ones."""
CUP = """\
title = "Autumn Cup"
game = "trick-and-trade"
seats = 3
seed = "autumn"
blocks = {blocks}
[run]
concurrency = {concurrency}
[clock]
think_time_s = 20
""" + "".join(
    f'[[entrants]]\nname = "{name}"\nhouse = "{house}"\n'
    for name, house in (("ann", "greedy"), ("bob", "random"), ("cat", "greedy"), ("dan", "random"), ("eve", "greedy"))
)


@contextmanager
def browser_of():
    """Chromium, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


class ServerPage(Server):
    """``croupier serve --web``."""

    patience = 180.0  # two processes to start

    def __init__(self, *flags):
        super().__init__("--web", "0", *flags)

    @property
    def url(self):
        return self.said["web"].rstrip("/")

    def session(self, game, *bots, **more):
        """A session of house bots, unless bots are named; its id once it is over."""
        bots = bots or tuple("house:greedy" if seat % 2 == 0 else "house:random" for seat in range(SEATS[game]))
        options = [f"--option={name}={value}" for name, value in OPTIONS.get(game, {}).items()]
        argv = [*command(), "session", "create", game, "--bots", ",".join(bots), "--target", self.target, *options]
        made = subprocess.run(
            [*argv, "--format", "json", *(f"--{name}={value}" for name, value in more.items())],
            check=True,
            capture_output=True,
            text=True,
        )
        return json.loads(made.stdout)["session_id"]

    def clocks(self, session_id):
        """What each seat was charged in a session that is over, in milliseconds, as its record has it."""
        argv = [*command(), "record", "export", session_id, "--target", self.target, "--format", "json"]
        record = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
        clocks = dict.fromkeys(range(record["seats"]), 0)
        for item, charged in zip(record["inputs"], record["session"]["charged_ms"], strict=True):
            if "seat" in item:
                clocks[item["seat"]] += charged
        return clocks

    def record(self, session_id):
        """A record as text, once the session is over."""
        while True:
            argv = [*command(), "record", "export", session_id, "--target", self.target, "--format", "text"]
            made = subprocess.run(argv, capture_output=True, text=True, check=False)
            if made.returncode == 0:
                return made.stdout
            assert "runs" in made.stderr or "running" in made.stderr, made.stderr


def spec_file(folder, *, blocks, concurrency=8):
    """A spec of house bots."""
    path = folder / "cup.toml"
    path.write_text(CUP.format(blocks=blocks, concurrency=concurrency))
    return path


def cup_folder(folder):
    """Play a tournament; its folder."""
    spec = spec_file(folder, blocks=60, concurrency=32)
    subprocess.run(
        [*command(), "tournament", "run", str(spec), "--format", "jsonl"], check=True, stdout=subprocess.DEVNULL
    )
    return folder / "cup"


def folder_page(folder):
    """``croupier tournament watch``."""
    return Process(*command(), "tournament", "watch", str(folder), "--web", "0", "--format", "json")


class Looking:
    """Opens pages. At the end all of them must have been free of errors, and have asked nobody but their own server."""

    def __init__(self, browser):
        self._browser = browser
        self._contexts = []
        self.wrong = []
        self.requests = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for context in self._contexts:
            context.close()
        if kind is None:
            assert not self.wrong, self.wrong

    def page(self, url, *, width=1280, height=900, scheme="light", wait_for="h1", **more):
        """A new page at this address; `wait_for`: what it shows then, None: nothing."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **more
        )
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective))"
        )
        self._contexts.append(context)
        page = context.new_page()
        origin = urlsplit(url).netloc
        page.on("pageerror", lambda error: self.wrong.append(f"{page.url}: {error}"))
        page.on("console", lambda said: said.type == "error" and self.wrong.append(f"{page.url}: {said.text}"))

        def asked(request):
            self.requests.append(request.url)
            if urlsplit(request.url).netloc != origin:
                self.wrong.append(f"{page.url} asks {request.url}")

        page.on("request", asked)
        page.goto(url)
        if wait_for is not None:
            page.wait_for_selector(wait_for)
        return page


SHOWN = """() => {
  const zones = {};
  for (const zone of document.querySelectorAll(".table [data-zone]")) {
    const own = zone.getAttribute("data-v");
    const values = own !== null ? [own] : [...zone.querySelectorAll("[data-v]")].map((item) => item.dataset.v);
    zones[zone.dataset.zone] = values;
  }
  const cards = [...document.querySelectorAll(".table [data-zone^='hand-'] .card")];
  const seats = [...document.querySelectorAll(".table .seats > .seat")];
  const acting = seats.flatMap((seat, n) => (seat.matches(".acts") ? [n] : []));
  return { zones, acting, cards: cards.map((card) => card.getAttribute("aria-label")) };
}"""


def shown(page):
    """What the table shows: zones by name with what lies in them, and the names of the cards in hands."""
    return page.evaluate(SHOWN)


CLOCKS = """() => [...document.querySelectorAll("[data-clock]")].map(
  (seat) => [Number(seat.dataset.clock), Number(seat.querySelector("[data-ms]").dataset.ms)])"""


def clocks_shown(page):
    """What the page says that each seat has used of its clock, in milliseconds."""
    return dict(page.evaluate(CLOCKS))


def at_step(page, step):
    """Wait until the page shows this step."""
    page.wait_for_selector(f"output[data-step='{step}']", state="attached")


IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"


def screenshot(page, name, tmp_path, **more):
    """Take a picture: for the documentation if that is wanted, in any case to see that one can be taken."""
    folder = IMAGES if os.environ.get("SCREENSHOTS") else tmp_path
    folder.mkdir(exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", animations="disabled", **more)
