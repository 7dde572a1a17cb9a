# ruff: noqa: RUF009 (the calls in the defaults are declarations of fields)
"""Settings of the external tools: programs, web pages, MCP servers. Only the host file can set them, never a workspace.

Keys are OpenClaw's where it has them. Does not know the tools.
"""

from dataclasses import dataclass

from everself.config import kinds
from everself.config.kinds import FLAG, TEXT, whole
from everself.config.secrets import Secret
from everself.config.table import group, setting

Pairs = tuple[tuple[str, Secret], ...]


@dataclass(frozen=True, slots=True)
class Exec:
    enabled: bool = setting("", FLAG, False, "Lets the agent run programs, which can do all that you can.")
    allow: tuple[str, ...] = setting("", kinds.TEXTS, (), "Programs it may run, then without a shell; empty is any.")
    workdir: str = setting(
        "", kinds.FOLDER, "", "Folder they start in; else one of their own beside the agent's state."
    )
    timeout: int = setting("timeoutSec", whole(1, 86_400), 60, "Seconds after which a program is killed.")


@dataclass(frozen=True, slots=True)
class Fetch:
    enabled: bool = setting("", FLAG, False, "Lets the agent read pages of the web.")
    max_chars: int = setting("maxChars", whole(100, 1_000_000), 20_000, "Characters of a page that the model gets.")
    max_bytes: int = setting("maxResponseBytes", whole(1_000, 50_000_000), 2_000_000, "Bytes of a page that are read.")
    timeout: int = setting("timeoutSeconds", whole(1, 600), 30, "Seconds for a page, redirects included.")
    max_redirects: int = setting("maxRedirects", whole(0, 20), 3, "Redirects that are followed, each checked anew.")
    private_hosts: tuple[str, ...] = setting(
        "privateHosts", kinds.TEXTS, (), "Hosts (name or name:port) that may be fetched from a private network."
    )


@dataclass(frozen=True, slots=True)
class ToolSettings:
    exec: Exec = group("exec", Exec)
    fetch: Fetch = group("web.fetch", Fetch)


@dataclass(frozen=True, slots=True)
class McpServer:
    """A program that is started (`command`), or an address that is asked (`url`)."""

    name: str
    enabled: bool = setting("", FLAG, True, "Whether the agent gets the tools of this MCP server.")
    command: str = setting("", TEXT, "", "Program of an MCP server that runs on this machine.")
    args: tuple[str, ...] = setting("", kinds.TEXTS, (), "Arguments of that program.")
    env: Pairs = setting("env.*", TEXT, "", "Environment variable of that program.", secret=True)
    url: str = setting("", TEXT, "", "Address of an MCP server that speaks streamable HTTP.")
    headers: Pairs = setting("headers.*", TEXT, "", "Header of the requests to that address.", secret=True)
