"""What every client can do: each tool, resource and prompt once."""

import json
from datetime import date

import pytest
from mcp import ClientSession, MCPError
from mcp_types import TextContent
from tests.interfaces.mcp.clients import TOOLS, read, said


async def go_through(session: ClientSession) -> None:
    tools = (await session.list_tools()).tools
    assert [one.name for one in tools] == TOOLS
    assert (await session.list_tools()).tools == tools
    hints = {one.name: one.annotations for one in tools}
    assert [name for name, one in hints.items() if one and one.read_only_hint] == [
        "context",
        "memory_get",
        "memory_search",
    ]
    assert [name for name, one in hints.items() if one and one.destructive_hint] == ["memory_forget"]

    # twice with one key is once
    written = [
        json.loads(await said(session, "memory_write", content="The harbour master is called Ines.", key="a"))
        for _ in range(2)
    ]
    assert written[0]["entry"] == written[1]["entry"]
    entry, citation = written[0]["entry"], written[0]["citation"]
    found = await said(session, "memory_search", query="harbour master")
    line = next(one for one in found.splitlines() if entry in one)
    _, day, cited, source, *_ = line.split("  ")
    assert (day, source) == (date.today().isoformat(), "tool")
    assert "Ines" in json.loads(await said(session, "memory_get", path=cited))["text"]
    assert "Ines" in json.loads(await said(session, "memory_get", path=entry))["text"]
    assert "Ines" in json.loads(await said(session, "memory_get", path=citation))["text"]
    corrected = json.loads(await said(session, "memory_correct", old=entry, new="The harbour master is called Otto."))
    assert (corrected["entry"], corrected["closed"]) == ("", [])
    assert corrected["asked"]
    gone = await said(session, "memory_forget", what=entry)
    assert "Nothing was forgotten. The owner is asked as" in gone
    assert gone == await said(session, "memory_forget", what=entry)
    proposed = json.loads(await said(session, "soul_propose", line="Be brief.", reason="It was asked for twice."))
    assert proposed["status"] == "open"
    context = await said(session, "context", message="Who is the harbour master?")
    assert "You are someone in particular" in context
    assert "3 things wait for the owner: everself review" in context

    await _read_all(session, entry)
    prompts = [one.name for one in (await session.list_prompts()).prompts]
    assert prompts == ["end_of_day", "recall"]
    for name, given in (("end_of_day", {}), ("recall", {"topic": "the harbour"})):
        content = (await session.get_prompt(name, given)).messages[0].content
        assert isinstance(content, TextContent)
        assert "memory_search" in content.text
    await _go_wrong(session)


async def _read_all(session: ClientSession, entry: str) -> None:
    listed = [str(one.uri) for one in (await session.list_resources()).resources]
    assert listed == ["everself://soul", "everself://memory"]
    templates = [one.uri_template for one in (await session.list_resource_templates()).resource_templates]
    assert templates == ["everself://day/{day}", "everself://entry/{id}"]
    assert "# Soul" in await read(session, "everself://soul")
    assert "# Memory" in await read(session, "everself://memory")
    assert "Ines" in await read(session, f"everself://entry/{entry}")
    assert "Ines" in await read(session, f"everself://day/{date.today().isoformat()}")


async def _go_wrong(session: ClientSession) -> None:
    for uri in (
        "everself://nothing",
        "everself://day/..%2fSOUL",
        "everself://entry/NOSUCHENTRY0",
        "file:///etc/passwd",
    ):
        with pytest.raises(MCPError, match="Not found"):
            await read(session, uri)
    with pytest.raises(MCPError, match="Unknown tool: review_accept"):
        await session.call_tool("review_accept", {"name": "x"})
    with pytest.raises(MCPError, match="Unknown prompt"):
        await session.get_prompt("no_such", {})
    assert "`query` is missing or empty" in await said(session, "memory_search", failed=True)
    assert "Unknown field: source" in await said(session, "memory_write", failed=True, content="x", source="owner")
    assert "more than 262,144 characters" in await said(session, "memory_write", failed=True, content="word " * 60_000)
    assert "Not found" in await said(session, "memory_get", failed=True, path="../../etc/passwd")
