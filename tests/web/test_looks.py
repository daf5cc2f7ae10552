"""How the page looks to whom: axe, narrow and very wide screens, light and dark, its policy."""

import re
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe
from pages import SEATS, folder_page, screenshot

WCAG = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}


@pytest.fixture(scope="module")
def watch(cup):
    with folder_page(cup) as process:
        yield process.hear(180)["web"].rstrip("/")


@pytest.fixture(scope="module")
def games(server):
    """A finished session of each game, from the same deals every time."""
    found = {game: server.session(game, seed=bytes([number] * 32).hex()) for number, game in enumerate(SEATS)}
    for session_id in found.values():
        server.record(session_id)
    return found


def views(watch, server, games):
    """Every view of the page: its name, its address, what there must be to see."""
    yield "tournament", f"{watch}/tournaments", "[data-row='ann']"
    yield "bots", f"{watch}/t/{{id}}/bots", ".plot svg"
    yield "bot", f"{watch}/t/{{id}}/bots/ann", ".plot svg"
    yield "games", f"{watch}/t/{{id}}/games?with=ann&with=bob", ".games"
    yield "game", f"{watch}/t/{{id}}/games/b000000-r0?seat=1&step=20", "output[data-step='20']"
    for game, session_id in games.items():
        yield f"{game}", f"{server.url}/sessions/{session_id}?seat=open&step=25", "output[data-step='25']"
    yield "sessions", f"{server.url}/sessions", "tr[data-row]"
    yield "server-bots", f"{server.url}/bots", "tr[data-row]"
    yield "login", f"{server.url}/login", "#token"
    yield "sit-down", f"{server.url}/play", "#name"


def tournament_id(watch):
    with urllib.request.urlopen(f"{watch}/api/tournaments", timeout=60) as answer:
        return re.search(rb'"id":"([0-9a-f]+)"', answer.read())[1].decode()


def opened(looking, url, selector, **look):
    page = looking.page(url, **look)
    page.wait_for_selector(selector)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_view(scheme, watch, server, games, looking, tmp_path):
    found = []
    for name, url, selector in views(watch, server, games):
        page = opened(looking, url.format(id=tournament_id(watch)), selector, scheme=scheme, bypass_csp=True)
        for violation in Axe().run(page, options=WCAG).response["violations"]:
            found += [f"{name}: {violation['id']}: {node['html'][:150]}" for node in violation["nodes"]]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("width", "height", "scheme"), [(360, 740, "light"), (3840, 2160, "dark")])
def test_every_view_fits_a_telephone_and_a_wall(width, height, scheme, watch, server, games, looking, tmp_path):
    for name, url, selector in views(watch, server, games):
        page = opened(looking, url.format(id=tournament_id(watch)), selector, width=width, height=height, scheme=scheme)
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{name} is {overflow} px too wide for {width}"
        if width == 360 and name in ("tournament", "trick-and-trade"):
            screenshot(page, f"web-{name}-narrow", tmp_path)
        if width == 3840 and name == "tournament":
            assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") > 20


def test_pictures_of_every_view_are_taken_by_day_and_by_night(watch, server, games, looking, tmp_path):
    taken = 0
    for name, url, selector in views(watch, server, games):
        if name in SEATS:
            continue  # taken by test_replay, at a step worth seeing
        page = opened(looking, url.format(id=tournament_id(watch)), selector)
        screenshot(page, f"web-{name}", tmp_path, full_page=name in ("tournament", "bots", "bot"))
        taken += 1
    page = opened(looking, f"{watch}/tournaments", "[data-row='ann']", scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 22)"
    screenshot(page, "web-tournament-dark", tmp_path)
    page = opened(looking, f"{server.url}/sessions/{games['trick-stakes']}?seat=0&step=30", "output", scheme="dark")
    screenshot(page, "web-trick-stakes-dark", tmp_path)
    assert taken >= 9


def test_the_policy_lets_nothing_in_and_nothing_is_against_it(watch, looking):
    with urllib.request.urlopen(f"{watch}/", timeout=60) as answer:
        policy = answer.headers["Content-Security-Policy"]
        source = answer.read().decode()
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|https?://", source)
    page = opened(looking, f"{watch}/tournaments", "[data-row='ann']")
    blocked = page.evaluate(
        "() => new Promise((done) => { addEventListener('securitypolicyviolation', (e) => done(e.violatedDirective));"
        " const script = document.createElement('style'); script.textContent = 'body{}'; document.body.append(script);"
        " setTimeout(() => done(''), 5000); })"
    )
    assert blocked.startswith("style-src")  # the policy is in force, and its breach would be noticed
    assert looking.wrong
    looking.wrong.clear()


def test_everything_can_be_reached_by_keyboard(watch, looking):
    page = opened(looking, f"{watch}/t/{tournament_id(watch)}", "[data-row='ann']")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("(document.activeElement.textContent || document.activeElement.type).slice(0, 20)"))
    assert {"Standings", "Games", "Bots", "ann"} <= reached
