"""What has to be said before gRPC is loaded; this module is imported before all that loads it.

Programs start processes by fork and exec at once, while gRPC's threads run. What gRPC would do around a fork is of no
use there: at best it logs that it has left it, at worst the new process hangs in it.

And gRPC's core writes lines of its own to stderr, in a form of its own, for whatever connection fails: a stranger who
speaks plain text to a port with TLS fills a log with them. What matters of it is told by calls and servers themselves.

Who wants either sets the variable.
"""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
