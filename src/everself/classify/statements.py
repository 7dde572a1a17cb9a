"""Reads a message: which of its sentences state something worth keeping, and which ask, greet, order or forget.

The learned heads decide what is worth keeping, for each sentence and for the message as a whole. Text that is only shown (`shown.py`) is
not a statement. Consecutive statements are joined, because the second often refers to the first with "he" or "it". Does not know what is
remembered already, nor who speaks.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from everself.classify.coverage import is_worth
from everself.classify.encoder import MOST
from everself.classify.messages import read_whole
from everself.classify.model import score
from everself.classify.sentence_kinds import Reading, Sentence, SentenceKind
from everself.classify.sentences import KEPT, is_nothing_else, judge, tag_of
from everself.classify.shown import Role, stretches
from everself.text.sentences import Language, breaths, has_words, language_of, split
from everself.values import Tag

# Longer runs of statements are stored in several pieces, so that recalled text stays readable.
LONGEST_PIECE: Final = 500

# within text that is to be remembered, sentences of these kinds are statements
_MEANT: Final = frozenset(SentenceKind) - {SentenceKind.QUESTION, SentenceKind.STATEMENT}

_ASKED: Final = frozenset({SentenceKind.QUESTION, SentenceKind.ORDER, SentenceKind.FORGET})

# a statement is dropped if the message has less than this share of the score required to contain one
_DOUBT: Final = 0.5

_Spanned = tuple[int, int, Sentence]


def read(text: str) -> Reading:
    """Every sentence with its kind, in order and in linear time."""
    found, asks = _as_a_whole(text)
    return Reading(tuple(_asked(text, list(_joined(text, found)))), asks)


def read_each(text: str) -> Reading:
    """Like `read`, but consecutive statements are not joined."""
    found, asks = _as_a_whole(text)
    return Reading(tuple(_asked(text, found)), asks)


def _as_a_whole(text: str) -> tuple[list[_Spanned], bool]:
    """The sentences, doubtful ones decided by the message as a whole, and whether it mainly asks. Shown text is ignored in this; a message
    that asks to remember what follows is not judged as a whole."""
    each = list(_each(text))
    found = [one for _, one in each]
    said = [at for at, (role, (_, _, one)) in enumerate(each) if role == "said" and has_words(one.text)]
    roles = {role for role, _ in each}
    if not said or "asked" in roles:
        return found, False
    deep = _is_brief(text)
    whole = read_whole([found[at][2].text for at in said], deep=deep)
    kept = [at for at in said if found[at][2].kind in KEPT]
    telling = [found[at][2].text for at in said if found[at][2].kind not in _ASKED]
    # a question next to a statement says nothing about it
    told = read_whole(telling, deep=deep)["keep"] if kept else 0.0
    if kept and told < whole.enough["keep"] * _DOUBT:
        for at in kept:
            # a sentence stays if it is surer of being a statement than the whole is of the contrary
            own = score(found[at][2].text, deep=deep)
            if found[at][2].kind is SentenceKind.STATEMENT and own["keep"] + told < 1 and not is_nothing_else(own):
                found[at] = _turned(found[at], SentenceKind.OTHER, Tag.KNOWLEDGE)
    elif not kept and whole.says("keep"):
        scores = {at: score(found[at][2].text, deep=deep) for at in said}
        # a question next to pasted text is about that text, and a request to forget is never kept
        barred = _ASKED if "shown" in roles else {SentenceKind.FORGET}
        likely = [at for at in said if found[at][2].kind not in barred]
        for best in sorted(likely, key=lambda at: scores[at]["keep"])[-1:]:
            both = _turned(found[best], SentenceKind.STATEMENT, tag_of(scores[best]))
            # a question that also states something is both
            found[best : best + 1] = [both, found[best]] if found[best][2].kind is SentenceKind.QUESTION else [both]
        return found, whole.says("asks")
    if len(said) == 1 and deep and not whole.says("asks"):
        # "i'm vegetarian" is all that is said, and the layer over whole messages misses short ones
        plain = found[said[0]][2].kind is SentenceKind.OTHER and not is_command(text, found[said[0]][0])
        if plain and is_worth(found[said[0]][2].text):
            found[said[0]] = _turned(found[said[0]], SentenceKind.STATEMENT, Tag.KNOWLEDGE)
    return found, whole.says("asks")


def _turned(spanned: _Spanned, kind: SentenceKind, tag: Tag) -> _Spanned:
    start, end, sentence = spanned
    return start, end, replace(sentence, kind=kind, tag=tag)


def _asked(text: str, found: list[_Spanned]) -> Iterator[Sentence]:
    """The sentences; statements in text to be remembered become requests to remember."""
    begin = next((one.start for one in stretches(text) if one.role == "asked"), len(text))
    for start, _, sentence in found:
        wished = start >= begin and sentence.kind is SentenceKind.STATEMENT
        yield replace(sentence, kind=SentenceKind.REMEMBER, what=sentence.text) if wished else sentence


def _each(text: str) -> Iterator[tuple[Role, _Spanned]]:
    """Each sentence by itself, with the role of the stretch that contains it."""
    own = language_of(text)
    deep = _is_brief(text)
    for one in stretches(text):
        words = text[one.start : one.end]
        if one.role == "shown":
            yield one.role, (one.start, one.end, Sentence(words, SentenceKind.OTHER, own))
        elif one.role in ("said", "asked"):
            for start, end in split(words):
                for first, sentence in _told(words[start:end], own, deep=deep):
                    if one.role == "asked" and sentence.kind in _MEANT and has_words(sentence.text):
                        sentence = replace(sentence, kind=SentenceKind.STATEMENT, what="")
                    at = one.start + start + first
                    if one.role == "said" and is_command(text, at):
                        sentence = replace(sentence, kind=SentenceKind.OTHER, what="")
                    yield one.role, (at, at + len(sentence.text), sentence)


def is_command(text: str, at: int = 0) -> bool:
    """Whether the text at this position is in a line that begins with a slash: a command or a path, never a statement about oneself."""
    return text[text.rfind("\n", 0, at) + 1 :].lstrip(" \t").startswith("/")


def _is_brief(text: str) -> bool:
    """Whether the message has few enough sentences to embed all of them."""
    count = 0
    for one in stretches(text):
        count += sum(1 for _ in split(text[one.start : one.end])) if one.role in ("said", "asked") else 0
        if count > MOST:
            return False
    return True


def _told(words: str, own: Language, *, deep: bool) -> Iterator[tuple[int, Sentence]]:
    """The sentence; a statement and a question or order after it are separated, and so are a greeting and a statement after it."""
    whole = judge(words, own, deep=deep)
    if whole.kind in _ASKED:
        for at in breaths(words):
            told, asked = judge(words[:at].strip(), own, deep=deep), judge(words[at:], own, deep=deep)
            if told.kind is SentenceKind.STATEMENT and asked.kind in _ASKED:
                yield from ((0, told), (at, asked))
                return
    at = _greeted(words, own, deep=deep) if whole.kind in KEPT else 0
    if at:
        yield 0, judge(words[:at].strip(), own, deep=deep)
        whole = judge(words[at:], own, deep=deep)
    yield at, whole


_SOCIAL: Final = frozenset({SentenceKind.GREETING, SentenceKind.THANKS})
# a longer clause says more than a greeting
_LONGEST_GREETING: Final = 24


def _greeted(words: str, own: Language, *, deep: bool) -> int:
    """The start of a statement after an opening greeting or thanks with a comma; 0 if there is none."""
    at = min((found for mark in (", ", "，") if (found := words.find(mark)) > 0), default=-1) + 1
    rest = len(words) - len(words[at:].lstrip())
    if not 0 < at <= _LONGEST_GREETING or judge(words[: at - 1].strip(), own, deep=deep).kind not in _SOCIAL:
        return 0
    return rest if judge(words[rest:], own, deep=deep).kind in KEPT else 0


def _joined(text: str, found: list[_Spanned]) -> Iterator[_Spanned]:
    """Join consecutive statements of one paragraph. "Remember that" alone refers to the sentence before it."""
    held: _Spanned | None = None
    for start, end, sentence in found:
        if held is not None and _belong(text, held, (start, end, sentence)):
            first, _, before = held
            explicit = SentenceKind.REMEMBER in (before.kind, sentence.kind)
            whole = text[first:end]
            kind = SentenceKind.REMEMBER if explicit else SentenceKind.STATEMENT
            tag = before.tag if before.tag is not Tag.KNOWLEDGE else sentence.tag
            what = _both(before, sentence) if explicit else ""
            held = (first, end, replace(before, text=whole, kind=kind, tag=tag, what=what))
            continue
        if held is not None:
            yield held
        held = (start, end, sentence)
    if held is not None:
        yield held


def _belong(text: str, before: _Spanned, after: _Spanned) -> bool:
    kinds = (before[2].kind, after[2].kind)
    if not KEPT.issuperset(kinds) or after[1] - before[0] > LONGEST_PIECE:
        return False
    if before[2].kind is SentenceKind.REMEMBER:
        return not before[2].what
    bare_wish = after[2].kind is SentenceKind.REMEMBER and not after[2].what
    return bare_wish or "\n" not in text[before[1] : after[0]]


def _both(before: Sentence, after: Sentence) -> str:
    said = [one.what or (one.text if one.kind is SentenceKind.STATEMENT else "") for one in (before, after)]
    return " ".join(filter(None, said))
