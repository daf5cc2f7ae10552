"""BotService: identities and their tokens."""

from __future__ import annotations

from typing import Any, TypeAlias

import grpc

from croupier.v1 import bot_pb2 as pb
from croupier.v1 import bot_pb2_grpc
from croupier_service.identity.live import LiveCalls
from croupier_service.identity.registry import Identities, Identity
from croupier_service.identity.roles import Role
from croupier_service.sessions.errors import BadRequest, Conflict, HostError
from croupier_service.sessions.host import BOT_NAME, Host

from .convert import timestamp
from .errors import abort
from .paging import bad_token, page_size

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

MAX_TEXT = 128


class BotServicer(bot_pb2_grpc.BotServiceServicer):
    """See ``bot.proto`` for what each call does and which errors it ends with."""

    def __init__(self, host: Host, identities: Identities, live: LiveCalls) -> None:
        self._host = host
        self._identities = identities
        self._live = live

    async def CreateBot(self, request: pb.CreateBotRequest, context: Context) -> pb.CreateBotResponse:
        """A new identity."""
        try:
            if len(request.request_id) > MAX_TEXT:
                raise BadRequest("TOO_LONG", f"has at most {MAX_TEXT} characters", "request_id")
            identity, token = await self._identities.create(
                request.name,
                _role(request.role),
                expires_in_s=request.expires_in_s,
                request_id=request.request_id,
            )
        except HostError as error:
            await abort(context, error)
        return pb.CreateBotResponse(bot=self._to_wire(identity), token=token)

    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        """Identities by name."""
        try:
            size = page_size(request.page_size)
            if request.page_token and not BOT_NAME.fullmatch(request.page_token):
                raise bad_token()
        except HostError as error:
            await abort(context, error)
        found = await self._identities.page(request.page_token, size + 1)
        shown = found[:size]
        return pb.ListBotsResponse(
            bots=[self._to_wire(identity) for identity in shown],
            next_page_token=shown[-1].name if len(found) > size else "",
        )

    async def RotateToken(self, request: pb.RotateTokenRequest, context: Context) -> pb.RotateTokenResponse:
        """A new token; streams that were opened with the old one end."""
        try:
            identity, token = await self._identities.rotate(
                request.name, expires_in_s=request.expires_in_s if request.HasField("expires_in_s") else None
            )
        except HostError as error:
            await abort(context, error)
        self._live.revoke(identity.name, f"the token of {identity.name!r} was rotated", keep=identity.token_hash)
        return pb.RotateTokenResponse(token=token, bot=self._to_wire(identity))

    async def DeleteBot(self, request: pb.DeleteBotRequest, context: Context) -> pb.DeleteBotResponse:
        """An identity and its token are forgotten."""
        try:
            playing = self._host.sessions_of(request.name)
            if playing:
                raise Conflict(
                    "BOT_PLAYS",
                    f"{request.name} sits in {playing:,} running sessions; wait for their end, or abort them",
                    "name",
                )
            await self._identities.delete(request.name)
        except HostError as error:
            await abort(context, error)
        self._live.revoke(request.name, f"{request.name!r} was deleted")
        return pb.DeleteBotResponse()

    def _to_wire(self, identity: Identity) -> pb.Bot:
        message = pb.Bot(
            name=identity.name,
            role=pb.Role.ValueType(identity.role.value),
            online=self._live.online(identity.name) or self._host.connected(identity.name),
            create_time=timestamp(identity.created_at),
        )
        if identity.last_seen_at is not None:
            message.last_seen_time.CopyFrom(timestamp(identity.last_seen_at))
        if identity.expires_at is not None:
            message.expire_time.CopyFrom(timestamp(identity.expires_at))
        return message


def _role(number: int) -> Role:
    """The role asked for. Raises BadRequest."""
    if not number:
        return Role.BOT
    try:
        return Role(number)
    except ValueError:
        raise BadRequest("OUT_OF_RANGE", f"is no Role: {number}", "role") from None
