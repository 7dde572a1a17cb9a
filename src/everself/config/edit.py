"""Setting and unsetting one key in the text of the host file, secrets going to the secrets file.

Pure: texts in, texts out; the caller saves them, the secrets first. Comments, order and layout stay.
"""

import contextlib
import copy
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from everself.config.host import parse_json5, parse_secrets
from everself.config.kinds import Misfit, Plain
from everself.config.places import is_agent_id
from everself.config.positions import skip_blanks
from everself.config.schema import Path, Spot, find_spot, is_group, join_key, spellings, split_key
from everself.config.secrets import references, stored_reference
from everself.config.showing import refuse_key
from everself.errors import BadConfig, WrongUse

if TYPE_CHECKING:
    # the library behind it takes long to import, so the functions that need it ask for it
    from everself.config.splice import Text

_FILE = "the host file"
_FAR = 1_000
_START = "{\n}\n"


@dataclass(frozen=True, slots=True, repr=False)
class Edited:
    """The texts to save; `secrets` is None where the secrets file stays as it is."""

    host: str
    secrets: str | None = None


def plan_set(host: str | None, secrets: str | None, key: str, value: str) -> Edited:
    """Set a key to what a person typed. The value of a secret goes to the secrets file, a reference to the host file."""
    spot = _get_spot(key)
    text = host if host is not None else _START
    if not spot.setting.secret or references(value):
        return Edited(set_key(text, key, value))
    if not value:
        raise WrongUse(f"{join_key(spot.path)} needs a value.", mend=f"everself config unset {join_key(spot.path)}")
    name = join_key(spot.path)
    stored = parse_secrets(secrets, "the secrets file") if secrets is not None else {}
    changed = set_key(text, key, stored_reference(name))
    return Edited(changed, _render_secrets({**stored, name: value}))


def plan_unset(host: str | None, secrets: str | None, key: str) -> Edited:
    """Remove a key, and the secret that was stored for it."""
    text = host if host is not None else _START
    stored = parse_secrets(secrets, "the secrets file") if secrets is not None else {}
    spot = find_spot(split_key(key))
    name = join_key(spot.path) if spot is not None else key
    changed = unset_key(text, key)
    if name not in stored:
        return Edited(changed)
    del stored[name]
    return Edited(changed, _render_secrets(stored))


def set_key(text: str, key: str, value: str) -> str:
    """The text with the key set; the value is read as JSON5 where that fits the setting, else taken as it is."""
    spot = _get_spot(key)
    taken = _fitting(spot, value)
    data = parse_json5(text, _FILE)
    if not _has_group(text):
        text = text + ("" if not text or text.endswith("\n") else "\n") + _START
    from everself.config.splice import Text

    shape = Text(text, _FILE)
    path = _choose_spelling(shape, spot)
    changed = shape.put(path, taken)
    _put(data, path, taken)
    return _verified(changed, data)


def unset_key(text: str, key: str) -> str:
    """The text without the key, under whichever of its names it stands there; unchanged when it does not."""
    path = split_key(key)
    if is_group(path) and find_spot(path) is None:
        refuse_key(path)
    data = parse_json5(text, _FILE)
    spot = find_spot(path)
    if spot is not None and spot.setting.key == "agents.list[].id":
        raise WrongUse("The id of an agent cannot be taken away.")
    found = False
    for form in dict.fromkeys((path, *spellings(path))):
        # a key that stands twice in one group is removed twice
        while _holds(data, form):
            from everself.config.splice import Text

            text = Text(text, _FILE).remove(form)
            expected, data = data, parse_json5(text, _FILE)
            _compare(_without(expected, form), _without(data, form))
            found = True
    if not found and spot is None:
        refuse_key(path)
    return text


def _get_spot(key: str) -> Spot:
    path = split_key(key)
    spot = find_spot(path)
    if spot is None:
        refuse_key(path)
    if spot.agent and not is_agent_id(spot.agent):
        raise WrongUse("The id of an agent is made of letters, digits, - and _.")
    return spot


def _fitting(spot: Spot, value: str) -> Plain:
    """What the person typed, as JSON5 if that fits, else as text if that does."""
    import pyjson5

    readings: list[object] = [value]
    if len(value) < 10_000:
        with contextlib.suppress(pyjson5.Json5DecoderException):
            readings.insert(0, pyjson5.decode(value))
    misfit = Misfit("")
    for reading in readings:
        taken = spot.setting.kind.take(reading)
        if not isinstance(taken, Misfit):
            if spot.setting.key == "agents.list[].id" and taken != spot.agent:
                raise WrongUse("The id of an agent cannot be changed: its folders are named after it.")
            # the table keeps 1 as 1.0 where a number is wanted; the file gets what was typed
            return taken if isinstance(reading, list | dict) else cast(Plain, reading)
        misfit = misfit if misfit.words else taken
    raise BadConfig(f"{join_key(spot.path)} {misfit.words}", mend=f"everself config set {join_key(spot.path)} VALUE")


def _choose_spelling(shape: "Text", spot: Spot) -> Path:
    """Where the key stands already, else where its neighbours stand, else its own name."""

    def missing(form: Path) -> int:
        found = shape.find(form)
        if found.depth == len(form) and shape.is_group(found) and is_group(form):
            return _FAR
        shared = os.path.commonprefix([form, spot.path])
        if form != spot.path and found.depth <= len(shared):
            return _FAR
        return len(form) - found.depth

    return min(spellings(spot.path), key=missing)


def _has_group(text: str) -> bool:
    try:
        skip_blanks(text, 0)
    except IndexError:
        return False
    return True


def _step(data: object, path: Path, index: int) -> object:
    """What stands at part `index` of the path inside `data`; None when nothing does."""
    if isinstance(data, list):
        wanted = path[index]
        items = (item for item in data if isinstance(item, dict) and item.get("id", item.get("agentId")) == wanted)
        return next(items, None)
    return data.get(path[index]) if isinstance(data, dict) else None


def _put(data: dict[str, object], path: Path, value: Plain) -> None:
    place: object = data
    for index in range(len(path)):
        inner = _step(place, path, index)
        if inner is None or index == len(path) - 1:
            from everself.config.splice import nest

            rest = json.loads(json.dumps(nest(path, index, value), default=dict))
            if isinstance(place, dict):
                place.update(rest)
            elif isinstance(place, list):
                place.extend(rest)
            return
        place = inner


def _holds(data: dict[str, object], path: Path) -> bool:
    place: object = data
    for index in range(len(path) - 1):
        place = _step(place, path, index)
    if not isinstance(place, dict) or path[-1] not in place:
        return False
    return not (isinstance(place[path[-1]], dict) and is_group(path))


def _without(data: dict[str, object], path: Path) -> dict[str, object]:
    copied = copy.deepcopy(data)
    place: object = copied
    for index in range(len(path) - 1):
        place = _step(place, path, index)
    if isinstance(place, dict):
        place.pop(path[-1], None)
    return copied


def _verified(text: str, expected: dict[str, object]) -> str:
    _compare(expected, parse_json5(text, _FILE))
    return text


def _compare(expected: dict[str, object], actual: dict[str, object]) -> None:
    # as text, because NaN does not equal itself
    if repr(expected) != repr(actual):
        raise BadConfig(f"{_FILE} cannot be changed without risk to the rest of it.", mend="Edit it by hand.")


def _render_secrets(stored: Mapping[str, str]) -> str:
    return json.dumps(dict(sorted(stored.items())), ensure_ascii=False, indent=2) + "\n"
