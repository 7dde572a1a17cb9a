"""Answers MCP methods with the agent of a host, and the prompts that a person selects in their client. Lists have a fixed order. The texts
of prompts are Markdown files in the folder `prompts`."""

from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from mcp import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)
from pydantic import BaseModel

from everself.interfaces.mcp.hosts import Host
from everself.interfaces.mcp.resources import RESOURCES, TEMPLATES, read_resource
from everself.interfaces.mcp.tools import call_tool, list_tools


class AgentAnswers:
    """Answers with the agent of a host."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def __call__(self, method: str, params: Mapping[str, Any], request: Any) -> BaseModel:
        host = self._host
        access = host.access(request)
        match method:
            case "tools/list":
                return ListToolsResult(tools=list_tools(access))
            case "tools/call":
                return await call_tool(host, access, str(params["name"]), params.get("arguments") or {})
            case "resources/list":
                return ListResourcesResult(resources=list(RESOURCES) if access.is_owner else [])
            case "resources/templates/list":
                return ListResourceTemplatesResult(resource_templates=list(TEMPLATES))
            case "resources/read":
                return await read_resource(host, access, str(params["uri"]))
            case "prompts/list":
                return ListPromptsResult(prompts=list(PROMPTS))
        return get_prompt(str(params["name"]), params.get("arguments") or {})


_LONGEST: Final = 500

PROMPTS: Final = (
    Prompt(name="end_of_day", title="End of day", description="Keep what will matter of this conversation."),
    Prompt(
        name="recall",
        title="What do you know about …",
        description="Tell what is remembered about something, with citations.",
        arguments=[PromptArgument(name="topic", description="A person, a project, a thing.", required=True)],
    ),
)


def get_prompt(name: str, arguments: Mapping[str, Any]) -> GetPromptResult:
    found = next((one for one in PROMPTS if one.name == name), None)
    if found is None:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name[:60]}.")
    given = {one.name: " ".join(str(arguments.get(one.name, "")).split()) for one in found.arguments or ()}
    if missing := [key for key, value in given.items() if not value]:
        raise MCPError(INVALID_PARAMS, f"`{missing[0]}` is missing or empty.")
    text = resources.files("everself.interfaces.mcp").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    for key, value in given.items():
        text = text.replace(f"{{{key}}}", value[:_LONGEST])
    message = PromptMessage(role="user", content=TextContent(text=text.strip()))
    return GetPromptResult(description=found.description, messages=[message])
