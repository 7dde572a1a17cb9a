"""Whether a message corrects what was said or remembered before, and in which words. Pure.

Rules and signs are weighed together. Sections of `corrections.txt` (rules): `high` and `medium` count in a sentence that is no
question (`asks`) and that no `veto` matches; `certain` and `likely` (high and medium) count also there, unless `never` matches. What
`wonders` asks in earnest, and nothing else of it counts. `across` and `veto-across` see the whole message. The signs of `signs.txt`
are weaker and more general, see `signs.py`. Of `contrast.txt` every pattern has the groups `old` and `new` for the words that are wrong
and right.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from everself.classify._correction_signs import ACROSS, ENOUGH, PLENTY, signs_of, weigh
from everself.classify.folding import HIDDEN, fold, hide_quoted, language_of, one_script
from everself.classify.pattern_sets import load_set, read_patterns
from everself.classify.sentence_kinds import Language

if TYPE_CHECKING:
    import re2

Sure = Literal["high", "medium"]

# A correction stands at the beginning of a message or at its end; between them is what somebody pasted.
BEGINNING: Final = 800
END: Final = 400
_LONGEST_SENTENCE: Final = 200
_FIRST: Final = 20
_LAST: Final = 10
# Signs are many and cost more than rules: they are looked for in so many sentences and the last, in so much of each (of a script
# that says more with a character, and of another).
_SIGNED: Final = 4
_SIGNED_LENGTH: Final = (70, 160)
_MOST_ACROSS: Final = 6
# who corrects is brief
_CHATTY: Final = 4
_ENDS: Final = frozenset(".!?\n")
_EDGES: Final = " \t\"'.,;:!?()[]*_~-" + HIDDEN


@dataclass(frozen=True, slots=True)
class Correction:
    """`trigger` is the sentence that says so; `old` and `new` stand where the words tell both apart."""

    sure: Sure
    trigger: str
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence as the patterns read it, and where it stands in what was read."""

    folded: str
    start: int
    end: int
    language: Language
    asks: bool


def window(text: str) -> str:
    """As much of a message as is read: half as many characters of a script that says more with each."""
    beginning, end = BEGINNING, END
    if len(text) > (beginning + end) // 2 and sum(char > "\u2e7f" for char in text[:beginning]) > beginning // 8:
        beginning, end = beginning // 2, end // 2
    if len(text) <= beginning + end:
        return text
    return f"{text[:beginning]}\n{text[-end:]}"


def find_correction(text: str) -> Correction | None:
    read = window(text)
    parts = parts_of(read)
    best = _best(parts)
    if best is None:
        return None
    sure, part = best
    old, new = contrast(read, part, parts)
    return Correction(sure, read[part.start : part.end].strip(), old, new)


def _best(parts: tuple[Part, ...]) -> tuple[Sure, Part] | None:
    """The sentence that says so, for which most speaks; two that follow each other may say it together."""
    each = [_said(place, parts) for place in range(len(parts))]
    if each and _says_across(parts):
        each[0] |= {"high"}
    whole: set[str] = set()
    if any("social" in signs for signs in each):
        whole.add("chatty")
    if len(parts) > _CHATTY:
        whole.add("long")
    best: tuple[float, frozenset[str], int] | None = None
    for place, signs in enumerate(each):
        found = [(weigh(signs | whole), signs, place)]
        if place + 1 < len(parts) <= _SIGNED:
            both = signs | each[place + 1] | _together(parts[place], parts[place + 1])
            says = max((place, place + 1), key=lambda one: weigh(each[one]))
            found.append((weigh(both | whole), both, says))
        for one in found:
            if one[0] > ENOUGH and (best is None or one[0] > best[0]):
                best = one
    if best is None:
        return None
    weight, signs, place = best
    return _sure(signs, weight), parts[place]


def _sure(signs: frozenset[str], weight: float) -> Sure:
    if not signs.isdisjoint({"certain", "high"}):
        return "high"
    return "medium" if "medium" in signs or weight < PLENTY else "high"


def _said(place: int, parts: tuple[Part, ...]) -> frozenset[str]:
    rules = _rules(parts[place])
    return frozenset() if "wonders" in rules else _signs(place, parts) | rules


def _signs(place: int, parts: tuple[Part, ...]) -> frozenset[str]:
    if _SIGNED <= place < len(parts) - 1:
        return frozenset()
    part = parts[place]
    return signs_of(part.folded[: _SIGNED_LENGTH[part.language == "en"]], part.language)


def _together(first: Part, second: Part) -> frozenset[str]:
    half = _SIGNED_LENGTH[first.language == "en"] // 2
    return signs_of(f"{first.folded[-half:]} {second.folded[:half]}", first.language) & ACROSS


def parts_of(read: str) -> tuple[Part, ...]:
    """The sentences of what was read, quoted ones hidden."""
    folded = hide_quoted(fold(read))
    found: list[Part] = []
    start = 0
    for at, char in enumerate(folded):
        if char not in _ENDS or not _is_end(folded, at):
            continue
        if at + 1 < len(folded) and folded[at + 1] in ".!?":
            continue
        _take(folded, read, (start, at + 1), found)
        start = at + 1
    _take(folded, read, (start, len(folded)), found)
    return tuple(found if len(found) <= _FIRST + _LAST else (*found[:_FIRST], *found[-_LAST:]))


def _take(folded: str, read: str, span: tuple[int, int], found: list[Part]) -> None:
    start, end = span
    piece = folded[start:end]
    if not piece.strip(_EDGES + "\n\r"):
        return
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    language = language_of(piece, read)
    shown = one_script(piece) if language == "zh" else piece
    found.append(Part(shown[:_LONGEST_SENTENCE], start, start + len(piece), language, "?" in shown[-3:]))


def _is_end(folded: str, at: int) -> bool:
    """A dot ends a sentence only before white space or beside a script without spaces; "Dr. Bell" and "3.11" go on."""
    if folded[at] != ".":
        return True
    after = folded[at + 1 : at + 2]
    before = folded[max(0, at - 3) : at]
    if after and not after.isspace():
        return ord(after) > 0x2E7F and after != HIDDEN and not before[-1:].isascii()
    return before.rsplit(" ", maxsplit=1)[-1].lower() not in ("dr", "mr", "ms", "mrs", "st", "vs", "no")


def _rules(part: Part) -> frozenset[str]:
    """What the rules say of a sentence: one of `certain`, `high` and `medium` at most, or that there is a `veto`."""
    names = load_set("corrections").names(part.folded, part.language)
    vetoed = frozenset({"veto"}) & names
    if "wonders" in names:
        return frozenset({"wonders"})
    if "never" in names:
        return vetoed
    if "certain" in names:
        return frozenset({"certain"})
    if not vetoed and "asks" not in names and not part.asks:
        if "high" in names:
            return frozenset({"high"})
        if "medium" in names:
            return frozenset({"medium"})
    return vetoed | {"medium"} if "likely" in names else vetoed


def _says_across(parts: tuple[Part, ...]) -> bool:
    """What only several sentences together say: that one was claimed, and that another holds."""
    if len(parts) > _MOST_ACROSS:
        return False
    together = " ".join(part.folded for part in parts)[: 2 * _LONGEST_SENTENCE]
    names = load_set("corrections").names(together, parts[0].language)
    return "across" in names and names.isdisjoint({"veto-across", "never"}) and not parts[-1].asks


@cache
def _contrasts(language: Language) -> "tuple[re2._Regexp, ...]":
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return tuple(re2.compile(pattern, options) for _, pattern in read_patterns("contrast", language))


def contrast(read: str, part: Part, parts: tuple[Part, ...]) -> tuple[str, str]:
    """The wrong and the right words, of that sentence or of it with the next."""
    place = parts.index(part)
    spans = [(part.start, part.end)]
    if place + 1 < len(parts):
        spans.append((part.start, parts[place + 1].end))
    if place > 0:
        spans.append((parts[place - 1].start, part.end))
    for start, end in spans:
        own = read[start:end]
        folded = fold(own)
        shown = (one_script(folded) if part.language == "zh" else folded)[: 2 * _LONGEST_SENTENCE]
        for pattern in _contrasts(part.language):
            found = pattern.search(shown)
            if found is None:
                continue
            old, new = (_bare(own[slice(*found.span(pattern.groupindex[group]))]) for group in ("old", "new"))
            # "not even wine" denies more of the same and contrasts nothing
            idle = old.casefold().startswith(("even ", "just ", "only ", "yet"))
            if old and new and not idle and old.casefold() != new.casefold():
                return old, new
    return "", ""


def _bare(words: str) -> str:
    return words.strip(_EDGES + "“”‘’「」『』。、，！？…\n")
