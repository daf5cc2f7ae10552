"""Tournaments with deals that a test knows."""

import asyncio

from croupier_tournament.run.folder import Folder


def planned(folder, table, secret):
    """Plan a tournament in its folder, ready to be resumed; its programs are beside the folder. Returns the folder."""

    async def create():
        ledger, _ = await Folder(folder).create(table, text=None, programs=folder.parent, secret=secret)
        await ledger.close()

    asyncio.run(create())
    return folder
