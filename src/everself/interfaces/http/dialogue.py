"""A client's request independent of its wire format: message, earlier messages, tool results. Pure.

Clients send the whole conversation with every request. Only its last message counts as said. Texts that consist of one markup element
(`<environment>…</environment>`) are the program's own, whatever their role.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final, Literal

import re2

from everself.frozen import Frozen
from everself.interfaces.http.fields import Body, read_flag, read_objects, read_text, wrong
from everself.operations.client_turns import is_tool_name, schema_fault

_OPENS: Final = re2.compile(r"^<([A-Za-z][A-Za-z0-9_.:-]*)(?:\s[^<>]*)?>")
# placeholder for an image in a tool result
IMAGE: Final = "(An image, which is shown with the message.)"
_DATA: Final = "data:"
_BASE64: Final = ";base64"


class Item(Frozen):
    """One message. `text` is the speaker's, `programs` are texts of the program in it; for a `tool`, `call` is the call it answers.

    Images in tool results are shown with the message that is answered.
    """

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    programs: tuple[str, ...] = ()
    images: tuple[Mapping[str, str], ...] = ()
    calls: tuple[Mapping[str, str], ...] = ()
    call: str = ""
    failed: bool = False

    @property
    def speaks(self) -> bool:
        return bool(self.text.strip() or self.images)


class Asked(Frozen):
    """A request. `system` are the program's instructions; `more` are fields of `chat.say` that all wire formats share."""

    model: str
    items: tuple[Item, ...]
    system: str = ""
    stream: bool = False
    more: Mapping[str, object] = field(default_factory=dict)

    @property
    def given(self) -> dict[str, object]:
        """The fields of `chat.say`."""
        return _given(self.items) | {"system": self.system} | dict(self.more)


def read_dialogue(body: Body) -> list[tuple[str, Body]]:
    """The messages of a request, each with its location."""
    found = list(read_objects(body, "messages"))
    if not found:
        raise wrong("messages", "messages is a list of at least one message.")
    return found


def asked_of(body: Body, items: Sequence[Item], system: Sequence[str], more: Mapping[str, object]) -> Asked:
    """Complete the request with the fields that all formats share. None values in `more` are omitted."""
    said = {name: value for name, value in more.items() if value is not None}
    text = "\n\n".join(filter(None, system))
    return Asked(read_text(body, "model"), tuple(items), text, read_flag(body, "stream"), said)


def user_item(texts: Sequence[str], images: Sequence[Mapping[str, str]] = (), between: str = "") -> Item:
    """The item for the parts of a user's message."""
    said = [one for one in texts if not is_programs(one)]
    programs = [one for one in texts if is_programs(one)]
    return Item("user", between.join(said), tuple(programs), tuple(images))


def is_programs(text: str) -> bool:
    """Whether the text consists of one markup element."""
    plain = text.strip()
    opened = _OPENS.match(plain)
    return opened is not None and plain.endswith(f"</{opened[1]}>")


def image_of(url: str, where: str) -> dict[str, str]:
    """The image of a `data:` URL. Other URLs are not fetched, because they may be reachable only from this machine."""
    head, comma, data = url.partition(",")
    if not head.startswith(_DATA) or not head.endswith(_BASE64) or not comma:
        raise wrong(where, f"{where} is not a data: address in base 64; images are not fetched from elsewhere.")
    return {"media_type": head.removeprefix(_DATA).removesuffix(_BASE64), "data": data}


def tool_of(name: object, description: object, parameters: object, where: str) -> dict[str, object]:
    """A tool of the client. Raises Refused with the location."""
    if not isinstance(name, str) or not is_tool_name(name):
        raise wrong(f"{where}.name", f"{where}.name is not 1 to 128 of a-z, A-Z, 0-9, _ and -.")
    schema = {} if parameters is None else parameters
    fault = schema_fault(schema)
    if fault or not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise wrong(where, f"The parameters of {name} are no JSON schema of an object{': ' + fault if fault else ''}.")
    return {"name": name, "description": description if isinstance(description, str) else "", "parameters": schema}


def merged(items: Sequence[Item]) -> tuple[Item, ...]:
    """Merge consecutive messages of the assistant into one."""
    found: list[Item] = []
    for one in items:
        if found and one.role == "assistant" == found[-1].role:
            last = found[-1]
            text = "\n\n".join(filter(None, (last.text, one.text)))
            found[-1] = replace(last, text=text, calls=(*last.calls, *one.calls))
        else:
            found.append(one)
    return tuple(found)


def _given(items: tuple[Item, ...]) -> dict[str, Any]:
    whole = merged(items)
    start = next((at + 1 for at in reversed(range(len(whole))) if whole[at].role == "assistant"), 0)
    tail = whole[start:]
    programs = [text for one in tail for text in one.programs]
    results = [{"call": one.call, "text": one.text, "failed": one.failed} for one in tail if one.role == "tool"]
    speaking = [at for at, one in enumerate(tail) if one.role == "user" and one.speaks]
    said = tail[speaking[-1]] if speaking else None
    unsaid = [one for one in tail if one.role == "user" and one is not said]
    given: dict[str, Any] = {"earlier": [_earlier(one) for one in (*whole[:start], *unsaid) if _is_heard(one)]}
    if results:
        given["results"] = results
    shown = [image for one in tail if one.role == "tool" for image in one.images]
    if said is not None:
        return given | {"text": said.text, "beside": programs, "images": [*said.images, *shown]}
    if results:
        # the program's texts beside results are shown with the last result
        results[-1]["text"] = "\n\n".join([str(results[-1]["text"]), *programs])
        before = next((one.images for one in reversed(whole[:start]) if one.role == "user"), ())
        return given | {"images": [*before, *shown]}
    if programs:
        return given | {"text": "\n\n".join(programs), "by_program": True}
    raise wrong("messages", "The last message is the user's, and holds something.")


def _is_heard(one: Item) -> bool:
    if one.role == "user":
        return one.speaks
    return one.role == "tool" or bool(one.text.strip() or one.calls)


def _earlier(one: Item) -> dict[str, object]:
    return {"role": one.role, "text": one.text, "calls": list(one.calls), "call": one.call}
