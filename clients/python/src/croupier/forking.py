"""What has to be said before gRPC is loaded; this module is imported before all that loads it.

Programs start processes by fork and exec at once, while gRPC's threads run. What gRPC would do around a fork is of no
use there: at best it logs that it has left it, at worst the new process hangs in it. Who wants it sets the variable.
"""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
