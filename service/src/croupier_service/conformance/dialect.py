"""Other versions of the contract: an older server's, and what a newer one would add."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

NEWS = b"\xa2\x06\x04news\xa8\x06\x96\x01\xb1\x06\x01\x02\x03\x04\x05\x06\x07\x08"
"""Fields 100 (bytes), 101 (a number) and 102 (64 bits), which no message has."""


class BadContract(Exception):
    """A file that holds no contract for playing. The message says so."""


class Dialect:
    """How a server of another version of the contract hears and speaks, with fields added that no version has."""

    def __init__(self, path: Path) -> None:
        """``path``: a file with a FileDescriptorSet, as ``buf build`` writes it. Raises BadContract."""
        pool = descriptor_pool.DescriptorPool()
        try:
            for file in descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes()).file:
                pool.Add(file)
            self._response, self._request = (
                message_factory.GetMessageClass(pool.FindMessageTypeByName(f"croupier.v1.{name}"))
                for name in ("PlayResponse", "PlayRequest")
            )
        except (OSError, DecodeError, KeyError, TypeError) as error:
            raise BadContract(f"{path} holds no contract with croupier.v1.PlayResponse ({error})") from None

    def say(self, frame: bytes) -> bytes:
        """A PlayResponse as that server would say it: without what it does not know, with what nobody knows."""
        response = self._response.FromString(frame)
        response.DiscardUnknownFields()
        add_news(response)
        return response.SerializeToString()

    def hear(self, frame: bytes) -> bytes:
        """A PlayRequest as that server would read it. Raises DecodeError."""
        request = self._request.FromString(frame)
        request.DiscardUnknownFields()
        return request.SerializeToString()


def add_news(message: Message) -> None:
    """Add fields that nobody knows to a message and to all messages inside it."""
    for inside in [message, *_inside(message)]:
        inside.MergeFromString(NEWS)


def _inside(message: Message) -> Iterator[Message]:
    for field, value in message.ListFields():
        if field.message_type is not None:
            some: Any = value if field.is_repeated else [value]
            for inside in some:
                yield inside
                yield from _inside(inside)
