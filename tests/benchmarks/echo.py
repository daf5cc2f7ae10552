"""The yardstick: a bare grpc.aio server that answers every message with one of a given size, and nothing else.

A process of its own, with the same event loop, the same kind of handler (frames as bytes, read and write) and the same
options as Croupier's server. Says in JSON on stdout where it listens.
"""

import asyncio
import json
import signal

import grpc
import uvloop

METHOD = "/benchmark.Echo/Echo"


async def echo(_requests, context):
    """The first message says how large the answers to all others are to be."""
    answer = bytes(int.from_bytes(await context.read(), "big"))
    while await context.read() is not grpc.aio.EOF:
        await context.write(answer)


async def main():
    """Serve until SIGTERM."""
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    _, service, method = METHOD.split("/")
    handlers = {method: grpc.stream_stream_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(json.dumps({"listening": f"127.0.0.1:{port}"}), flush=True)
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await stopped.wait()
    await server.stop(0)


if __name__ == "__main__":
    uvloop.run(main())
