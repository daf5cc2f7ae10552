"""Bots on the raw contract, without the SDK: an honest one, and the named ones of the unhappy path."""

from .crash import Crash
from .fuzz import Fuzz, Fuzzer
from .garbage import Garbage
from .honest import Honest
from .liar import Liar
from .slow import Slow
from .stall import Stall

__all__ = ["Crash", "Fuzz", "Fuzzer", "Garbage", "Honest", "Liar", "Slow", "Stall"]
