"""How a check can end, but for passing."""


class Failed(Exception):
    """The bot did not do what it should. The message says what was seen, for its author."""


class DoesNotApply(Exception):
    """The check is not for this bot. The message says why."""
