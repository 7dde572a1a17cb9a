"""Changes to a JSON5 text that leave every other character where it was.

The library parses and tells where things stand; the text itself is cut and joined here. Knows paths, not settings:
below `agents.list` a part of a path is the id of an item.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from json5.dumper import ModelDumper, dumps
from json5.loader import ModelLoader, loads
from json5.model import Identifier, JSONArray, JSONObject, JSONText, Key, Node, NullLiteral, String, Value

from everself.config.kinds import Plain
from everself.config.positions import skip_blanks
from everself.errors import BadConfig

Path = tuple[str, ...]
LIST: Path = ("agents", "list")
_ID_NAMES = ("id", "agentId")


@dataclass(frozen=True, slots=True)
class Found:
    """How far a path leads into a text: the last node on it, and how many parts of the path led there."""

    node: Value
    depth: int


class Text:
    """One JSON5 text with its parsed shape; refuses texts that the library cannot give back as they were."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        refusal = BadConfig(
            f"{file} is written in a way that cannot be changed without risk to the rest of it.",
            mend=f"Edit {file} by hand.",
        )
        try:
            model = loads(text, loader=ModelLoader())
            same = dumps(model, dumper=ModelDumper()) == text  # type: ignore[arg-type]
        # the grammar's own errors, and what its code does on input it did not foresee
        except (ValueError, TypeError, AttributeError, AssertionError, LookupError, RecursionError):
            raise refusal from None
        if not same or not isinstance(model, JSONText) or not isinstance(model.value, JSONObject):
            raise refusal
        self.root: JSONObject = model.value
        self.quoted = bool(self.root.keys) and all(isinstance(key, String) for key in self.root.keys)

    def find(self, path: Path) -> Found:
        node: Value = self.root
        for depth, name in enumerate(path):
            child = _child(node, name)
            if child is None:
                return Found(node, depth)
            node = child
        return Found(node, len(path))

    @staticmethod
    def is_group(found: Found) -> bool:
        return isinstance(found.node, JSONObject)

    def put(self, path: Path, value: Plain) -> str:
        """The text with the value at the path, in groups that are made where they are missing."""
        found = self.find(path)
        if found.depth == len(path):
            return self._replace(found.node, value, None)
        rest = nest(path, found.depth, value)
        if isinstance(found.node, JSONObject) and isinstance(rest, Mapping):
            ((name, inner),) = rest.items()
            return self._append(found.node, lambda indent: f"{self._key(name)}: {self._render(inner, indent)}")
        if isinstance(found.node, JSONArray) and isinstance(rest, tuple):
            return self._append(found.node, lambda indent: self._render(rest[0], indent))
        if isinstance(found.node, NullLiteral):
            return self._replace(found.node, rest, self._indent_at(_start(found.node)))
        raise BadConfig(f"{'.'.join(path[: found.depth])} is not a group, so nothing can be set in it.")

    def remove(self, path: Path) -> str:
        """The text without the member at the path, which must be there."""
        parent = self.find(path[:-1]).node
        assert isinstance(parent, JSONObject)
        index = max(number for number, key in enumerate(parent.keys) if _name(key) == path[-1])
        start, end = _start(parent.keys[index]), _end(parent.values[index])
        after = skip_blanks(self.text, end)
        if self.text[after] == ",":
            end = after + 1
        text = self.text
        line_start = text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", end)
        alone = not text[line_start:start].strip() and line_end != -1
        trailing = text[end:line_end].strip() if alone else ""
        if alone and (not trailing or trailing.startswith("//")):
            start, end = line_start, line_end + 1
        elif self.text[after] == ",":
            end += len(text[end:]) - len(text[end:].lstrip(" "))
        text = text[:start] + text[end:]
        if self.text[after] != "," and index > 0:
            comma = skip_blanks(self.text, _end(parent.values[index - 1]))
            text = text[:comma] + text[comma + 1 :]
        return text

    def _replace(self, node: Value, value: object, indent: str | None) -> str:
        return self.text[: _start(node)] + self._render(value, indent) + self.text[_end(node) :]

    def _append(self, group: JSONObject | JSONArray, render: Callable[[str | None], str]) -> str:
        """The text with one more member at the end of a group, in the group's own layout."""
        inside, closing = _start(group) + 1, _end(group) - 1
        members = _members(group)
        comma_at, comma = inside, ""
        if members:
            last = _end(members[-1][1])
            after = skip_blanks(self.text, last)
            comma_at, comma = (after + 1, "") if self.text[after] == "," else (last, ",")
        tail = self.text[comma_at:closing]
        kept = tail.rstrip()
        if members and "\n" not in self.text[inside:closing]:
            # a group on one line stays on one line
            padding = tail[len(kept) :]
            closing_comma = "" if comma else ","
            return self._joined(comma_at, f"{comma}{kept} {render(None)}{closing_comma}{padding}", closing)
        outer = self._indent_at(_start(group))
        indent = self._indent_at(_start(members[0][0])) if members else ""
        if len(indent) <= len(outer):
            indent = outer + self._unit()
        closing_comma = "," if members and not comma else ""
        added = f"{comma}{kept}{self.newline}{indent}{render(indent)}{closing_comma}{self.newline}{outer}"
        return self._joined(comma_at, added, closing)

    def _joined(self, start: int, middle: str, end: int) -> str:
        return self.text[:start] + middle + self.text[end:]

    def _indent_at(self, position: int) -> str:
        """The blanks at the beginning of the line that holds the position."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position].removeprefix("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _unit(self) -> str:
        """One step of indentation, as the first member of the text shows it."""
        first = self._indent_at(_start(self.root.keys[0])) if self.root.keys else ""
        return first or "  "

    def _key(self, name: str) -> str:
        plain = name.isascii() and name.isidentifier() and name not in ("true", "false", "null", "NaN", "Infinity")
        return name if plain and not self.quoted else json.dumps(name, ensure_ascii=False)

    def _render(self, value: object, indent: str | None) -> str:
        """The value as JSON5, groups spread over lines; without an indent everything stays on one line."""
        if isinstance(value, Mapping) and value:
            inner = None if indent is None else indent + self._unit()
            members = [f"{self._key(name)}: {self._render(part, inner)}" for name, part in value.items()]
            if inner is None:
                return "{" + ", ".join(members) + "}"
            lines = [self.newline + inner + member for member in members]
            return "{" + ",".join(lines) + self.newline + (indent or "") + "}"
        if isinstance(value, list | tuple):
            return "[" + ", ".join(self._render(part, None) for part in value) + "]"
        return json.dumps(value, ensure_ascii=False)


def nest(path: Path, depth: int, value: Plain) -> Plain:
    """The value inside the groups that the path names from `depth` on."""
    for index in range(len(path) - 1, depth - 1, -1):
        if path[:index] == LIST:
            members = value if isinstance(value, Mapping) else {}
            value = ({"id": path[index], **members},)
        else:
            value = {path[index]: value}
    return value


def _child(node: Value, name: str) -> Value | None:
    """The last one of that name, because that is the one that counts."""
    if isinstance(node, JSONObject):
        return next((value for key, value in reversed(node.key_value_pairs) if _name(key) == name), None)
    items = node.values if isinstance(node, JSONArray) else []
    return next((item for item in items if isinstance(item, JSONObject) and _item_id(item) == name), None)


def _item_id(item: JSONObject) -> str:
    for wanted in _ID_NAMES:
        found = _child(item, wanted)
        if found is not None:
            return found.characters if isinstance(found, String) else ""
    return ""


def _name(key: Key) -> str:
    return key.characters if isinstance(key, String) else key.name if isinstance(key, Identifier) else ""


def _members(group: JSONObject | JSONArray) -> list[tuple[Node, Value]]:
    return (
        list(zip(group.keys, group.values, strict=True))
        if isinstance(group, JSONObject)
        else [(v, v) for v in group.values]
    )


def _start(node: Node) -> int:
    assert node._tok is not None
    return node._tok.index


def _end(node: Node) -> int:
    assert node._end_tok is not None
    return node._end_tok.end
