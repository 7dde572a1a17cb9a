"""Reads the JSON object in a body, and its fields. Invalid input is refused with 400 and the field's name. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from everself.interfaces.http.problems import Problem, Refused, refuse

Body = Mapping[str, Any]


def wrong(param: str, words: str) -> Refused:
    return Refused(Problem(400, "invalid-request", "The request cannot be served", words, param=param))


def read_text(body: Body, name: str, where: str = "", *, needed: bool = True) -> str:
    value = body.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise wrong(f"{where}{name}", f"{where}{name} is missing or is not a string.")
    return value


def read_flag(body: Body, name: str, where: str = "") -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise wrong(f"{where}{name}", f"{where}{name} is true or false.")
    return bool(value)


def read_count(body: Body, name: str) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10_000_000:
        raise wrong(name, f"{name} is a whole number from 1 on.")
    return value


def read_number(body: Body, name: str, most: float) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise wrong(name, f"{name} is a number from 0 to {most:g}.")
    return float(value)


def read_whole(body: Body, name: str) -> int | None:
    value = body.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63):
        raise wrong(name, f"{name} is a whole number of 64 bits.")
    return value


def read_optional_flag(body: Body, name: str, where: str = "") -> bool | None:
    """A boolean, or None if the field is missing."""
    return None if body.get(name) is None else read_flag(body, name, where)


def read_object_field(body: Body, name: str, where: str = "") -> Body:
    value = body.get(name)
    if value is not None and not isinstance(value, dict):
        raise wrong(f"{where}{name}", f"{where}{name} is an object.")
    return value or {}


def read_list(body: Body, name: str, where: str = "") -> list[Any]:
    value = body.get(name)
    if value is not None and not isinstance(value, list):
        raise wrong(f"{where}{name}", f"{where}{name} is a list.")
    return value or []


def read_objects(body: Body, name: str, where: str = "") -> Iterator[tuple[str, Body]]:
    """Each object of a list, with its location."""
    for number, one in enumerate(read_list(body, name, where)):
        place = f"{where}{name}[{number}]"
        yield place, need_object(one, place)


def read_texts(body: Body, name: str) -> tuple[str, ...]:
    """A text or a list of texts."""
    value = body.get(name)
    found = [value] if isinstance(value, str) else value or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise wrong(name, f"{name} is a text or a list of texts.")
    return tuple(one for one in found if one)


def need_object(value: object, where: str) -> Body:
    if not isinstance(value, dict):
        raise wrong(where, f"{where} is not an object.")
    return value


def need_nothing(body: Body, nothing: Mapping[str, tuple[object, ...]]) -> None:
    """Refuse fields that request unsupported features; `nothing` are the values of each field that request nothing."""
    for name, values in nothing.items():
        value = body.get(name)
        if value is not None and value not in values:
            raise wrong(name, f"{name} is not served.")


_LARGEST: Final = 2**63 - 1


def read_object(body: bytes) -> dict[str, object]:
    """The JSON object in a body; an empty body is an empty object."""
    import msgspec

    try:
        found = msgspec.json.decode(body) if body.strip() else {}
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise refuse(400, "not-json", "The body is not JSON", f"{error}."[:200]) from error
    if not isinstance(found, dict):
        raise refuse(400, "not-json", "The body is not a JSON object")
    if not _is_storable(found):
        raise refuse(400, "number", "A number is too large", "Whole numbers have at most 64 bits.")
    return found


def _is_storable(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_storable, value.values()))
    if isinstance(value, list):
        return all(map(_is_storable, value))
    return not isinstance(value, int) or -_LARGEST <= value <= _LARGEST
