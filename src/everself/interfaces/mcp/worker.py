"""The worker of `everself mcp`: opens the agent at the first call and answers on stdin and stdout, until its input ends.

It may be killed at any time, because all acknowledged data is on disk. It watches its input before it loads anything else, so that neither
slow imports nor a running call delay its end.
"""

import os
import select
import sys
import threading
from typing import Final

from everself.clock import pause

# time to close the index and write the history; the next process does the rest
_LEAVE: Final = 2.0


def serve_worker(agent: str, project: str) -> None:
    _watch_input(os.dup(0))
    import asyncio

    from everself.agent import open_runtime
    from everself.interfaces.mcp.answers import AgentAnswers
    from everself.interfaces.mcp.hosts import LocalHost
    from everself.interfaces.mcp.server import serve_over_stdio

    host = LocalHost(agent, project, open_runtime)
    asyncio.run(serve_over_stdio(AgentAnswers(host)))
    host.close()


def _watch_input(copy: int) -> None:
    """End this process soon after its input is closed. `copy` is a duplicate of stdin, which the MCP server replaces."""

    def watch() -> None:
        poll = select.poll()
        # no event needs to be requested: a hang-up is always reported
        poll.register(copy, 0)
        poll.poll()
        pause(_LEAVE)
        os._exit(0)

    threading.Thread(target=watch, name="everself-input", daemon=True).start()


if __name__ == "__main__":
    serve_worker(*sys.argv[1:3])
