"""The secret of a tournament, its commitment, and the seeds of the deals that follow from it.

The commitment is published before the first game, so nobody can choose the deals afterwards; the plan's hash is part of
each deal's seed, so nobody can choose the plan to suit a secret either.
"""

import hashlib
import hmac
import secrets

BYTES = 32


def new_secret() -> bytes:
    """Return 32 bytes that nobody can guess."""
    return secrets.token_bytes(BYTES)


def commitment(secret: bytes) -> bytes:
    """Return the SHA-256 of the secret, 32 bytes.

    >>> commitment(bytes(32)).hex()[:16]
    '66687aadf862bd77'
    """
    return hashlib.sha256(secret).digest()


def deal_seed(secret: bytes, plan_hash: str, deal: int) -> bytes:
    """Return the 32 bytes from which a deal follows.

    HMAC-SHA-256 under the secret, of the plan's hash (32 bytes) and the deal's number (8 bytes, the highest first).

    >>> deal_seed(bytes(32), "00" * 32, 7).hex()[:16]
    '941e4be25342120b'
    """
    return hmac.digest(secret, bytes.fromhex(plan_hash) + deal.to_bytes(8, "big"), "sha256")
