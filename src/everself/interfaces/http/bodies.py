"""The JSON object that a body holds."""

from typing import Final

from everself.interfaces.http.problems import refuse

_LARGEST: Final = 2**63 - 1


def read_object(body: bytes) -> dict[str, object]:
    """The JSON object that a body holds; an empty body is an empty one."""
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
