"""The checks, by what they are about. A new one is a function in one of these files; nothing else needs to know it."""

from . import greeting, playing, frames, newer, returning, elsewhere, encrypted, ending  # noqa: F401, I001 - the order of the list
