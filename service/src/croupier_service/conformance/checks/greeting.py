"""The first words of a stream."""

from __future__ import annotations

import re

from croupier_service.conformance.check import check, require
from croupier_service.conformance.stage import Stage

NAME_LIMIT = 64
GAMES_LIMIT = 256


@check(
    why="Runners of tournaments, containers and this check tell a bot by its environment where to play.",
    remedy="Read CROUPIER_TARGET (host:port) unless told otherwise, open PlayService.Play there, and send one frame "
    "with Hello and nothing else.",
)
async def connects(stage: Stage) -> None:
    """Connects to CROUPIER_TARGET and says Hello, alone in its frame."""
    await stage.line()


@check(
    why="The server knows the bot by its name, seats it in the games that it names, and turns away other protocols.",
    remedy="protocol is 1, bot is CROUPIER_NAME, sdk and language are at most 64 characters, games lists the names of "
    "the games that the bot plays (empty: any), resume is empty at first.",
)
async def hello(stage: Stage) -> None:
    """Fills in Hello: protocol 1, the name of CROUPIER_NAME, SDK, language, games."""
    said = (await stage.line()).hello
    require(said.protocol == 1, f"Hello.protocol is {said.protocol}; this protocol is 1")
    require(said.bot == stage.name, f"Hello.bot is {said.bot!r}, but CROUPIER_NAME is {stage.name!r}")
    for field, text in (("sdk", said.sdk), ("language", said.language)):
        require(text, f"Hello.{field} is empty: operators read in their logs what has connected")
        require(len(text) <= NAME_LIMIT, f"Hello.{field} has {len(text)} characters, at most {NAME_LIMIT} are read")
    require(
        len(said.games) <= GAMES_LIMIT, f"Hello.games names {len(said.games)} games, at most {GAMES_LIMIT} are read"
    )
    for game in said.games:
        named = re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", game)
        require(named, f"Hello.games has {game!r}: games are named like trick-and-trade")


@check(
    why="A server that asks for tokens lets nobody else in.",
    remedy='Send the metadata "authorization: Bearer TOKEN" with the call, TOKEN being what CROUPIER_TOKEN holds.',
)
async def token(stage: Stage) -> None:
    """Shows its token: authorization: Bearer CROUPIER_TOKEN."""
    line = await stage.line()
    shown = line.call.metadata.get("authorization")
    require(shown is not None, "the call has no metadata called authorization, though CROUPIER_TOKEN is set")
    assert shown is not None
    require(shown.startswith("Bearer "), f"authorization begins with {shown.split(' ')[0][:12]!r}, not with 'Bearer '")
    require(shown == f"Bearer {stage.token}", "authorization holds another token than CROUPIER_TOKEN")


@check(
    why="The server sends the next frame when it has heard of the last one; without a sign it waits for nothing.",
    remedy="After every frame in which there was nothing to answer, send one frame with Ack.",
)
async def acknowledges(stage: Stage) -> None:
    """Answers a frame that asks nothing with Ack."""
    line = await stage.line()
    sitting = stage.seat()
    await line.say(sitting.start())
    kinds = [message.WhichOneof("message") for message in await line.sign()]
    require(kinds == ["ack"], f"after a frame with SessionStart alone the bot said {kinds}, not Ack")
