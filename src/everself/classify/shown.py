"""Separates what a message's writer says from what they show: quotations, fences, pasted pages, forwarded mail, what a question is about.
Pure.

Works by layout, in any language. A single pasted line without any mark looks like a typed one; two lines or more can be told by their form.
In doubt, text counts as shown: it stays in the conversation, and its writer can still ask to remember it.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from everself.classify.encoder import MOST, generation
from everself.classify.model import prepare, score
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT, judge
from everself.text.layout import Line, lines_of
from everself.text.normalise import without_surrogates
from everself.text.sentences import Language, language_of, letters_in, quotations, split

# wish: asks to remember the text after it, which is `asked`. wrapping: lines that a program put around the message, which nobody wrote.
Role = Literal["said", "wish", "asked", "shown", "wrapping"]

# Lengths are in Latin characters. A character of a script without blanks counts as this many.
_DENSE: Final = 2.5
# Of a longer message only the edges are read, because that is where its writer comments on it.
LONGEST: Final = 3_000
MOST_LINES: Final = 60
_EDGE: Final = 1_000
_EDGE_LINES: Final = 8
# People usually type less about themselves at once (tests/corpora/provenance).
_PARAGRAPHS: Final = 4
_LONG_PARAGRAPH: Final = 700
_LONG_MESSAGE: Final = 1_500
_MANY_LINES: Final = 20
_PROSE_LINES: Final = 4
# fewest paragraphs of a letter in short sentences, and greatest length of a line that introduces a text
_LETTER: Final = 3
_LEAD: Final = 200
# background that belongs to a question: one sentence of this length after it, or this many before it in its line
_MATTER: Final = 120
_MATTER_BEFORE: Final = 4
# a longer quotation than a name, a title or a motto is somebody else's text
_LONG_QUOTE: Final = 90
_ASKS: Final = frozenset({SentenceKind.QUESTION, SentenceKind.ORDER})
_EMPTY: Final = frozenset({SentenceKind.GREETING, SentenceKind.THANKS, SentenceKind.OTHER})
# share of the threshold at which a sentence counts as a question: next to a question, text is rather taken for shown than for said
_DOUBT: Final = 0.5
_COLONS: Final = (":", "：")
# letters of a greeting or thanks, and of an "ok"
_BRIEF: Final = 24
_OKAY: Final = 8
_INTERROGATION: Final = ("?", "？")
_AROUND: Final = " \"')]」』）"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a message. Stretches do not overlap; only blanks are between them."""

    start: int
    end: int
    role: Role


def stretches(message: str) -> tuple[Stretch, ...]:
    """The message from beginning to end, each stretch with its role."""
    return _stretches(message, generation())


@lru_cache(maxsize=64)
def _stretches(message: str, _generation: int) -> tuple[Stretch, ...]:
    if len(message) > LONGEST or message.count("\n") > MOST_LINES:
        return _long(message)
    message = without_surrogates(message)
    lines = lines_of(message)
    sentences = [
        one.text[start:end] for one in lines if one.kind in ("prose", "item") for start, end in split(one.text)
    ]
    # embedding sentences together costs less; with more than `MOST` sentences none is embedded
    deep = len(sentences) <= MOST
    if deep:
        prepare(sentences)
    roles = _Reader(message, lines, deep=deep).roles()
    return tuple(_quoted(message, _merged(lines, roles)))


def said(message: str) -> str:
    """What the writer says or asks to remember, without what they show."""
    return _text(message, "said", "wish", "asked")


def shown(message: str) -> str:
    """What the writer shows: text of others, or text that cannot be distinguished from it."""
    return _text(message, "shown")


def _text(message: str, *roles: Role) -> str:
    return "\n".join(message[one.start : one.end] for one in stretches(message) if one.role in roles)


def _long(message: str) -> tuple[Stretch, ...]:
    """Read a long message by its edges. If it begins with a request to remember, all of it is `asked`; otherwise everything is shown except
    its first line and a last question."""
    head = without_surrogates("\n".join(message[:_EDGE].split("\n")[:_EDGE_LINES]))
    lines = lines_of(head)
    wish = _wish(lines, head, deep=False)
    if wish is not None:
        return Stretch(lines[wish].start, lines[wish].end, "wish"), Stretch(lines[wish].end, len(message), "asked")
    before, _, last = message[-_EDGE:].rstrip().rpartition("\n")
    found: list[Stretch] = []
    start, end = 0, len(message)
    if len(lines) > 1 and lines[1].kind == "blank" and lines[0].kind == "prose" and _weight(lines[0].text) <= _LEAD:
        start = lines[0].end
        found.append(Stretch(lines[0].start, start, "said"))
    if before and _weight(last) <= _LEAD and _kinds(last, language_of(last), deep=False) == [SentenceKind.QUESTION]:
        end = len(message.rstrip()) - len(last)
    found.append(Stretch(start, end, "shown"))
    return (*found, Stretch(end, end + len(last), "said")) if end < len(message) else tuple(found)


def _weight(text: str) -> float:
    dense = sum(char > "\u2e7f" for char in text)
    return len(text) + dense * (_DENSE - 1)


def _kinds(text: str, own: Language, *, deep: bool) -> list[SentenceKind]:
    return [_kind(text[start:end], own, deep=deep) for start, end in split(text)]


def _kind(sentence: str, own: Language, *, deep: bool) -> SentenceKind:
    """The kind of a sentence as layout needs it. A sentence longer than a greeting is a statement, whether or not it is worth keeping. A
    question mark makes it a question, whatever its words."""
    kind = judge(sentence, own, deep=deep).kind
    scores = score(sentence, deep=deep)
    if kind is SentenceKind.OTHER and scores["question"] >= scores.possible["question"] * _DOUBT:
        return SentenceKind.QUESTION
    if kind in _EMPTY and letters_in(sentence) > (_OKAY if kind is SentenceKind.OTHER else _BRIEF):
        kind = SentenceKind.STATEMENT
    marked = sentence.rstrip(_AROUND).endswith(_INTERROGATION)
    return SentenceKind.QUESTION if marked and kind not in _EMPTY else kind


def _asks(text: str, own: Language, *, deep: bool) -> bool:
    """Whether a line asks for something now. Text after a colon is what it asks about."""
    return any(kind in _ASKS for kind in _kinds(_before_colon(text), own, deep=deep))


def _before_colon(text: str) -> str:
    places = [at for at in (text.find(": "), text.find("："), len(text) - 1 if text.endswith(":") else -1) if at > 0]
    return text[: min(places)] if places else text


def _wish(lines: list[Line], message: str, *, deep: bool) -> int | None:
    """The number of the line that asks to remember what follows it, if only greetings precede it."""
    for number, line in enumerate(lines):
        if line.kind in ("blank", "wrapping"):
            continue
        words = message[line.start : line.end].strip()
        if line.kind != "prose":
            return None
        own = language_of(words)
        found = [judge(words[start:end].rstrip(":： "), own, deep=deep) for start, end in split(words)]
        if found and found[-1].kind is SentenceKind.REMEMBER and all(one.kind in _EMPTY for one in found[:-1]):
            follows = any(each.kind != "blank" for each in lines[number + 1 :])
            bare = not found[-1].what or words.endswith(_COLONS)
            return number if follows and bare else None
        if not all(one.kind in _EMPTY for one in found):
            return None
    return None


class _Reader:
    def __init__(self, message: str, lines: list[Line], *, deep: bool) -> None:
        self._message = message
        self._deep = deep
        self._own = language_of(message)
        self._lines = lines
        self._roles: list[Role] = ["said"] * len(lines)
        # the position in a line where the shown part begins, if the line begins with something said
        self._cuts: dict[int, int] = {}
        self._judged: dict[int, list[SentenceKind]] = {}
        self._asking: dict[int, bool] = {}

    def roles(self) -> "tuple[list[Role], dict[int, int]]":
        wish = _wish(self._lines, self._message, deep=self._deep)
        if wish is not None:
            self._wrap(upto=wish)
            self._roles[wish] = "wish"
            for at in range(wish + 1, len(self._lines)):
                self._roles[at] = "asked"
            return self._roles, {}
        for at, line in enumerate(self._lines):
            if line.kind in ("block", "rule", "heading", "link"):
                self._roles[at] = "shown"
        self._wrap()
        self._by_documents()
        self._by_paragraphs()
        self._by_leads()
        self._by_questions()
        self._by_length()
        return self._roles, self._cuts

    def _wrap(self, upto: int | None = None) -> None:
        for at, line in enumerate(self._lines[:upto]):
            if line.kind in ("wrapping", "blank"):
                self._roles[at] = "wrapping"

    def _show(self, numbers: "range | list[int]") -> None:
        for at in numbers:
            if self._roles[at] == "said":
                self._roles[at] = "shown"

    def _kinds(self, *numbers: int) -> list[SentenceKind]:
        for at in numbers:
            if at not in self._judged:
                self._judged[at] = _kinds(self._lines[at].text, self._own, deep=self._deep)
        return [kind for at in numbers for kind in self._judged[at]]

    def _asks(self, at: int) -> bool:
        if at not in self._asking:
            self._asking[at] = _asks(self._lines[at].text, self._own, deep=self._deep)
        return self._asking[at]

    def _is_question(self, at: int) -> bool:
        """Whether the line only asks."""
        kinds = self._kinds(at)
        return bool(kinds) and all(kind in _ASKS for kind in kinds)

    def _is_listed(self, at: int) -> bool:
        """Whether the line goes on with a list: only a question mark makes it the writer's question."""
        items = all(one.kind == "item" for one in self._lines[max(at - 1, 0) : at + 1])
        return items and not self._lines[at].text.rstrip(_AROUND).endswith(_INTERROGATION)

    def _weight(self, paragraph: list[int]) -> float:
        return sum(_weight(self._lines[at].text) for at in paragraph)

    def _paragraphs(self) -> list[list[int]]:
        """The numbers of the lines that are still `said`, by paragraph, without paragraphs of only greetings."""
        found: list[list[int]] = [[]]
        for at, line in enumerate(self._lines):
            if self._roles[at] == "said" and line.kind in ("prose", "item"):
                found[-1].append(at)
            elif line.kind != "wrapping":
                found.append([])
        return [one for one in found if one and not all(kind in _EMPTY for kind in self._kinds(*one))]

    def _by_documents(self) -> None:
        """Everything after a heading, a rule or an address on its own line is a document, except a last question about it."""
        for at, line in enumerate(self._lines):
            if line.kind in ("heading", "rule", "link") and at + 1 < len(self._lines):
                self._show([number for number in range(at + 1, len(self._lines)) if not self._is_question(number)])
                return

    def _by_paragraphs(self) -> None:
        """A first line followed by a blank line introduces the text below. Short sentences separated by blank lines are a letter."""
        paragraphs = self._paragraphs()
        if len(paragraphs) < 2 or self._is_letter(paragraphs):
            return
        first, last = paragraphs[0], paragraphs[-1]
        # a last question is the writer's, whatever it is about
        asked = {at for at in last if self._is_question(at) and not self._is_listed(at)}
        told = sum(kind in KEPT for kind in self._kinds(*first))
        asks = any(map(self._asks, first))
        if len(first) > 1 or told > 1 or self._weight(first) > _LEAD or (asked and not asks):
            self._show(first)
        self._show([at for at in range(first[-1] + 1, len(self._lines)) if at not in asked])

    def _is_letter(self, paragraphs: list[list[int]]) -> bool:
        """Whether the message is several paragraphs of one line with one short sentence each. Two paragraphs are not enough, because one
        may be about the other."""
        if not _LETTER <= len(paragraphs) <= _PARAGRAPHS or self._asks(paragraphs[0][0]) or "shown" in self._roles:
            return False
        kinds = [[kind for kind in self._kinds(*one) if kind not in _EMPTY] for one in paragraphs]
        return all(
            len(one) == 1 and len(found) == 1 and self._weight(one) <= _LEAD
            for one, found in zip(paragraphs, kinds, strict=True)
        )

    def _by_questions(self) -> None:
        """Mark what a question or an order is about within its paragraph: the lines below it, and those before it if they are more than
        background."""
        for paragraph in self._paragraphs():
            asking = next((at for at in paragraph if self._asks(at)), None)
            if asking is not None:
                self._beside(asking)
                self._show([at for at in paragraph if at > asking])
                before = [at for at in paragraph if at < asking]
                if not self._is_matter("\n".join(self._lines[at].text for at in before)):
                    self._show(before)

    def _beside(self, at: int) -> None:
        """Mark what a question is about in its own line: the text after its colon, or more than background before or after it."""
        line = self._lines[at]
        text = self._message[line.start : line.end]
        head = _before_colon(text)
        if len(head) < len(text.rstrip(":： ")) and not self._announces(at, head):
            self._cuts[at] = line.start + len(head)
            return
        spans = list(split(text))
        asks = [number for number, kind in enumerate(self._kinds(at)) if kind in _ASKS]
        if not asks or len(spans) <= asks[0]:
            return
        start, end = spans[asks[0]]
        if len(text[:start]) > 0 and not self._is_matter(text[:start], _MATTER_BEFORE):
            self._roles[at] = "shown"
        elif not self._is_matter(text[end:], 0 if self._follows(at) else self._times(text[start:end])):
            self._cuts[at] = line.start + end

    def _announces(self, at: int, head: str) -> bool:
        """Whether the text before a colon only sounds like a question: together with the text after it, it is clearly a statement, as in
        "Family, so you know who is who: Tobin is my husband"."""
        kinds = _kinds(head, self._own, deep=self._deep)
        if self._follows(at) or SentenceKind.ORDER in kinds or head.rstrip(_AROUND).endswith(_INTERROGATION):
            return False
        first = self._lines[at].text
        start, end = next(iter(split(first)), (0, 0))
        scores = score(first[start:end], deep=self._deep)
        told = judge(first[start:end], self._own, deep=self._deep).kind is SentenceKind.STATEMENT
        return told and scores["question"] < scores.possible["question"] * _DOUBT

    def _times(self, asks: str) -> int:
        """How many sentences after a question are its writer's: after a question to oneself ("what else.") as many as before one."""
        brief = letters_in(asks) <= _BRIEF and not asks.rstrip(_AROUND).endswith(_INTERROGATION)
        return _MATTER_BEFORE if brief and _kind(asks, self._own, deep=self._deep) is SentenceKind.QUESTION else 1

    def _follows(self, at: int) -> bool:
        """Whether lines other than a program's follow."""
        return any(one.kind not in ("blank", "wrapping") for one in self._lines[at + 1 :])

    def _is_matter(self, text: str, times: int = 1) -> bool:
        """Whether the text is only the background of a question: a short sentence or, before the question, a few."""
        told = sum(kind in KEPT for kind in _kinds(text, self._own, deep=self._deep))
        return not told or (told <= times and _weight(text) <= times * _MATTER)

    def _by_leads(self) -> None:
        """Mark what a line ending with a colon introduces. List items stay the writer's unless a question introduces them."""
        for at, line in enumerate(self._lines):
            if self._roles[at] != "said" or not line.text.endswith(_COLONS):
                continue
            follows = next((one for one in self._lines[at + 1 :] if one.kind != "blank"), None)
            if follows is None or (follows.kind == "item" and not self._asks(at)):
                continue
            last = len(self._lines) - 1
            self._show(range(at + 1, last if self._is_question(last) else last + 1))
            text = self._message[line.start : line.end]
            start, end = list(split(text))[-1]
            if not _asks(text[start:end], self._own, deep=self._deep):
                # half of a sentence whose other half is shown
                self._cuts[at] = line.start + start
            return

    def _by_length(self) -> None:
        paragraphs = self._paragraphs()
        numbers = [at for one in paragraphs for at in one]
        weights = [self._weight(one) for one in paragraphs]
        if len(paragraphs) > _PARAGRAPHS or sum(weights) > _LONG_MESSAGE or len(numbers) > _MANY_LINES:
            self._show(numbers)
            return
        for paragraph, weight in zip(paragraphs, weights, strict=True):
            prose = sum(self._lines[at].kind == "prose" for at in paragraph)
            if weight > _LONG_PARAGRAPH or prose > _PROSE_LINES:
                self._show(paragraph)


def _merged(lines: list[Line], judged: "tuple[list[Role], dict[int, int]]") -> list[Stretch]:
    """Join neighbouring lines of one role to one stretch."""
    roles, cuts = judged
    found: list[Stretch] = []
    for at, line in enumerate(lines):
        if line.kind == "blank" and roles[at] == "wrapping":
            continue
        pieces = [Stretch(line.start, line.end, roles[at])]
        if at in cuts:
            pieces = [Stretch(line.start, cuts[at], roles[at]), Stretch(cuts[at], line.end, "shown")]
        for one in pieces:
            if found and found[-1].role == one.role and at not in cuts:
                found[-1] = Stretch(found[-1].start, one.end, one.role)
            else:
                found.append(one)
    return found


def _quoted(message: str, found: list[Stretch]) -> list[Stretch]:
    """The stretches with sentences that contain a long quotation, or are one, marked as shown."""
    made: list[Stretch] = []
    for one in found:
        text = message[one.start : one.end]
        hidden = [span for span in split(text) if _is_quotation(text[span[0] : span[1]])] if one.role == "said" else []
        at = one.start
        for start, end in hidden:
            made += [Stretch(at, one.start + start, "said")] if message[at : one.start + start].strip() else []
            made.append(Stretch(one.start + start, one.start + end, "shown"))
            at = one.start + end
        if message[at : one.end].strip():
            made.append(Stretch(at, one.end, one.role))
    return made


def _is_quotation(sentence: str) -> bool:
    for start, end in quotations(sentence):
        inner = sentence[start + 1 : end - 1]
        outside = sentence[:start] + sentence[end:]
        if not any(char.isalnum() for char in outside):
            return True
        if _weight(inner) > _LONG_QUOTE or "\n" in inner or len(list(split(inner))) > 1:
            return True
    return False
