"""Parses the body of OpenAI's Responses API. Pure.

Tools that OpenAI runs itself are not offered to the model, which calls only offered tools. Other unsupported fields are refused by name.
"""

from collections.abc import Mapping
from typing import Any, Final

from everself.frozen import Frozen
from everself.interfaces.http.dialogue import IMAGE, Asked, Item, asked_of, tool_of, user_item
from everself.interfaces.http.fields import (
    Body,
    need_nothing,
    need_object,
    read_count,
    read_flag,
    read_list,
    read_number,
    read_object_field,
    read_objects,
    read_optional_flag,
    read_text,
    wrong,
)
from everself.interfaces.openai.requests import read_choice, read_parts, read_shape

# parts of a message with text, and their field
_TEXTS: Final = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}
PREFIX: Final = "resp_"
_SYSTEM: Final = ("system", "developer")
_NOT_SERVED: Final[Mapping[str, tuple[object, ...]]] = {
    "background": (False,),
    "conversation": (),
    "prompt": (),
    "stream_options": ({}, {"include_obfuscation": False}),
    "top_logprobs": (0,),
}
# earlier reasoning is not sent to the model: each turn reasons anew
_THOUGHTS: Final = ("reasoning",)


class ResponseRequest(Frozen):
    """`previous` is the message of the turn to continue from. `echo` are fields that the response repeats."""

    asked: Asked
    previous: str
    echo: Mapping[str, Any]


def read_response(body: Body) -> ResponseRequest:
    """Raises Refused with the name of the parameter."""
    need_nothing(body, _NOT_SERVED)
    previous = read_text(body, "previous_response_id", needed=False)
    if previous and not previous.startswith(PREFIX):
        raise wrong("previous_response_id", f"previous_response_id does not begin with {PREFIX}.")
    system = [read_text(body, "instructions", needed=False)]
    items: list[Item] = []
    given = body.get("input")
    listed = [{"role": "user", "content": given}] if isinstance(given, str) else read_list(body, "input")
    if not listed:
        raise wrong("input", "input is a text or a list of at least one item.")
    for number, one in enumerate(listed):
        where = f"input[{number}]"
        item = need_object(one, where)
        if item.get("type", "message") == "message" and item.get("role") in _SYSTEM:
            system.append("".join(_parts(item.get("content"), f"{where}.content")[0]))
        else:
            items += _items(item, where)
    tools, chosen = _tools(body)
    more = {
        "tools": tools if chosen is not None else [],
        "must_call": chosen or (),
        "max_tokens": read_count(body, "max_output_tokens"),
        "temperature": read_number(body, "temperature", 2),
        "top_p": read_number(body, "top_p", 1),
        "parallel_tool_calls": read_optional_flag(body, "parallel_tool_calls"),
        "schema": read_shape(read_object_field(read_object_field(body, "text"), "format", "text."), "text.format"),
    }
    return ResponseRequest(asked_of(body, items, system, more), previous.removeprefix(PREFIX), _echo(body, tools))


def _echo(body: Body, tools: list[dict[str, object]]) -> dict[str, Any]:
    read_flag(body, "store")
    return {
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "metadata": read_object_field(body, "metadata"),
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "previous_response_id": body.get("previous_response_id"),
        "temperature": body.get("temperature"),
        "text": read_object_field(body, "text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": [{"type": "function", "strict": False, **one} for one in tools],
        "top_p": body.get("top_p"),
        "truncation": "disabled",
    }


def _tools(body: Body) -> tuple[list[dict[str, object]], tuple[str, ...] | None]:
    tools = []
    for where, tool in read_objects(body, "tools"):
        if tool.get("type") == "function":
            tools.append(tool_of(tool.get("name"), tool.get("description"), tool.get("parameters"), where))
    return tools, read_choice(body.get("tool_choice"), tuple(str(one["name"]) for one in tools))


def _items(item: Body, where: str) -> list[Item]:
    match item.get("type", "message"):
        case "message":
            return [_message(item, where)]
        case "function_call":
            named = {"id": read_text(item, "call_id", f"{where}."), "name": read_text(item, "name", f"{where}.")}
            return [Item("assistant", calls=({**named, "arguments": _arguments(item, where)},))]
        case "function_call_output":
            texts, images = _parts(item.get("output"), f"{where}.output")
            text = "\n\n".join(filter(None, (*texts, *(IMAGE for _ in images))))
            return [Item("tool", text, images=tuple(images), call=read_text(item, "call_id", f"{where}."))]
        case kind if kind in _THOUGHTS:
            return []
    raise wrong(f"{where}.type", f"{where}.type is not message, function_call or function_call_output.")


def _arguments(item: Body, where: str) -> str:
    return read_text(item, "arguments", f"{where}.", needed=False) or "{}"


def _message(item: Body, where: str) -> Item:
    role = item.get("role")
    texts, images = _parts(item.get("content"), f"{where}.content")
    if role == "user":
        return user_item(texts, images)
    if role != "assistant":
        raise wrong(f"{where}.role", f"{where}.role is not served: system, developer, user and assistant are.")
    return Item("assistant", "".join(texts))


def _parts(content: object, where: str) -> tuple[list[str], list[Mapping[str, str]]]:
    return read_parts(content, where, _TEXTS, ("input_image", _address))


def _address(part: Body, where: str) -> tuple[str, str]:
    return read_text(part, "image_url", f"{where}."), f"{where}.image_url"
