"""Checking a store, on both databases; what is found in damaged ones is in ``test_main.py``."""

from playing import GAMES, after, played
from sqlalchemy import text

from croupier_service.sessions.recovery import still
from croupier_service.store import checking
from croupier_service.store.database import open_database
from croupier_service.store.opening import open_store


async def test_sessions_are_counted_replayed_and_proven(address):
    store = await open_store(address, GAMES)
    for number in range(4):
        await store.commit(played(f"over {number}"))
    await store.commit(played("running", until=after(5)))
    database = await open_database(address, writing=False)
    seen = []
    assert await checking.contents(database) == checking.Contents(running=1, finished=4, aborted=0)
    assert await checking.check_pages(database) == []
    assert await checking.check_set_aside(database) == []
    assert await checking.check_running(database, GAMES, still(), lambda: seen.append("running")) == []
    assert await checking.check_finished(database, GAMES, 2, lambda: seen.append("over")) == []
    assert seen == ["running", "over", "over"]
    await database.close()
    await store.close()


async def test_a_result_that_does_not_follow_is_found(address):
    store = await open_store(address, GAMES)
    await store.commit(played("over"))
    forged = text("UPDATE sessions SET ending = replace(ending, '\"points\": [', '\"points\": [9')")
    await store.database.write(lambda connection: connection.execute(forged))
    await store.close()
    database = await open_database(address, writing=False)
    (finding,) = await checking.check_finished(database, GAMES, 1, lambda: None)
    assert (finding.session, finding.grave) == ("over", True)
    assert "claims points" in finding.what
    await database.close()
