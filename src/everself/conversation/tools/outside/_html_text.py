"""Converts HTML to plain text in one linear pass, however broken the page is. Pure; knows no network.

Scripts, styles and hidden elements are left out, because nobody who looks at the page would see their text.
"""

import html
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin

from everself.frozen import Frozen

# their content is text up to the closing tag, whatever it looks like
_RAW: Final = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"})
_UNSEEN: Final = frozenset({"template", "svg", "math", "object", "select", "canvas", "dialog", "audio", "video"})
_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_BLOCKS: Final = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "legend", "main", "menu", "nav", "ol"),
        *("p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"),
    }
)
_HEADINGS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)}
# elements that many pages do not close
_UNCLOSED: Final = frozenset({"p", "li", "td", "th", "tr", "dd", "dt", "option"})
_SPACE: Final = " \t\n\r\f"
# two placeholder characters that are removed from the page first
_BREAK: Final = "\0"
_KEPT_SPACE: Final = "\1"
_CONTROLS: Final = {number: None for number in (*range(32), *range(127, 160)) if chr(number) not in _SPACE}
_FORMATTED: Final = {ord("\n"): _BREAK, ord(" "): _KEPT_SPACE, ord("\t"): _KEPT_SPACE * 4}
_DEEPEST: Final = 512
_LONGEST_LINK: Final = 500
_LONGEST_TITLE: Final = 300


class HtmlPage(Frozen):
    title: str
    text: str


class _Tag(Frozen):
    name: str
    closing: bool
    attributes: str
    end: int


def read_page(source: str, url: str = "") -> HtmlPage:
    """Convert a page to the text that a person would read; the address of a link follows its text. `url` makes relative links absolute."""
    source = source.translate(_CONTROLS)
    reader = _Reader(url)
    at = 0
    scanner = _Scanner(source)
    while at < len(source):
        sign = source.find("<", at)
        if sign < 0:
            sign = len(source)
        reader.say(source[at:sign])
        if sign == len(source):
            break
        at = scanner.skip(sign)
        if at > sign:
            continue
        if not scanner.is_tag(sign):
            reader.say("<")
            at = sign + 1
            continue
        tag = scanner.tag(sign)
        if tag is None:
            break
        at = tag.end
        if tag.name in _RAW and not tag.closing:
            at, content = scanner.raw(tag)
            reader.raw(tag.name, content)
        else:
            reader.meet(tag)
    return HtmlPage(reader.title, reader.text())


class _Scanner:
    """Finds the ends of things. A sign that was not found is not searched for again, so that no page takes quadratic time."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._missing: set[str] = set()
        # ASCII only: lower() of other letters may change their number
        self._lower = source.translate({upper: upper + 32 for upper in range(65, 91)})

    def find(self, sign: str, start: int, text: str = "") -> int:
        if sign in self._missing:
            return -1
        found = (text or self._source).find(sign, start)
        if found < 0:
            self._missing.add(sign)
        return found

    def skip(self, at: int) -> int:
        """The position after a comment, declaration or processing instruction; the same position if none begins here."""
        if self._source.startswith("<!--", at):
            end = self.find("-->", at + 4)
            return len(self._source) if end < 0 else end + 3
        if self._source.startswith(("<!", "<?"), at):
            end = self.find(">", at + 2)
            return len(self._source) if end < 0 else end + 1
        return at

    def is_tag(self, at: int) -> bool:
        begin = at + 1 + self._source.startswith("</", at)
        return "a" <= self._lower[begin : begin + 1] <= "z"

    def tag(self, at: int) -> _Tag | None:
        """The tag that begins here; None if it does not end, so that nothing can follow it."""
        closing = self._source.startswith("</", at)
        begin = at + 1 + closing
        end = begin
        while end < len(self._source) and self._source[end] not in " \t\n\r\f/>":
            end += 1
        close = self._close(end)
        return None if close < 0 else _Tag(self._lower[begin:end], closing, self._source[end:close], close + 1)

    def _close(self, at: int) -> int:
        """The position of the `>` that ends a tag, skipping quoted values; a quote counts only at the beginning of a value."""
        value = False
        while at < len(self._source):
            sign = self._source[at]
            if sign == ">":
                return at
            if value and sign in "\"'":
                end = self.find(sign, at + 1)
                if end < 0:
                    return self.find(">", at)
                at = end
            value = sign == "=" or (value and sign in _SPACE)
            at += 1
        return -1

    def raw(self, tag: _Tag) -> tuple[int, str]:
        end = self.find(f"</{tag.name}", tag.end, self._lower)
        if end < 0:
            return len(self._source), self._source[tag.end :]
        close = self.find(">", end)
        return (len(self._source) if close < 0 else close + 1), self._source[tag.end : end]


@dataclass(slots=True)
class _Reader:
    url: str
    title: str = ""
    parts: list[str] = field(default_factory=list)
    # the open hidden elements, the outermost first
    unseen: list[str] = field(default_factory=list)
    # the open link, and whether it contains text
    link: str = ""
    worded: bool = False
    formatted: bool = False

    def say(self, words: str) -> None:
        if not words or self.unseen:
            return
        said = unescape(words)
        self.worded = self.worded or bool(said.strip())
        self.parts.append(said.translate(_FORMATTED) if self.formatted else said)

    def raw(self, name: str, content: str) -> None:
        if name == "title" and not self.title:
            self.title = " ".join(unescape(content[: _LONGEST_TITLE * 4]).split())[:_LONGEST_TITLE]
        elif name == "textarea":
            self.say(content)

    def meet(self, tag: _Tag) -> None:
        if self.unseen:
            self._pass_by(tag)
        elif not tag.closing and tag.name not in _VOID and (tag.name in _UNSEEN or _is_hidden(tag.attributes)):
            if not (tag.attributes.endswith("/") and tag.name == "svg"):
                self.unseen.append(tag.name)
        elif tag.name == "a":
            self._meet_link(tag)
        elif tag.name in _BLOCKS:
            self.parts.append(_BREAK)
            if tag.name == "pre":
                self.formatted = not tag.closing
        elif tag.name in _HEADINGS:
            self.parts.append(_BREAK if tag.closing else _BREAK + _HEADINGS[tag.name])
        elif tag.name == "li":
            self.parts.append(_BREAK if tag.closing else f"{_BREAK}- ")
        elif tag.name == "br":
            self.parts.append(_BREAK)
        elif tag.name in ("td", "th"):
            self.parts.append(" | " if tag.closing else "")

    def _pass_by(self, tag: _Tag) -> None:
        if tag.closing:
            if tag.name in self.unseen:
                while self.unseen.pop() != tag.name:
                    pass
            elif tag.name in ("body", "html") or self.unseen[0] in _UNCLOSED:
                self.unseen.clear()
        elif tag.name == self.unseen[-1] and tag.name in _UNCLOSED:
            self.unseen.pop()
            self.meet(tag)
        elif tag.name not in _VOID and not tag.attributes.endswith("/") and len(self.unseen) < _DEEPEST:
            self.unseen.append(tag.name)

    def _meet_link(self, tag: _Tag) -> None:
        if self.link and self.worded:
            self.parts.append(f" <{self.link}>")
        self.link, self.worded = "", False
        if not tag.closing:
            self.link = _target(_attribute(tag.attributes, "href") or "", self.url)

    def text(self) -> str:
        """The text with runs of space collapsed, breaks as line ends, and an empty line before each heading."""
        lines: list[str] = []
        for line in "".join(self.parts).split(_BREAK):
            words = " ".join(line.split()).rstrip(_KEPT_SPACE + " |")
            if words.startswith("#") and lines:
                lines.append("")
            if words.strip(_KEPT_SPACE):
                lines.append(words.replace(_KEPT_SPACE, " "))
        return "\n".join(lines)


def unescape(text: str) -> str:
    try:
        return html.unescape(text)
    # a number with more digits than Python converts
    except ValueError:
        return text


def _is_hidden(attributes: str) -> bool:
    if not attributes.strip():
        return False
    lowered = attributes.lower()
    if "hidden" not in lowered and "display" not in lowered and "font-size" not in lowered and "opacity" not in lowered:
        return False
    if _attribute(attributes, "hidden") is not None:
        return True
    if (_attribute(attributes, "aria-hidden") or "").lower() == "true":
        return True
    style = "".join((_attribute(attributes, "style") or "").lower().split())
    rules = [rule.removesuffix("!important") for rule in style.split(";")]
    return any(
        rule in ("display:none", "visibility:hidden", "font-size:0", "font-size:0px", "opacity:0") for rule in rules
    )


def _attribute(attributes: str, wanted: str) -> str | None:
    """The value of an attribute, empty if it has no value; None if the attribute is missing."""
    at = 0
    while at < len(attributes):
        while at < len(attributes) and attributes[at] in " \t\n\r\f/":
            at += 1
        begin = at
        while at < len(attributes) and attributes[at] not in " \t\n\r\f/=":
            at += 1
        name = attributes[begin:at].lower()
        while at < len(attributes) and attributes[at] in _SPACE:
            at += 1
        value = ""
        if attributes[at : at + 1] == "=":
            at += 1
            while at < len(attributes) and attributes[at] in _SPACE:
                at += 1
            quote = attributes[at : at + 1]
            end = attributes.find(quote, at + 1) if quote in ('"', "'") else -1
            if end >= 0:
                value, at = attributes[at + 1 : end], end + 1
            else:
                begin = at
                while at < len(attributes) and attributes[at] not in _SPACE:
                    at += 1
                value = attributes[begin:at]
        if name == wanted:
            return unescape(value)
        if at == begin and not value:
            at += 1
    return None


def _target(link: str, url: str) -> str:
    if not link or link.startswith("#") or len(link) > _LONGEST_LINK:
        return ""
    try:
        whole = urljoin(url, link.strip())
    except ValueError:
        return ""
    return whole if whole.startswith(("http://", "https://")) and not set(whole) & set(" <>\n\0") else ""
