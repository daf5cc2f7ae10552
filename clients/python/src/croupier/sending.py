"""Writing to a call without losing what the server says of it.

A write that fails because the server has just ended the call makes grpc.aio put an error of its own, INTERNAL, in the
place of what the server said (grpc/grpc#36066). A bot that is told that a newer connection has taken its place is
often busy writing: it would come back, and throw the newer one out.
"""

import asyncio
from typing import Any

import grpc
from google.protobuf.message import Message

PATIENCE = 10.0  # seconds; the server's word is here long before that: as soon as all it said before has been read


async def send(call: "grpc.aio.StreamStreamCall[Any, Any]", message: Message) -> None:
    """Write one message, while another task reads. Raises as `call.write` does, but leaves the status to the server."""
    core = getattr(call, "_cython_call", None)  # the call beneath, which spoils nothing
    if core is not None and not call.done():
        await call.wait_for_connection()
        try:
            await core.send_serialized_message(message.SerializeToString())
        except Exception:  # noqa: BLE001 -- of a private kind
            await asyncio.wait([asyncio.ensure_future(call.code())], timeout=PATIENCE)
        else:
            return
    await call.write(message)  # raises, or ends a call that would wait for ever for the server's word
