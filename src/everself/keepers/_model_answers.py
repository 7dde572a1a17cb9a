"""Asks a model for one JSON object, validates it, and retries once. An invalid answer is not used.

Every failure, including a spent daily limit, gives no answer; the caller continues with its rules. Knows no keeper.
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import field
from typing import Final

from everself.errors import ModelFailed
from everself.frozen import Frozen
from everself.models.chat.protocol import (
    ChatModel,
    ChatRequest,
    JsonObject,
    ModelTurn,
    Turn,
    Usage,
    UserTurn,
    whole_answer,
)
from everself.models.spend_meter import SpendMeter

MOST_TOKENS: Final = 4_000
_TRIES: Final = 2
_DEEPEST: Final = 12
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


class ModelAnswer(Frozen):
    """`value` is None without a usable answer; `why` gives the reason."""

    value: JsonObject | None = None
    usage: Usage = field(default_factory=Usage)
    why: str = ""


def list_schema(name: str, most: int, properties: JsonObject, optional: Collection[str] = ()) -> JsonObject:
    """The schema of an object with a single field, a list of at most this many objects."""
    required = [one for one in properties if one not in optional]
    item = {"type": "object", "required": required, "additionalProperties": False, "properties": properties}
    listed = {name: {"type": "array", "maxItems": most, "items": item}}
    return {"type": "object", "required": [name], "additionalProperties": False, "properties": listed}


async def ask(
    model: ChatModel, spend_meter: SpendMeter, job: str, prompt: str, words: str, schema: JsonObject
) -> ModelAnswer:
    """Ask for one object of the schema. `prompt` is the instruction, `words` the material."""
    turns: tuple[Turn, ...] = (UserTurn(words),)
    usage = Usage()
    wrong = ""
    for _ in range(_TRIES):
        try:
            spend_meter.allow(job)
            text, spent = await whole_answer(
                model, ChatRequest(prompt, "", turns, max_tokens=min(MOST_TOKENS, model.most_output), schema=schema)
            )
        except ModelFailed as error:
            return ModelAnswer(usage=usage, why=str(error))
        usage += spent
        spend_meter.charge(job, "", model, spent)
        found = parse(text)
        wrong = next(faults(found, schema), "") if found is not None else "the answer is not a JSON object"
        if found is not None and not wrong:
            return ModelAnswer(found, usage)
        again = f"That cannot be used: {wrong}. Answer again with one JSON object of the schema, and nothing else."
        turns = (*turns, ModelTurn(text), UserTurn(again))
    return ModelAnswer(usage=usage, why=f"The model's answer could not be used: {wrong}.")


def parse(text: str) -> JsonObject | None:
    """Parse the object in an answer, with or without a code fence."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def faults(value: object, schema: JsonObject, where: str = "the answer", depth: int = 0) -> Iterator[str]:
    """Check a value against the part of JSON Schema that keepers use: type, enum, required, properties, items and lengths."""
    kind = schema.get("type")
    if depth > _DEEPEST:
        yield f"{where} is nested too deeply"
        return
    if isinstance(kind, str) and (
        not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")
    ):
        yield f"{where} is not of type {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is not one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        yield f"{where} is longer than {schema['maxLength']} characters"
    if isinstance(value, dict):
        known: JsonObject = schema.get("properties", {})
        yield from (f"{where} lacks {name}" for name in schema.get("required", ()) if name not in value)
        for name, one in value.items():
            if name in known:
                yield from faults(one, known[name], f"{where}.{name}", depth + 1)
            elif schema.get("additionalProperties") is False:
                yield f"{where} has {str(name)[:40]}, which is not in the schema"
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            yield f"{where} has more than {schema['maxItems']} items"
        for at, one in enumerate(value):
            yield from faults(one, schema.get("items", {}), f"{where}[{at}]", depth + 1)
