"""What a request for a session asks for: every field looked at, by hand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import OptionError, Seed
from croupier_service.identity.roles import Caller
from croupier_service.sessions.errors import BadRequest
from croupier_service.sessions.host import Host, NewSession
from croupier_service.sessions.settings import MAX_MS, SettingError
from croupier_service.wire.messages import GameWire

from .caller import CALLER
from .convert import clock_from_wire, faults_from_wire
from .errors import as_host_error

MAX_LABELS = 16
MAX_TEXT = 128
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Creating:
    """Reads requests for new sessions of one host."""

    def __init__(self, host: Host, wires: Mapping[str, GameWire]) -> None:
        self._host = host
        self._wires = wires

    def wanted(self, request: pb.CreateSessionRequest) -> NewSession:
        """What the request asks for. Raises BadRequest or NotFound naming the field."""
        caller = CALLER.get()
        game = self._host.game(request.game)
        settings = self._host.settings
        if len(request.request_id) > MAX_TEXT:
            raise BadRequest("TOO_LONG", f"has at most {MAX_TEXT} characters", "request_id")
        if request.seed and len(request.seed) != 32:
            raise BadRequest("BAD_SEED", f"has 32 bytes or none, not {len(request.seed)}", "seed")
        if request.spectator_delay_ms > MAX_MS:
            raise BadRequest(
                "OUT_OF_RANGE", f"is 0 to {MAX_MS:,}, not {request.spectator_delay_ms:,}", "spectator_delay_ms"
            )
        return NewSession(
            game=game.name,
            bots=tuple(request.bots),
            options=self._options(request, game.name),
            clock=_setting("clock.", lambda: clock_from_wire(request.clock, settings.clock)),
            faults=_setting("faults.", lambda: faults_from_wire(request.faults, settings.faults)),
            seed=Seed(request.seed) if request.seed else None,
            labels=_labels(request.labels),
            spectator_delay_ms=request.spectator_delay_ms,
            request_id=_request_id(request.request_id, caller),
            owner=caller.name,
            fingerprint=hashlib.sha256(request.SerializeToString(deterministic=True)).digest(),
        )

    def _options(self, request: pb.CreateSessionRequest, game: str) -> Any:
        codec = self._wires[game].codec
        arm = request.options.WhichOneof("options")
        if arm is None:
            return None
        if arm != codec.arm:
            raise BadRequest("WRONG_GAME", f"holds {arm}, but the game {game} takes {codec.arm}", "options")
        return _setting("options.", lambda: codec.options_from_wire(request.options))


def _request_id(text: str, caller: Caller) -> str:
    """Where tokens are asked for each caller has request ids of its own; no name has a NUL in it."""
    return f"{caller.name}\0{text}" if text and caller.known else text


def _setting(prefix: str, build: Any) -> Any:
    try:
        return build()
    except (OptionError, SettingError) as error:
        raise as_host_error(error, prefix) from error


def _labels(labels: Mapping[str, str]) -> dict[str, str]:
    if len(labels) > MAX_LABELS:
        raise BadRequest("TOO_MANY", f"there are at most {MAX_LABELS}, not {len(labels)}", "labels")
    for key, value in labels.items():
        label = f"labels[{_CONTROL.sub('�', key[:MAX_TEXT])}]"
        if not key or len(key) > MAX_TEXT or len(value) > MAX_TEXT:
            raise BadRequest("TOO_LONG", f"keys have 1 to {MAX_TEXT} characters, values at most {MAX_TEXT}", label)
        if _CONTROL.search(key + value):
            raise BadRequest("CONTROL_CHARACTER", "keys and values have no control characters", label)
    return dict(labels)
