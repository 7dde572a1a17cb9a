"""From the body of a chat completion to a message: only the last one is said, what stands before it is context. Pure.

Fields that change nothing here are ignored, as clients send many; one that would have to do something and cannot is refused by its name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from everself.interfaces.http.problems import Problem, Refused

_SYSTEM: Final = ("system", "developer")
# fields that ask for something that is not served, and the values that ask for nothing
_NOT_SERVED: Final[Mapping[str, tuple[object, ...]]] = {
    "tools": ([],),
    "functions": ([],),
    "tool_choice": ("none", "auto"),
    "n": (1,),
    "stop": ("", []),
    "logprobs": (False,),
    "audio": (),
    "prediction": (),
    "modalities": (["text"],),
    "response_format": ({"type": "text"},),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """`earlier` are role and text of what stands before the message."""

    model: str
    text: str
    earlier: tuple[tuple[str, str], ...] = ()
    system: str = ""
    max_tokens: int | None = None
    stream: bool = False
    include_usage: bool = False


def read_completion(body: Mapping[str, Any]) -> Asked:
    """Raises Refused that names the parameter."""
    for name, nothing in _NOT_SERVED.items():
        value = body.get(name)
        if value is not None and value not in nothing:
            raise wrong(name, f"{name} is not served.")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise wrong("messages", "messages is a list of at least one message.")
    said = [_message(one, f"messages[{number}]") for number, one in enumerate(messages)]
    system = "\n\n".join(text for role, text in said if role in _SYSTEM and text)
    spoken = [(role, text) for role, text in said if role not in _SYSTEM]
    if not spoken or spoken[-1][0] != "user":
        raise wrong("messages", "The last message is the user's.")
    if not spoken[-1][1].strip():
        raise wrong("messages", "The last message is empty.")
    options = _object(body, "stream_options")
    return Asked(
        _text(body, "model"),
        spoken[-1][1],
        tuple(spoken[:-1]),
        system,
        _count(body, "max_completion_tokens") or _count(body, "max_tokens"),
        _flag(body, "stream"),
        _flag(options, "include_usage", "stream_options."),
    )


def wrong(param: str, words: str) -> Refused:
    return Refused(Problem(400, "invalid-request", "The request cannot be served", words, param=param))


def _message(one: object, where: str) -> tuple[str, str]:
    if not isinstance(one, dict):
        raise wrong(where, f"{where} is not an object.")
    role = one.get("role")
    if role not in (*_SYSTEM, "user", "assistant"):
        raise wrong(f"{where}.role", f"{where}.role is not served: system, developer, user and assistant are.")
    if one.get("tool_calls") or one.get("function_call"):
        raise wrong(f"{where}.tool_calls", "Tools of the client are not served.")
    return str(role), _content(one.get("content"), f"{where}.content")


def _content(content: object, where: str) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise wrong(where, f"{where} is neither a text nor a list of parts.")
    return "".join(_part(part, f"{where}[{number}]") for number, part in enumerate(content))


def _part(part: object, where: str) -> str:
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    if not isinstance(text, str):
        raise wrong(where, f"{where} is not a part of text; nothing else is served.")
    return text


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise wrong(name, f"{name} is missing.")
    return value


def _flag(body: Mapping[str, Any], name: str, where: str = "") -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise wrong(f"{where}{name}", f"{where}{name} is true or false.")
    return bool(value)


def _count(body: Mapping[str, Any], name: str) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10_000_000:
        raise wrong(name, f"{name} is a whole number from 1 on.")
    return value


def _object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if value is not None and not isinstance(value, dict):
        raise wrong(name, f"{name} is an object.")
    return value or {}


def given_of(asked: Asked, session: str) -> dict[str, object]:
    """The fields of `chat.say`. A session that is named holds what was said before."""
    earlier: Sequence[tuple[str, str]] = () if session else asked.earlier
    given: dict[str, object] = {
        "text": asked.text,
        "session": session,
        "system": asked.system,
        "earlier": [{"role": role, "text": text} for role, text in earlier],
    }
    return given | ({"max_tokens": asked.max_tokens} if asked.max_tokens else {})
