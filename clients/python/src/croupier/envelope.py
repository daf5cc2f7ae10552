"""Games travel in envelopes: a message with one arm per game, and one more for games that the contract does not know.

>>> from croupier.v1.game_pb2 import GameAction
>>> envelope = GameAction()
>>> envelope.trick_and_trade.take_lead = True
>>> action = unwrap(envelope)
>>> action.take_lead
True
>>> wrap(action, like=envelope) == envelope
True
"""

from typing import Any as Anything
from typing import TypeAlias

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

from croupier.v1.game_pb2 import GameAction, GameOptions, GameView

Envelope: TypeAlias = GameOptions | GameAction | GameView


def arm_of(envelope: Envelope) -> str | None:
    """Tell which arm is set: a game's name, "other", or None where this SDK is older than the game."""
    if isinstance(envelope, GameAction):
        return envelope.WhichOneof("action")
    if isinstance(envelope, GameView):
        return envelope.WhichOneof("view")
    return envelope.WhichOneof("options")


def unwrap(envelope: Envelope) -> Anything:  # noqa: ANN401 -- which game's message it is, only the game says
    """Return the game's own message.

    A third-party game's message comes as its own type if the program has imported that, else as the `Any` it travels
    in. Of a game that this SDK is too old to know, the envelope itself is returned: it can still be handed back.
    """
    arm = arm_of(envelope)
    if arm is None:
        return envelope
    message = getattr(envelope, arm)
    return unpack(message) if isinstance(message, Any) else message


def unpack(packed: Any) -> Message:
    """Return what is in an `Any`, or the `Any` where the program does not know its type."""
    try:
        descriptor = descriptor_pool.Default().FindMessageTypeByName(packed.TypeName())
    except KeyError:
        return packed
    message: Message = message_factory.GetMessageClass(descriptor)()
    packed.Unpack(message)
    return message


def wrap(action: Message, like: GameAction) -> GameAction:
    """Put an action into an envelope like the one that the decision's legal actions came in.

    Raises:
        TypeError: this is no action of that game.
    """
    arm = arm_of(like)
    expected = type(unwrap(like))
    if type(action) is not expected:
        name, wanted = type(action).__qualname__, expected.__qualname__
        raise TypeError(f"choose() returned a {name} message; it must return an action ({wanted}) or an index")
    if arm is None:
        assert isinstance(action, GameAction)
        return action
    envelope = GameAction()
    if arm == "other" and not isinstance(action, Any):
        envelope.other.Pack(action)
    else:
        getattr(envelope, arm).CopyFrom(action)
    return envelope
