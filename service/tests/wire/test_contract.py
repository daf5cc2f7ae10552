"""The sessions know nothing of protobuf, but number their enums as the contract does."""

import pytest

from croupier.v1 import game_pb2, play_pb2, session_pb2
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import FaultKind, FaultPolicy

PAIRS = [
    (FaultKind, game_pb2.FaultKind, "FAULT_KIND_"),
    (FaultPolicy, game_pb2.FaultPolicy, "FAULT_POLICY_"),
    (Outcome, play_pb2.ActOutcome, "ACT_OUTCOME_"),
    (SessionState, session_pb2.SessionState, "SESSION_STATE_"),
]


@pytest.mark.parametrize(("ours", "contract", "prefix"), PAIRS, ids=lambda value: getattr(value, "__name__", None))
def test_every_value_has_the_name_and_number_of_the_contract_and_none_is_missing(ours, contract, prefix):
    assert {prefix + value.name: value.value for value in ours} | {prefix + "UNSPECIFIED": 0} == dict(contract.items())
