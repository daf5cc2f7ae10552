"""A finished game, step by step: every state that is shown is the record's."""

import pytest
from expected import card_names, states_of, zones
from pages import SEATS, at_step, clocks_shown, screenshot, shown

SHOTS = {"trick-and-trade": 34, "trick-stakes": 30, "trades": 40, "trade-and-triumph": 60}


def differences(expected, seen):
    return {
        zone: (expected.get(zone), seen.get(zone))
        for zone in {*expected, *seen}
        if expected.get(zone) != seen.get(zone)
    }


@pytest.mark.parametrize("game", SEATS)
def test_every_step_of_a_complete_game_shows_the_state_of_the_record(game, server, looking, tmp_path):
    session_id = server.session(game)
    text = server.record(session_id)
    record, tables = states_of(text)
    page = looking.page(f"{server.url}/sessions/{session_id}?seat=open&step=0")
    last = len(record.inputs)
    seats = range(record.seats)
    for step, table in enumerate(tables):
        if step:
            page.keyboard.press("ArrowRight")
        at_step(page, step)
        seen = shown(page)
        assert not differences(zones(game, table.state, seats), seen["zones"]), f"step {step} of {last}"
        names = [name.removesuffix(", chosen") for name in seen["cards"]]
        assert names == card_names(game, table.state, seats), f"step {step}"
        if game == "trades" and table.state.public_view().table.turn is not None:
            assert seen["acting"] == list(table.state.to_act()), f"step {step}"
    assert page.locator("output").get_attribute("data-last") == str(last)
    assert page.locator("section.result tbody tr").count() == record.seats
    assert clocks_shown(page) == server.clocks(session_id)
    page.goto(f"{server.url}/sessions/{session_id}?seat=open&step={min(SHOTS[game], last)}")
    at_step(page, min(SHOTS[game], last))
    screenshot(page, f"web-{game}", tmp_path, full_page=True)


def test_a_seat_shows_its_own_cards_alone_and_what_it_could_have_done(server, looking):
    session_id = server.session("trick-and-trade")
    record, tables = states_of(server.record(session_id))
    page = looking.page(f"{server.url}/sessions/{session_id}?seat=1&step=0")
    for step, table in enumerate(tables):
        if step > 25:
            break
        if step:
            page.keyboard.press("ArrowRight")
        at_step(page, step)
        assert not differences(zones("trick-and-trade", table.state, [1]), shown(page)["zones"]), step
        options = page.locator("[data-option]")
        coming = record.inputs[step]
        if coming.seat == 1:
            assert options.count() == len(table.state.legal_actions(1))
            assert page.locator("li.chosen[data-option]").count() == 1
        else:
            assert options.count() == 0


def test_steps_are_jumped_to_played_and_linked_to(server, looking):
    session_id = server.session("trick-and-trade")
    page = looking.page(f"{server.url}/sessions/{session_id}?seat=open&step=7")
    at_step(page, 7)
    page.keyboard.press("Home")
    at_step(page, 0)
    page.keyboard.press("n")
    at_step(page, 1)
    page.keyboard.press("End")
    last = int(page.locator("output").get_attribute("data-last"))
    at_step(page, last)
    page.locator(".log li button").nth(3).click()
    at_step(page, 3)
    assert "step=3" in page.url
    page.locator("label:has-text('Speed') select").select_option("8")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => document.querySelector('output').dataset.step >= 6")  # it goes on by itself
    page.get_by_role("button", name="Pause").click()
    page.locator("label:has-text('Seen from') select").select_option("2")
    page.wait_for_selector("select[data-shown='2']")
    assert page.locator("[data-zone='hand-2']").count() == 1
    assert page.locator("[data-zone='hand-1']").count() == 0
    step = page.locator("output").get_attribute("data-step")
    again = looking.page(page.url)
    at_step(again, step)  # the link leads to the same step, from the same seat
    assert shown(again) == shown(page)


def test_a_record_that_cannot_be_had_says_why(server, looking):
    page = looking.page(f"{server.url}/sessions/0000000000000000")
    assert "no session" in page.locator("[role='alert']").inner_text()
    looking.wrong.clear()  # the browser logs the answer 404
