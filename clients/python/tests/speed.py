"""How many decisions a second a bot answers: a server that does nothing but ask, in a process of its own.

    python clients/python/tests/speed.py [--sessions 64] [--seconds 3] [--bot random|greedy|async]

Prints decisions a second by the clock, and by the processor time that the bot's process used: what one core could do.
"""

import argparse
import asyncio
import multiprocessing
import time

import grpc

import croupier
from croupier.examples.greedy import Greedy
from croupier.examples.random_bot import RandomBot
from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as tnt
from croupier.v1 import game_pb2, play_pb2


class Async(RandomBot):
    """Chooses at random, in a task of its own."""

    async def choose(self, decision):
        return super().choose(decision)


BOTS = {"random": RandomBot, "greedy": Greedy, "async": Async}


def ask(session_id, decision_id):
    """Return a decision in the middle of a game of four, about 200 bytes."""
    table = tnt.Table(
        seats=4,
        round=5,
        rounds=10,
        phase=tnt.PHASE_PLAY,
        turn=2,
        leader=1,
        pile=16,
        trick=[12],
        front_row=[1, 2, 3, 4],
        back_row=[5, 6, 7, 8],
        won=[1, 12, 23, 34],
        values=[9, 8, 7, 6],
        icons=[2, 1, 1, 1] * 4,
        taken=[9] * 16,
        leaders=[0, 1, 2, 3],
        played=[card for card in range(1, 33) if card % 2],
    )
    hand = [2, 6, 10, 14, 18, 22]
    decision = play_pb2.Decision(
        session_id=session_id,
        seq=40,
        decision_id=decision_id,
        attempt=1,
        actions=[game_pb2.GameAction(trick_and_trade=tnt.Action(play=card)) for card in hand],
        view=game_pb2.GameView(trick_and_trade=tnt.View(table=table, seat=2, hand=hand)),
        think_time_ms=1000,
        bank_ms=10000,
        seat=2,
    )
    return play_pb2.ServerMessage(decision=decision)


async def serve(port, sessions, seconds):
    """Greet a bot, ask it as fast as it answers, and end its sessions when the time is up."""
    names = [f"{number:016x}" for number in range(sessions)]
    fields = {"game": "trick-and-trade", "seat": 2, "seats": 4}
    starts = [play_pb2.ServerMessage(session_start=play_pb2.SessionStart(session_id=name, **fields)) for name in names]
    ends = [play_pb2.ServerMessage(session_end=play_pb2.SessionEnd(session_id=name, seat=2)) for name in names]
    frames = [play_pb2.PlayResponse(messages=[ask(name, number) for name in names]) for number in (1, 2)]
    frames = [frame.SerializeToString() for frame in frames]
    done = asyncio.Event()

    async def play(_requests, context):
        await context.read()
        await context.write(play_pb2.PlayResponse(messages=starts).SerializeToString())
        await context.read()
        started, asked = time.perf_counter(), 0
        while time.perf_counter() - started < seconds:
            await context.write(frames[asked // sessions % 2])
            asked += sessions
            acts = 0
            while acts < sessions:
                frame = play_pb2.PlayRequest.FromString(await context.read())
                acts += sum(message.HasField("act") for message in frame.messages)
        port.send((asked, time.perf_counter() - started))
        await context.write(play_pb2.PlayResponse(messages=ends).SerializeToString())
        await context.read()
        done.set()

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handlers = {"Play": grpc.stream_stream_rpc_method_handler(play)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("croupier.v1.PlayService", handlers),))
    port.send(server.add_insecure_port("127.0.0.1:0"))
    await server.start()
    await done.wait()
    await server.stop(0)


def serve_process(port, sessions, seconds):
    """Run the server; the process's main function."""
    asyncio.run(serve(port, sessions, seconds))


def main():
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--bot", choices=BOTS, default="random")
    options = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")  # a fork after gRPC has started would hang
    ours, theirs = spawn.Pipe()
    server = spawn.Process(target=serve_process, args=(theirs, options.sessions, options.seconds))
    server.start()
    theirs.close()  # so that a server that dies is noticed
    used = time.process_time()
    croupier.run(BOTS[options.bot](), f"127.0.0.1:{ours.recv()}", name="bot", sessions=options.sessions)
    used = time.process_time() - used
    asked, elapsed = ours.recv()
    server.join()
    print(
        f"{options.bot}, {options.sessions} sessions on one stream: {asked / elapsed:,.0f} decisions/s by the clock, ",
        end="",
    )
    print(f"{asked / used:,.0f} per second of the bot's processor time")


if __name__ == "__main__":
    main()
