"""A real Prometheus, with what is shipped, looks at a real tournament. The tests go on from each other, in order."""

import json
import math
import os
from urllib.parse import quote

import pytest
import yaml
from playwright.sync_api import sync_playwright
from world import DEPLOY, LONG, ROOT, get, metric_names, until

pytestmark = pytest.mark.timeout(4 * LONG)

BOARDS = sorted((DEPLOY / "grafana" / "dashboards").glob("*.json"))
RULES = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())
EXPRESSIONS = {rule["alert"]: rule["expr"] for group in RULES["groups"] for rule in group["rules"]}
TRUE_WHILE_ALL_IS_WELL = {"CroupierBotFaulty"}
"""One of the bots is unruly."""
SEEN_ON_DEMAND = {
    "croupier_calls_refused_total",
    "croupier_seats_vacated_total",
    "croupier_tournament_entrant_disqualified",
}
"""Metrics that have no value before something has gone wrong that here does not."""


def panels(board):
    """Title, legend and expression of everything that a dashboard shows."""
    for panel in json.loads(board.read_text())["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["legendFormat"], target["expr"]


def chosen(expression):
    """An expression as it is when everything is chosen that can be."""
    for name in ("instance", "game", "tournament", "entrant"):
        expression = expression.replace(f"${name}", ".*")
    expression = expression.replace("$__rate_interval", "1m")
    assert "$" not in expression
    return expression


@pytest.mark.parametrize("board", BOARDS, ids=[board.stem for board in BOARDS])
def test_every_panel_has_data(world, board):
    def empty():
        world.list_sessions()  # the runner has a stream: without this there are no calls to show the time of
        return [
            f"{title} / {legend}: {expression}"
            for title, legend, expression in panels(board)
            if not any(math.isfinite(row["value"]) for row in world.query(chosen(expression)))
        ]

    assert len(list(panels(board))) >= 8
    try:
        until(lambda: not empty(), f"every panel of {board.stem} to have data", 90)
    finally:
        print("\n".join(empty()))


@pytest.mark.parametrize("board", BOARDS, ids=[board.stem for board in BOARDS])
def test_everything_that_can_be_chosen_has_something_to_choose(world, board):
    for variable in json.loads(board.read_text())["templating"]["list"]:
        if variable["type"] == "datasource":
            continue
        metric, label = variable["query"].removeprefix("label_values(").removesuffix(")").rsplit(", ", 1)
        metric = metric.replace("$tournament", world.tournament)
        assert world.query(f"count by ({label}) ({metric})"), variable["query"]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_every_alert_is_as_it_should_be_while_all_is_well(world, name):
    found = world.query(EXPRESSIONS[name])
    if name in TRUE_WHILE_ALL_IS_WELL:
        found = world.eventually(EXPRESSIONS[name])
        assert {row["metric"]["entrant"] for row in found} == {"unruly"}
    else:
        assert found == []


def test_all_that_alerts_and_panels_ask_for_is_there_to_be_asked_for(world):
    asked = set().union(*map(metric_names, EXPRESSIONS.values()))
    for board in BOARDS:
        asked |= set().union(*(metric_names(expression) for _, _, expression in panels(board)))
    assert len(asked) > 40
    missing = {name for name in asked - SEEN_ON_DEMAND if not world.query(f"count({name})")}
    assert missing == set()


def test_a_point_in_a_graph_leads_to_a_session(world):
    found = get(
        f"{world.prometheus}/api/v1/query_exemplars", query="croupier_server_seconds_bucket", start="0", end="9e9"
    )
    ids = {exemplar["labels"]["session_id"] for row in found["data"] for exemplar in row["exemplars"]}
    assert ids
    assert all(len(session_id) == 16 for session_id in ids)


def test_prometheus_own_pages_show_it(world, tmp_path):
    """The classic graph view, as Debian packages it. With CROUPIER_SCREENSHOT the picture in docs is renewed."""
    expression = 'sum by (game, outcome) (rate(croupier_decisions_total{game="trick-and-trade"}[30s])) > 0'
    picture = tmp_path / "graph.png"
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        page = browser.new_page(viewport={"width": 1200, "height": 850})
        query = f"g0.expr={quote(expression)}&g0.tab=0&g0.range_input=2m"
        page.goto(f"{world.prometheus}/graph?{query}")
        page.wait_for_selector(".rickshaw_graph svg path", state="attached", timeout=60_000)
        page.wait_for_selector("text=chosen", timeout=60_000)
        page.screenshot(path=picture)
        assert "trick-and-trade" in page.inner_text("body")
        browser.close()
    assert picture.stat().st_size > 10_000
    if "CROUPIER_SCREENSHOT" in os.environ:
        (ROOT / "docs" / "images" / "prometheus.png").write_bytes(picture.read_bytes())


def test_a_server_that_is_killed_fires_the_alert_and_one_that_is_back_clears_it(world):
    progress = f'croupier_tournament_games_final{{tournament="{world.tournament}"}}'
    world.kill_server()
    world.eventually(EXPRESSIONS["CroupierServerDown"])
    down = until(lambda: world.alerts("CroupierServerDown"), "the alert to fire")
    assert [row["metric"]["instance"] for row in down] == [world.server.metrics]
    (page,) = until(lambda: world.paged("CroupierServerDown"), "Alertmanager to be told")
    assert page["annotations"]["summary"] == f"The game server {world.server.metrics} does not answer."
    assert page["labels"]["severity"] == "critical"
    assert (ROOT / page["annotations"]["runbook_url"].partition("#")[0]).is_file()
    world.eventually(f'croupier_tournament_servers{{tournament="{world.tournament}"}} == 0')
    (before,) = world.query(progress)

    world.start_server_again()
    until(lambda: not world.alerts("CroupierServerDown"), "the alert to clear")
    until(lambda: not world.paged("CroupierServerDown"), "Alertmanager to be told that it is over", 2 * LONG)
    world.eventually(f"{progress} > {before['value']}")  # and the tournament goes on
    assert world.query(EXPRESSIONS["CroupierServerRestarts"]) == []
