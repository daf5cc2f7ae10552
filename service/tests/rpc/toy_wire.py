"""The wire form of the kernel's toy game, as a third party would write it: in the ``Any`` arm of the envelopes."""

from google.protobuf.any_pb2 import Any as AnyMessage
from toy import GAME, Options

from croupier.v1 import game_pb2
from croupier_service.wire.codec import Codec, WireError, no_such_arm
from croupier_service.wire.messages import GameWire
from croupier_service.wire.trick_and_trade import TrickAndTradeCodec


def packed(kind, text):
    return AnyMessage(type_url=f"type.example.org/high-card.{kind}", value=text.encode())


class HighCardCodec(Codec):
    """Actions in their notation, views as Python would print them."""

    game = GAME.name
    arm = "other"
    arm_number = 15

    def options_from_wire(self, message):
        return GAME.options(dict(pair.split("=") for pair in message.other.value.decode().split()))

    def options_to_wire(self, options):
        bell = "none" if options.bell_ms is None else options.bell_ms
        return game_pb2.GameOptions(other=packed("Options", f"hand={options.hand} bell_ms={bell}"))

    def action_from_wire(self, message):
        if message.WhichOneof("action") != self.arm:
            raise WireError(no_such_arm(message, "action", self))
        return GAME.parse(message.other.value.decode())

    def action_bytes(self, action):
        return packed("Action", GAME.notation(action)).SerializeToString()

    def view_bytes(self, view):
        return packed("View", repr(view)).SerializeToString()


assert HighCardCodec().options_from_wire(game_pb2.GameOptions()) == Options()

WIRES = {GAME.name: GameWire(HighCardCodec()), "trick-and-trade": GameWire(TrickAndTradeCodec())}
