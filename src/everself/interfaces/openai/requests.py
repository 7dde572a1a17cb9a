"""Parses the body of a chat completion. Pure.

Fields without effect here are ignored, because clients send many. A field that would need an unsupported feature is refused by name.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from everself.frozen import Frozen
from everself.interfaces.http.dialogue import Asked, Item, asked_of, image_of, read_dialogue, tool_of, user_item
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
    read_whole,
    wrong,
)
from everself.operations.client_turns import schema_fault

_SYSTEM: Final = ("system", "developer")
# fields that request unsupported features, with the values that request nothing
_NOT_SERVED: Final[Mapping[str, tuple[object, ...]]] = {
    "functions": ([],),
    "function_call": ("none", "auto"),
    "n": (1,),
    "logprobs": (False,),
    "audio": (),
    "prediction": (),
    "modalities": (["text"],),
    "web_search_options": (),
}


class Completion(Frozen):
    asked: Asked
    include_usage: bool = False


def read_completion(body: Body) -> Completion:
    """Raises Refused with the name of the parameter."""
    need_nothing(body, _NOT_SERVED)
    system: list[str] = []
    items: list[Item] = []
    for where, message in read_dialogue(body):
        if message.get("role") in _SYSTEM:
            system.append("".join(_parts(message.get("content"), f"{where}.content")[0]))
        else:
            items.append(_item(message, where))
    more = _tools(body) | {
        "max_tokens": read_count(body, "max_completion_tokens") or read_count(body, "max_tokens"),
        "temperature": read_number(body, "temperature", 2),
        "top_p": read_number(body, "top_p", 1),
        "seed": read_whole(body, "seed"),
        "parallel_tool_calls": read_optional_flag(body, "parallel_tool_calls"),
        "stop": read_texts(body, "stop"),
        "schema": read_shape(read_object_field(body, "response_format"), "response_format"),
    }
    options = read_object_field(body, "stream_options")
    return Completion(asked_of(body, items, system, more), read_flag(options, "include_usage", "stream_options."))


def read_shape(wanted: Body, where: str) -> dict[str, Any] | None:
    """The JSON schema of the reply; None for text."""
    kind = wanted.get("type", "text")
    if kind == "text":
        return None
    if kind == "json_object":
        return {"type": "object"}
    # the Responses API has the schema beside the type
    named = read_object_field(wanted, "json_schema", f"{where}.") or wanted
    if kind != "json_schema" or not isinstance(schema := named.get("schema"), dict):
        raise wrong(where, f"{where} is not text, json_object or json_schema with a schema.")
    if fault := schema_fault(schema):
        raise wrong(where, f"{where} holds no JSON schema: {fault}.")
    return schema


def read_choice(choice: object, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """The tools of which one must be called; None if the client's tools must not be called."""
    if choice in (None, "auto"):
        return ()
    if choice == "none":
        return None
    if choice == "required" and names:
        return names
    if isinstance(choice, dict) and choice.get("type") == "function":
        inner = choice.get("function", choice)
        name = inner.get("name") if isinstance(inner, dict) else None
        if name in names:
            return (str(name),)
    raise wrong("tool_choice", "tool_choice is not none, auto, required or a function of tools.")


def _tools(body: Body) -> dict[str, object]:
    tools = []
    for where, tool in read_objects(body, "tools"):
        if tool.get("type") != "function":
            raise wrong(f"{where}.type", f"{where}.type is not served: function is.")
        function = need_object(tool.get("function"), f"{where}.function")
        described = function.get("description"), function.get("parameters")
        tools.append(tool_of(function.get("name"), *described, f"{where}.function"))
    chosen = read_choice(body.get("tool_choice"), tuple(str(one["name"]) for one in tools))
    return {} if chosen is None or not tools else {"tools": tools, "must_call": chosen}


def _item(message: Body, where: str) -> Item:
    role = message.get("role")
    texts, images = _parts(message.get("content"), f"{where}.content")
    if role == "user":
        return user_item(texts, images)
    if role not in ("assistant", "tool"):
        known = "system, developer, user, assistant and tool are"
        raise wrong(f"{where}.role", f"{where}.role is not served: {known}.")
    if images:
        raise wrong(f"{where}.content", f"{where}.content: images are taken in messages of the user only.")
    if role == "tool":
        return Item("tool", "".join(texts), call=read_text(message, "tool_call_id", f"{where}."))
    if message.get("function_call"):
        raise wrong(f"{where}.function_call", f"{where}.function_call is not served: tool_calls are.")
    calls = [_call(call, place) for place, call in read_objects(message, "tool_calls", f"{where}.")]
    return Item("assistant", "".join(texts), calls=tuple(calls))


def _call(call: Body, where: str) -> dict[str, str]:
    function = need_object(call.get("function"), f"{where}.function")
    return {
        "id": read_text(call, "id", f"{where}."),
        "name": read_text(function, "name", f"{where}.function."),
        "arguments": read_text(function, "arguments", f"{where}.function.", needed=False),
    }


def _parts(content: object, where: str) -> tuple[list[str], list[Mapping[str, str]]]:
    return read_parts(content, where, {"text": "text", "refusal": "refusal"}, ("image_url", _address))


def _address(part: Body, where: str) -> tuple[str, str]:
    inner = read_object_field(part, "image_url", f"{where}.")
    return read_text(inner, "url", f"{where}.image_url."), f"{where}.image_url.url"


def read_parts(
    content: object, where: str, fields: Mapping[str, str], image: tuple[str, Callable[[Body, str], tuple[str, str]]]
) -> tuple[list[str], list[Mapping[str, str]]]:
    """Texts and images of a message. `fields` maps kinds of text to their field; `image` is the kind of images, with a reader for their URL
    and location."""
    if content is None or isinstance(content, str):
        return [content or ""], []
    if not isinstance(content, list):
        raise wrong(where, f"{where} is neither a text nor a list of parts.")
    kind_of_images, address = image
    texts: list[str] = []
    images: list[Mapping[str, str]] = []
    for number, one in enumerate(content):
        place = f"{where}[{number}]"
        part = need_object(one, place)
        kind = str(part.get("type"))
        if kind in fields:
            texts.append(read_text(part, fields[kind], f"{place}.", needed=False))
        elif kind == kind_of_images:
            images.append(image_of(*address(part, place)))
        else:
            raise wrong(place, f"{place} is neither text nor {kind_of_images}; nothing else is served.")
    return texts, images
