"""Classifies the lines of a message by form: fences, quoted and indented lines, program output, headings, lists, prose. Pure.

Does not decide whose line it is (`classify/shown.py` does). Uses form only: the few words here belong to formats such as mail headers and
chat roles, not to a language.
"""

from collections.abc import Iterator
from typing import Final, Literal

from everself.frozen import Frozen
from everself.text.patterns import LazyPattern
from everself.text.sentences import quotations

# block: from a program, a page or a quotation. wrapping: a line that a program put around a message. rule: a separator. heading: a
# document begins. link: only an address.
LineKind = Literal["blank", "block", "wrapping", "rule", "heading", "link", "item", "prose"]

_OPENS: Final = "⟦data "
_ENDS: Final = "⟦end "
_INDENT: Final = 4
# a header of one field may be a fact that the user typed; a forwarded mail has several
_FEWEST_FIELDS: Final = 2


class Line(Frozen):
    """`start..end` excludes the line break and, in the first line, the prefix of a channel."""

    start: int
    end: int
    kind: LineKind
    text: str


def lines_of(message: str) -> list[Line]:
    found = _without_quotations(message, list(_lines(message)))
    return _without_headers(_without_transcripts(found))


def _without_quotations(message: str, lines: list[Line]) -> list[Line]:
    """Mark lines of quotations over several lines, and lines with only a quotation, as blocks."""
    spans = quotations(message)
    found: list[Line] = []
    at = 0
    for one in lines:
        while at < len(spans) and spans[at][1] <= one.start:
            at += 1
        quoted = at < len(spans) and one.kind != "blank" and _is_of(one, *spans[at], message)
        # a quotation at the end of the line may continue in the next one
        last = at
        while not quoted and last + 1 < len(spans) and spans[last + 1][0] < one.end:
            last += 1
            quoted = spans[last][1] > one.end
        found.append(Line(one.start, one.end, "block", one.text) if quoted else one)
    return found


def _is_of(line: Line, start: int, end: int, message: str) -> bool:
    """Whether a line is part of a quotation of several lines, or contains nothing else."""
    if start >= line.end or end <= line.start:
        return False
    if start < line.start or end > line.end:
        return True
    return not any(char.isalnum() for char in message[line.start : start] + message[end : line.end])


def _lines(message: str) -> Iterator[Line]:
    at = 0
    fence, tag, framed, braced = "", "", False, False
    before: LineKind = "blank"
    listed = False
    for number, whole in enumerate(message.splitlines(keepends=True)):
        line = whole.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        start, end = at, at + len(line)
        at += len(whole)
        bare = line.strip()
        kind: LineKind
        if fence:
            kind = "block"
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif framed or _OPENS in bare:
            kind, framed = "block", _ENDS not in bare
        elif tag:
            kind = "block"
            tag = "" if f"</{tag}" in bare.casefold() else tag
        elif braced:
            kind, braced = "block", not bare.endswith(("}", "]"))
        elif bare.startswith(("```", "~~~")):
            kind, fence = "block", _fence(bare)
        elif (named := _tag(bare)) is not None:
            kind = "block"
            tag = "" if f"</{named}" in bare.casefold() or bare.endswith("/>") else named
        elif _FORM["json"].search(bare):
            kind, braced = "block", not bare.endswith(("}", "]"))
        else:
            if number == 0:
                found = _FORM["channel"].search(line)
                start += found.end() if found is not None else 0
                line = message[start:end]
                bare = line.strip()
            kind = _kind(line, bare, before, listed)
        listed = kind == "item" or (listed and kind != "prose")
        before = kind
        yield Line(start, end, kind, bare)


def _kind(line: str, bare: str, before: LineKind, listed: bool) -> LineKind:
    if not any(char.isprintable() and not char.isspace() for char in bare):
        return "blank"
    if bare.startswith((">", "＞")) or (bare.startswith("|") and bare.count("|") > 1):
        return "block"
    if _FORM["item"].search(bare):
        return "item"
    indent = len(line.expandtabs(_INDENT)) - len(line.expandtabs(_INDENT).lstrip())
    if indent >= _INDENT and not listed and before in ("blank", "block", "prose"):
        return "block"
    for kind in ("wrapping", "rule", "heading", "link"):
        if _FORM[kind].search(bare):
            return kind
    return "prose"


def _fence(line: str) -> str:
    """The fence that closes what this line opens."""
    return line[: len(line) - len(line.lstrip(line[0]))]


def _tag(line: str) -> str | None:
    found = _FORM["tag"].search(line)
    return found.group(1).casefold() if found is not None else None


def _without_transcripts(lines: list[Line]) -> list[Line]:
    """Mark a transcript of several people as a block: labels that recur, or a time before each line. The sender did not say it."""
    if len(lines) > _MOST_TURNS:
        return lines
    labels = [found.group(1) if (found := _FORM["turn"].search(one.text)) else "" for one in lines]
    again = {label for label in labels if label and labels.count(label) > 1}
    turns = [at for at, label in enumerate(labels) if label in again]
    stamped = [at for at, one in enumerate(lines) if _FORM["stamped"].search(one.text)]
    turns += stamped if len(stamped) >= _FEWEST_FIELDS else []
    if not turns:
        return lines
    first, last = min(turns), max(turns)
    # the last turn may be by a person who speaks once
    while last + 1 < len(lines) and labels[last + 1]:
        last += 1
    return [Line(one.start, one.end, "block", one.text) if first <= at <= last else one for at, one in enumerate(lines)]


# longer messages are judged by their length
_MOST_TURNS: Final = 200


def _without_headers(lines: list[Line]) -> list[Line]:
    """Mark everything from the headers of a forwarded message on as a block, with the lines right above them."""
    for at, one in enumerate(lines):
        if one.kind in ("prose", "rule", "item") and _forwards(lines, at):
            while at > 0 and lines[at - 1].kind == "prose":
                at -= 1
            rest = [Line(each.start, each.end, "block", each.text) for each in lines[at:]]
            return [*lines[:at], *rest]
    return lines


def _forwards(lines: list[Line], at: int) -> bool:
    line = lines[at]
    if line.kind == "rule":
        # "----- Original Message -----"
        return any(char.isalpha() for char in line.text)
    if _FORM["forwarded"].search(line.text) or _FORM["sender"].search(line.text):
        return True
    fields = [bool(_FORM["header"].search(one.text)) for one in lines[at : at + _FEWEST_FIELDS]]
    if len(fields) == _FEWEST_FIELDS and all(fields):
        return True
    follows = any(one.kind != "blank" for one in lines[at + 1 :])
    if not follows or (at > 0 and lines[at - 1].kind != "blank"):
        return False
    # "[Chat: Family]" above what was said there
    return _FORM["title"].search(line.text) is not None or (at == 0 and _FORM["label"].search(line.text) is not None)


_FORWARDED: Final = (
    "(?i:forwarded|fwd|weitergeleitete?[nrs]?|transféré[es]*|reenviad[oa]s?|inoltrat[oaie]|encaminhad[oa]s?)"
)
_FORWARDED_DENSE: Final = "转发|轉發|轉寄|전달|転送"
# not a word character, and not the end of a sentence
_SIGNS: Final = r"[^\p{L}\p{N}.!?。！？]"
_PATTERNS: Final = {
    "tag": r"^<([A-Za-z][A-Za-z0-9_:-]*)(?:\s[^<>]*)?/?>",
    "json": r"""^(?:\{\s*(?:"|$)|\[\s*(?:[{\["]|$))""",
    # "[Telegram Ana id:77 2026-11-16 00:10 UTC] ": an id, a handle, a phone number, or a day with a time
    "channel": r"^\s*\[[^\[\]\n]*(?:\bid[:= ]|@|\+\d{7}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d)[^\[\]\n]*\]\s*",
    "item": r"^(?:[-*–+]\s|[•·‣◦①-⑳]|\d{1,2}[.)]\s|\d{1,2}、)\s*\S",
    "wrapping": (
        # [message_id: 4521], (message id 99), sender_id=12
        r"^(?:[\[(]\s*[\w -]{0,30}\bid\b\s*[:=#]?\s*\S*\d\S*\s*[\])]|[\[(]?\s*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\s*[:=]\s*\S*\s*[\])]?"
        # System: [2026-11-16] node connected
        r"|(?i:system|assistant|developer|tool|function)(?: \([^)]*\))?\s*[:：].*"
        # only an id, a hash or a time
        r"|(?:[0-9A-Fa-f]{8,}|[0-9A-Fa-f-]{32,}|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d[0-9:.,+Z -]*\]?))$"
    ),
    "rule": r"^(?:(?:[-*_=~—─]\s?){3,}|[-_=*]{3,}.+[-_=*]{3,})$",
    "heading": r"^#{1,6}\s+\S",
    "link": r"^<?(?:https?|ftp)://\S+>?$",
    "turn": r"^(?:\[[^\]]*\d[^\]]*\]\s*)?([\p{L}][\p{L}\d ._'-]{0,24})[:：](?:\s+\S|[^\s\d/])",
    # a time before each line, as chats are exported
    "stamped": r"^\[?(?:\d{4}[-/.]\d\d?[-/.]\d\d?,? )?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?[ ,-]+[\p{L}][^:：]{0,30}[:：]",
    # the marks of mail programs and messengers, in several languages
    "forwarded": (
        r"^\W*(?i:fwd?|fw|wg|tr|rv|转发|轉發|轉寄|전달|転送)\s*[:：]"
        r"|^\W*(?i:begin )?(?i:forwarded|fwd) (?i:message|from|by|via|chat|invite)\b"
        r"|^[\[【(][^\]】)]*(?i:forward|fwd|转发|轉發|전달|転送)[^\]】)]*[\]】)]"
    ),
    # the same marks at the edge of a short title: "Message transféré", "会議案内の転送"
    "title": (
        rf"^{_SIGNS}*(?:{_FORWARDED})(?: [^\s.!?]+){{0,2}}$|^(?:[^\s.!?]+ ){{0,2}}{_SIGNS}*(?:{_FORWARDED}){_SIGNS}*$"
        rf"|^{_SIGNS}*[^\s。！？]{{0,8}}\s?(?:{_FORWARDED_DENSE})[^\s。！？]{{0,5}}(?:\s[^\s。！？]{{1,4}})?$"
    ),
    # one of these is enough: they do not occur in lists of facts
    "sender": (
        r"^\**(?i:from|subject|reply-to|message-id|发件人|寄件者|寄件人|主旨|보낸 ?사람|差出人|件名"
        r"|von|betreff|de|objet|asunto|da|oggetto|assunto|от|тема)\**\s*[:：]"
    ),
    "label": r"^[\[【][^\]】]*[\p{L}][^\]】]*[\]】]",
    # RFC 5322 fields, as mail programs print them above a forwarded message
    "header": (
        r"^\**(?i:from|to|cc|bcc|subject|date|sent|reply-to|message-id|发件人|收件人|主题|主旨|日期|发送时间|寄件者|寄件人"
        r"|보낸 ?사람|받는 ?사람|제목|날짜|보낸 ?날짜|差出人|宛先|件名|日時|送信日時"
        r"|von|an|betreff|datum|gesendet|de|à|objet|envoyé|para|asunto|fecha|enviado|da|oggetto|data|inviato|assunto|от|кому|тема|дата)\**\s*[:：]"
    ),
}

_FORM: Final = {name: LazyPattern(pattern) for name, pattern in _PATTERNS.items()}
