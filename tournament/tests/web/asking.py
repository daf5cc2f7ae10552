"""Asks an application as a server would, without any network."""

import asyncio
import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: Headers
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


async def ask(app, path, *, method="GET", headers=None, body=None, client="127.0.0.1"):
    """One request; a stream that does not end is given up by the caller's timeout."""
    sent = []
    parts = urlsplit(path)
    given = {"host": "127.0.0.1:8080", **(headers or {})}
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    if body is not None:
        given.setdefault("content-type", "application/json")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
        "client": (client, 5000),
        "server": ("127.0.0.1", 8080),
    }
    waiting = [{"type": "http.request", "body": data, "more_body": False}]

    async def receive():
        if waiting:
            return waiting.pop()
        await asyncio.Event().wait()  # and then nothing more comes
        return {}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    body = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return Answer(start["status"], Headers(raw=start["headers"]), body)
