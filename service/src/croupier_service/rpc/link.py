"""A remote bot's link: turns what sessions say into frames of its stream, and what the stream brings into acts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import structlog

from croupier.v1 import game_pb2, play_pb2
from croupier_games.kernel import MalformedAction, RecordError, replay
from croupier_service.sessions.bots import BotAt
from croupier_service.sessions.errors import Conflict
from croupier_service.sessions.history import events_seen
from croupier_service.sessions.host import Host
from croupier_service.sessions.outbox import MAX_WAITING_BYTES, Outbox
from croupier_service.sessions.seats import ActReport, Decision, Outcome, SeatAt
from croupier_service.sessions.session import Session
from croupier_service.sessions.summary import Archived, seed_commitment
from croupier_service.wire.codec import WireError
from croupier_service.wire.messages import Decisions, GameWire, in_frame

from .convert import clock_to_wire, end_to_wire, event_to_wire, faults_to_wire

log = structlog.get_logger("croupier.play")

MAX_RESUMES = 4096
"""Seats that Hello may name; more are ignored."""

MAX_MESSAGES = 16_384
"""That a frame may hold: each is work, however few bytes it has. In 256 KiB there are never so many honest acts."""

REPORT_COST = 20
"""What an act that has to be answered with a report is worth, in acts that are simply taken."""


class StreamLink:
    """One bot's stream.

    It never blocks: whatever is said waits in the outbox, and a bot that lets it fill up is cut off.
    """

    def __init__(
        self,
        host: Host,
        wires: Mapping[str, GameWire],
        hello: play_pb2.Hello,
        ping_interval_ms: float,
        stall_timeout_ms: float,
    ) -> None:
        self.outbox: Outbox[Decision] = Outbox(host.time, self._question)
        self.wants_events = hello.events
        self.bot: BotAt | None = None
        self.closed_because = ""
        """Why the server ends the connection; empty: it does not."""
        self.come_back = False
        """Whether the bot should try again after that."""
        self.stalled = False
        """Whether it does because the bot stopped reading or answering."""
        self._host = host
        self._wires = wires
        self._known = {(seat.session_id, seat.seat): seat.last_seq for seat in hello.resume[:MAX_RESUMES]}
        self._ping_interval_ms = ping_interval_ms
        self._stall_timeout_ms = stall_timeout_ms
        self._heard_at = host.time.now()
        self._excused_until = 0.0
        self._pings = 0
        self._asked_since = 0.0
        """Since when the oldest question waits that has not been written; 0: none does."""
        self._reports = 0
        """Told so far."""
        self._refusals = set[tuple[str, str]]()
        """What was wrong with the present frame."""
        self._on_close: Any = None
        self._prepared: dict[Decision, bytes] = {}
        """Questions that are encoded already."""
        self._acted: Session | None = None
        """The session of the last act of the present frame."""

    def on_close(self, callback: Any) -> None:
        """Call this when the server wants to end the connection."""
        self._on_close = callback

    # -- what sessions say (Link) ----------------------------------------------------------------------------------

    def start(self, session: Session, seat: SeatAt, *, resumed: bool) -> None:
        table = session.table
        wire = self._wires[table.game.name]
        if not session.wire_start:
            session.wire_start = play_pb2.SessionStart(
                session_id=session.id,
                game=table.game.name,
                rules_version=table.game.rules_version,
                seats=table.seats,
                options=wire.codec.options_to_wire(table.options),
                clock=clock_to_wire(session.clock),
                faults=faults_to_wire(session.fault_settings),
                seed_commitment=seed_commitment(table.seed, seed_given=session.seed_given),
            ).SerializeToString()
        seq = session.seq if seat.rewind_to is None else seat.rewind_to
        self._put(wire.session_start(session.wire_start, seat.number, seq, resumed=resumed))
        if self.wants_events:
            first = min(self._known.get((session.id, seat.number), 0), seq) + 1
            if first <= session.seq:
                self.events(session, seat, first)

    def ask(self, session: Session, decision: Decision) -> None:
        if self.closed_because:
            return
        if self.wants_events:  # it is told a question as it stands between the events before and after
            self._prepared[decision] = self._encode(decision)
        if not self._asked_since:
            self._asked_since = self._host.time.now()
        self.outbox.ask(decision)
        self._limit_what_waits()

    def report(self, report: ActReport) -> None:
        self._reports += 1
        self._say(
            play_pb2.ServerMessage(
                act_result=play_pb2.ActResult(
                    session_id=report.session_id,
                    seat=report.seat,
                    decision_id=report.decision_id,
                    outcome=play_pb2.ActOutcome.ValueType(report.outcome.value),
                    rule=report.rule,
                    message=report.message,
                    attempts_left=report.attempts_left,
                    fault=game_pb2.FaultKind.ValueType(report.fault.value if report.fault else 0),
                    faults=report.faults,
                    max_faults=report.max_faults,
                )
            )
        )

    def events(self, session: Session, seat: SeatAt, first_seq: int) -> None:
        wire = self._wires[session.table.game.name]
        events = [event_to_wire(seq, event, wire) for seq, event in events_seen(session, seat.number, first_seq)]
        self._say(
            play_pb2.ServerMessage(events=play_pb2.Events(session_id=session.id, seat=seat.number, events=events))
        )

    def end(self, session: Session, seat: SeatAt) -> None:
        table = session.table
        if not session.wire_end:
            seed = b"" if session.seed_given else table.seed.raw
            session.wire_end = end_to_wire(session.id, session.seq, session.result, seed).SerializeToString()
        wire = self._wires[table.game.name]
        try:
            view = None if session.result is None else table.state.view(seat.number)
            message = wire.session_end(session.wire_end, seat.number, view)
        except Exception:
            log.exception("the last view of a game cannot be shown", session=session.id, game=table.game.name)
            message = wire.session_end(session.wire_end, seat.number, None)
        self._put(message)

    async def tell_missed_ends(self) -> None:
        """Of the seats that the bot still knows: tell the end of those whose session is over, or is not known here."""
        assert self.bot is not None
        missed = [known for known in self._known if known[0] not in self.bot.sessions]
        for session_id, seat in missed:
            try:
                archived = await self._host.find_archived(session_id)
            except Conflict as error:
                log.warning("how a session ended cannot be read any more", session=session_id, why=str(error))
                archived = None
            except Exception:  # whatever a store raises; the others of the list are to be told all the same
                log.exception("a bot cannot be told how a session ended", session=session_id, bot=self.bot.name)
                continue
            ours = archived is not None and archived.bot_at(seat) == self.bot.name
            end = self._missed_end(archived, seat) if archived is not None and ours else b""
            if end:
                self._put(end)
            else:
                unknown = play_pb2.SessionEnd(session_id=session_id, seat=seat, reason=play_pb2.END_REASON_ABORTED)
                self._say(play_pb2.ServerMessage(session_end=unknown))
            await asyncio.sleep(0)  # a long list holds up nobody

    def _missed_end(self, archived: Archived, seat: int) -> bytes:
        """How a session ended, for a frame; nothing where its rules are not installed any more, or its game fails."""
        summary = archived.summary
        game = self._host.games.get(summary.game)
        if game is None:
            return b""
        try:
            table = replay(archived.record, game)
            seed = table.seed.raw if summary.seed_commitment else b""
            common = end_to_wire(summary.session_id, summary.seq, summary.result, seed).SerializeToString()
            view = None if summary.result is None else table.state.view(seat)
            return self._wires[summary.game].session_end(common, seat, view)
        except RecordError as error:
            log.warning("a session that is over cannot be replayed", session=summary.session_id, why=str(error))
        except Exception:
            log.exception("a session that is over cannot be shown", session=summary.session_id, game=summary.game)
        return b""

    def welcome(self, welcome: play_pb2.Welcome) -> None:
        """Greet the bot."""
        self._say(play_pb2.ServerMessage(welcome=welcome))

    def drain(self, grace_ms: float, reason: str) -> None:
        self._say(play_pb2.ServerMessage(drain=play_pb2.Drain(grace_ms=int(grace_ms), reason=reason)))

    def close(self, reason: str, *, come_back: bool = False) -> None:
        if not self.closed_because:
            self.closed_because = reason
            self.come_back = come_back
            if self._on_close is not None:
                self._on_close()

    # -- what the stream brings ------------------------------------------------------------------------------------

    def asked(self, decisions: list[Decision]) -> float:
        """These questions have been written: their clocks start. Returns how long the oldest had waited, in ms."""
        now = self._host.time.now()
        waited, self._asked_since = now - (self._asked_since or now), 0.0
        self._host.lag.observe(now)  # lateness up to now is no excuse for what is asked now
        for decision in decisions:
            decision.session.asked(decision, now)
        if not self._excused_until:
            self._excused_until = now + decisions[0].session.patience(decisions[0], now)
        return waited

    def frame(self, frame: bytes, max_bytes: int) -> int:
        """The bot has said something. Whatever is wrong with it, the stream lives and the bot is told.

        Returns what that was worth in acts: what makes no sense costs as much as many that do.
        """
        host = self._host
        now = host.time.now()
        host.lag.observe(now)
        self._heard_at, self._excused_until = now, 0.0
        read, taken, reports = 0, 1, self._reports
        self._refusals.clear()
        if len(frame) > max_bytes:
            self._refuse(f"the frame has {len(frame):,} bytes; at most {max_bytes:,} are read")
        else:
            try:
                messages = play_pb2.PlayRequest.FromString(frame).messages
            except Exception:  # noqa: BLE001 - protobuf's DecodeError has no stable home
                self._refuse("the frame is not a croupier.v1.PlayRequest")
            else:
                taken = len(messages)
                if taken > MAX_MESSAGES:
                    self._refuse(f"the frame has {taken:,} messages; at most {MAX_MESSAGES:,} are read")
                    del messages[:]
                read = self._take(messages, now)
                if self._acted is not None:
                    self._acted.handled(taken, host.time.now() - now)
        self.outbox.heard(read)
        return taken + REPORT_COST * (self._reports - reports)

    def excuse(self, until: float) -> None:
        """The server does not listen until then, because the bot has said too much: its silence is no stalling."""
        self._excused_until = max(self._excused_until, until)

    def check_alive(self) -> None:
        """Called every ping interval: ping a silent bot, and cut off one that does not read or answer."""
        now = self._host.time.now()
        patience = self._stall_timeout_ms
        writing_since = self.outbox.writing_since
        if writing_since is not None and now - writing_since > patience:
            self._stall(f"the bot has not read anything for {(now - writing_since) / 1000:.0f} s")
            return
        if now - max(self._heard_at, self._excused_until) > patience:
            self._excused_until = now + self._thinking_left(now)
            if self._excused_until == now:
                self._stall(f"the bot has not answered for {(now - self._heard_at) / 1000:.0f} s")
                return
        if now - self._heard_at >= self._ping_interval_ms:
            self._pings += 1
            self._say(play_pb2.ServerMessage(ping=play_pb2.Ping(nonce=self._pings)))

    # -- inside ----------------------------------------------------------------------------------------------------

    def _thinking_left(self, now: float) -> float:
        """The longest that the bot may still think about any of the decisions it had when it was last heard."""
        sessions = self.bot.sessions.values() if self.bot is not None else ()
        return max(
            (
                session.patience(seat.open, now)
                for session in sessions
                for seat in session.seats
                if seat.link is self and seat.open and (seat.open.started or now) <= self._heard_at
            ),
            default=0.0,
        )

    def _take(self, messages: Iterable[play_pb2.ClientMessage], now: float) -> int:
        """Take what the bot says. Returns the number of the latest frame that it answers; 0 where it answers none."""
        assert self.bot is not None
        bot, sessions = self.bot.name, self.bot.sessions
        read = 0
        session: Session | None = None
        for message in messages:
            act = message.act  # an empty one where it is something else
            session = sessions.get(act.session_id)
            if session is None:
                self._take_other(message)
                continue
            index = act.index
            if index or act.WhichOneof("choice") == "index":
                frame = session.act(bot, act.decision_id, now, index=index)
            else:
                frame = self._act(session, bot, act, now)
            read = max(read, frame)
        self._acted = session
        return read

    def _act(self, session: Session, bot: str, act: play_pb2.Act, now: float) -> int:
        """An act that holds the action itself, or nothing. Returns the number of the frame that it answers, or 0."""
        if not act.HasField("action"):
            nothing = "an act holds an index or an action; this one holds neither"
            return session.malformed(bot, act.decision_id, now, nothing)
        codec = self._wires[session.table.game.name].codec
        try:
            action = codec.action_from_wire(act.action)
        except (WireError, MalformedAction) as error:
            return session.malformed(bot, act.decision_id, now, f"action: {error}")
        except Exception as error:  # noqa: BLE001 - a game's own code may raise anything
            session.game_failed(error)
            return 0
        return session.act(bot, act.decision_id, now, action=action)

    def _take_other(self, message: play_pb2.ClientMessage) -> None:
        """A message that is no act for one of the bot's running sessions."""
        kind = message.WhichOneof("message")
        if kind == "act":
            self._unknown_session(message.act)
        elif kind == "hello":
            self._refuse("Hello is said once, at the start of a stream")
        elif kind is None:
            self._refuse("a message is empty, or of a kind that this server does not know")

    def _unknown_session(self, act: play_pb2.Act) -> None:
        message = "this bot sits in no running session of that id (it may be over)"
        self._report_once(ActReport(act.session_id, 0, act.decision_id, Outcome.UNKNOWN_SESSION, message))

    def _refuse(self, message: str) -> None:
        """Say what is wrong with a frame."""
        self._report_once(ActReport("", 0, 0, Outcome.MALFORMED, message))

    def _report_once(self, report: ActReport) -> None:
        """Say this once for each frame, and session, however often it is in there."""
        what = report.session_id, report.message
        if what not in self._refusals:
            self._refusals.add(what)
            self.report(report)

    def _stall(self, reason: str) -> None:
        self.stalled = True
        self.close(f"stalled: {reason}", come_back=True)

    def _say(self, message: play_pb2.ServerMessage) -> None:
        self._put(in_frame(message))

    def _put(self, message: bytes) -> None:
        if self.closed_because:
            return
        self.outbox.put(message)
        self._limit_what_waits()

    def _limit_what_waits(self) -> None:
        if self.outbox.waiting_bytes > MAX_WAITING_BYTES:
            self._stall(f"{self.outbox.waiting_bytes:,} bytes wait for the bot to read them")

    def _question(self, decision: Decision) -> bytes:
        """A question for a frame; nothing when it is no longer open."""
        prepared = self._prepared.pop(decision, None) if self._prepared else None
        if not decision.open:
            return b""
        if prepared:
            return prepared
        try:
            return self._encode(decision)
        except Exception as error:  # noqa: BLE001 - likewise
            decision.session.game_failed(error)
            return b""

    def _encode(self, decision: Decision) -> bytes:
        """A question as it stands."""
        session, seat = decision.session, decision.seat
        table = session.table
        wire: Decisions | None = seat.wire
        if wire is None:
            wire = seat.wire = self._wires[table.game.name].decisions(session.id, seat.number)
        think_ms, bank_ms = session.time_left(decision)
        return wire.encode(
            len(session.events),
            decision.id,
            decision.attempt,
            decision.legal,
            table.state.view(seat.number),
            None if decision.standing else think_ms,
            bank_ms,
            int(seat.last_charged_ms),
        )
