"""Who runs a tournament: a process, by its machine and id."""

import os
import socket
import uuid

from croupier_tournament.run.ledger import LEASE_S, Entry


def new_owner() -> str:
    """Return a name for a run by this process."""
    return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"


def alive(entry: Entry, now: float) -> bool:
    """Whether somebody runs a tournament, as far as its ledger tells."""
    if entry.owner is None or gone(entry.owner):
        return False
    return now - (entry.heartbeat or 0.0) < LEASE_S


def gone(owner: str) -> bool:
    """Whether an owner was a process of this machine that is there no more."""
    host, _, rest = owner.partition("/")
    pid = rest.partition("/")[0]
    if host != socket.gethostname() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
