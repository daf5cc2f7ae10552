"""Make the vectors anew: what the Python SDK's greedy bot answers in games of Trick and Trade.

    .venv/bin/python clients/python/tests/greedy_vectors.py

Each game is dealt from a seed of its own and played by the greedy bot in every seat; one decision in five is kept.
"""

from collections.abc import Iterator
from pathlib import Path

from croupier import Decision, Session
from croupier.examples.greedy import Greedy
from croupier.trick_and_trade import GAME, Action, View
from croupier.v1 import game_pb2, play_pb2
from croupier_games.kernel import Seed, find_game
from croupier_service.wire.registry import codecs

VECTORS = Path(__file__).parents[2] / "vectors"
TABLES = (3, 4, 5) * 4  # seats
KEPT = 5  # one in so many


def play(number: int, seats: int) -> Iterator[play_pb2.Decision]:
    """Play a game; yield what is asked, each time as the bot is shown it."""
    game, codec, greedy = find_game(GAME), codecs()[GAME], Greedy()
    state = game.deal(seats, game.options_type(), Seed(bytes([number]) * 32))
    asked = 0
    while state.to_act():
        (seat,) = state.to_act()
        legal = state.legal_actions(seat)
        actions = [Action.FromString(codec.action_bytes(action)) for action in legal]
        view = View.FromString(codec.view_bytes(state.view(seat)))
        asked += 1
        decision = play_pb2.Decision(
            session_id=f"{number}",
            decision_id=asked,
            attempt=1,
            seat=seat,
            actions=[game_pb2.GameAction(trick_and_trade=action) for action in actions],
            view=game_pb2.GameView(trick_and_trade=view),
            think_time_ms=1000,
        )
        yield decision
        state.apply(seat, legal[answer(greedy, decision)])


def answer(greedy: Greedy, message: play_pb2.Decision) -> int:
    """Return the index of the action that the bot chooses."""
    return greedy.choose(Decision(Session(play_pb2.SessionStart()), message))


def main() -> None:
    """Write both files."""
    asked = [decision for game in enumerate(TABLES) for decision in play(*game)][::KEPT]
    greedy = Greedy()
    acts = [
        play_pb2.Act(session_id=each.session_id, decision_id=each.decision_id, index=answer(greedy, each))
        for each in asked
    ]
    decisions = play_pb2.PlayResponse(messages=[play_pb2.ServerMessage(decision=each) for each in asked])
    answers = play_pb2.PlayRequest(messages=[play_pb2.ClientMessage(act=each) for each in acts])
    (VECTORS / "greedy-decisions.binpb").write_bytes(decisions.SerializeToString(deterministic=True))
    (VECTORS / "greedy-acts.binpb").write_bytes(answers.SerializeToString(deterministic=True))
    print(f"{len(asked)} decisions of {len(TABLES)} games")


if __name__ == "__main__":
    main()
