"""`watch`, and the page of a tournament that is run here."""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from croupier_tournament.commands.guard import guarded
from croupier_tournament.main import EXIT_OK
from croupier_tournament.run.audiences import Log
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.web.address import Address, AddressError, parse_address
from croupier_tournament.web.app import Shown
from croupier_tournament.web.beside import on_leash
from croupier_tournament.web.gallery import Gallery, InFolder, RunBeside, Told
from croupier_tournament.web.serving import serving
from croupier_tournament.web.visitors import public_token


def page_address(option: str, text: str, *, insecure: bool) -> Address | None:
    """Where a page is to be served; None: nowhere. Raises AddressError naming the option."""
    if text == "off":
        return None
    try:
        return parse_address(text, insecure=insecure)
    except AddressError as error:
        raise AddressError(f"{option}: {error}") from error


@asynccontextmanager
async def shown_page(gallery: Gallery, where: Address | socket.socket) -> AsyncIterator[str]:
    """Serve the page of tournaments for as long as the context lasts; gives its URL. Raises OSError or PageError."""
    shown = Shown(gallery=gallery, public_token=public_token())
    async with serving(shown, where) as url:
        yield url


@guarded
def watch(folder: Path, *, web: str, insecure: bool, leash: int | None, output: str) -> int:
    """Show a tournament's page until told to stop; `leash`: the socket that whoever runs it has opened for it."""
    address = page_address("--web", web, insecure=insecure)
    if address is None:
        raise AddressError("--web: is where the page is to be served; 'off' leaves nothing to do")
    where = address if leash is None else socket.socket(fileno=leash)
    asyncio.run(_watch(Folder(folder), where, output))
    return EXIT_OK


async def _watch(place: Folder, where: Address | socket.socket, output: str) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    ledger, tournament = await place.open()
    async with ledger:
        hosted = Hosted(tournament, ledger, Log(tournament.id), place)
        if isinstance(where, Address):
            async with shown_page(InFolder(hosted, ledger, place), where) as url:
                say_url(url, output)
                await stopped.wait()
            return
        told = Told()
        listening = asyncio.create_task(on_leash(told, stopped.set))
        async with shown_page(RunBeside(hosted, ledger, place, told), where):
            await stopped.wait()
        listening.cancel()


def say_url(url: str, output: str) -> None:
    """Say on stdout where the page is."""
    sys.stdout.write((json.dumps({"web": url}) if output == "json" else f"the page is at {url}") + "\n")
    sys.stdout.flush()
