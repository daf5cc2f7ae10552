"""How often processes that run tournaments look for garbage in cycles."""

import gc


def calm() -> None:
    """Look rarely: next to nothing here is a cycle. To be called when what stays, a plan above all, is in memory."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
