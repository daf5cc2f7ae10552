"""The option ``--store`` of several commands."""

from __future__ import annotations

import typer
from typer.models import OptionInfo

from .address import FORMS, StoreAddress, StoreError

DEFAULT_STORE = "croupier.db"
"""In the working directory: where it is is no secret, and nothing is kept behind anybody's back."""

STORE_OPTION: OptionInfo = typer.Option(
    "--store", envvar="CROUPIER_STORE", metavar="STORE", help=f"Where sessions are kept: {FORMS}."
)


def parse_store(text: str) -> StoreAddress:
    """The address that was given. Raises BadParameter."""
    try:
        return StoreAddress.parse(text)
    except StoreError as error:
        raise typer.BadParameter(str(error), param_hint="--store") from error
