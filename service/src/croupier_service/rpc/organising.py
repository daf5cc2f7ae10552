"""Many sessions over one stream: wishes come in, reports go out, as many as there are in one message."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import grpc
from google.protobuf.message import DecodeError

from croupier.v1 import session_pb2 as pb
from croupier_service.sessions.errors import BadRequest, HostError, OverLimit
from croupier_service.sessions.host import Host, NewSession
from croupier_service.sessions.summary import Archived
from croupier_service.wire.messages import GameWire

from .convert import record_text, session_to_wire
from .creating import Creating
from .errors import code_of

MAX_WISHES = 50_000
"""That one stream may have open at once."""
MESSAGE_WISHES = 4_096
"""That may travel in one message."""
AT_ONCE = 100
"""Wishes that are taken before others get their turn."""
FRAME_BYTES = 1024 * 1024
"""A message is not filled further; a report that is larger goes alone."""
WAITING_BYTES = 32 * 1024 * 1024
"""What may wait for an organiser that does not read."""
RETRY_S = 1.0
GATHER_S = 0.015
"""After reports were written, more of them are gathered for so long: each message wakes five threads at both ends."""
LAST_WRITE_S = 1.0
"""How long a message may be on its way when the stream ends."""

T = TypeVar("T")


class Wish:
    """One wish that is not fulfilled yet.

    Attributes:
        number: the organiser's.
        record: whether its record is wanted, too.
        unsaid: reports that have to wait until its creation has been told; None: nothing has to.
        withdraw: ends what it waits for.
    """

    __slots__ = ("number", "record", "unsaid", "withdraw")

    def __init__(self, number: int, *, record: bool) -> None:
        self.number = number
        self.record = record
        self.unsaid: list[pb.Report] | None = None
        self.withdraw: Callable[[], None] = _nothing


class Organising:
    """One organiser's stream."""

    def __init__(self, host: Host, wires: Mapping[str, GameWire], creating: Creating) -> None:
        self._host = host
        self._wires = wires
        self._creating = creating
        self._wishes: dict[int, Wish] = {}
        self._reports: deque[tuple[pb.Report, int]] = deque()
        """What waits to be written, with its size."""
        self._waiting = 0
        """Its size in all."""
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._said_all = False
        """Whether the organiser has ended its side."""
        self._broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Has an exception when the stream cannot go on."""

    async def converse(self, read: Callable[[], Awaitable[Any]], write: Callable[[Any], Awaitable[Any]]) -> None:
        """Take wishes and make reports until the organiser has said its last and knows how all of it ended.

        Raises HostError: a message that is none, a number that is in use, an organiser that does not read.
        """
        writing = asyncio.create_task(self._write(write))
        reading = asyncio.create_task(self._read(read))
        try:
            await asyncio.wait([writing, self._broken], return_when=asyncio.FIRST_COMPLETED)
            for ended in (self._broken, writing):
                if ended.done():
                    ended.result()
        finally:
            self._broken.cancel()
            self._wake.set()
            await asyncio.wait([writing], timeout=LAST_WRITE_S)  # a status cannot go while a message is on its way
            tasks = [writing, reading, *self._tasks]
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for wish in self._wishes.values():
                wish.withdraw()

    def close(self, error: BaseException) -> None:
        """End the stream with this."""
        if not self._broken.done():
            self._broken.set_exception(error)

    # -- wishes ----------------------------------------------------------------------------------------------------

    async def _read(self, read: Callable[[], Awaitable[Any]]) -> None:
        try:
            while (request := await read()) is not grpc.aio.EOF:
                await self._take(request.wishes)
        except DecodeError:
            self.close(BadRequest("NOT_A_MESSAGE", "the request is not a croupier.v1.OrganiseRequest"))
        except Exception as error:  # noqa: BLE001 - told where the stream ends
            self.close(error)
        self._said_all = True
        self._wake.set()

    async def _take(self, wishes: Sequence[pb.Wish]) -> None:
        """Take the wishes of one message, until the stream cannot go on."""
        if len(wishes) > MESSAGE_WISHES:
            raise BadRequest(
                "TOO_LONG",
                f"are {len(wishes):,} in one message; at most {MESSAGE_WISHES:,} are taken, and more in the next one",
                "wishes",
            )
        creating = list[tuple[Wish, NewSession]]()
        async for asked in self._in_turns(wishes):
            wish = self._open(asked)
            kind = asked.WhichOneof("wish")
            try:
                if kind == "create":
                    creating.append((wish, self._creating.wanted(asked.create)))
                elif kind == "follow":
                    self._follow(wish, asked.follow)
                else:
                    raise BadRequest(
                        "EMPTY_WISH", "a wish creates a session or follows one; this one does neither", "wish"
                    )
            except HostError as error:
                self._refuse(wish, error)
        if creating:
            await self._host.look_up(new for _, new in creating)
            await self._create(creating)

    async def _in_turns(self, items: Sequence[T]) -> AsyncIterator[T]:
        """These, until the stream cannot go on; many of them hold up nobody."""
        for number, item in enumerate(items, start=1):
            if self._broken.done():
                return
            yield item
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _open(self, asked: pb.Wish) -> Wish:
        number = asked.number
        if not number:
            raise BadRequest("OUT_OF_RANGE", "is at least 1", "wishes.number")
        if number in self._wishes:
            raise BadRequest("NUMBER_IN_USE", f"{number} is the number of a wish that is still open", "wishes.number")
        if len(self._wishes) >= MAX_WISHES:
            raise OverLimit(
                "TOO_MANY_WISHES", f"{MAX_WISHES:,} wishes are open, as many as one stream may have", RETRY_S
            )
        wish = self._wishes[number] = Wish(number, record=asked.record)
        return wish

    async def _create(self, creating: Sequence[tuple[Wish, NewSession]]) -> None:
        created = list[tuple[Wish, str]]()
        async for wish, new in self._in_turns(creating):
            try:
                session_id = self._host.create(new)
            except HostError as error:
                self._refuse(wish, error)
            else:
                wish.unsaid = []
                created.append((wish, session_id))
                self._follow(wish, session_id)
        if created:
            self._start(self._tell_created(created))

    async def _tell_created(self, created: Sequence[tuple[Wish, str]]) -> None:
        """Sessions are told of when they are kept, and their ends after that."""
        try:
            await self._host.kept()
        except HostError as error:
            for wish, _ in created:
                wish.unsaid = None
                self._refuse(wish, error)
            return
        for wish, session_id in created:
            self._put(pb.Report(number=wish.number, created=session_id))
            unsaid, wish.unsaid = wish.unsaid or [], None
            for report in unsaid:
                self._put(report)

    # -- what becomes of them --------------------------------------------------------------------------------------

    def _follow(self, wish: Wish, session_id: str) -> None:
        session = self._host.sessions.get(session_id)
        if session is None:
            self._start(self._look_back(wish, session_id))
        else:
            wish.withdraw = self._host.ends.add(session_id, lambda: self._over(wish, session.kept))

    async def _look_back(self, wish: Wish, session_id: str) -> None:
        """A session that does not run: it is over, or there is none of that id."""
        try:
            self._over(wish, await self._host.archived(session_id))
        except HostError as error:
            self._refuse(wish, error)

    def _over(self, wish: Wish, archived: Archived | None) -> None:
        assert archived is not None  # it is over
        wish.withdraw = _nothing
        over = session_to_wire(archived.summary, self._wires)
        self._say(wish, pb.Report(number=wish.number, over=over), last=not wish.record)
        if not wish.record:
            return
        if self._host.deal_in_play(archived.record.seed):
            raw = archived.record.seed.raw
            wish.withdraw = self._host.deals_over.add(raw, lambda: self._tell_record(wish, archived))
        else:
            self._tell_record(wish, archived)

    def _tell_record(self, wish: Wish, archived: Archived) -> None:
        text = record_text(archived, self._host.games[archived.record.game])
        self._say(wish, pb.Report(number=wish.number, record=text, charged_ms=archived.charges), last=True)

    def _refuse(self, wish: Wish, error: HostError) -> None:
        wish.withdraw()
        refusal = pb.Refusal(code=code_of(error).value[0], message=str(error), reason=error.reason, field=error.field)
        if isinstance(error, OverLimit):
            refusal.retry_ms = int(error.retry_s * 1000)
        self._say(wish, pb.Report(number=wish.number, refused=refusal), last=True)

    def _say(self, wish: Wish, report: pb.Report, *, last: bool) -> None:
        if last:
            self._wishes.pop(wish.number, None)
        if wish.unsaid is None:
            self._put(report)
        else:
            wish.unsaid.append(report)

    # -- reports ---------------------------------------------------------------------------------------------------

    def _put(self, report: pb.Report) -> None:
        if self._broken.done():
            return
        size = report.ByteSize()
        self._reports.append((report, size))
        self._waiting += size
        self._wake.set()
        if self._waiting > WAITING_BYTES:
            waiting = (
                f"{self._waiting:,} bytes of reports wait to be read; come back and follow what is still to be told"
            )
            self.close(OverLimit("TOO_SLOW", waiting, RETRY_S))

    async def _write(self, write: Callable[[Any], Awaitable[Any]]) -> None:
        while self._wishes or self._reports or self._tasks or not self._said_all:
            await self._wake.wait()
            self._wake.clear()
            while self._reports and not self._broken.done():
                await write(self._frame())
            if self._broken.done():
                return
            await asyncio.sleep(GATHER_S)

    def _frame(self) -> pb.OrganiseResponse:
        frame, size = pb.OrganiseResponse(), 0
        reports = self._reports
        while reports and (not size or size + reports[0][1] <= FRAME_BYTES):
            report, bytes_of_it = reports.popleft()
            frame.reports.append(report)
            size += bytes_of_it
        self._waiting -= size
        return frame

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self.close(error)


def _nothing() -> None:
    """Nothing is to be withdrawn."""
