"""A tournament, watched while it is played: to its end, and then through the cross table into a game."""

import json

from pages import PATIENCE_MS, at_step, screenshot, spec_file
from processes import Process, command


def test_a_live_tournament_is_watched_to_its_end_and_a_game_opened_from_the_cross_table(looking, tmp_path):
    spec = spec_file(tmp_path, blocks=60, concurrency=2)
    with Process(*command(), "tournament", "run", str(spec), "--web", "0", "--format", "jsonl") as run:
        while (heard := run.hear(120))["event"] != "web":
            pass
        page = looking.page(heard["web"])
        page.wait_for_selector(".progress")
        seen, pictured = set(), False
        page.wait_for_selector("[data-row='ann']", timeout=3 * PATIENCE_MS)
        page.evaluate("window.kept = document.querySelector(\"[data-row='ann']\")")
        while not page.locator(".progress [data-state='finished']").count():
            now = page.locator(".progress dd").first.inner_text()
            seen.add(now)
            if not pictured and int(now.split()[0]) >= 60:
                pictured = True
                screenshot(page, "web-live", tmp_path)
            page.wait_for_function(
                "before => document.querySelector('.progress dd').textContent !== before"
                " || document.querySelector(\".progress [data-state='finished']\")",
                arg=now,
                timeout=3 * PATIENCE_MS,
            )
        assert len(seen) >= 2  # it has moved while we looked
        assert page.evaluate("window.kept.isConnected")  # without flicker: what is there stays
        while (said := run.hear(180))["event"] != "state" or said["state"] != "finished":
            pass
        document = json.loads((tmp_path / "cup" / "standings.json").read_text())
        folder = tmp_path / "cup"
        rows = {row["entrant"]: row for row in document["tables"][0]}
        assert page.locator("tr[data-row]").count() == len(rows)
        page.close()  # before its server goes: it would ask for more
    with Process(*command(), "tournament", "watch", str(folder), "--web", "0", "--format", "json") as watch:
        page = looking.page(watch.hear(180)["web"])
        page.wait_for_selector("[data-row='ann']")
        for name, row in rows.items():
            assert page.locator(f"tr[data-row='{name}'] strong").inner_text() == f"{row['rating']:.0f}"
        best, worst = document["tables"][0][0]["entrant"], document["tables"][0][-1]["entrant"]
        page.locator(f".cross a[title^='{best} finished above {worst} ']").click()
        page.wait_for_selector("h1:has-text('Games of')")
        opened = page.locator(".games tbody a").first
        key = opened.inner_text()
        opened.click()
        page.wait_for_selector(f"h1:has-text('{key}')")
        at_step(page, 0)
        page.keyboard.press("ArrowRight")
        at_step(page, 1)
        lines = (folder / "games.jsonl").read_text().splitlines()
        line = next(line for line in map(json.loads, lines) if line["game"] == key)
        assert {best, worst} <= set(line["entrants"])
        points = [cell.inner_text() for cell in page.locator("section.result tbody tr td:nth-of-type(2)").all()]
        assert sorted(points) == sorted(str(point).replace("-", "−") for point in line["points"])
        page.close()


SOURCES = """
  window.sources = [];
  window.EventSource = class extends EventSource { constructor(url) { super(url); window.sources.push(this); } };
"""


def test_a_tournament_that_is_over_is_asked_for_once_and_said_to_be_over(cup, looking):
    with Process(*command(), "tournament", "watch", str(cup), "--web", "0", "--format", "json") as watch:
        url = watch.hear(180)["web"]
        page = looking.page(f"{url}healthz", wait_for=None)
        page.add_init_script(SOURCES)
        page.goto(url)
        page.wait_for_selector(".progress [data-state='finished']")
        page.wait_for_function("window.sources.length && window.sources.every((source) => source.readyState === 2)")
        assert len([asked for asked in looking.requests if asked.endswith("/events")]) == 1
        assert not page.locator("[role='status'].notice").count()
        page.close()


def test_standings_are_sorted_and_filtered_by_keyboard(cup, looking, tmp_path):
    with Process(*command(), "tournament", "watch", str(cup), "--web", "0", "--format", "json") as watch:
        page = looking.page(watch.hear(180)["web"])
        page.wait_for_selector("[data-row='ann']")
        sort = page.get_by_role("button", name="Entrant")
        sort.focus()
        page.keyboard.press("Enter")
        assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
        assert [row.get_attribute("data-row") for row in page.locator("tr[data-row]").all()] == [
            *("ann", "bob", "cat", "dan", "eve")
        ]
        page.keyboard.press("Space")
        assert page.locator("tr[data-row]").first.get_attribute("data-row") == "eve"
        page.get_by_label("Filter").fill("random")
        assert {row.get_attribute("data-row") for row in page.locator("tr[data-row]").all()} == {"bob", "dan"}
        with page.expect_download() as download:
            page.get_by_role("link", name="standings.csv").click()
        assert download.value.path().read_text() == (cup / "standings.csv").read_text()
        page.close()
