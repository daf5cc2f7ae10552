"""Sessions for the tests of stores: what there is to keep of them."""

from hall import Hall, play_on
from toy import GAME as HIGH_CARD

from croupier_games.trick_and_trade import GAME as TRICK_AND_TRADE
from croupier_service.sessions.summary import Archived
from croupier_service.store.memory import MemoryStore

GAMES = {game.name: game for game in (HIGH_CARD, TRICK_AND_TRADE)}


class Noting(MemoryStore):
    """Remembers what it was asked to keep."""

    def __init__(self):
        super().__init__()
        self.noted = []

    async def commit(self, batch):
        self.noted += batch
        await super().commit(batch)


def played(name="one", *, until=lambda session: False, act=lambda bots: None, bots="ann bob cat", **settings):
    """All that is to be kept of a session: its opening, its steps, and its end unless ``until`` came first."""
    noting = Noting()
    hall = Hall(noting)
    hall.host._new_id = lambda: name
    connected = hall.bots(" ".join(sorted(set(bots.split()))))
    session = hall.session(bots, **settings)
    act(connected)
    play_on(connected, until=lambda: until(session))
    hall.settle()
    return noting.noted


def end_of(entries):
    (end,) = [entry for entry in entries if isinstance(entry, Archived)]
    return end


def after(count):
    return lambda session: len(session.table.inputs) == count
