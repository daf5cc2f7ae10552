"""The commented spec that `croupier tournament init` writes."""

from croupier_games.kernel import Game

TEMPLATE = """\
# A tournament. `croupier tournament plan {file}` shows what it would be, `croupier tournament run {file}` plays it.

title = "{title} tournament"
game = "{game}"
seats = {seats}                # at each table: {low} to {high} for this game

# How tables are chosen: balanced (any number of blocks), full (every table), design (every pair meets equally often),
# gauntlet (champion = "..." sits at every table), head-to-head (pair = ["...", "..."] does).
# A block is one table playing one deal as often as it has seats: everybody plays the same cards once from every seat.
format = "balanced"
blocks = 60              # in all; full and design take `deals` for each table instead, the others either
seating = "duplicate"    # the only one there is: every deal is played from every seat
seed = "{seed}"             # of the plan: who meets whom in which order. The cards follow from a secret of their own.

# The game's options; those that are not given are as the game has them.
[options]
{options}
# Entrants: a name (1 to 64 characters a-z 0-9 - _ .) and one of
#   house = "greedy"              a bot that lives in the server
#   command = ["python", "x.py"]  a process that is started, limited, and restarted when it crashes; it finds
#                                 CROUPIER_TARGET, CROUPIER_NAME and CROUPIER_TOKEN in its environment
#   remote = true                 a bot that dials in by itself under its name
[[entrants]]
name = "alice"
command = ["{python}", "-m", "croupier.examples.first"]

[[entrants]]
name = "bob"
command = ["{python}", "-m", "croupier.examples.random_bot", "--seed", "bob"]

[[entrants]]
name = "carol"
house = "greedy"

{more}# The clock of every session, in seconds. Not given: the server's.
[clock]
think_time_s = 10        # for each decision
bank_s = 60              # more, for the whole game
# increment_s = 0        # added to the bank after each decision

# How failing bots are treated. Not given: the server's.
[faults]
policy = "substitute"    # a neutral action is drawn; or "forfeit": the seat is vacated
max_faults = 10          # after which a seat is vacated, and placed last
# attempts = 3           # at each decision

# Limits of the processes (command entrants); an entrant can have a table of its own: [entrants.limits]. 0: no limit.
[limits]
memory_mib = 4096        # address space of each process
files = 256              # open files
file_size_mib = 64       # of each file that it writes, its log included
# cpu_s = 3600           # processor time
# time_s = 86400         # life of a process; its end counts as a crash
restarts = 10            # crashes that are forgiven; at the next one an entrant is disqualified

# When to stop before the plan is played. Not given: never.
[stopping]
# half_width = 25        # when every rating's 95% interval is at most ± so much
# alpha = 0.05           # head-to-head: when one bot is better at this level, looked at after each block

# How it is run. Nothing here changes what is played.
[run]
# servers = ["localhost:7700"]   # not given: one is started for the tournament
concurrency = 64         # games at once
# ledger = "postgresql+asyncpg://user@host/database"   # not given: SQLite in the tournament's folder
# arrival_s = 60         # how long to wait for an entrant's bot to appear
# server_patience_s = 30 # how long to wait for a server that went away before its games are repeated
# spectator_delay_s = 60 # how far those who watch lag behind: the same deal is played at several tables
# tls = true             # or a PEM file with the authorities to trust
"""
MORE = '[[entrants]]\nname = "{name}"\nhouse = "random"\n\n'
NAMES = ("dave", "eve", "frank", "grace", "heidi", "ivan", "judy", "mallory", "niaj", "olivia", "peggy", "rupert")


def template(game: Game[object, object, object], file: str, python: str, seed: str) -> str:
    """Return the text of a commented spec that can be run as it is.

    Args:
        game: what is played.
        file: what the file will be called, for its comments.
        python: the interpreter for the example bots.
        seed: of the plan.
    """
    low, high = game.seat_range[0], game.seat_range[-1]
    seats = min(4, high)
    more = max(1, seats - 2)  # one more entrant than seats: tables differ
    return TEMPLATE.format(
        file=file,
        title=game.title,
        game=game.name,
        seats=seats,
        low=low,
        high=high,
        seed=seed,
        python=python,
        options="".join(f"# {line}\n" for line in _option_lines(game)),
        more="".join(MORE.format(name=name) for name in NAMES[:more]),
    )


def _option_lines(game: Game[object, object, object]) -> list[str]:
    """One line for each option, with its default."""
    options = game.options()
    slots = getattr(options, "__dataclass_fields__", {})
    lines = []
    for name in slots:
        value = getattr(options, name)
        shown = f'"{value}"' if isinstance(value, str) or value is None else str(value).lower()
        lines.append(f"{name} = {shown}".replace('"None"', '"none"'))
    return lines
