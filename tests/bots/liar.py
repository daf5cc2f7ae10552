"""``liar``: before each honest answer it tells a lie, another one each time, in frames that are in order.

A lie is an act that the server must not take: against the rules, out of range, for somebody else's seat, for a session
that is none of its business, for a decision that is closed or was never asked.
"""

from collections.abc import Callable, Iterable

from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2
from croupier.v1 import game_pb2, play_pb2

from .honest import Honest

Lie = Callable[["Liar", play_pb2.Decision], play_pb2.ClientMessage]


class Liar(Honest):
    """See the module. ``lies`` are told in this order, one for each decision, as long as there are any."""

    def __init__(self, target: str, name: str, *lies: Lie, foreign_session: str = "") -> None:
        super().__init__(target, name)
        self.lies = list(lies)
        self.foreign_session = foreign_session
        """A session that exists, but in which it does not sit."""
        self.told_on: dict[tuple[str, int], Lie] = {}
        """Which lie was told at which decision."""

    async def decide(self, decision: play_pb2.Decision) -> Iterable[play_pb2.ClientMessage]:
        key = (decision.session_id, decision.decision_id)
        honest = self.act(decision, index=self.whim(decision))
        if key in self.told_on or not self.lies:
            return [honest]  # asked again after a lie, or out of lies
        lie = self.told_on[key] = self.lies.pop(0)
        if lie in AFTER_THE_ANSWER:
            return [honest, lie(self, decision)]
        if lie in ASKED_AGAIN:
            return [lie(self, decision)]
        return [lie(self, decision), honest]


def card_not_in_hand(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """Plays a card that it does not hold; or, when asked for a trade card, plays one that it does hold."""
    hand = set(decision.view.trick_and_trade.hand)
    playing = decision.actions[0].trick_and_trade.WhichOneof("action") == "play"
    card = next(card for card in trick_and_trade_pb2.Card.values() if card and (card in hand) != playing)
    action = game_pb2.GameAction(trick_and_trade=trick_and_trade_pb2.Action(play=card))
    return bot.act(decision, action=action)


def no_card_at_all(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """Plays a card that the game does not have."""
    action = game_pb2.GameAction(trick_and_trade=trick_and_trade_pb2.Action(play=999))
    return bot.act(decision, action=action)


def empty_action(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """An action that is of no game."""
    return bot.act(decision, action=game_pb2.GameAction())


def no_choice(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """Neither an index nor an action."""
    return bot.act(decision)


def index_out_of_range(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """One past the last action."""
    return bot.act(decision, index=len(decision.actions))


def huge_index(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """The largest number there is."""
    return bot.act(decision, index=2**32 - 1)


def never_asked(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """A decision far in the future."""
    act = play_pb2.Act(session_id=decision.session_id, decision_id=decision.decision_id + 1000, index=0)
    return play_pb2.ClientMessage(act=act)


def somebody_elses(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """The decision before this one: it was asked of another seat."""
    act = play_pb2.Act(session_id=decision.session_id, decision_id=decision.decision_id - 1, index=0)
    return play_pb2.ClientMessage(act=act)


def no_such_session(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """A session that does not exist."""
    return play_pb2.ClientMessage(act=play_pb2.Act(session_id="no-such-session", decision_id=1, index=0))


def no_session_of_mine(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """A session of others."""
    return play_pb2.ClientMessage(act=play_pb2.Act(session_id=bot.foreign_session, decision_id=1, index=0))


def same_again(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """The honest answer a second time."""
    return bot.act(decision, index=bot.whim(decision))


def second_thoughts(bot: Liar, decision: play_pb2.Decision) -> play_pb2.ClientMessage:
    """Another answer to a decision that it has just answered."""
    return bot.act(decision, index=(bot.whim(decision) + 1) % len(decision.actions))


AFTER_THE_ANSWER = (same_again, second_thoughts)
ASKED_AGAIN = (card_not_in_hand, no_card_at_all, empty_action, no_choice, index_out_of_range, huge_index)
