"""Whether what a game shows can be read."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from pages import SEATS, at_step

LOOKS = "() => [...document.querySelectorAll('.table [class]')].map((thing) => thing.getAttribute('class'))"


@pytest.mark.parametrize("game", SEATS)
def test_whatever_a_game_shows_can_be_read_by_day_and_by_night(game, server, looking):
    """A whole game, step by step: wherever something appears that was not there before, its contrast is measured."""
    session_id = server.session(game, seed="5e" * 32)
    server.record(session_id)
    page = looking.page(f"{server.url}/sessions/{session_id}?seat=open&step=0", bypass_csp=True)
    at_step(page, 0)
    last = int(page.locator("output").get_attribute("data-last"))
    seen, measured, found = set(), 0, []
    for step in range(last + 1):
        if step:
            page.keyboard.press("ArrowRight")
        at_step(page, step)
        looks = set(page.evaluate(LOOKS))
        if looks <= seen:
            continue
        seen |= looks
        measured += 1
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            for violation in Axe().run(page, ".table", {"runOnly": ["color-contrast"]}).response["violations"]:
                found += [f"step {step}, {scheme}: {node['html'][:150]}" for node in violation["nodes"]]
    assert measured > 1
    assert not found, "\n".join(found)
