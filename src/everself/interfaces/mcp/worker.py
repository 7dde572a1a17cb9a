"""The worker of `everself mcp`: opens the agent at the first call and answers on stdin and stdout, until its input ends.

Whatever was acknowledged is on the disk: it may be ended at any moment.
"""

import asyncio
import os
import sys
import threading
from typing import Final

from mcp.server.stdio import stdio_server

from everself.agent import open_runtime
from everself.clock import pause
from everself.interfaces.mcp.answers import AgentAnswers
from everself.interfaces.mcp.hosts import LocalHost
from everself.interfaces.mcp.server import make_server

# to close the index and write the history; then the next process does what is left
_LEAVE: Final = 2.0


def serve_worker(agent: str, project: str) -> None:
    host = LocalHost(agent, project, open_runtime)
    asyncio.run(_serve(host))
    host.close()


async def _serve(host: LocalHost) -> None:
    server = make_server(AgentAnswers(host))
    try:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
            # a call that is under way may take minutes, and nobody waits for it any more
            _leave_soon()
    except* BrokenPipeError:
        # whoever asked has left before it was answered
        _leave_soon()


def _leave_soon() -> None:
    def leave() -> None:
        pause(_LEAVE)
        os._exit(0)

    threading.Thread(target=leave, name="everself-leave", daemon=True).start()


if __name__ == "__main__":
    serve_worker(*sys.argv[1:3])
