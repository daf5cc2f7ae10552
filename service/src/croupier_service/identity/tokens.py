"""Bearer tokens: what they look like, and what is kept of them.

A token is a fixed word that scanners of source code can search for, the role in clear, and 256 random bits:
``croupier_bot_`` and 64 hexadecimal digits. Only its SHA-256 is kept. A slow hash would add nothing: nobody guesses 256
random bits.
"""

from __future__ import annotations

import hashlib
import re
import secrets

from .roles import Role

TOKEN = re.compile(f"croupier_({'|'.join(role.word for role in Role)})_[0-9a-f]{{64}}")
"""What a token looks like."""


def new_token(role: Role) -> str:
    """A token that nobody has seen yet."""
    return f"croupier_{role.word}_{secrets.token_hex(32)}"


def token_hash(token: str) -> bytes:
    """What is kept of a token: 32 bytes."""
    return hashlib.sha256(token.encode()).digest()
