"""The worker of `everself mcp`: opens the agent at the first call and answers on stdin and stdout, until its input ends.

Whatever was acknowledged is on the disk: it may be ended at any moment. So it watches its input before it loads anything else, and neither
loading, which takes seconds on a busy machine, nor a call that is under way keeps it.
"""

import os
import select
import sys
import threading
from typing import Final

from everself.clock import pause

# to close the index and write the history; then the next process does what is left
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
    """End this process soon after nobody can ask any more. `copy` is one of stdin, whose place the MCP server takes."""

    def watch() -> None:
        poll = select.poll()
        # no event is asked for: the end of the other side is always told
        poll.register(copy, 0)
        poll.poll()
        pause(_LEAVE)
        os._exit(0)

    threading.Thread(target=watch, name="everself-input", daemon=True).start()


if __name__ == "__main__":
    serve_worker(*sys.argv[1:3])
