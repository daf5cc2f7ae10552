"""Sessions that another server hosts."""

from __future__ import annotations

from croupier_service.conformance.check import check, require
from croupier_service.conformance.server import ScriptedServer
from croupier_service.conformance.stage import Stage

SEAT_TOKEN = "a-seat-token"  # noqa: S105 - shown by the check, good for nothing


@check(
    why="Several servers share the load: SessionStart says where a session is played.",
    remedy='Where SessionStart.endpoint is not empty, open another stream there, with the metadata "authorization: '
    'Bearer SEAT_TOKEN", say Hello under the same name, and play there; the first stream stays.',
)
async def endpoint(stage: Stage) -> None:
    """Goes to the server that hosts its session, and shows the seat token there."""
    home = await stage.line()
    async with ScriptedServer() as other:
        sitting, at_home = stage.seat(), stage.seat()
        await home.say(sitting.start(endpoint=f"127.0.0.1:{other.port}", seat_token=SEAT_TOKEN))
        await home.sign()
        away = await stage.accept(other)
        shown = away.call.metadata.get("authorization")
        require(shown == f"Bearer {SEAT_TOKEN}", f"authorization there is {shown!r}, not 'Bearer {SEAT_TOKEN}'")
        require(away.hello.bot == stage.name, f"it calls itself {away.hello.bot!r} there, and {stage.name!r} at home")
        await away.say(sitting.start())
        await away.sign()
        await away.ask(sitting)
        if stage.most(2) == 2:
            await home.sit(at_home)
            await home.ask(at_home)
        sitting.take()
        await away.play_on(sitting)
        await home.pong(1)


@check(
    why="Streams that nobody uses cost both sides, and a server that stops waits for them.",
    remedy="Count the sessions that were sent to each server; close the stream when the last of them has ended.",
    advice=True,
)
async def endpoint_left(stage: Stage) -> None:
    """Leaves another server when its last session there is over."""
    home = await stage.line()
    async with ScriptedServer() as other:
        sitting = stage.seat()
        await home.say(sitting.start(endpoint=f"127.0.0.1:{other.port}", seat_token=SEAT_TOKEN))
        await home.sign()
        away = await stage.accept(other)
        await away.say(sitting.start())
        await away.sign()
        await away.say(sitting.end())
        await away.closed()
        await home.pong(1)
