"""The official MCP client in every protocol version that counts, and the scenario that each of them goes through."""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    ClientCapabilities,
    Implementation,
    InitializedNotification,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
    TextContent,
    TextResourceContents,
)

MODERN = "2026-07-28"
VERSIONS = ("2025-06-18", "2025-11-25", MODERN)
TOOLS = ["context", "memory_correct", "memory_forget", "memory_get", "memory_search", "memory_write", "soul_propose"]


def stdio(environ: Mapping[str, str] | None = None, *more: str) -> StdioServerParameters:
    """`everself mcp` as a client starts it."""
    command = ["-m", "everself", "mcp", *more]
    return StdioServerParameters(command=sys.executable, args=command, env=dict(environ or os.environ))


@asynccontextmanager
async def over_stdio(version: str, server: StdioServerParameters) -> AsyncIterator[ClientSession]:
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await begin(session, version)
        yield session


@asynccontextmanager
async def over_http(version: str, client: httpx2.AsyncClient, url: str) -> AsyncIterator[ClientSession]:
    async with (
        streamable_http_client(url, http_client=client) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await begin(session, version)
        yield session


async def begin(session: ClientSession, version: str) -> None:
    if version == MODERN:
        await session.discover()
    else:
        # the client by itself offers the newest version that shakes hands; an older client offers its own
        asked = InitializeRequestParams(
            protocol_version=version,
            capabilities=ClientCapabilities(),
            client_info=Implementation(name="owner", version="1"),
        )
        found = await session.send_request(InitializeRequest(params=asked), InitializeResult)
        session.adopt(found)
        await session.send_notification(InitializedNotification())
    assert session.protocol_version == version


async def said(session: ClientSession, tool: str, /, *, failed: bool = False, **given: Any) -> str:
    """What a tool answers."""
    found = await session.call_tool(tool, given)
    text = found.content[0]
    assert isinstance(text, TextContent)
    assert bool(found.is_error) is failed, text.text
    return text.text


async def read(session: ClientSession, uri: str) -> str:
    found = (await session.read_resource(uri)).contents[0]
    assert isinstance(found, TextResourceContents)
    return found.text
