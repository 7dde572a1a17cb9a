"""Reads the arguments of our own tools, which a model wrote: what is missing or of another kind is told in words it can act on."""

from collections.abc import Mapping, Sequence
from typing import Final

from everself.errors import WrongUse
from everself.models.chat.protocol import JsonObject, ToolSpec
from everself.text.normalise import without_surrogates

TEXT: Final[JsonObject] = {"type": "string"}
WHOLE: Final[JsonObject] = {"type": "integer", "minimum": 1}
FLAG: Final[JsonObject] = {"type": "boolean"}
NUMBER: Final[JsonObject] = {"type": "number"}
TEXTS: Final[JsonObject] = {"type": "array", "items": {"type": "string"}}


def describe(name: str, description: str, fields: Mapping[str, JsonObject], required: Sequence[str]) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": dict(fields),
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


def field(kind: JsonObject, meaning: str) -> JsonObject:
    return {**kind, "description": meaning}


def text_of(arguments: JsonObject, key: str, default: str | None = None) -> str:
    """A text; without a default it has to be there and say something."""
    found = arguments.get(key)
    if found is None and default is not None:
        return default
    if not isinstance(found, str) or (default is None and not found.strip()):
        raise WrongUse(f"`{key}` must be a string.")
    return without_surrogates(found)


def whole_of(arguments: JsonObject, key: str, most: int) -> int | None:
    found = arguments.get(key)
    if found is None:
        return None
    # models write 5.0 for 5, and "5" too
    if isinstance(found, str) and found.strip().isascii() and found.strip().isdigit():
        found = int(found.strip()[:9])
    if isinstance(found, bool) or not isinstance(found, int | float) or found != found or found < 1:
        raise WrongUse(f"`{key}` must be a positive integer.")
    return int(min(found, most))


def number_of(arguments: JsonObject, key: str) -> float | None:
    found = arguments.get(key)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
        raise WrongUse(f"`{key}` must be a number from 0 to 1.")
    return float(found)


def flag_of(arguments: JsonObject, key: str) -> bool:
    found = arguments.get(key, False)
    return found is True or (isinstance(found, str) and found.strip().lower() == "true")


def texts_of(arguments: JsonObject, key: str) -> tuple[str, ...]:
    found = arguments.get(key) or ()
    if isinstance(found, str):
        found = (found,)
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise WrongUse(f"`{key}` must be a list of strings.")
    return tuple(without_surrogates(one) for one in found)
