"""The SDK's own examples pass."""

import re
from pathlib import Path

import pytest

from croupier.v1 import play_pb2
from croupier_service.conformance.dialect import BadContract, Dialect
from croupier_service.conformance.running import Outcome

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.timeout(180)
async def test_the_random_bot_of_the_sdk_passes(check, python):
    findings = await check(*python, "-m", "croupier.examples.random_bot", jobs=4, patience=40.0, many=600)
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


async def test_a_server_of_the_released_contract_with_fields_that_nobody_knows_breaks_nothing(check, python):
    dialect = Dialect(ROOT / "proto/baseline.binpb")
    only = "a-game", "every-game", "unknown-fields", "unknown-messages", "resume", "endpoint"
    findings = await check(*python, "-m", "croupier.examples.random_bot", only=only, patience=40.0, dialect=dialect)
    assert {name: finding.reason for name, finding in findings.items() if finding.outcome is not Outcome.PASSED} == {}


async def test_an_older_server_does_not_say_what_it_does_not_know():
    dialect = Dialect(ROOT / "proto/baseline.binpb")
    said = play_pb2.PlayResponse(messages=[play_pb2.ServerMessage(ping=play_pb2.Ping(nonce=7))])
    newer = play_pb2.PlayResponse.FromString(said.SerializeToString())
    newer.messages[0].MergeFromString(b"\xa2\x07\x05later")  # field 116
    assert b"later" in newer.SerializeToString()
    heard = play_pb2.PlayResponse.FromString(dialect.say(newer.SerializeToString()))
    assert b"later" not in heard.SerializeToString()
    assert b"news" in heard.messages[0].ping.SerializeToString()
    heard.messages[0].ping.DiscardUnknownFields()
    assert heard.messages[0].ping == said.messages[0].ping


@pytest.mark.parametrize("content", [b"no contract", b""])
def test_a_file_that_is_no_contract_is_named(content, tmp_path):
    path = tmp_path / "contract.binpb"
    path.write_bytes(content)
    with pytest.raises(BadContract, match=re.escape(f"{path} holds no contract with croupier.v1.PlayResponse")):
        Dialect(path)
