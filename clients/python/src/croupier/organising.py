"""Many sessions over one stream: for whoever runs more than a few.

from croupier import admin
from croupier.organising import organise
from croupier.v1.session_pb2 import CreateSessionRequest

async with admin.connect("localhost:7700") as server, organise(server) as organiser:
    request = CreateSessionRequest(game="trick-and-trade", bots=["first", "house:random", "house:greedy"])
    games = [organiser.create(request, record=True) for _ in range(100)]
    for game in games:
        print((await game.over).result.placings)
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias, TypeVar

import grpc

from croupier.admin import Server
from croupier.errors import RequestError
from croupier.sending import send
from croupier.v1.session_pb2 import CreateSessionRequest, OrganiseRequest, OrganiseResponse, Refusal, Session, Wish

FRAME_WISHES = 1000  # in one message: it stays far below what a server reads
T = TypeVar("T")
Call: TypeAlias = "grpc.aio.StreamStreamCall[OrganiseRequest, OrganiseResponse]"
CODES = {code.value[0]: code for code in grpc.StatusCode}


class StreamEnded(RequestError):
    """The stream has ended before everything was reported. Sessions that were created go on: follow them again."""


class Organised:
    """One session, as it is reported. Each raises `RequestError` where the server refuses, `StreamEnded` at the end.

    Wait for them with `asyncio.wait` or `asyncio.shield` where the waiting may be cancelled.

    Attributes:
        created: its id, once it is kept; of one that is only followed, at once.
        over: the session, once it is over.
        record: its record as text, once it may be seen. Only where it is asked for.
        charged_ms: with the record, what each of its inputs was charged, in milliseconds; empty before.
    """

    __slots__ = ("charged_ms", "created", "over", "record", "wants_record")

    def __init__(self, *, record: bool) -> None:
        future = asyncio.get_running_loop().create_future
        self.created: asyncio.Future[str] = future()
        self.over: asyncio.Future[Session] = future()
        self.record: asyncio.Future[str] = future()
        self.wants_record = record
        self.charged_ms: tuple[int, ...] = ()

    def fail(self, error: RequestError) -> None:
        """It comes to nothing more."""
        for future in (self.created, self.over, self.record):
            if not future.done():
                future.set_exception(error)
                future.exception()  # whoever does not look does not want to know


class Organiser:
    """Wishes go out and reports come in, as many as there are in one message. To be made by `organise`.

    Attributes:
        ended: why the stream has ended; None while it goes on.
    """

    def __init__(self) -> None:
        self.ended: StreamEnded | None = None
        self._open: dict[int, Organised] = {}
        self._numbers = 0
        self._frame = OrganiseRequest()
        self._ready = asyncio.Event()

    def create(self, request: CreateSessionRequest, *, record: bool = False) -> Organised:
        """Start a session and follow it to its end; `record`: tell its record as well."""
        organised = Organised(record=record)
        wish = self._wish(organised)
        if wish is not None:
            wish.create.CopyFrom(request)
        return organised

    def follow(self, session_id: str, *, record: bool = False) -> Organised:
        """Follow a session to its end, which may have been."""
        organised = Organised(record=record)
        organised.created.set_result(session_id)
        wish = self._wish(organised)
        if wish is not None:
            wish.follow = session_id
        return organised

    def _wish(self, organised: Organised) -> Wish | None:
        """A wish that is still to be filled in, at once; None when the stream has ended."""
        if self.ended is not None:
            organised.fail(self.ended)
            return None
        self._numbers += 1
        self._open[self._numbers] = organised
        self._ready.set()
        return self._frame.wishes.add(number=self._numbers, record=organised.wants_record)

    async def take(self) -> OrganiseRequest:
        """Wait until there is something to say, and return it as one message."""
        await self._ready.wait()
        frame, rest = self._frame, OrganiseRequest()
        if len(frame.wishes) > FRAME_WISHES:
            rest.wishes.extend(frame.wishes[FRAME_WISHES:])
            del frame.wishes[FRAME_WISHES:]
        else:
            self._ready.clear()
        self._frame = rest
        return frame

    def heard(self, response: OrganiseResponse) -> None:
        """Take what the server reports."""
        for report in response.reports:
            organised = self._open.get(report.number)
            if organised is None:
                continue
            match report.WhichOneof("report"):
                case "created":
                    _done(organised.created, report.created)
                case "over":
                    _done(organised.over, report.over)
                    if not organised.wants_record:
                        del self._open[report.number]
                case "record":
                    organised.charged_ms = tuple(report.charged_ms)
                    _done(organised.record, report.record)
                    del self._open[report.number]
                case "refused":
                    organised.fail(_refused(report.refused))
                    del self._open[report.number]

    def end(self, error: StreamEnded) -> None:
        """Nothing more will be heard."""
        self.ended = self.ended or error
        for organised in self._open.values():
            organised.fail(self.ended)
        self._open.clear()


@asynccontextmanager
async def organise(server: Server) -> AsyncIterator[Organiser]:
    """Open a stream for as long as the context lasts. When it ends, all that is waited for raises `StreamEnded`."""
    call = server.sessions.Organise(metadata=server.metadata)
    organiser = Organiser()
    tasks = [asyncio.create_task(_write(call, organiser)), asyncio.create_task(_read(call, organiser))]
    try:
        yield organiser
    finally:
        organiser.end(StreamEnded(grpc.StatusCode.CANCELLED, "the stream was closed"))
        call.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _write(call: Call, organiser: Organiser) -> None:
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # why it has ended, the reader knows
        while True:
            await send(call, await organiser.take())


async def _read(call: Call, organiser: Organiser) -> None:
    try:
        async for response in call:
            organiser.heard(response)
        organiser.end(StreamEnded(grpc.StatusCode.UNAVAILABLE, "the server has ended the stream"))
    except grpc.aio.AioRpcError as error:
        organiser.end(StreamEnded.from_rpc(error))


def _done(future: asyncio.Future[T], value: T) -> None:
    if not future.done():  # who waited may have cancelled it
        future.set_result(value)


def _refused(refusal: Refusal) -> RequestError:
    violations = ((refusal.field, refusal.message),) if refusal.field else ()
    code = CODES.get(refusal.code, grpc.StatusCode.UNKNOWN)
    return RequestError(code, refusal.message, refusal.reason, violations)
