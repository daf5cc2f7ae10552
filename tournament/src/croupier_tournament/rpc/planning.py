"""Plans tournaments beside all else: one at a time, in a thread that the process does not wait for at its end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

from croupier_tournament.plan import MOST_GAMES, Plan
from croupier_tournament.run.tournament import plan_of
from croupier_tournament.spec import Spec


class Planner:
    """See the module.

    Attributes:
        waiting: how many plans wait for their turn.
    """

    def __init__(self, make: Callable[[Spec, int], Plan] = plan_of) -> None:
        self.waiting = 0
        self._make = make
        self._turn = asyncio.Lock()

    async def plan(self, spec: Spec, most: int = MOST_GAMES) -> Plan:
        """Plan what a spec describes; so many games at most. Raises SpecError."""
        self.waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self.waiting -= 1
        done: asyncio.Future[Plan] = asyncio.get_running_loop().create_future()
        done.add_done_callback(lambda _: self._turn.release())  # a thread ends when it has planned, whoever waits
        Thread(target=self._run, args=(spec, most, done), name="planning", daemon=True).start()
        return await asyncio.shield(done)

    def _run(self, spec: Spec, most: int, done: "asyncio.Future[Plan]") -> None:
        with suppress(RuntimeError):  # the loop is closed
            try:
                plan = self._make(spec, most)
            except Exception as error:  # noqa: BLE001 -- for whoever waits
                done.get_loop().call_soon_threadsafe(done.set_exception, error)
            else:
                done.get_loop().call_soon_threadsafe(done.set_result, plan)
