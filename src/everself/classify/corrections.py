"""Whether a message corrects what was said or remembered before, and in which words. Pure.

Outright corrections are judged on the message as a whole, possible ones on each sentence and on pairs of neighbours. The trigger lists add
what they match. Quoted text is ignored. Every pattern of `contrast.txt` has the groups `old` and `new` for the wrong and the right words.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from everself.classify._requests import Route, routes
from everself.classify.messages import read_whole
from everself.classify.model import Scores, prepare, score
from everself.classify.pattern_sets import read_patterns, regex
from everself.text.clauses import clauses_of
from everself.text.folding import HIDDEN, fold_in_place, hide_quoted, one_script, without_quoted
from everself.text.search import TermKind, read_query
from everself.text.sentences import split

if TYPE_CHECKING:
    import re2

# low: the message reports a change, which may or may not concern something known; hint: only a comparison with what is known can tell
Sure = Literal["high", "medium", "low", "hint"]

# A correction is at the beginning or the end of a message; the text between them is usually pasted.
BEGINNING: Final = 800
END: Final = 400
_LONGEST_SENTENCE: Final = 200
_FIRST: Final = 20
_LAST: Final = 10
# number of sentences judged at the beginning of a message, and at its end
_JUDGED: Final = 6
_JUDGED_LAST: Final = 2
_ENDS: Final = frozenset(".!?\n")
_EDGES: Final = " \t\"'.,;:!?()[]*_~-" + HIDDEN


@dataclass(frozen=True, slots=True)
class Correction:
    """`trigger` is the correcting sentence; `old` and `new` are the wrong and the right words if it names both. `likely` is the head's
    probability for a correction, whatever other evidence there is."""

    sure: Sure
    trigger: str
    old: str = ""
    new: str = ""
    likely: float = 0.0


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence as the patterns read it, and its position in the text."""

    folded: str
    start: int
    end: int
    asks: bool


def window(text: str) -> str:
    """The part of a message that is read: its beginning and end, half as many characters in a script that says more with each."""
    beginning, end = BEGINNING, END
    if len(text) > (beginning + end) // 2 and sum(char > "\u2e7f" for char in text[:beginning]) > beginning // 8:
        beginning, end = beginning // 2, end // 2
    if len(text) <= beginning + end:
        return text
    return f"{text[:beginning]}\n{text[-end:]}"


def find_correction(text: str) -> Correction | None:
    """The correction in a message; None if it only reports a change."""
    found = find_change(text)
    return None if found is None or found.sure == "low" else found


def find_change(text: str) -> Correction | None:
    """The correction in a message, or the change that it reports."""
    read = window(text)
    parts = parts_of(read)
    best = _best(read, parts)
    if best is None:
        return None
    sure, part, likely = best
    old, new = contrast(read, part, parts)
    return Correction(sure, read[part.start : part.end].strip(), old, new, likely)


def hint_of_correction(text: str) -> float:
    """The highest probability of any clause to be a correction. For callers that have found what it would correct."""
    clauses = [
        text[start + first : start + until]
        for start, end in split(text)
        for first, until in clauses_of(text[start:end])
    ]
    pieces = [one for one in dict.fromkeys((text, *clauses)) if one.strip()][:_FIRST]
    prepare(pieces)
    return max((score(one)["correction"] for one in pieces), default=0.0)


def _best(read: str, parts: tuple[Part, ...]) -> tuple[Sure, Part, float] | None:
    """The sentence with the strongest evidence, and the probability of a correction. Two adjacent sentences may be one together."""
    judged = [at for at in range(len(parts)) if at < _JUDGED or at >= len(parts) - _JUDGED_LAST]
    pieces: list[tuple[tuple[int, ...], str]] = [((at,), _words(read, parts[at], parts[at])) for at in judged]
    pieces += [((at, at + 1), _words(read, parts[at], parts[at + 1])) for at in judged if at + 1 in judged]
    prepare([words for _, words in pieces])
    found = [(score(words), at) for at, words in pieces]
    single = {at[0]: scores for scores, at in found if len(at) == 1}
    best = max(found, key=lambda one: one[0].margin("correction"), default=None)
    likely = max((scores["correction"] for scores, _ in found), default=0.0)
    outright = best is not None and best[0].says("correction") and best[0].says("strong")
    if single and (outright or read_whole([_words(read, parts[at], parts[at]) for at in single]).says("strong")):
        return "high", parts[max(single, key=lambda at: single[at]["strong"])], likely
    for at, scores in single.items():
        # naming both the wrong and the right words is an open correction
        if scores.says("strong") and all(contrast(read, parts[at], parts)):
            return "high", parts[at], likely
    ruled = _by_rule(parts, single)
    if ruled is None and best is not None and best[0].may("correction"):
        return "low", parts[best[1][0]], likely
    return None if ruled is None else (*ruled, likely)


def _words(read: str, first: Part, last: Part) -> str:
    """The text as the head reads it, without quotations."""
    return without_quoted(read[first.start : last.end])


def _by_rule(parts: tuple[Part, ...], single: dict[int, Scores]) -> tuple[Sure, Part] | None:
    """What the trigger lists match, unless it is a question. "Don't you remember?" is a question and may correct all the same."""
    for route, sure in _SENT:
        for at, scores in sorted(single.items()):
            asks = (scores.says("question") or parts[at].asks) and not (route == "recall" and scores.may("correction"))
            if route not in routes(parts[at].folded) or asks:
                continue
            return ("high" if route == "soft" and scores.says("strong") else sure), parts[at]
    return None


_SENT: Final[tuple[tuple[Route, Sure], ...]] = (("recall", "high"), ("soft", "medium"), ("change", "low"))


def parts_of(read: str) -> tuple[Part, ...]:
    """The sentences of the text, with quotations hidden."""
    folded = hide_quoted(fold_in_place(read))
    found: list[Part] = []
    start = 0
    for at, char in enumerate(folded):
        if char not in _ENDS or not _is_end(folded, at):
            continue
        if at + 1 < len(folded) and folded[at + 1] in ".!?":
            continue
        _take(folded, (start, at + 1), found)
        start = at + 1
    _take(folded, (start, len(folded)), found)
    return tuple(found if len(found) <= _FIRST + _LAST else (*found[:_FIRST], *found[-_LAST:]))


def _take(folded: str, span: tuple[int, int], found: list[Part]) -> None:
    start, end = span
    piece = folded[start:end]
    if not piece.strip(_EDGES + "\n\r"):
        return
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    shown = one_script(piece)
    found.append(Part(shown[:_LONGEST_SENTENCE], start, start + len(piece), "?" in shown[-3:]))


def _is_end(folded: str, at: int) -> bool:
    """Whether a sentence ends here. A dot ends it only before white space or next to a script without spaces, unlike in "Dr. Bell" and
    "3.11"."""
    if folded[at] != ".":
        return True
    after = folded[at + 1 : at + 2]
    before = folded[max(0, at - 3) : at]
    if after and not after.isspace():
        return ord(after) > 0x2E7F and after != HIDDEN and not before[-1:].isascii()
    return before.rsplit(" ", maxsplit=1)[-1].lower() not in ("dr", "mr", "ms", "mrs", "st", "vs", "no")


@cache
def _contrasts() -> "tuple[re2._Regexp, ...]":
    return tuple(regex(one_script(pattern), case=False) for _, pattern in read_patterns("contrast"))


def contrast(read: str, part: Part, parts: tuple[Part, ...]) -> tuple[str, str]:
    """The wrong and the right words of a sentence, alone or together with the next or the previous one."""
    place = parts.index(part)
    spans = [(part.start, part.end)]
    if place + 1 < len(parts):
        spans.append((part.start, parts[place + 1].end))
    if place > 0:
        spans.append((parts[place - 1].start, part.end))
    for start, end in spans:
        own = read[start:end]
        shown = one_script(fold_in_place(own))[: 2 * _LONGEST_SENTENCE]
        for pattern in _contrasts():
            found = pattern.search(shown)
            if found is None:
                continue
            old, new = (_bare(own[slice(*found.span(pattern.groupindex[group]))]) for group in ("old", "new"))
            # "not even wine" denies more of the same and contrasts nothing
            idle = old.casefold().startswith(("even ", "just ", "only ", "yet"))
            if old and new and not idle and not _breaks_off(new) and old.casefold() != new.casefold():
                return old, new
    return "", ""


def _breaks_off(words: str) -> bool:
    """Whether the words are half a clause that ends in a stop word, as before "not" in "the visit is not on Monday"."""
    last = words.split()[-1:] if " " in words else []
    return any(term.kind is TermKind.STOP for one in last for term in read_query(one).terms)


def _bare(words: str) -> str:
    return words.strip(_EDGES + "“”‘’「」『』。、，！？…\n")
