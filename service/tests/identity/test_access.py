"""The table of who may call what, held against the contract."""

import pytest

from croupier.v1 import bot_pb2, play_pb2, session_pb2, spectator_pb2, tournament_pb2
from croupier_service.identity.access import ALL, NO, OWN, TABLE, WITHOUT_TOKEN, reach, roles_for
from croupier_service.identity.roles import Role
from croupier_service.rpc.server import SERVICES

CONTRACT = {
    f"{service.full_name}/{method.name}": method
    for file in (bot_pb2, play_pb2, session_pb2, spectator_pb2, tournament_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}


def test_every_method_of_every_service_is_in_the_table_and_nothing_else_of_ours():
    ours = {method for method in TABLE if method.startswith("croupier.")}
    assert ours == set(CONTRACT)
    assert not set(TABLE) & WITHOUT_TOKEN


def test_every_service_that_is_served_is_in_the_contract():
    assert set(SERVICES) <= {method.partition("/")[0] for method in CONTRACT}


@pytest.mark.parametrize("role", Role)
def test_what_is_not_in_the_table_nobody_may_call(role):
    assert reach("croupier.v1.SessionService/Shuffle", role) is NO


def test_nothing_of_ours_may_be_called_without_a_token():
    assert not [method for method in WITHOUT_TOKEN if method.startswith("croupier.")]


@pytest.mark.parametrize("method", [method for method, row in TABLE.items() if OWN in row])
def test_where_a_role_reaches_its_own_the_request_tells_whose_it_is(method):
    """Otherwise nothing could narrow it."""
    described = CONTRACT[method]
    assert described.client_streaming or {"session_id", "bot"} & set(described.input_type.fields_by_name)


CHANGES = ("Create", "Abort", "Delete", "Rotate", "Pause", "Resume", "Cancel")


def test_bots_and_spectators_change_nothing():
    for method in CONTRACT:
        if method.partition("/")[2].startswith(CHANGES):
            assert reach(method, Role.BOT) is reach(method, Role.SPECTATOR) is NO, method


def test_only_operators_manage_identities():
    changing = [method for method in CONTRACT if "BotService" in method and not method.endswith("ListBots")]
    assert len(changing) == 3
    assert {tuple(roles_for(method)) for method in changing} == {(Role.OPERATOR,)}


def test_an_operator_may_call_everything():
    assert all(reach(method, Role.OPERATOR) is not NO for method in TABLE)


def test_nobody_plays_under_another_name():
    assert {reach("croupier.v1.PlayService/Play", role) for role in Role} == {OWN, NO}


def test_a_bot_sees_no_sessions_but_its_own():
    seen = {method for method in CONTRACT if {"session_id", "bot"} & set(CONTRACT[method].input_type.fields_by_name)}
    assert {reach(method, Role.BOT) for method in seen} == {OWN, NO}
    assert ALL not in {reach(method, Role.BOT) for method in seen}
