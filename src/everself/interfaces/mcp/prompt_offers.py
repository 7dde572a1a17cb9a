"""The prompts that a person chooses in their client. Their text is Markdown, in the folder `prompts`."""

from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from mcp import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

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
