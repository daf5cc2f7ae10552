"""What commands print, whoever has written it."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def harmless(text: str) -> str:
    r"""Return text with its control characters spelled out: no terminal obeys it.

    >>> print(harmless("x\x1b[31mRED"))
    x\u001b[31mRED
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
