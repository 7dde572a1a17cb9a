"""Sets and unsets one key in the text of the host file. Secrets go to the secrets file.

Pure: takes and returns texts. The caller saves them, the secrets first. Comments, order and layout are kept.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from everself.config.host import parse_secrets
from everself.config.json5_splice import Editor
from everself.config.kinds import Misfit, Plain
from everself.config.places import is_agent_id
from everself.config.schema import (
    Path,
    Spot,
    canonical,
    find_spot,
    get_spot,
    is_group,
    join_key,
    spellings,
    split_key,
)
from everself.config.secrets import references, stored_reference
from everself.errors import BadConfig, WrongUse

_FAR = 1_000


@dataclass(frozen=True, slots=True, repr=False)
class Edited:
    """The texts to save; `secrets` is None if the secrets file does not change."""

    host: str
    secrets: str | None = None


def plan_set(host: str | None, secrets: str | None, key: str, value: str) -> Edited:
    """Set a key to the text that the user typed. A secret goes to the secrets file, and a reference to it to the host file."""
    spot = get_spot(key)
    name = join_key(spot.path)
    if not spot.setting.secret or references(value):
        return Edited(set_key(host or "", key, value))
    if not value:
        raise WrongUse(f"{name} needs a value.", mend=f"everself config unset {name}")
    changed = set_key(host or "", key, stored_reference(name))
    return Edited(changed, _render_secrets(parse_secrets(secrets or "", "the secrets file") | {name: value}))


def plan_unset(host: str | None, secrets: str | None, key: str) -> Edited:
    """Remove a key and the secret that was stored for it."""
    changed = unset_key(host or "", key)
    stored = parse_secrets(secrets or "", "the secrets file")
    name = join_key(canonical(split_key(key)))
    return Edited(changed, _render_secrets(stored) if stored.pop(name, None) is not None else None)


def set_key(text: str, key: str, value: str) -> str:
    """The text with the key set; the value is read as JSON5 if that fits the setting, else as a plain string."""
    spot = get_spot(key)
    if spot.agent and not is_agent_id(spot.agent):
        raise WrongUse("The id of an agent may contain letters, digits, - and _ only.")
    editor = Editor(text)
    return editor.put(_choose_spelling(editor, spot), _fitting(spot, value))


def unset_key(text: str, key: str) -> str:
    """The text without the key, under any of its names; unchanged if the key is not set."""
    path = split_key(key)
    spot = find_spot(path)
    if spot is not None and spot.setting.key == "agents.list[].id":
        raise WrongUse("The id of an agent cannot be removed.")
    if spot is None and is_group(path):
        get_spot(key)
    forms = tuple(dict.fromkeys((path, *spellings(path))))
    changed = text
    # repeated because a key may occur twice in one group and under several names
    while form := next((form for form in forms if _holds(Editor(changed), form)), None):
        changed = Editor(changed).remove(form)
    if changed == text:
        get_spot(key)
    return changed


def _fitting(spot: Spot, value: str) -> Plain:
    """The typed text as JSON5 if that fits the setting, else as a string if that fits."""
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
            # the setting stores 1 as 1.0 where a number is wanted; the file gets what was typed
            return taken if isinstance(reading, list | dict) else cast(Plain, reading)
        misfit = misfit if misfit.words else taken
    raise BadConfig(f"{join_key(spot.path)} {misfit.words}", mend=f"everself config set {join_key(spot.path)} VALUE")


def _choose_spelling(editor: Editor, spot: Spot) -> Path:
    """The spelling that the file uses already, else the one that its neighbours use, else the canonical one."""

    def missing(form: Path) -> int:
        depth = len(editor.follow(form)[0])
        shared = sum(1 for length in range(1, len(form) + 1) if form[:length] == spot.path[:length])
        if depth == len(form):
            return 0 if _holds(editor, form) or not is_group(form) else _FAR
        return len(form) - depth if form == spot.path or depth > shared else _FAR

    return min(spellings(spot.path), key=missing)


def _holds(editor: Editor, form: Path) -> bool:
    """Whether the path has a value. A group of that name does not count."""
    where, node = editor.follow(form)
    return len(where) == len(form) and not (isinstance(node, dict) and is_group(form))


def _render_secrets(stored: Mapping[str, str]) -> str:
    return json.dumps(dict(sorted(stored.items())), ensure_ascii=False, indent=2) + "\n"
