"""Converts results to JSON, with field names as in Python. Knows no particular type."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def to_json(value: object) -> Json:
    """Convert frozen values, enumerations, times and collections; anything else is an internal error."""
    if isinstance(value, Enum):
        return to_json(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        # values that JSON cannot express
        return value if math.isfinite(value) else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): to_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(inner) for inner in value]
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError("a time without an offset means nothing to a reader")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    raise TypeError(f"{type(value).__name__} has no JSON form")


def render_json(value: object, encoding: str | None) -> str:
    """The JSON text, in ASCII if the output's encoding requires it."""
    formed = to_json(value)
    text = json.dumps(formed, ensure_ascii=False, indent=2)
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return json.dumps(formed, indent=2)
    return text
