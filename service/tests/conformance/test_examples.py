"""The SDK's own examples pass."""

import pytest

from croupier_service.conformance.running import Outcome


@pytest.mark.timeout(180)
async def test_the_random_bot_of_the_sdk_passes(check, python):
    findings = await check(*python, "-m", "croupier.examples.random_bot", jobs=4, patience=40.0)
    assert {name: finding.reason for name, finding in findings.items() if finding.outcome is not Outcome.PASSED} == {}
    assert len(findings) >= 36


async def test_a_bot_that_plays_one_game_is_not_asked_for_others(check, python):
    only = "connects", "several-games", "every-game", "standing-decisions"
    findings = await check(*python, "-m", "croupier.examples.greedy", only=only, patience=40.0)
    told = {name: (finding.outcome.value, finding.reason) for name, finding in findings.items()}
    assert told == {
        "connects": ("passed", ""),
        "several-games": ("passed", ""),
        "every-game": ("skipped", "it plays trick-and-trade alone, and has done so"),
        "standing-decisions": ("skipped", "it does not play trades, the game that has them"),
    }
