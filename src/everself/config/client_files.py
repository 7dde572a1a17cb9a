"""Adds our part to another program's settings file, and removes it; every other byte stays. Supports JSON with comments and TOML.

Pure. Each result is parsed again and compared with the intended data. Raises BadConfig if a text cannot be edited safely.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from everself.config.host import decode as decode_text
from everself.config.json5_splice import Editor
from everself.config.kinds import Plain
from everself.config.shape import Where
from everself.errors import BadConfig
from everself.frozen import Frozen

Path = tuple[str, ...]
_MOST: Final = 16 * 2**20
_BOM: Final = "\ufeff"


class Addition(Frozen):
    """A value at a path. With a `mark` it is one item of the list at that path, and list items that contain the mark are ours. `form`:
    the file needs the value in any case, so it is not removed."""

    path: Path
    value: Plain
    mark: str = ""
    form: bool = False


def decode(data: bytes, file: str) -> str:
    """The text of a settings file. Raises BadConfig if it is not UTF-8 or begins with a byte order mark, which clients handle
    differently."""
    text = decode_text(data, file) or ""
    if text.startswith(_BOM):
        raise BadConfig(f"{file} begins with a byte order mark.", mend=f"Save {file} as UTF-8 without it.")
    return text


def add_to_json(text: str, additions: Sequence[Addition], file: str) -> str:
    """The text with our part added; unchanged if it is complete already."""
    for one in additions:
        editor = _editor(text, file, one.path)
        where, node = editor.follow(one.path)
        there = len(where) == len(one.path)
        if not one.mark:
            if not there or node != _plain(one.value):
                text = editor.put(one.path, one.value)
        elif not there:
            text = editor.put(one.path, (one.value,))
        elif not isinstance(node, list):
            raise BadConfig(f"{'.'.join(one.path)} in {file} is not a list.", mend="Edit it by hand.")
        elif _plain(one.value) not in node:
            # replace the item that an earlier version added
            text = _editor(_without_marked(text, one, file), file, one.path).add(one.path, one.value)
    return text


def remove_from_json(text: str, before: str | None, additions: Sequence[Addition], file: str) -> str:
    """The text without our part, and without groups that are empty now and were missing `before`."""
    known = Editor(before, file, strict=True, most=_MOST).data if before is not None else {}
    for one in additions:
        editor = _editor(text, file, one.path)
        where, node = editor.follow(one.path)
        if len(where) < len(one.path) or one.form:
            continue
        if one.mark:
            text = _without_marked(text, one, file)
        elif node != _get(known, one.path):
            text = editor.remove(one.path)
        text = _without_empty(text, one.path if one.mark else one.path[:-1], known, file)
    return text


def _without_marked(text: str, one: Addition, file: str) -> str:
    where, node = _editor(text, file, one.path).follow(one.path)
    items = node if isinstance(node, list) and len(where) == len(one.path) else []
    places: list[Where] = [(*where, at) for at, item in enumerate(items) if one.mark in json.dumps(item)]
    for place in reversed(places):
        text = _editor(text, file, one.path).remove_at(place)
    return text


def stands_in_json(text: str, additions: Sequence[Addition], file: str) -> bool:
    """Whether all of our part is in the text."""
    editor = Editor(text, file, strict=True, most=_MOST)
    for one in additions:
        where, node = editor.follow(one.path)
        value = _plain(one.value)
        if len(where) < len(one.path) or not (isinstance(node, list) and value in node if one.mark else node == value):
            return False
    return True


def find_in_json(text: str, path: Path, file: str) -> object:
    """The value at a path; None if there is none."""
    where, node = Editor(text, file, strict=True, most=_MOST).follow(path)
    return node if len(where) == len(path) else None


def _without_empty(text: str, path: Path, known: Mapping[str, object], file: str) -> str:
    while path:
        editor = Editor(text, file, strict=True, most=_MOST)
        where, node = editor.follow(path)
        if len(where) < len(path) or node or _is_in(known, path):
            break
        text = editor.remove(path)
        path = path[:-1]
    return text


def _is_in(data: object, path: Path) -> bool:
    return _get(data, path) is not None


def _get(data: object, path: Path) -> object:
    for name in path:
        if not isinstance(data, Mapping) or name not in data:
            return None
        data = data[name]
    return data


def _editor(text: str, file: str, path: Path) -> Editor:
    made = Editor(text, file, strict=True, most=_MOST)
    twice = [one for one in made.shape.repeated if one == path[: len(one)]]
    if twice:
        raise BadConfig(
            f"{file} has the key {'.'.join(map(str, twice[0]))} twice (line {made.shape.line_of(twice[0])}).",
            mend="Remove one of the two.",
        )
    return made


def _plain(value: Plain) -> Any:
    return json.loads(json.dumps(value))


# ── TOML ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def add_to_toml(text: str, table: Path, values: Mapping[str, Plain], file: str) -> str:
    """The text with our table appended; unchanged if an equal table exists."""
    data = _parsed(text, file)
    found = _get(data, table)
    if _holds(found, values):
        return text
    if found is not None:
        raise BadConfig(f"{file} has a table {'.'.join(table)} that says something else.", mend="Remove it first.")
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    made = text + gap + newline.join(_toml_lines(table, values)) + newline
    wanted = json.loads(json.dumps(data, default=repr))
    inner = wanted
    for name in table[:-1]:
        inner = inner.setdefault(name, {})
    inner[table[-1]] = _plain(dict(values))
    return _compared(made, wanted, file)


def remove_from_toml(text: str, table: Path, file: str) -> str:
    """The text without our table."""
    data = _parsed(text, file)
    if _get(data, table) is None:
        return text
    heads = (f"[{'.'.join(table)}]", f"[{'.'.join(table)}.")
    kept: list[str] = []
    ours: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            kept += _below(ours)
            ours = []
            inside = line.strip().startswith(heads)
            if inside and kept and not kept[-1].strip():
                kept.pop()
        (ours if inside else kept).append(line)
    kept += _below(ours)
    wanted = json.loads(json.dumps(data, default=repr))
    inner = wanted
    for name in table[:-1]:
        inner = inner[name]
    del inner[table[-1]]
    if not inner and len(table) == 2:
        del wanted[table[0]]
    return _compared("".join(kept), wanted, file)


def _below(table: list[str]) -> list[str]:
    """The comments and blank lines at the end of a table: they belong to what follows."""
    said = [at for at, line in enumerate(table) if line.strip() and not line.lstrip().startswith("#")]
    return table[said[-1] + 1 :] if said else table


def stands_in_toml(text: str, table: Path, values: Mapping[str, Plain], file: str) -> bool:
    return _holds(_get(_parsed(text, file), table), values)


def _holds(found: object, values: Mapping[str, Plain]) -> bool:
    """Whether a table has these values. Other keys are allowed: clients store the user's permissions there."""
    wanted = _plain(dict(values))
    return isinstance(found, dict) and all(found.get(name) == value for name, value in wanted.items())


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(f"{file} is not valid TOML: {error}.", mend=f"Edit {file} there.") from error


def _compared(text: str, wanted: dict[str, Any], file: str) -> str:
    try:
        made = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        made = {}
    if json.loads(json.dumps(made, default=repr)) != wanted:
        raise BadConfig(f"{file} cannot be edited safely.", mend="Edit it by hand.")
    return text


def _toml_lines(table: Path, values: Mapping[str, Plain]) -> list[str]:
    plain = {name: value for name, value in values.items() if not isinstance(value, Mapping)}
    nested = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    lines = [f"[{'.'.join(table)}]", *(f"{name} = {_toml_value(value)}" for name, value in plain.items())]
    for name, inner in nested.items():
        lines += ["", *_toml_lines((*table, name), inner)]
    return lines


def _toml_value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    # a basic string of TOML has the same escapes as JSON, except for DEL
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
