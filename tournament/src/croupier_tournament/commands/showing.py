"""`watch`, and the page of a tournament that is run here."""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from croupier_tournament.commands.guard import guarded
from croupier_tournament.main import EXIT_OK
from croupier_tournament.run.audiences import Log
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.web.address import AddressError, PageError, Site, Tls, site_of
from croupier_tournament.web.app import Shown
from croupier_tournament.web.beside import on_leash
from croupier_tournament.web.gallery import Gallery, InFolder, RunBeside, Told
from croupier_tournament.web.serving import serving
from croupier_tournament.web.visitors import public_token


@dataclass(frozen=True, slots=True)
class Wanted:
    """The page that is asked for; see the options of the commands."""

    web: str = "off"
    insecure: bool = False
    proxies: Sequence[str] = ()
    names: Sequence[str] = ()

    def site(self, tls: Tls | None = None) -> Site | None:
        """Where and how it is served; None: nowhere. Raises PageError naming the option."""
        if self.web == "off":
            for option, given in (("--web-proxy", self.proxies), ("--web-name", self.names)):
                if given:
                    raise PageError(f"{option}: is for the page, which --web turns on")
            return None
        try:
            return site_of(self.web, insecure=self.insecure, tls=tls, proxies=self.proxies, names=self.names)
        except AddressError as error:
            raise PageError(f"--web: {error}") from error
        except PageError as error:
            raise PageError(f"--web-proxy: {error}") from error


def shown_page(
    gallery: Gallery, site: Site, listening: socket.socket | None = None
) -> AbstractAsyncContextManager[str]:
    """Serve the page of tournaments for as long as the context lasts; gives its URL. Raises OSError or PageError."""
    return serving(Shown(gallery=gallery, public_token=public_token()), site, listening)


@guarded
def watch(folder: Path, wanted: Wanted, *, leash: int | None, output: str) -> int:
    """Show a tournament's page until told to stop; `leash`: the socket that whoever runs it has opened for it."""
    site = wanted.site()
    if site is None:
        raise PageError("--web: is where the page is to be served; 'off' leaves nothing to do")
    asyncio.run(_watch(Folder(folder), site, leash, output))
    return EXIT_OK


async def _watch(place: Folder, site: Site, leash: int | None, output: str) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    ledger, tournament = await place.open()
    async with ledger:
        hosted = Hosted(tournament, ledger, Log(tournament.id), place)
        if leash is None:
            async with shown_page(InFolder(hosted, ledger, place), site) as url:
                say_url(url, output)
                await stopped.wait()
            return
        told = Told()
        listening = asyncio.create_task(on_leash(told, stopped.set))
        async with shown_page(RunBeside(hosted, ledger, place, told), site, socket.socket(fileno=leash)) as url:
            say_url(url, output)
            await stopped.wait()
        listening.cancel()


def say_url(url: str, output: str) -> None:
    """Say on stdout where the page is."""
    sys.stdout.write((json.dumps({"web": url}) if output == "json" else f"the page is at {url}") + "\n")
    sys.stdout.flush()
