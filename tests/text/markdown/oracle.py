"""Block boundaries according to markdown-it-py, in our terms: (kind, first line, line after the last, depth).

Set up like our scanner: tables as GFM has them (tried after the other blocks, so that `# a | b` stays a heading), no
link reference definitions. A list item is its marker line with the first block in it; quotes are not looked into.
"""

from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import table
from markdown_it.token import Token

from everself.text.markdown.blocks import BlockKind, scan

Boundary = tuple[str, int, int, int]

_LEAVES = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "table_open": "table",
    "html_block": "html",
    "hr": "thematic_break",
    "blockquote_open": "quote",
}


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 100}).disable("reference")
    parser.block.ruler.after("heading", "late_table", table, {"alt": ["paragraph", "reference"]})
    return parser.enable("late_table")


_PARSER = _parser()


def expected(text: str) -> list[Boundary]:
    lines = text.split("\n")
    found: list[Boundary] = []
    item: tuple[int, int] | None = None
    depth = quoted = 0

    def end_of(token: Token) -> int:
        assert token.map
        end = token.map[1]
        # an empty quote is reported with the blank lines after it
        while "quote" in token.type and end > token.map[0] + 1 and not lines[end - 1].strip(" \t"):
            end -= 1
        return end

    def flush() -> None:
        nonlocal item
        if item is not None:
            found.append(("list_item", item[0], item[0] + 1, item[1]))
            item = None

    for token in _PARSER.parse(text):
        if token.type == "blockquote_close":
            quoted -= 1
        elif token.type == "blockquote_open":
            quoted += 1
        if quoted > 1 or (quoted == 1 and token.type != "blockquote_open"):
            continue
        if token.type == "list_item_open":
            assert token.map
            if item is None or item[0] != token.map[0]:
                flush()
                item = (token.map[0], depth)
            depth += 1
        elif token.type == "list_item_close":
            depth -= 1
            flush()
        elif token.type in _LEAVES:
            assert token.map
            if item is not None and token.map[0] == item[0]:
                found.append(("list_item", item[0], end_of(token), item[1]))
                item = None
            else:
                flush()
                found.append((_LEAVES[token.type], token.map[0], end_of(token), depth))
    return found


def ours(text: str) -> list[Boundary]:
    return [
        (
            "html" if block.kind is BlockKind.COMMENT else str(block.kind),
            block.first_line - 1,
            block.last_line,
            block.depth,
        )
        for block in scan(text.encode()).blocks
        if block.kind is not BlockKind.BLANK
    ]


def strays(text: str) -> bool:
    """Whether the document meets one of the places where markdown-it-py itself leaves the specification.

    It measures the four columns of indented code from the innermost open container even where a line does not
    continue that container, and lets a lazy line of a list item become the header of a table.
    """
    lines = text.split("\n")
    deep = any(line.expandtabs(4).startswith("    ") and line.lstrip(" \t")[:1] in "->*+123#`~<_" for line in lines)
    contained = any(">" in line or line.startswith(("-     ", "1.  ")) for line in lines)
    for above, line in pairwise(lines):
        marks = line.strip(" \t")
        if (
            marks
            and not marks.strip("|-: \t")
            and "|" in above
            and len(line) - len(line.lstrip()) > len(above) - len(above.lstrip())
        ):
            return True
    return deep and contained
