"""Whether notes made from a message state what the message states, clause by clause. Pure; knows no memory and no speaker.

A note is worded anew: dates are written out, "mum" becomes "mother". A clause counts as stated if the notes contain each of its names,
numbers and dates in the same order, and each other word or a near synonym. The rest is small talk, or it is missing and the caller stores
it: a fact stored twice is better than a lost one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Final

from everself.classify import encoder
from everself.classify.contradiction import contradicts
from everself.classify.model import score
from everself.classify.pattern_sets import regex
from everself.classify.sentences import NOT_KEPT
from everself.text.clauses import clauses_of
from everself.text.dates import DateSpan, read_dates
from everself.text.normalise import fold, without_surrogates
from everself.text.note_quotes import without_quote
from everself.text.search import TermKind, index_terms, read_query
from everself.text.sentences import split

# lowest similarity of interchangeable words: "kid" and "child" reach it; "Monday" and "Tuesday", "brother" and "sister" do not
_NEAR: Final = 0.82
# a longer word is never filler
_SHORT: Final = 3
_STEM: Final = 4
# fewest words of two parallel sentences; one word in `_SHARE` may differ
_FRAME: Final = 3
_SHARE: Final = 5
# lowest similarity of a negating word to one of `_NOT`: every language has a few of its own
_DENYING: Final = 0.72
_NOT: Final = ("not", "no", "never", "cannot", "without", "nothing")
# lowest small-talk score and highest keep score of a missing clause that is ignored as chatter
_CHATTY: Final = 0.6
_WORTHLESS: Final = 0.3
# the same scores for a short filler word
_FILLING: Final = 0.985
_EMPTY: Final = 0.03
_ACTS: Final = ("fact", "wish", "decision", "plan", "correction")
_DENSE: Final = "\u2e7f"
# dates without a year get the same year in both texts
_LATE: Final = date(2999, 12, 31)
_NOON: Final = 12
# words that a date and a time of day in a note can stand for
_DAYS: Final = ("next", "week", "tomorrow")
_HOURS: Final = ("half", "past", "quarter", "morning", "afternoon", "evening")
_AROUND: Final = " .,;:!?…\"'“”‘’()"
# longer runs of digits are names, and compared as words
_LONGEST_NUMBER: Final = 12
_CLOCK: Final = r"\d{1,2}[:.]\d{2}\b"
_OWNER: Final = r"(?i)\b(?:the )?owner(?:['’]s)?\b"
_MOST_WORDS: Final = encoder.MOST - len(_NOT)
_Day = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Told:
    """The words, numbers and dates of a text. A word is a tuple of its forms; a date comes with the words that name it."""

    text: str
    words: tuple[tuple[str, ...], ...]
    forms: frozenset[str]
    numbers: frozenset[int]
    days: tuple[tuple[_Day, str], ...]


def untold(statement: str, notes: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a statement that the notes do not state, each without stated clauses at its end that have a day or a number of their
    own. A sentence is left out if the notes state everything in it but small talk."""
    found: list[str] = []
    for start, end in split(statement):
        sentence = statement[start:end]
        if not sentence.strip():
            continue
        clauses = list(clauses_of(sentence))
        about = [note for note in notes if not _is_parallel(sentence, note) and not _is_turned(sentence, note)]
        told = _told(sentence, clauses, about, _known(about), _read(statement))
        left = [at for at, one in enumerate(told) if not one]
        if all(is_chatter(sentence[slice(*clauses[at])]) for at in left):
            continue
        last = max((at for at, one in enumerate(clauses) if at in left or not _is_fact(sentence[slice(*one)])))
        found.append(sentence[: clauses[last][1]].strip())
    return tuple(found)


def left_out(sentence: str, notes: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Where the clauses of a sentence stand that the notes do not state."""
    clauses = list(clauses_of(sentence))
    told = _told(sentence, clauses, notes, _known(notes), _read(sentence))
    return tuple(clause for clause, one in zip(clauses, told, strict=True) if not one)


def gives_otherwise(note: str, sentence: str) -> bool:
    """Whether a note and the sentence it is about give different values: each has a number or a name that the other lacks, dates aside, or
    one of them negates what the other says."""
    own, known, bare = _read(note), _read(sentence), _without_owner(note)
    if any(not stands(bare, known) and not stands(sentence, own) for stands in (_numbered, _named)):
        return True
    clauses = [sentence[first:until] for first, until in clauses_of(sentence)]
    denied = any(_is_denied(one, (note,)) for one in clauses if is_made_of(note, one))
    return denied or _is_affirmed(sentence, (note,))


def has_more_numbers(one: str, other: str) -> bool:
    """Whether the first text has a number that the other lacks, dates aside."""
    return not _numbered(one, _read(other))


def count_words(text: str) -> int:
    return len(_read(text).words)


def tells(note: str, statement: str) -> bool:
    """Whether a note states every clause of a statement, small talk included, and not another value of it."""
    if contradicts(note, statement) or _is_parallel(note, statement) or _is_turned(note, statement):
        return False
    return all(_told(statement, list(clauses_of(statement)), (note,), _known((note,)), _read(statement)))


def same_fact(one: str, other: str, *, ordered: bool = True) -> bool:
    """Whether two texts state the same and nothing more, whoever says it of the owner. `ordered`: require the same words in the same order,
    except for two texts of one message, because to every encoder a donkey is much like a moose."""
    if (without_quote(one) == one) != (without_quote(other) == other):
        one, other = without_quote(one), without_quote(other)
    ours, theirs = (_without_owner(text) for text in (one, other))
    if _letters(ours) == _letters(theirs):
        return True
    if ordered and not (in_word_order(ours, theirs) and _has_words(ours, theirs) and _has_words(theirs, ours)):
        return False
    return tells(ours, theirs) and tells(theirs, ours)


def _has_words(one: str, other: str) -> bool:
    known = _read(other).forms
    return all(any(form in known for form in word) for word in _read(one).words)


def _is_parallel(one: str, other: str) -> bool:
    """Whether two texts say the same of different things, word by word, as "I feed the dog at six" and "I feed the heron at six"."""
    ours, theirs = _words_of(one), _words_of(other)
    if len(ours) != len(theirs) or len(ours) < _FRAME:
        return False
    other_words = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b and not _is_kin(a, frozenset((b,)))]
    return 0 < len(other_words) <= max(1, len(ours) // _SHARE)


def _is_turned(one: str, other: str) -> bool:
    """Whether two texts say the same words with the roles reversed, as "ana beat mia" and "mia beat ana"."""
    ours, theirs = _words_of(one), _words_of(other)
    if len(set(ours)) < _FRAME or sorted(ours) != sorted(theirs):
        return False
    places = [theirs.index(word) for word in dict.fromkeys(ours)]
    return any(max(places[:at]) > places[at] > min(places[at + 1 :]) for at in range(1, len(places) - 1))


def in_word_order(one: str, other: str) -> bool:
    """Whether the words and numbers that occur in both texts come in the same order, including names in lower case."""
    ours, theirs = ([word[0] for word in _read(text).words] for text in (one, other))
    return _keeps_order(ours, theirs) and _keeps_order(_numbers_of(one), _numbers_of(other))


def in_same_order(one: str, other: str) -> bool:
    """Whether the names and numbers that occur in both texts come in the same order: "Ana beat Mia" is not "Mia beat Ana"."""
    named = _keeps_order(_anchors(one, other), _words_of(other))
    return named and _keeps_order(_numbers_of(one), _numbers_of(other))


def is_made_of(note: str, sentence: str) -> bool:
    """Whether a note is about what a sentence says: it shares at least half of the words of a clause."""
    known = _read(note)
    for first, until in clauses_of(sentence):
        words = _read(sentence[first:until]).words
        shared = sum(_stands(word, known) for word in words)
        if shared > 1 and 2 * shared >= len(words):
            return True
    return False


def touches(note: str, sentence: str) -> bool:
    """Whether a note states a clause of a sentence: it was then made from this sentence, whatever it omits or adds."""
    clauses = list(clauses_of(sentence))
    told = _told(sentence, clauses, (note,), _known((note,)), _read(sentence))
    return any(
        one and len(_read(sentence[slice(*clause)]).words) > 1 for one, clause in zip(told, clauses, strict=True)
    )


def picks_up(note: str, message: str, kept: Sequence[str]) -> bool:
    """Whether a note states something of a message that is in none of the sentences kept from it."""
    own, heard, held = _read(note), _read(message), _read("\n".join(kept))
    words = [word for word in own.words if _stands(word, heard) and not _stands(word, held)]
    return len(words) > 1 or bool((own.numbers & heard.numbers) - held.numbers)


def adds_nothing(note: str, texts: Sequence[str]) -> bool:
    """Whether every name, number and date of a note occurs in one of the texts, apart from hours after noon and the rest of a date."""
    known, own = _read("\n".join(texts)), _read(note)
    dated = fold(note)
    for day, words in own.days:
        if not _counted(day[1], known) and day not in {one for one, _ in known.days}:
            return False
        dated = dated.replace(words, " ", 1)
    numbers = _read(dated).numbers
    return all(_counted(one, known) or _is_forenoon(one, known) for one in numbers) and all(
        _stands((name,), known) for name in names_in(note)
    )


def shares_words(text: str, others: Sequence[str]) -> bool:
    """Whether both have the same subject: a word of substance occurs in both."""
    known = _read("\n".join(others))
    return any(_stands(word, known) for word in _read(text).words)


def words_in_common(one: str, other: str) -> set[str]:
    """The words, numbers and dates of the first text that occur in the other."""
    own, known = _read(one), _read(other)
    days = {day for day, _ in known.days}
    numbers = {str(number) for number in own.numbers if _counted(number, known)}
    dates = {written for day, written in own.days if day in days}
    return numbers | dates | {word[0] for word in own.words if _stands(word, known)}


def words_shared(one: str, other: str) -> set[str]:
    """The words of substance of the first text that occur in the other, without numbers and dates."""
    known = _read(other)
    return {word[0] for word in _read(one).words if _stands(word, known)}


def words_of_substance(text: str) -> list[str]:
    """The words in text order, without words of grammar and numbers."""
    return [word[0] for word in _read(text).words]


def is_worth(text: str) -> bool:
    """Whether the heads consider the text, or a clause of it, a fact, wish, decision, plan, correction or worth keeping, and nothing else
    more likely."""
    clauses = [text[first:until] for first, until in clauses_of(text)]
    return any(_is_worth(one) for one in dict.fromkeys((text, *clauses)) if one.strip())


def _is_worth(text: str) -> bool:
    scores = score(text)
    told = max(scores["keep"], *(scores[act] for act in _ACTS))
    return any(map(scores.says, ("keep", *_ACTS))) and all(scores[name] <= told for name in NOT_KEPT)


def is_chatter(clause: str) -> bool:
    """Whether a clause that no note states is small talk, without any name, number or date."""
    own = _read(clause)
    if own.numbers or own.days or names_in(clause):
        return False
    scores = score(clause)
    return scores["smalltalk"] >= _CHATTY and scores["keep"] <= _WORTHLESS


def _is_fact(clause: str) -> bool:
    """Whether a clause is a fact by itself. Without a day or a number it may be the condition of the clause before it."""
    own = _read(clause)
    return bool(own.numbers or own.days)


def _told(
    sentence: str, clauses: Sequence[tuple[int, int]], notes: Sequence[str], known: _Told, whole: _Told
) -> Iterator[bool]:
    """Yield for each clause whether the notes state it. `whole` is the statement: a word of the notes that occurs elsewhere in it cannot
    stand for a word of this clause."""
    agreed = all(_keeps_order(_numbers_of(sentence), _numbers_of(note)) for note in notes)
    agreed = agreed and not _is_affirmed(sentence, notes)
    for number, (first, until) in enumerate(clauses):
        clause = sentence[first:until]
        bare = _without_filler(clause, first=number == 0, last=number == len(clauses) - 1)
        yield (
            agreed
            and _is_told(bare, notes, known, whole)
            and all(_keeps_order(_anchors(clause, note), _words_of(note)) for note in notes)
            and not _is_denied(clause, notes)
        )


def _is_told(clause: str, notes: Sequence[str], known: _Told, whole: _Told) -> bool:
    if not all(_stands((name,), known) for name in names_in(clause)):
        return False
    clause = _undated(clause, known)
    own = _read(clause)
    if not all(_counted(one, known) for one in own.numbers):
        return False
    if any(char > _DENSE for char in clause):
        return _is_within(clause, "".join(notes))
    left = [word for word in own.words if not _stands(word, known)]
    if not left:
        # "it is over" has no word that could be compared
        return bool(whole.words or whole.numbers or whole.days)
    spare = [word[0] for word in known.words if not _stands(word, whole)]
    spare += _DAYS if known.days else ()
    spare += _HOURS if regex(_CLOCK).search(known.text) else ()
    words = [word[0] for word in left]
    # the pair "every day" is near "daily", but neither of its words is
    ours, theirs = ([f"{one} {other}" for one, other in pairwise(each)] for each in (words, spare))
    near = _nearness([*words, *ours], [*spare, *theirs])
    if near is None:
        return False
    single, double = near[: len(words)], [0.0, *near[len(words) :], 0.0]
    return all(max(one, double[at], double[at + 1]) >= _NEAR for at, one in enumerate(single))


def _is_within(clause: str, notes: str) -> bool:
    """Whether the notes contain the meaningful characters of a clause in order. For scripts without blanks."""
    at = 0
    sought = [term.surface for term in read_query(clause).terms if term.kind is TermKind.CHARACTER]
    sought += [char for char in clause if "ァ" <= char <= "ヿ" and char not in sought]
    for char in clause:
        if char not in sought or "\u3040" <= char <= "\u309f":
            continue
        at = notes.find(char, at) + 1
        if not at:
            return False
    return bool(sought)


def _without_filler(clause: str, *, first: bool, last: bool) -> str:
    """The clause without short words that only open or end a message."""
    words = clause.split()
    while first and len(words) > 1 and is_filler(words[0]):
        words = words[1:]
    while last and len(words) > 1 and is_filler(words[-1]):
        words = words[:-1]
    return " ".join(words)


def is_filler(word: str) -> bool:
    """Whether a short word only opens or ends a message."""
    bare = word.strip(_AROUND)
    if len(bare) > _SHORT or any(char.isdecimal() for char in bare):
        return False
    scores = score(bare)
    return scores["smalltalk"] >= _FILLING and scores["keep"] <= _EMPTY


def _keeps_order(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the items that occur in both come in the same order."""
    shared = [one for one in ours if one in theirs]
    at = 0
    for one in dict.fromkeys(shared):
        at = next((place + 1 for place in range(at, len(theirs)) if theirs[place] == one), 0)
        if not at:
            return False
    return True


def _anchors(clause: str, note: str) -> list[str]:
    """The words of a clause that are names, there or in the note, because some people write names in lower case."""
    named = {*names_in(f"- {clause}"), *names_in(f"- {note}")}
    telling = {form for word in _read(clause).words for form in word}
    return [word for word in _words_of(clause) if word in named and word in telling]


def _words_of(text: str) -> list[str]:
    return [fold(word.strip(_AROUND).replace("’", "'").partition("'")[0]).casefold() for word in text.split()]


def _numbers_of(text: str) -> list[str]:
    """The numbers that are not part of dates, as written; the hour and the minutes of a time are two."""
    return [str(one) for one in _numbers(_dateless(text))]


def _dateless(text: str) -> str:
    bare = fold(without_surrogates(text))
    for _, words in _read(text).days:
        bare = bare.replace(words, " ", 1)
    return bare


def _is_denied(clause: str, notes: Sequence[str]) -> bool:
    """Whether a clause is negated and none of the notes is."""
    return denies(clause) and not any(denies(note) for note in notes)


def _is_affirmed(sentence: str, notes: Sequence[str]) -> bool:
    """Whether a sentence is not negated although all notes about it are."""
    about = [note for note in notes if shares_words(sentence, (note,))]
    return bool(about) and all(denies(note) for note in about) and not denies(sentence)


def denies(text: str) -> bool:
    """Whether the text contains a negation."""
    return _read_denial(text, encoder.generation())


@lru_cache(maxsize=4_096)
def _read_denial(text: str, _: int) -> bool:
    terms = read_query(_dateless(text)).terms
    # a single character of a script without blanks is an ending as often as a word
    told = (
        term for term in terms if term.kind is not TermKind.STOP or not term.surface[0] > _DENSE or term.surface[1:]
    )
    words = list(dict.fromkeys(term.surface for term in told if term.kind is not TermKind.WHOLE))[:_MOST_WORDS]
    near = _nearness(words, _NOT)
    if near is None:
        # "don't" and "cant" are words of grammar; "want" is not
        small = [term.surface for term in terms if term.kind is TermKind.STOP]
        return any(word in _NOT or word.endswith(("nt", "n't")) for word in small)
    return any(one >= _DENYING for one in near)


def _numbered(text: str, known: _Told) -> bool:
    """Whether `known` contains all numbers of a text, except that an hour may be written as one before or after noon."""
    return all(_counted(one, known) or _is_forenoon(one, known) for one in _numbers(_dateless(text)))


def _named(text: str, known: _Told) -> bool:
    return all(_stands((name,), known) for name in names_in(text))


def names_in(clause: str) -> list[str]:
    """The words with a capital letter within a clause, folded like terms."""
    # without the ending of "Ruud's"
    found = (word.strip(_AROUND).replace("’", "'").partition("'")[0] for word in clause.split()[1:])
    return [fold(word).casefold() for word in found if len(word) > 1 and word[0].isupper()]


def _undated(clause: str, known: _Told) -> str:
    """The clause without the dates that the notes contain too, in whatever form."""
    days = {day for day, _ in known.days}
    bare = fold(clause)
    for day, words in _read(clause).days:
        if day in days:
            bare = bare.replace(words, " ", 1)
    return bare


def _counted(number: int, known: _Told) -> bool:
    """Whether the notes contain a number; an hour may be written there as one after noon."""
    return number in known.numbers or (number <= _NOON and number + _NOON in known.numbers)


def _is_forenoon(number: int, known: _Told) -> bool:
    return number == 0 or (number > _NOON and number - _NOON in known.numbers)


def _stands(word: tuple[str, ...], known: _Told) -> bool:
    return any(form in known.forms or _is_kin(form, known.forms) for form in word)


def _is_kin(form: str, forms: frozenset[str]) -> bool:
    """Whether one of the forms begins with this one or the other way round, as "tobin" and "tobins"."""
    if len(form) < _STEM or not form.isalpha():
        return False
    return any(len(one) >= _STEM - 1 and (form.startswith(one) or one.startswith(form)) for one in forms)


def _nearness(words: Sequence[str], others: Sequence[str]) -> list[float] | None:
    """The similarity of each word to the nearest of the others; None if it cannot be computed."""
    looked = [*words, *others][: encoder.MOST]
    vectors = encoder.embed(looked) if len(words) < encoder.MOST else None
    if vectors is None:
        return None
    ours, theirs = vectors[: len(words)], vectors[len(words) :]
    return [max((float(one @ other) for other in theirs), default=0.0) for one in ours]


def _letters(text: str) -> str:
    return "".join(char for char in fold(text).casefold() if char.isalnum())


def _without_owner(text: str) -> str:
    """The text without "the owner": notes are written about the owner (`AGENTS.md`), who says "I"."""
    return str(regex(_OWNER).sub(" ", without_surrogates(text)))


def _known(notes: Sequence[str]) -> _Told:
    return _read("\n".join(notes))


@lru_cache(maxsize=4_096)
def _read(text: str) -> _Told:
    text = without_surrogates(text)
    kinds = (TermKind.STOP, TermKind.CHARACTER, TermKind.WHOLE)
    words = tuple(term.alternatives for term in read_query(text).terms if term.kind not in kinds)
    words = tuple(word for word in words if not word[0][:1].isdecimal())
    numbers = frozenset(_numbers(text))
    forms = frozenset(index_terms(text).counts) | {form for word in words for form in word}
    days = tuple((_day(one), one.words) for one in read_dates(text, _LATE))
    return _Told(text, words, forms, numbers, days)


def _numbers(text: str) -> list[int]:
    digits = "".join(char if char.isdecimal() else " " for char in text)
    return [int(one) for one in digits.split() if len(one) <= _LONGEST_NUMBER]


def _day(span: DateSpan) -> _Day:
    """The dates without the year, which one of the two may omit; a different year counts as a different number."""
    return span.first.month, span.first.day, span.last.month, span.last.day
