"""A person plays a complete game of each kind, by clicking what can be clicked."""

import random

import pytest
from pages import SEATS, at_step, clocks_shown, screenshot

from croupier_games.kernel import Record, find_game, verify


@pytest.mark.parametrize("game", SEATS)
def test_a_person_plays_a_complete_game_against_house_bots(game, server, looking, tmp_path):
    page = looking.page(f"{server.url}/play")
    name = f"guest-{game}"
    page.fill("#name", name)
    page.get_by_role("button", name="Sit down").click()
    bots = [name, *["house:greedy"] * (SEATS[game] - 1)]
    page.wait_for_selector("#game")
    if game == "trade-and-triumph":  # a short one: the form begins whole games only
        session_id = server.session(game, *bots)
    else:
        page.select_option("#game", game)
        page.select_option("#number", str(len(bots)))
        page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("section.seat-of-yours")
    session_id = page.locator("section.seat-of-yours").get_attribute("data-session")
    answered, pictured = play_to_the_end(page, game, lambda: screenshot(page, f"web-play-{game}", tmp_path))
    assert answered > 5
    assert pictured
    assert page.locator("section.result tbody tr").count() == len(bots)
    record = Record.from_text(server.record(session_id), find_game)
    verify(record, find_game(game))
    assert sum(getattr(item, "seat", None) == 0 for item in record.inputs) == answered
    assert "substitute" not in record.to_text(find_game(game))  # no clock ran out, and nothing was refused
    screenshot(page, f"web-result-{game}", tmp_path)
    used = server.clocks(session_id)
    assert used[0] > 0  # a person takes time
    last = len(record.inputs)
    page.goto(f"{server.url}/sessions/{session_id}?seat=0&step={last}")
    at_step(page, last)
    assert clocks_shown(page) == used
    page.keyboard.press("Home")
    at_step(page, 0)
    assert set(clocks_shown(page).values()) == {0}


def play_to_the_end(page, game, picture):
    """Click until the game is over; how many decisions were answered."""
    dice = random.Random(7)
    answered, pictured, last = 0, False, ""
    seat = "section.seat-of-yours"
    while True:
        page.wait_for_function(
            "last => { const seat = document.querySelector('section.seat-of-yours');"
            " return seat.dataset.over || (seat.dataset.decision && seat.dataset.decision !== last); }",
            arg=last,
        )
        if page.locator(seat).get_attribute("data-over"):
            return answered, pictured
        last = page.locator(seat).get_attribute("data-decision")
        if answered == 4:
            picture()
            pictured = True
        choose(page, dice)
        page.wait_for_function(
            "last => { const seat = document.querySelector('section.seat-of-yours');"
            " return seat.dataset.over || seat.dataset.decision !== last; }",
            arg=last,
        )
        answered += 1


def choose(page, dice):
    """Click something that is legal: a card on the table, a set of cards, or a button below it."""
    sets = page.locator("button.card[aria-pressed]")
    if sets.count():
        while not page.locator("p > button.primary:enabled").count():
            free = page.locator("button.card[aria-pressed='false']:enabled")
            free.nth(dice.randrange(free.count())).click()
        page.locator("p > button.primary:enabled").click()
        return
    clickable = page.locator("button.card.legal, .options > ul button")
    clickable.nth(dice.randrange(clickable.count())).click()


def test_two_decisions_cannot_be_answered_at_once_and_leaving_is_said(server, looking):
    page = looking.page(f"{server.url}/play")
    page.fill("#name", "leaver")
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector("#game")
    page.get_by_role("button", name="Stand up").click()
    page.wait_for_selector("#name")
    page.fill("#name", "Not A Name")
    assert page.evaluate("document.querySelector('#name').validity.patternMismatch")


def test_a_game_that_somebody_else_begins_opens_by_itself(server, looking):
    page = looking.page(f"{server.url}/play")
    page.fill("#name", "invited")
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector("#game")
    server.session("trick-and-trade", "house:greedy", "invited", "house:random")
    page.wait_for_selector("section.seat-of-yours")
    page.wait_for_selector(".turn-bar")
    page.reload()  # the chair stays
    page.wait_for_selector("section.seat-of-yours")
    page.get_by_role("button", name="Stand up").click()
