"""Markdown for the property tests: documents as people write them, and lines thrown together without sense."""

from hypothesis import strategies as st

# Lines that begin, continue, end or almost begin every kind of block.
LINES = [
    "", "", "", "a", "foo bar", "# h", "## x ##", "#", "#tag", "####### seven", "- a", "- b", "  - c", "    - d", "* e",
    "+ f", "1. g", "2. h", "10) i", "-", "1.", "- - k", "- > q", "> q", "> - l", ">", "> > z", ">     code", "```", "~~~",
    "````", "```py", "  ```", "> ```", "- ```", "    code", "\tcode", "  text", "      deep", "---", "***", "===",
    "- ---", "   ---", "--", "=", "| a | b |", "|---|---|", "a | b", "-|-", "<!-- c -->", "<!-- open", "-->", "<div>",
    "</div>", "<b>", "<script>", "</script>", "<?php", "?>", "<!X", "<a href='x'>", "a <b>", "  <!-- x -->", "-\tx",
    "1.  z", "   indented", "     five", "- # h", "- | a |", "  |---|", "  a | b", "  ---", "-     f", "\\| x", "~~s~~",
    "__", "_ _ _", "> # h", "> a | b", "> -|-", "> ---", "   > w", "12345678901. x", "0. k", "-> x", "  > q", "é – 日本",
]  # fmt: skip

line_soup = st.lists(st.sampled_from(LINES), min_size=1, max_size=9).map(lambda lines: "\n".join(lines) + "\n")

_WORDS = [
    "tea", "Anna", "deploy", "Thursday", "prefers", "because", "the", "日本語", "café", "🙂", "`code`", "**bold**",
    "3.14", "10:30", "<b>", "|", "#", "-",
]  # fmt: skip
words = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9).map(" ".join).map(lambda text: "So " + text)


def _indent(text: str, margin: str) -> str:
    return "\n".join(margin + line if line else line for line in text.split("\n"))


headings = st.builds(lambda level, title: "#" * level + " " + title, st.integers(1, 4), words)
setext = st.builds(lambda title, mark: f"{title}\n{mark * 4}", words, st.sampled_from("=-"))
paragraphs = st.lists(words, min_size=1, max_size=3).map("\n".join)
fences = st.builds(
    lambda mark, body: f"{mark}py\n{body}\n{mark}",
    st.sampled_from(["```", "~~~~"]),
    st.sampled_from(["x = 1", "# no", ""]),
)
tables = st.lists(words.map(lambda text: text.replace("|", "/")), max_size=3).map(
    lambda rows: "\n".join(["| a | b |", "|---|:-:|", *(f"| {row} | 1 |" for row in rows)])
)
quotes = paragraphs.map(lambda text: _indent(text, "> "))
comments = st.sampled_from(["<!-- note -->", "<!-- over\n\nlines -->", "<!-- dc:type=event dc:importance=4.5 -->"])
breaks = st.sampled_from(["---", "* * *", "___"])
_inner = st.one_of(paragraphs, fences, tables, quotes)
_sub_items = st.lists(words, min_size=1, max_size=3).map(lambda items: "\n".join("- " + item for item in items))
items = st.builds(
    lambda mark, lead, inner: mark + " " + _indent("\n\n".join([lead, *inner]), " " * (len(mark) + 1)).lstrip(" "),
    st.sampled_from(["-", "*", "1."]),
    paragraphs,
    st.lists(st.one_of(_inner, _sub_items), max_size=2),
)
lists = st.lists(items, min_size=1, max_size=4).map("\n".join)
blocks = st.one_of(headings, setext, paragraphs, lists, fences, tables, quotes, comments, breaks)

realistic = st.lists(blocks, min_size=1, max_size=8).map(lambda parts: "\n\n".join(parts) + "\n")
tight = st.lists(blocks, min_size=1, max_size=8).map(lambda parts: "\n".join(parts) + "\n")
