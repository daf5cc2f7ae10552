"""Streams without a network: a link, what it has written, and what its bot says."""

from toy_wire import WIRES

from croupier.v1 import play_pb2
from croupier_service.identity.limits import Limits
from croupier_service.rpc.link import StreamLink

PING, STALL = 5_000, 15_000


class FakeStream:
    """One bot's stream to the host of a ``Hall``. What the link says waits until the test has it written."""

    def __init__(self, hall, name, *, events=False, resume=(), wires=WIRES):
        self.hall = hall
        hello = play_pb2.Hello(
            protocol=1,
            bot=name,
            events=events,
            resume=[play_pb2.Resume(session_id=session.id, last_seq=seq, seat=seat) for session, seat, seq in resume],
        )
        self.link = StreamLink(hall.host, wires, hello, PING, STALL)
        self.closed = 0
        self.link.on_close(self.note_close)
        self.link.bot = hall.host.connect(name, self.link)

    def note_close(self):
        self.closed += 1

    def write(self):
        """Everything that waits has been written: its messages."""
        messages = []
        while self.link.outbox._waiting:
            frame, decisions = self.link.outbox._take()
            messages += play_pb2.PlayResponse.FromString(frame).messages
            if decisions:
                self.link.asked(decisions)
        return messages

    def told(self, kind):
        """Everything that waits has been written: its messages of one kind."""
        return [getattr(message, kind) for message in self.write() if message.WhichOneof("message") == kind]

    def say(self, *messages):
        return self.say_bytes(play_pb2.PlayRequest(messages=messages).SerializeToString())

    def say_bytes(self, frame):
        cost = self.link.frame(frame, Limits().frame_bytes)
        self.hall.settle()
        return cost

    def act(self, session, decision_id, **choice):
        return self.say(
            play_pb2.ClientMessage(act=play_pb2.Act(session_id=session.id, decision_id=decision_id, **choice))
        )

    def leave(self):
        stalled = self.link.closed_because if self.link.stalled else ""
        self.hall.host.disconnect(self.link.bot, self.link, stalled=stalled)
        self.hall.settle()


def kinds(messages):
    """What kinds of messages these are."""
    return [message.WhichOneof("message") for message in messages]


def play_on(streams, until=lambda: False):
    """Every question is answered with its first action, until nobody is asked any more. Returns all that was told."""
    told = {id(stream): [] for stream in streams}
    going = True
    while going and not until():
        going = False
        for stream in streams:
            messages = stream.write()
            told[id(stream)] += messages
            for message in messages:
                if message.WhichOneof("message") == "decision":
                    decision = message.decision
                    stream.say(
                        play_pb2.ClientMessage(
                            act=play_pb2.Act(session_id=decision.session_id, decision_id=decision.decision_id, index=0)
                        )
                    )
                    going = True
    return [told[id(stream)] for stream in streams]
