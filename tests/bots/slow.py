"""``slow``: answers each decision only once it has been told that its time is up."""

from collections.abc import Iterable

from croupier.v1 import play_pb2

from .honest import Honest


class Slow(Honest):
    """See the module."""

    async def decide(self, decision: play_pb2.Decision) -> Iterable[play_pb2.ClientMessage]:
        return []

    async def told(self, result: play_pb2.ActResult) -> Iterable[play_pb2.ClientMessage]:
        if result.fault != 0 and result.outcome == play_pb2.ACT_OUTCOME_LATE:
            act = play_pb2.Act(session_id=result.session_id, decision_id=result.decision_id, index=0)
            return [play_pb2.ClientMessage(act=act)]
        return []
