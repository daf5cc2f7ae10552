"""The bot's seats at one server: what the server says is turned into calls of the bot, and its choices into acts.

No network in here: frames come in through `receive`, acts go out through the outbox of the stream of the day. Seats
outlive streams: when one is lost, sessions stay, thinking goes on, and what was chosen meanwhile is said on the next.
"""

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable
from itertools import islice
from operator import index
from typing import Any

from google.protobuf.message import Message

from croupier.bot import Choice, Decision, End, Session
from croupier.channel import VERSION
from croupier.envelope import wrap
from croupier.log import LOG
from croupier.outbox import Outbox
from croupier.playing import Playing
from croupier.v1 import game_pb2, play_pb2

PROTOCOL = 1
RESUME_LIMIT = 4000  # seats to name in Hello, which has to be one frame; the server knows the others as well
PATIENCE = 0.005  # seconds that finished answers wait for the rest of their frame; only slow bots ever reach it
LOUD = frozenset(
    {
        play_pb2.ACT_OUTCOME_ILLEGAL,
        play_pb2.ACT_OUTCOME_LATE,
        play_pb2.ACT_OUTCOME_MALFORMED,
        play_pb2.ACT_OUTCOME_UNKNOWN_DECISION,
        play_pb2.ACT_OUTCOME_VACATED,
    }
)


class Seat:
    """The bot's place in one session, and the decision it was last asked for.

    Attributes:
        session: what the bot knows of the session.
        asked: which decision, attempt and, if it is a standing one, seq; None: none yet.
        answer: what the bot has chosen: an index, an action in its envelope, or None: nothing yet.
        thinking: the asynchronous choice that is going on.
        last_event: the last event that the bot was told.
    """

    __slots__ = ("answer", "asked", "last_event", "session", "thinking")

    def __init__(self, session: Session) -> None:
        self.session = session
        self.asked: tuple[int, int, int] | None = None
        self.answer: int | game_pb2.GameAction | None = None
        self.thinking: asyncio.Task[None] | None = None
        self.last_event = 0

    def stop_thinking(self) -> None:
        """Cancel the choice that is going on: nobody wants its answer any more."""
        if self.thinking is not None:
            self.thinking.cancel()
            self.thinking = None


class Seats:
    """All seats of the bot at one server."""

    def __init__(
        self,
        playing: Playing,
        *,
        welcome: Callable[[play_pb2.Welcome], None],
        moved: Callable[[play_pb2.SessionStart], None],
        over: Callable[[str], None],
    ) -> None:
        """Take no seat yet.

        Args:
            playing: the bot, and what its connections share.
            welcome: told of the server's greeting.
            moved: told of a session that another server hosts.
            over: told the id of a session that is over.
        """
        self.outbox = Outbox()
        self._playing = playing
        self._bot = playing.bot
        self._seats: dict[tuple[str, int], Seat] = {}  # by session and seat number
        self._moved = moved
        self._over = over
        self._handlers: dict[str, Callable[[Any], None]] = {
            "welcome": welcome,
            "session_start": self._start,
            "events": self._events,
            "act_result": self._result,
            "session_end": self._end,
            "ping": self._ping,
            "drain": self._drain,
        }

    def open_stream(self) -> tuple[play_pb2.PlayRequest, Outbox]:
        """Begin anew on a new stream: return its first frame, which is Hello alone, and its outbox."""
        self.outbox = Outbox()
        hello = play_pb2.Hello(
            protocol=PROTOCOL,
            bot=self._playing.name,
            sdk=f"croupier-python {VERSION}",
            language="python",
            games=self._bot.games,
            max_sessions=self._bot.max_sessions,
            events=self._bot.wants_events,
            resume=[
                play_pb2.Resume(session_id=seat.session.id, seat=seat.session.seat, last_seq=seat.last_event)
                for seat in islice(self._seats.values(), RESUME_LIMIT)
            ],
        )
        return play_pb2.PlayRequest(messages=[play_pb2.ClientMessage(hello=hello)]), self.outbox

    async def receive(self, frame: play_pb2.PlayResponse) -> None:
        """Do what a frame asks for, and see that the server hears of it.

        Answers to one frame go out in one frame. A bot that takes its time over each choice is the exception: what it
        has chosen so far is sent before it goes on, for each session's clock runs until its own answer is there.
        """
        started = received = time.monotonic()
        for message in frame.messages:
            kind = message.WhichOneof("message")
            if kind == "decision":
                self._decide(message.decision, received)
                if time.monotonic() - started > PATIENCE:
                    self.outbox.flush()
                    await asyncio.sleep(0)  # lets the writer write
                    started = time.monotonic()
            elif kind is not None:  # else it is news to this SDK, which is older than the server
                self._handlers[kind](getattr(message, kind))
        self.outbox.acknowledge()

    def __len__(self) -> int:
        """Return the number of seats taken."""
        return len(self._seats)

    async def leave(self) -> None:
        """Stop all thinking."""
        thinking = [seat.thinking for seat in self._seats.values() if seat.thinking is not None]
        for task in thinking:
            task.cancel()
        await asyncio.gather(*thinking, return_exceptions=True)

    # ------------------------------------------------------------------------------------------------------- decisions

    def _decide(self, message: play_pb2.Decision, received: float) -> None:
        seat = self._seats.get((message.session_id, message.seat))
        if seat is None:
            LOG.warning("asked to decide in session %s, of which the server has not told", message.session_id)
            return
        asked = (message.decision_id, message.attempt, message.seq if message.standing else 0)
        if asked == seat.asked:  # on an earlier stream: the bot has chosen, or is still at it
            if seat.answer is not None:
                self._say(seat, message.decision_id, seat.answer)
            return
        if seat.thinking is not None:
            seat.stop_thinking()
        seat.asked = asked
        seat.answer = None
        seat.session.seq = message.seq
        decision: Decision[Any, Any] = Decision(seat.session, message, received)
        try:
            choice = self._bot.choose(decision)
            if type(choice) is not int and inspect.isawaitable(choice):
                seat.thinking = asyncio.create_task(self._think(seat, decision, choice))
            else:
                self._settle(seat, message, choice)
        except Exception as error:  # noqa: BLE001 -- the bot's own code may raise anything
            self._crash(decision, error)

    async def _think(self, seat: Seat, decision: Decision[Any, Any], choice: Awaitable[Choice]) -> None:
        try:
            chosen = await choice
            if seat.thinking is asyncio.current_task():  # else it was cancelled, and did not care
                self._settle(seat, decision.message, chosen)
                self.outbox.flush()
        except asyncio.CancelledError as error:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise
            crash = RuntimeError("choose() was cancelled by what it awaited")
            crash.__cause__ = error
            self._crash(decision, crash)
        except Exception as error:  # noqa: BLE001 -- as above
            self._crash(decision, error)
        finally:
            if seat.thinking is asyncio.current_task():
                seat.thinking = None

    def _settle(self, seat: Seat, message: play_pb2.Decision, choice: Choice) -> None:
        """Check, remember and say what the bot has chosen."""
        if choice is None:
            if not message.standing:
                raise TypeError("choose() returned None instead of an action or an index: is a `return` missing?")
            return
        if isinstance(choice, Message):
            seat.answer = wrap(choice, like=message.actions[0])
        elif isinstance(choice, bool):
            raise TypeError(f"choose() returned {choice} instead of an action or an index")
        else:
            try:
                seat.answer = index(choice)
            except TypeError:
                shown = " ".join(repr(choice).split())
                raise TypeError(f"choose() returned {shown:.80} instead of an action or an index") from None
            if not 0 <= seat.answer < len(message.actions):
                number, seat.answer = seat.answer, None
                raise IndexError(f"choose() returned {number}, but the {len(message.actions)} actions count from 0")
        self._say(seat, message.decision_id, seat.answer)

    def _say(self, seat: Seat, decision_id: int, answer: int | game_pb2.GameAction) -> None:
        act = self.outbox.add().act
        act.session_id = seat.session.id
        act.decision_id = decision_id
        if isinstance(answer, int):
            act.index = answer
        else:
            act.action.CopyFrom(answer)

    def _crash(self, decision: Decision[Any, Any], error: Exception) -> None:
        session = decision.session
        where = f"session {session.id} ({session.game}, seat {session.seat}), decision {decision.id}"
        self._playing.crashed(f"choose() failed in {where}: no answer is sent, the clock decides", error)

    # ------------------------------------------------------------------------------------------------- everything else

    def _start(self, message: play_pb2.SessionStart) -> None:
        seat = self._seats.get((message.session_id, message.seat))
        if message.endpoint:
            if seat is not None:
                seat.stop_thinking()
                del self._seats[message.session_id, message.seat]
            self._moved(message)
        elif seat is None:
            seat = self._seats[message.session_id, message.seat] = Seat(Session(message))
            self._call("on_start", seat.session)
        elif message.seq < max(seat.session.seq, seat.last_event):
            LOG.warning("session %s goes back to event %d", message.session_id, message.seq)
            seat.stop_thinking()
            seat.asked = seat.answer = None
            seat.session.seq = message.seq
            seat.last_event = min(seat.last_event, message.seq)
            self._call("on_rewind", seat.session)

    def _events(self, message: play_pb2.Events) -> None:
        seat = self._seats.get((message.session_id, message.seat))
        if seat is None:
            return
        events = [event for event in message.events if event.seq > seat.last_event]
        if events:
            seat.session.seq = seat.last_event = events[-1].seq
            self._call("on_events", seat.session, events)

    def _result(self, message: play_pb2.ActResult) -> None:
        loud = message.outcome in LOUD or message.faults >= message.max_faults > 0
        LOG.log(logging.WARNING if loud else logging.DEBUG, "%s", in_words(message))
        seat = self._seats.get((message.session_id, message.seat))
        if seat is None:
            return
        if message.outcome == play_pb2.ACT_OUTCOME_LATE and seat.asked and seat.asked[0] == message.decision_id:
            seat.stop_thinking()
        self._call("on_result", seat.session, message)

    def _end(self, message: play_pb2.SessionEnd) -> None:
        seat = self._seats.pop((message.session_id, message.seat), None)
        if seat is not None:
            seat.stop_thinking()
            seat.session.seq = message.seq
            end = End(seat.session, message)
            LOG.debug("%r", end)
            self._call("on_end", seat.session, end)
            if any((message.session_id, number) in self._seats for number in range(seat.session.seats)):
                return  # the bot has another seat there
            self._playing.session_over()
        self._over(message.session_id)

    def _ping(self, message: play_pb2.Ping) -> None:
        self.outbox.add().pong.nonce = message.nonce
        self.outbox.flush()

    def _drain(self, message: play_pb2.Drain) -> None:
        reason = message.reason or "no reason given"
        LOG.info("the server is about to stop (%s); it lets games end for %.0f s", reason, message.grace_ms / 1000)

    def _call(self, hook: str, session: Session, *arguments: Any) -> None:  # noqa: ANN401 -- handed through
        try:
            getattr(self._bot, hook)(session, *arguments)
        except Exception as error:  # noqa: BLE001 -- the bot's own code may raise anything
            self._playing.crashed(f"{hook}() failed in session {session.id} ({session.game})", error)


def in_words(result: play_pb2.ActResult) -> str:
    """Say what became of an act in one line.

    >>> in_words(
    ...     play_pb2.ActResult(
    ...         session_id="a7",
    ...         decision_id=3,
    ...         outcome=play_pb2.ACT_OUTCOME_ILLEGAL,
    ...         rule="play.in-hand",
    ...         message="NEV 3 is not in the hand",
    ...         attempts_left=2,
    ...         faults=1,
    ...         max_faults=10,
    ...     )
    ... )
    'session a7, decision 3: illegal (play.in-hand): NEV 3 is not in the hand; attempts left: 2; faults: 1 of 10'
    """
    known = result.outcome in play_pb2.ActOutcome.values()
    name = play_pb2.ActOutcome.Name(result.outcome) if known else f"outcome {result.outcome}"
    words = [name.removeprefix("ACT_OUTCOME_").replace("_", " ").lower()]
    if result.session_id:
        words.insert(0, f"session {result.session_id}, decision {result.decision_id}: ")
    words += [f" ({result.rule})"] if result.rule else []
    words += [f": {result.message}"] if result.message else []
    words += [f"; attempts left: {result.attempts_left}"] if result.outcome == play_pb2.ACT_OUTCOME_ILLEGAL else []
    words += [f"; faults: {result.faults} of {result.max_faults}"] if result.max_faults else []
    return "".join(words)
