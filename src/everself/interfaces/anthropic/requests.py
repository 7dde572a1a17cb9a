"""Parses the body of Anthropic's messages. Pure.

Fields without effect here are ignored, because clients send many. A field that would need an unsupported feature is refused by name.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from everself.interfaces.http.dialogue import IMAGE, Asked, Item, asked_of, read_dialogue, tool_of, user_item
from everself.interfaces.http.fields import (
    Body,
    need_nothing,
    need_object,
    read_count,
    read_flag,
    read_number,
    read_object_field,
    read_objects,
    read_optional_flag,
    read_text,
    read_texts,
    wrong,
)
from everself.operations.client_turns import schema_fault
from everself.operations.registry import get_operation

_NOT_SERVED: Final[Mapping[str, tuple[object, ...]]] = {"container": (), "mcp_servers": ([],)}
# earlier reasoning is not sent to the model: each turn reasons anew
_THOUGHTS: Final = ("thinking", "redacted_thinking")
_MEMORY: Final = "memory_20250818"


def read_messages(body: Body, *, counted: bool = False) -> Asked:
    """Raises Refused with the name of the parameter. `counted`: only to count tokens."""
    need_nothing(body, _NOT_SERVED)
    system = [_system(body.get("system"), "system")]
    items: list[Item] = []
    for where, message in read_dialogue(body):
        if message.get("role") == "system":
            system.append(_system(message.get("content"), f"{where}.content"))
        else:
            items += _items(message, where)
    most = read_count(body, "max_tokens")
    if most is None and not counted:
        raise wrong("max_tokens", "max_tokens is missing.")
    more = _tools(body) | {
        "max_tokens": most,
        "temperature": read_number(body, "temperature", 2),
        "top_p": read_number(body, "top_p", 1),
        "parallel_tool_calls": _is_parallel(body),
        "stop": read_texts(body, "stop_sequences"),
        "schema": _shape(body),
    }
    return asked_of(body, items, system, more)


def _system(content: object, where: str) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n\n".join(_texts(content, where))


def _texts(content: object, where: str) -> list[str]:
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        raise wrong(where, f"{where} is neither a text nor a list of blocks.")
    found = []
    for number, one in enumerate(content):
        place = f"{where}[{number}]"
        block = need_object(one, place)
        if block.get("type") != "text":
            raise wrong(place, f"{place} is no block of text; nothing else is served here.")
        found.append(read_text(block, "text", f"{place}.", needed=False))
    return found


def _items(message: Body, where: str) -> list[Item]:
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant"):
        raise wrong(f"{where}.role", f"{where}.role is not served: user and assistant are.")
    if isinstance(content, str):
        return [user_item([content]) if role == "user" else Item("assistant", content)]
    if not isinstance(content, list):
        raise wrong(f"{where}.content", f"{where}.content is neither a text nor a list of blocks.")
    blocks = [(f"{where}.content[{number}]", one) for number, one in enumerate(content)]
    return _user(blocks) if role == "user" else [_assistant(blocks)]


def _assistant(blocks: list[tuple[str, object]]) -> Item:
    texts: list[str] = []
    calls: list[Mapping[str, str]] = []
    for place, one in blocks:
        block = need_object(one, place)
        kind = block.get("type")
        if kind == "text":
            texts.append(read_text(block, "text", f"{place}.", needed=False))
        elif kind == "tool_use":
            given = read_object_field(block, "input", f"{place}.")
            named = {name: read_text(block, name, f"{place}.") for name in ("id", "name")}
            calls.append({**named, "arguments": json.dumps(given, ensure_ascii=False)})
        elif kind not in _THOUGHTS:
            raise wrong(place, f"{place} is neither text nor tool_use; nothing else is served.")
    return Item("assistant", "".join(texts), calls=tuple(calls))


def _user(blocks: list[tuple[str, object]]) -> list[Item]:
    """A user's message. Tool results come before its text."""
    results: list[Item] = []
    texts: list[str] = []
    images: list[Mapping[str, str]] = []
    for place, one in blocks:
        block = need_object(one, place)
        kind = block.get("type")
        if kind == "text":
            texts.append(read_text(block, "text", f"{place}.", needed=False))
        elif kind == "image":
            images.append(_image(block, place))
        elif kind == "tool_result":
            results.append(_result(block, place))
        else:
            raise wrong(place, f"{place} is neither text, image nor tool_result; nothing else is served.")
    spoken = user_item([one for one in texts if one], images, "\n\n")
    return [*results, *([spoken] if spoken.speaks or spoken.programs else [])]


def _image(block: Body, place: str) -> dict[str, str]:
    source = read_object_field(block, "source", f"{place}.")
    if source.get("type") != "base64":
        raise wrong(f"{place}.source", f"{place}.source is not base64; images are not fetched from elsewhere.")
    return {name: read_text(source, name, f"{place}.source.") for name in ("media_type", "data")}


def _result(block: Body, place: str) -> Item:
    content = block.get("content")
    blocks = content if isinstance(content, list) else []
    shown = [at for at, one in enumerate(blocks) if isinstance(one, dict) and one.get("type") == "image"]
    images = [_image(blocks[at], f"{place}.content[{at}]") for at in shown]
    words = [one for at, one in enumerate(blocks) if at not in shown] if isinstance(content, list) else content or ""
    texts = [*_texts(words, f"{place}.content"), *(IMAGE for _ in images)]
    call, failed = read_text(block, "tool_use_id", f"{place}."), read_flag(block, "is_error", f"{place}.")
    return Item("tool", "\n\n".join(filter(None, texts)), images=tuple(images), call=call, failed=failed)


def _tools(body: Body) -> dict[str, object]:
    tools = []
    for where, tool in read_objects(body, "tools"):
        tools.append(_memory_tool(tool, where) if tool.get("type") == _MEMORY else _custom_tool(tool, where))
    names = tuple(str(one["name"]) for one in tools)
    choice = read_object_field(body, "tool_choice")
    match choice.get("type", "auto"), choice.get("name"):
        case "auto", _:
            return {"tools": tools} if tools else {}
        case "none", _:
            return {}
        case "any", _ if names:
            return {"tools": tools, "must_call": names}
        case "tool", name if name in names:
            return {"tools": tools, "must_call": (name,)}
    raise wrong("tool_choice", "tool_choice is not auto, any, none or a tool of tools.")


def _is_parallel(body: Body) -> bool | None:
    """Whether several tools may be called in one step; None if not specified."""
    alone = read_optional_flag(read_object_field(body, "tool_choice"), "disable_parallel_tool_use", "tool_choice.")
    return None if alone is None else not alone


def _custom_tool(tool: Body, where: str) -> dict[str, object]:
    if tool.get("type") not in (None, "custom"):
        raise wrong(f"{where}.type", f"{where}.type is not served: only tools with their own schema and {_MEMORY} are.")
    return tool_of(tool.get("name"), tool.get("description"), tool.get("input_schema"), where)


def _memory_tool(tool: Body, where: str) -> dict[str, object]:
    """Anthropic's memory tool. Clients do not send its schema, so ours is used. The client runs it unless the agent offers the same."""
    operation = get_operation("tool.memory")
    if tool.get("name") != "memory" or operation.tool is None:
        raise wrong(f"{where}.name", f"{where}.name is not memory, which a tool of the type {_MEMORY} is called.")
    known = tool_of("memory", operation.tool.help, operation.schema("tool"), where)
    return known | {"operation": operation.name}


def _shape(body: Body) -> dict[str, Any] | None:
    """The JSON schema of the reply; beta versions have it at the top level."""
    wanted = read_object_field(read_object_field(body, "output_config"), "format", "output_config.")
    wanted = wanted or read_object_field(body, "output_format")
    if not wanted:
        return None
    schema = wanted.get("schema")
    if wanted.get("type") != "json_schema" or not isinstance(schema, dict) or (fault := schema_fault(schema)):
        why = f": {fault}" if isinstance(schema, dict) and wanted.get("type") == "json_schema" else ""
        raise wrong("output_config.format", f"output_config.format is not a json_schema with a schema{why}.")
    return schema
