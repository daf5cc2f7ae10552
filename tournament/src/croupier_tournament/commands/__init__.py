"""What the commands of `croupier tournament` do; `croupier_tournament.main` says how they are called.

Each returns an exit code, and says on stderr what went wrong.
"""

from . import arrays  # noqa: F401 - before anything else loads NumPy
