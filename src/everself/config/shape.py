"""Positions of all values in a JSON5 text, and duplicate keys. The parser reports neither.

Accepts only texts that the parser has accepted. Finds positions and does not interpret values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

Where = tuple[str | int, ...]

_SPACE = frozenset(" \t\n\r\v\f\xa0\ufeff\u2028\u2029\u1680\u202f\u205f\u3000") | {
    chr(n) for n in range(0x2000, 0x200B)
}
_ENDS_OF_LINE = frozenset("\n\r\u2028\u2029")
_SIGNS = frozenset(",:{}[]")
_ENDS_OF_WORD = _SPACE | _SIGNS | {"/"}


@dataclass(slots=True)
class Span:
    """The position of a member: `first` is where its key begins (in a list, its value); `start` and `end` enclose the value."""

    line: int
    first: int
    start: int
    end: int


@dataclass(slots=True)
class Shape:
    """Positions by path; the path of a list item ends with its number. For `repeated` keys only the last position is kept."""

    spans: dict[Where, Span] = field(default_factory=dict)
    repeated: list[Where] = field(default_factory=list)

    def line_of(self, where: Where) -> int:
        """The line of the member, or of the nearest known group around it; 0 if there is none."""
        while where and where not in self.spans:
            where = where[:-1]
        return self.spans[where].line if where else 0

    def members(self, group: Where) -> list[Span]:
        return [span for where, span in self.spans.items() if where[:-1] == group and where]

    def begin(self, where: Where, line: int, start: int) -> None:
        if where in self.spans:
            self.repeated.append(where)
            for stale in [known for known in self.spans if known[: len(where)] == where]:
                del self.spans[stale]
        self.spans[where] = Span(line, start, start, start)


def locate(text: str) -> Shape:
    """The position of every member of a valid JSON5 text. The whole value has the empty path."""
    shape = Shape()
    # for each open group, its path and, for a list, the number of the next item
    groups: list[tuple[Where, int | None]] = []
    here: Where = ()
    line, counted, is_value = 1, 0, True
    for start, token in _tokens(text):
        line, counted = line + text.count("\n", counted, start), start
        in_list = bool(groups) and groups[-1][1] is not None
        if token in "}]":
            here, _ = groups.pop()
            shape.spans[here].end = start + 1
        elif token in ",:":
            is_value = token == ":"
        elif groups and not in_list and not is_value:
            here = (*groups[-1][0], _decode(token))
            shape.begin(here, line, start)
        else:
            if in_list:
                place, index = groups[-1][0], groups[-1][1] or 0
                here, groups[-1] = (*place, index), (place, index + 1)
            if in_list or not groups:
                shape.begin(here, line, start)
            shape.spans[here].start, shape.spans[here].end = start, start + len(token)
            if token in "{[":
                groups.append((here, None if token == "{" else 0))
            is_value = False
    return shape


def skip_blanks(text: str, at: int) -> int:
    """The next position that is not white space or a comment; the length of the text if there is none."""
    while at < len(text):
        if text[at] in _SPACE:
            at += 1
        elif text.startswith("//", at):
            while at < len(text) and text[at] not in _ENDS_OF_LINE:
                at += 1
        elif text.startswith("/*", at):
            at = text.index("*/", at + 2) + 2
        else:
            break
    return at


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    at = skip_blanks(text, 0)
    while at < len(text):
        start = at
        if text[at] in "\"'":
            at += 1
            while text[at] != text[start]:
                at += 2 if text[at] == "\\" else 1
        elif text[at] not in _SIGNS:
            while at + 1 < len(text) and text[at + 1] not in _ENDS_OF_WORD:
                at += 1
        at += 1
        yield start, text[start:at]
        at = skip_blanks(text, at)


def _decode(key: str) -> str:
    if "\\" in key:
        import pyjson5

        return str(pyjson5.decode(key if key[0] in "\"'" else f'"{key}"'))
    return key[1:-1] if key[0] in "\"'" else key
