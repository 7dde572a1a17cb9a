"""`everself mcp`: the server that MCP clients start. The SDK is imported only here."""

import sys

import click

from everself.config.installation import install_command
from everself.errors import NotFound, WrongUse
from everself.interfaces.cli.call import agent_option, json_option, show_lines, this_call
from everself.interfaces.cli.command_types import ExampleCommand


@click.command("mcp", cls=ExampleCommand)
@agent_option
@json_option
def mcp(agent: str) -> int:
    """Serve memory to an MCP client, over stdin and stdout.

    If a gateway runs, calls are passed on to it. The server ends with the client that started it.

    $ everself mcp  # what a client starts, as command “everself” with the argument “mcp”
    $ everself mcp --agent aria  # the memory of another agent
    """
    import importlib.util

    if this_call().json:
        raise WrongUse("The MCP server has no --json output.", mend="everself mcp")
    if importlib.util.find_spec("mcp") is None:
        raise NotFound("package mcp, which the MCP server needs.", mend=install_command("mcp"))
    if sys.stdin.isatty():
        show_lines(["This speaks MCP on stdin and stdout, for a client that starts it. Ctrl-D ends it."], err=True)
    from everself.interfaces.mcp.relay import serve_stdio

    serve_stdio(agent)
    return 0
