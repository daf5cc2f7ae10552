"""A tool that knows nothing of Croupier finds its way by reflection, as ``buf curl`` and ``grpcurl`` do."""

import grpc
import pytest
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase


@pytest.fixture
def channel(server):
    with grpc.insecure_channel(server.target) as channel:
        yield channel


def call(channel, method, request):
    """Call a method by its full name, with a request and an answer that are plain dicts."""
    service_name, _, method_name = method.rpartition(".")
    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    described = pool.FindServiceByName(service_name).FindMethodByName(method_name)
    message = json_format.ParseDict(request, message_factory.GetMessageClass(described.input_type)())
    answer = channel.unary_unary(
        f"/{service_name}/{method_name}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=message_factory.GetMessageClass(described.output_type).FromString,
    )(message, timeout=30)
    return json_format.MessageToDict(answer)


def test_the_services_are_listed(channel):
    assert sorted(ProtoReflectionDescriptorDatabase(channel).get_services()) == [
        "croupier.v1.BotService",
        "croupier.v1.PlayService",
        "croupier.v1.SessionService",
        "croupier.v1.SpectatorService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    ]


def test_a_session_is_created_with_nothing_but_what_reflection_tells(channel):
    [game] = [
        game
        for game in call(channel, "croupier.v1.SessionService.ListGames", {})["games"]
        if game["name"] == "trick-and-trade"
    ]
    created = call(
        channel,
        "croupier.v1.SessionService.CreateSession",
        {
            "game": game["name"],
            "bots": game["houseBots"][:1] * game["minSeats"],
            "options": {"trickAndTrade": {"firstLeader": 2}},
            "labels": {"asked by": "a stranger"},
        },
    )["session"]
    assert created["options"] == {"trickAndTrade": {"firstLeader": 2}}
    assert created["labels"] == {"asked by": "a stranger"}
    shown = call(channel, "croupier.v1.SessionService.GetSession", {"session_id": created["sessionId"]})["session"]
    assert shown["game"] == "trick-and-trade"


def test_the_health_service_says_that_all_is_well(channel):
    assert call(channel, "grpc.health.v1.Health.Check", {}) == {"status": "SERVING"}
    play = {"service": "croupier.v1.PlayService"}
    assert call(channel, "grpc.health.v1.Health.Check", play) == {"status": "SERVING"}
