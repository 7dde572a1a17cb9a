"""A real MCP server for tests, over stdio or over HTTP on the port that is given."""

import os
import sys

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("honest")


@server.tool()
def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


@server.tool(name="names/of variables")
def variables() -> str:
    return " ".join(sorted(os.environ)) + " | " + os.environ.get("NOTES_TOKEN", "") + " | " + os.getcwd()


@server.tool()
def refuse() -> str:
    raise ToolError("not today")


@server.tool()
def picture() -> Image:
    return Image(data=b"\x89PNG", format="png")


@server.tool()
def numbers() -> list[int]:
    return [1, 2]


@server.tool()
def long() -> str:
    return "begin" + "x" * 300_000 + "end"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run()
