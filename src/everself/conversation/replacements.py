"""Decides which entry a correction gives another value, and what to write in its place. Pure except for the heads; closes nothing itself.

A day, a time or a number is replaced if the correction and the entry have the same subject (`memory.replacement`) and no other entry is as
near. The evidence required depends on how sure it is that something is corrected: a message with "no, …" needs less than one that only
reports a change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from everself.classify.corrections import Correction
from everself.classify.coverage import denies, is_chatter, is_filler, words_of_substance, words_shared
from everself.classify.grounded import judge
from everself.classify.openers import bare
from everself.memory.contrasts import names_other_value, sets_values_apart
from everself.memory.remaining_text import untouched, without_lead
from everself.memory.replacement import Replacement, find_replacement, put_right, says_more, swapped, without_values
from everself.text.clauses import clauses_of
from everself.text.note_quotes import with_quote
from everself.text.quantities import read_quantities
from everself.text.sentences import split
from everself.values import Entry

# lowest probability of a correction for a statement that only reports a change: if it begins like the entry, and if it does not
_TOLD: Final = 0.3
_LIKELY: Final = 0.6
# the same for a statement that the head does not consider a correction, but that gives the same subject another value and says nothing else
_HINTED: Final = 0.2
# the same for a statement that repeats the day and says nothing else but the new time
_ECHOED: Final = 0.1
# lowest probability, by the head that sees both, that a message beginning like the entry makes it wrong
_GROUNDED: Final = 0.8
# the old value and one more word
_NAMED: Final = 2
# words of an answer that hardly gives more than a value; an answer with more than `_SHORT` words is worth quoting
_BRIEF: Final = 4
_SHORT: Final = 2
# longer messages say more than one thing
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class Replaced:
    """`entries` are wrong, and `words` say what is right. `text` is what is written: the first entry with the right value, or the words.
    `sure` is False if this is only possible. `rest` is other content of entries that are not written again."""

    entries: tuple[Entry, ...]
    words: str
    text: str
    sure: bool
    rest: tuple[tuple[Entry, str], ...] = ()


def find_replaced(
    found: Sequence[Entry], told: Correction, message: str, earlier: Sequence[str] = ()
) -> Replaced | None:
    """The entry and its copies that the correction gives another value. Also reads the whole message if the correcting sentence alone names
    nothing known, and what was said right before (`earlier`) if the message gives only a value."""
    unsure: Replaced | None = None
    whole = " ".join(message.split())
    found = [one for one in found if not names_other_value(whole, one.text)]
    for words in dict.fromkeys((bare(told.trigger), bare(whole) if len(whole) <= _LONGEST else "")):
        judged = [(one, other) for one in found if words and (other := find_replacement(words, one.text)) is not None]
        best = _best(judged)
        if best:
            replaced = _replaced(best, words, told, whole)
            if replaced.sure:
                return replaced
            unsure = unsure or replaced
    return _answered(found, told, whole, earlier) or unsure


def _answered(found: Sequence[Entry], told: Correction, message: str, earlier: Sequence[str]) -> Replaced | None:
    """The entry stated right before, of which the message corrects one value: "5:30" after "Choir rehearsal is Friday at 6pm."."""
    said = bare(message)
    bare_said = without_values(said)
    if len(words_of_substance(bare_said)) > _BRIEF:
        return None
    foreign = 0 if told.sure == "hint" else 1
    near = [one for one in earlier if _count_foreign(bare_said, one, earlier) <= foreign]
    if told.sure in ("hint", "low"):
        # repeating everything with other values refers to another time: after the 20 on Monday, "I paid 30 for lunch on Tuesday"
        near = [one for one in near if says_more(one, said)]
    for words in (one for before in near for one in put_right(message, before)):
        judged = [(one, find_replacement(words, one.text, several=True)) for one in found]
        best = _best([(one, other) for one, other in judged if other is not None])
        text = swapped(best[0][1], words, best[0][0].text) if best else ""
        if not text or not best[0][1].close:
            continue
        rest = [(entry, untouched(entry.text, words)) for entry, _ in best[1:]]
        if any(left is None for _, left in rest):
            continue
        kept = tuple((entry, left) for entry, left in rest if left)
        more = says_more(said, text) and len(words_of_substance(said)) > _SHORT and not is_chatter(said)
        text = with_quote(text, _as_said(said, message)) if more else text
        return Replaced(tuple(entry for entry, _ in best), said, text, sure=True, rest=kept)
    return None


def _count_foreign(said: str, before: str, earlier: Sequence[str]) -> int:
    """The number of words of substance that were not mentioned before: "dentist called, 8:40" is not about a rehearsal."""
    shared = words_shared(said, before)
    # alone, "Ben" and "Mia" are stop words of some language; the text before them shows the language
    added = (set(words_of_substance(f"{one}\n{said}")).difference(words_of_substance(one)) for one in earlier)
    words = set.intersection(*added).union(words_of_substance(said))
    return sum(word not in shared and not is_filler(word) for word in words)


def _best(judged: Sequence[tuple[Entry, Replacement]]) -> list[tuple[Entry, Replacement]]:
    """The entry with the strongest evidence and its copies, which have the same old value and share the same words with the message. Empty
    if another entry is as near."""
    most = max((one.weight for _, one in judged), default=None)
    # the first that was found of a note and its quotation
    each = list({entry.id: (entry, one) for entry, one in reversed(judged)}.values())
    best = [pair for pair in each if pair[1].weight == most]
    best.sort(key=lambda pair: -len(pair[0].text))
    copies = [pair for pair in best if _is_copy(pair, best[0])]
    if len(copies) != len(best):
        return []
    # a note and the sentence it was made from may be in two languages
    return [*best, *(pair for pair in each if pair not in best and _is_made_of_same(pair, best[0]))]


def _is_made_of_same(one: tuple[Entry, Replacement], other: tuple[Entry, Replacement]) -> bool:
    """Whether both rest on the same message and have the same old value."""
    return not {*one[0].lineage}.isdisjoint(other[0].lineage) and _same_values(one[1], other[1])


def _same_values(one: Replacement, other: Replacement) -> bool:
    return any(mine.kind == yours.kind and mine.agrees(yours) for mine in one.olds for yours in other.olds)


def _is_copy(one: tuple[Entry, Replacement], other: tuple[Entry, Replacement]) -> bool:
    (entry, how), (longer, first) = one, other
    same = bool({*entry.lineage} & {*longer.lineage}) or not says_more(entry.text, longer.text)
    return _same_values(how, first) and same and how.common == first.common


def _replaced(best: Sequence[tuple[Entry, Replacement]], words: str, told: Correction, message: str) -> Replaced:
    (first, how), *others = best
    # two values at once are written in the words of the message
    text = swapped(how, words, first.text) if len(how.olds) == 1 else ""
    if not how.named and not says_more(first.text, words) and len(read_quantities(first.text)) == len(how.olds):
        # the correction repeats all of the entry
        text = without_lead(words)
    rest = [(entry, untouched(entry.text, words)) for entry, _ in (others if text else best)]
    sure = _is_sure(how, words, told, first.text) and all(left is not None for _, left in rest)
    if text and says_more(words, text):
        text = with_quote(text, _as_said(_telling(words, how), message))
    kept = tuple((entry, left) for entry, left in rest if left)
    words = without_lead(words)
    return Replaced(tuple(entry for entry, _ in best), words, text or words, sure, kept)


def _as_said(words: str, message: str) -> str:
    """The words as written in the message, because `bare` begins them with a capital."""
    at = message.casefold().find(words.casefold())
    return message[at : at + len(words)] if at >= 0 and len(message.casefold()) == len(message) else words


def _telling(words: str, how: Replacement) -> str:
    """The words from the first clause with a value or its subject to the last clause that is not small talk."""
    clauses = [
        (start + first, start + until) for start, end in split(words) for first, until in clauses_of(words[start:end])
    ]
    told = [
        (first, until)
        for first, until in clauses
        if any(first <= one.start < until for one in how.news) or words_shared(words[first:until], " ".join(how.common))
    ]
    last = max(until for first, until in clauses if (first, until) in told or not is_chatter(words[first:until]))
    return words[min(first for first, _ in told) : last].strip()


def _is_sure(how: Replacement, words: str, told: Correction, known: str) -> bool:
    """Whether the entry may be closed without asking. If no head is sure, only the value can decide: the old one is named without being
    repeated, or the statement says nothing but the new one."""
    if how.rival:
        return False
    if told.sure in ("high", "medium"):
        return how.named or how.close or told.sure == "high"
    if how.event and not how.named:
        # who ran 5 km today and says "i ran 8 km today" may have run twice
        return False
    if how.named:
        instead = told.sure == "low" and told.likely >= _TOLD and sets_values_apart(words)
        return denies(words) or len(how.common) > _NAMED or told.likely >= _LIKELY or instead
    if told.sure == "hint":
        # two weekdays may be two habits
        may = getattr(how.news[0].value, "weekday", -1) < 0
        return may and ((how.exact and told.likely >= _HINTED) or (how.echoes and told.likely >= _ECHOED))
    return how.close and (
        how.whole or told.likely >= (_TOLD if how.begins else _LIKELY) or _is_grounded(how, words, known)
    )


def _is_grounded(how: Replacement, words: str, known: str) -> bool:
    """Whether the head that sees both agrees, if both begin with the same subject."""
    judged = judge(words, [known]) if how.begins else None
    return judged is not None and judged.sure and judged.likely >= _GROUNDED
