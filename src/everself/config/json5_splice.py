"""Edits a JSON5 text and leaves every other character unchanged.

Knows paths, not settings; below `agents.list`, a path part is the id of an item. The result is parsed again and compared with the
intended data, so a bug here raises an error and never damages the file.
"""

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

from everself.config.host import LIMIT, parse_json5
from everself.config.kinds import Plain
from everself.config.shape import Where, locate, skip_blanks
from everself.errors import BadConfig

Path = tuple[str, ...]

FILE = "the host file"
_LIST: Path = ("agents", "list")
_START = "{\n}\n"


class Editor:
    """One text, its data and its shape. `strict`: another program's JSON, where every key is quoted."""

    def __init__(self, text: str, file: str = FILE, *, strict: bool = False, most: int = LIMIT) -> None:
        self.file, self._most = file, most
        self.data = parse_json5(text, file, most)
        if skip_blanks(text, 0) == len(text):
            text += ("" if not text or text.endswith("\n") else "\n") + _START
        self.text = text
        self.shape = locate(text)
        self.newline = "\r\n" if "\r\n" in text else "\n"
        members = self.shape.members(())
        self.quoted = strict or (bool(members) and text[members[0].first] in "\"'")
        self.step = self._indent_at(members[0].first) if members else ""

    def follow(self, path: Path) -> tuple[Where, object]:
        """Follow a path as far as it exists. Returns the position and the value of the last node found."""
        where: Where = ()
        node: object = self.data
        for name in path:
            if isinstance(node, dict) and name in node:
                where, node = (*where, name), node[name]
            elif isinstance(node, list) and name in (ids := [_id_of(item) for item in node]):
                where, node = (*where, ids.index(name)), node[ids.index(name)]
            else:
                break
        return where, node

    def put(self, path: Path, value: Plain) -> str:
        """The text with the value at the path; missing groups are created."""
        where, node = self.follow(path)
        rest = json.loads(json.dumps(_nested(path, len(where), value)))
        expected = copy.deepcopy(self.data)
        if len(where) == len(path) or node is None:
            span = self.shape.spans[where]
            rendered = self._render(rest, self._indent_at(span.first))
            text = self.text[: span.start] + rendered + self.text[span.end :]
            _inside(expected, where[:-1])[where[-1]] = rest
        elif isinstance(node, dict):
            ((name, inner),) = rest.items()
            text = self._append(where, lambda indent: f"{self._key(name)}: {self._render(inner, indent)}")
            _inside(expected, where).update(rest)
        elif isinstance(node, list):
            text = self._append(where, lambda indent: self._render(rest[0], indent))
            _inside(expected, where).append(rest[0])
        else:
            group = ".".join(path[: len(where)])
            raise BadConfig(
                f"{group} in {self.file} is not a group of settings, so nothing can be set in it.",
                mend="Edit it by hand.",
            )
        return self._checked(text, expected, ())

    def add(self, path: Path, value: Plain) -> str:
        """The text with a value appended to the list at the path, which must exist."""
        where, node = self.follow(path)
        if len(where) < len(path) or not isinstance(node, list):
            raise BadConfig(f"{'.'.join(path)} in {self.file} is not a list.", mend="Edit it by hand.")
        plain = json.loads(json.dumps(value))
        expected = copy.deepcopy(self.data)
        _inside(expected, where).append(plain)
        return self._checked(self._append(where, lambda indent: self._render(plain, indent)), expected, ())

    def remove(self, path: Path) -> str:
        """The text without the member at the path, which must exist. If the key occurs twice, an earlier value remains."""
        return self.remove_at(self.follow(path)[0])

    def remove_at(self, where: Where) -> str:
        """The text without the member at a position; a list item is named by its number."""
        span, text = self.shape.spans[where], self.text
        start, end = span.first, span.end
        after = skip_blanks(text, end)
        followed = text[after] == ","
        end = after + 1 if followed else end
        line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        if not text[line_start:start].strip() and line_end != -1 and text[end:line_end].strip()[:2] in ("", "//"):
            start, end = line_start, line_end + 1
        elif followed:
            end += len(text[end:]) - len(text[end:].lstrip(" "))
        removed = text[:start] + text[end:]
        before = [other for other in self.shape.members(where[:-1]) if other.start < span.start]
        if not followed and before:
            comma = skip_blanks(text, before[-1].end)
            removed = removed[:comma] + removed[comma + 1 :]
        if isinstance(where[-1], int):
            del _inside(expected := copy.deepcopy(self.data), where[:-1])[where[-1]]
            return self._checked(removed, expected, ())
        return self._checked(removed, self.data, where)

    def _checked(self, text: str, expected: dict[str, object], but: Where) -> str:
        """The text, if it parses to the expected data; the value at `but` may be missing or differ."""
        sides = [copy.deepcopy(expected), parse_json5(text, self.file, self._most)]
        for data in sides if but else ():
            _inside(data, but[:-1]).pop(but[-1], None)
        # compared as text because NaN does not equal itself
        if repr(sides[0]) != repr(sides[1]):
            raise BadConfig(f"{self.file} cannot be edited safely.", mend="Edit it by hand.")
        return text

    def _append(self, group: Where, render: Callable[[str | None], str]) -> str:
        """The text with a member appended to a group, in the group's own layout."""
        text, span, members = self.text, self.shape.spans[group], self.shape.members(group)
        at, closing, comma = span.start + 1, span.end - 1, ""
        if members:
            at = members[-1].end
            after = skip_blanks(text, at)
            at, comma = (after + 1, "") if text[after] == "," else (at, ",")
        kept = text[at:closing].rstrip()
        final = "," if members and not comma else ""
        if members and "\n" not in text[span.start : closing]:
            blanks = text[at + len(kept) : closing]
            return f"{text[:at]}{comma}{kept} {render(None)}{final}{blanks}{text[closing:]}"
        outer = self._indent_at(span.start)
        indent = self._indent_at(members[0].first) if members else ""
        if len(indent) <= len(outer):
            indent = outer + (self.step or "  ")
        line = f"{self.newline}{indent}{render(indent)}{final}{self.newline}{outer}"
        return text[:at] + comma + kept + line + text[closing:]

    def _indent_at(self, position: int) -> str:
        """The indentation of the line that contains the position."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _key(self, name: str) -> str:
        plain = name.isascii() and name.isidentifier() and not self.quoted
        return name if plain else json.dumps(name, ensure_ascii=False)

    def _render(self, value: object, indent: str | None) -> str:
        """The value as JSON5, with groups spread over lines; without an indent, on one line."""
        if isinstance(value, Mapping) and value:
            inner = None if indent is None else indent + (self.step or "  ")
            members = [f"{self._key(name)}: {self._render(part, inner)}" for name, part in value.items()]
            if inner is None:
                return "{" + ", ".join(members) + "}"
            return "{" + ",".join(self.newline + inner + member for member in members) + f"{self.newline}{indent}}}"
        if isinstance(value, list):
            return "[" + ", ".join(self._render(part, None) for part in value) + "]"
        return json.dumps(value, ensure_ascii=False)


def _id_of(item: object) -> object:
    return item.get("id", item.get("agentId")) if isinstance(item, dict) else None


def _nested(path: Path, depth: int, value: Plain) -> Plain:
    """The value wrapped in the groups that the path names from `depth` on."""
    for index in range(len(path) - 1, depth - 1, -1):
        if path[:index] == _LIST:
            members = value if isinstance(value, Mapping) else {}
            value = ({"id": path[index], **members},)
        else:
            value = {path[index]: value}
    return value


def _inside(data: object, where: Where) -> Any:
    for part in where:
        data = data[part]  # type: ignore[index]  # the path was found there
    return data
