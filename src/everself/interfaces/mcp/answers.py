"""Answers the methods of MCP with the agent of a host. Lists stand in one order, whoever asks."""

from collections.abc import Mapping
from typing import Any

from mcp_types import ListPromptsResult, ListResourcesResult, ListResourceTemplatesResult, ListToolsResult
from pydantic import BaseModel

from everself.interfaces.mcp.hosts import Host
from everself.interfaces.mcp.prompt_offers import PROMPTS, get_prompt
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
