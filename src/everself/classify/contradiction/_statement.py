"""A text taken apart for comparison: clauses with their content words, amounts, times and polarity; cues of change, past and doubt.

Knows one text at a time, never a pair.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from everself.classify.contradiction._lexicon import Lexicon, lexicon
from everself.classify.contradiction._quantities import NUMBER, Quantity, read_quantities
from everself.classify.contradiction._times import Times, read_times
from everself.classify.sentence_kinds import Language
from everself.text.normalise import fold, without_surrogates

if TYPE_CHECKING:
    import re2

# A statement is short. Of a long text only its beginning is compared, so that a pair costs no more than a page.
LONGEST: Final = 2_000
_MOST_CLAUSES: Final = 12
# one statement is held against many, and taking it apart costs more than comparing it
_KEPT: Final = 2_000
# stands among the words where the subject ends
IS: Final = "|"
_FIRM: Final = frozenset("은는을를")
# folding would make them ASCII, which ends nothing without a blank behind it
_STOPS: Final = str.maketrans("，！；", "、。。")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. `words` are content words in order, with `IS` where a relation joins subject and value."""

    text: str
    words: tuple[str, ...]
    negative: bool
    denied: str
    quantities: tuple[Quantity, ...]
    # a number before the relation tells which one is meant, as in "room 3 is free"
    numbered: bool
    times: Times
    people: frozenset[str]
    opposites: frozenset[str]
    # which one of several of its kind: the left or the right, the old or the new
    contrasts: tuple[tuple[int, str], ...]

    def content(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if word != IS)


@dataclass(frozen=True, slots=True)
class Statement:
    language: Language
    text: str
    clauses: tuple[Clause, ...]
    changes: frozenset[str]
    changed: bool
    past: bool
    unsure: bool
    more: bool
    # the exclusive attributes that any clause speaks of
    frames: frozenset[str]


def read_statement(text: str, language: Language) -> Statement:
    return _read(text[:LONGEST], language)


@lru_cache(maxsize=_KEPT)
def _read(text: str, language: Language) -> Statement:
    words = lexicon(language)
    folded = fold(without_surrogates(text).translate(_STOPS)).replace("?", "?; ")
    pieces = [piece.strip() for piece in _borders().split(folded) if piece and piece.strip()]
    pieces = [piece for piece in pieces if not _asks(piece)] or pieces
    plain = " ".join(pieces)
    parts = pieces[:_MOST_CLAUSES] if len(pieces) > 1 else []
    clauses = [_clause(piece, words) for piece in (folded, *parts)]
    change = words.pattern("change")
    changes = frozenset(match.group() for match in change.finditer(folded)) if change is not None else frozenset()
    return Statement(
        language=language,
        text=plain,
        clauses=tuple(clause for clause in clauses if clause.text),
        changes=changes,
        changed=bool(changes),
        past=words.says("past", folded),
        unsure=words.says("unsure", folded),
        more=words.says("more", folded),
        frames=frozenset[str]().union(*(words.frames_in(clause.text) for clause in clauses)),
    )


def _asks(piece: str) -> bool:
    return piece.endswith(("?", "？"))


@cache
def _borders() -> "re2._Regexp":
    import re2

    # a comma within a number, a point within a name are no borders
    return re2.compile(r"[.!;]+(?:\s+|$)|[。、]+|,\s+|\s-\s|\s\(|\)")


def _clause(piece: str, words: Lexicon) -> Clause:
    times, rest = read_times(piece, words.language)
    quantities, rest = read_quantities(rest, words.language)
    denying = words.without("notnegation", rest)
    negative = words.says("negation", denying)
    opposites = frozenset(_listed(rest, words, "opposite"))
    rest = _marked(_synonyms(rest, words), words, "become")
    for section in ("change", "past", "more"):
        rest = words.without(section, rest)
    rest = _marked(rest, words, "is")
    subject, _, value = rest.partition(IS)
    for section in ("negation", "filler"):
        rest = words.without(section, rest)
    return Clause(
        text=piece,
        words=tuple(content_of(rest, words)),
        negative=negative,
        denied=_denied(denying, words) if negative else "",
        quantities=quantities,
        numbered=NUMBER in subject and bool(content_of(value, words)),
        times=times,
        people=frozenset(_people(subject, words)),
        opposites=opposites,
        contrasts=tuple(words.contrast[word] for word in _listed(piece, words, "contrast")),
    )


def _marked(text: str, words: Lexicon, section: str) -> str:
    relation = words.pattern(section)
    return text if relation is None else relation.sub(f" {IS} ", text)


def _denied(text: str, words: Lexicon) -> str:
    """The word that the negation is about: the next one in English and Chinese, the one it follows in Japanese and Korean."""
    pattern = words.pattern("negation")
    match = pattern.search(text) if pattern is not None else None
    if match is None:
        return ""
    text = text[: match.end()] + "," + text[match.end() :]
    after = match.end() + 1
    before_it = words.language in ("ja", "ko") and match.group().strip() not in ("안", "못")
    near = text[: match.start()] if before_it else text[after:]
    for section in ("change", "past", "more", "negation", "filler", "is"):
        near = words.without(section, near)
    found = content_of(near, words)
    return (found[-1] if before_it else found[0]) if found else ""


def _people(text: str, words: Lexicon) -> set[str]:
    """Who is spoken of; whoever speaks only where nobody else is."""
    found = {words.people[one] for one in _listed(text, words, "people")}
    return found - {next(iter(words.people.values()), "")} if len(found) > 1 else found


def _listed(text: str, words: Lexicon, section: str) -> list[str]:
    pattern = _any_of(words.language, section)
    return [] if pattern is None else [match.group(1) for match in pattern.finditer(text)]


@cache
def _any_of(language: Language, section: str) -> "re2._Regexp | None":
    import re2

    listed = {word for line in lexicon(language).lines(section) for word in line.replace("/", " ").split()}
    if not listed:
        return None
    either = "|".join(re2.escape(word) for word in sorted(listed, key=len)[::-1])
    return re2.compile(rf"\b({either})(?:'s)?\b" if language == "en" else f"({either})")


def _synonyms(text: str, words: Lexicon) -> str:
    """Where words have no blanks between them, the same said otherwise must be put right in the text."""
    pattern = _any_of(words.language, "same") if words.language != "en" else None
    return text if pattern is None else pattern.sub(lambda match: words.same[match.group()], text)


def content_of(text: str, words: Lexicon) -> list[str]:
    """The words that carry meaning, in order and in their bare form."""
    found: list[str] = []
    for match in _words(words.language).finditer(text):
        word = match.group()
        if word == IS:
            found.append(IS)
            continue
        bare = _stemmed(word, words)
        if bare and word not in words.stop and bare not in words.stop:
            found.append(words.same.get(word, words.same.get(bare, bare)))
    return found


@cache
def _words(language: Language) -> "re2._Regexp":
    import re2

    match language:
        case "en":
            return re2.compile(r"\||[\p{L}\p{N}@#_][\p{L}\p{N}@#_.'+-]*")
        case "ko":
            return re2.compile(r"\||[\p{L}\p{N}_+#.-]+")
        case "zh":
            return re2.compile(r"\||\p{Han}+|[\p{Latin}\p{N}_+#.-]+")
        case "ja":
            return re2.compile(r"\||[\p{Han}々]+|[\p{Katakana}ー]+|[\p{Latin}\p{N}_+#.-]+|「[^」]{1,20}」")


def _stemmed(word: str, words: Lexicon) -> str:
    word = word.strip("'.-「」")
    if words.language == "en":
        # I'm, we've, she'd: what stands before the apostrophe
        return _english(word.partition("'")[0])
    if words.language == "ko":
        for _ in range(2):
            for ending in words.endings:
                # a word of two syllables may end like a particle and be all stem
                least = 1 if len(ending) > 1 or ending in _FIRM else 2
                if len(word) - len(ending) >= least and word.endswith(ending):
                    word = word.removesuffix(ending)
                    break
            else:
                break
    return word


def _english(word: str) -> str:
    """Rough on purpose: the same word in two forms must meet, and a wrong meeting of two words is rare in two sentences."""
    if len(word) <= 3 or not word.isascii():
        return word
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ers", ""), ("er", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending) + kept
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "els":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
