"""What the SDK has to say, through the standard library's `logging`, under the name "croupier"."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOG = logging.getLogger("croupier")


@contextmanager
def console(*, verbose: bool | None) -> Iterator[None]:
    """Show the log on stderr meanwhile, unless the program has set up logging itself.

    Args:
        verbose: whether to show more than warnings; None: if stderr is a terminal.
    """
    if LOG.hasHandlers():
        yield
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    level = LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO if (sys.stderr.isatty() if verbose is None else verbose) else logging.WARNING)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)
