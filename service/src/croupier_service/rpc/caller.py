"""Who makes the call that is being handled."""

from __future__ import annotations

from contextvars import ContextVar

from croupier_service.identity.roles import ANYBODY, Caller

CALLER: ContextVar[Caller] = ContextVar("caller", default=ANYBODY)
"""Set at the gate; each call is handled in a task, and so in a context, of its own."""
