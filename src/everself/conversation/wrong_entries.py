"""Finds the entries that a correction makes wrong, and what to write in their place. Closes nothing itself; knows no memory.

An entry that contains the words called wrong is meant, otherwise one that gives the same thing another value. If another entry may be
meant, or if closing would remove more than was called wrong, the owner has to be asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from everself.classify import encoder
from everself.classify.contradiction import contradicts
from everself.classify.corrections import Correction
from everself.classify.coverage import same_fact, words_in_common, words_of_substance, words_shared
from everself.classify.difference import differ_in_one_word, find_difference
from everself.classify.openers import bare
from everself.classify.pairs import replaces
from everself.conversation.replacements import Replaced
from everself.conversation.wrong_words import exchange, holds
from everself.memory.contrasts import names_another
from everself.memory.remaining_text import untouched, without_lead
from everself.text.folding import fold_in_place
from everself.text.note_quotes import parts_of, with_quote
from everself.text.quantities import read_quantities
from everself.text.search import TermKind, read_query
from everself.values import Entry

# lowest share of common words, of either sentence, for two sentences to be about the same
_SHARED: Final = 0.5
# similarity required if they share fewer words
MATCH: Final = 0.85
_SPECIFIC: Final = 3
# lowest cosine similarity of two statements for one to replace the other: nine in ten pairs that do reach it, and one in twenty unrelated
# pairs (tests/corpora/pairs)
_RELATED: Final = 0.25
# words that a correction shares with the entry that it may correct
_IN_COMMON: Final = 2
# characters of a script without blanks that may be removed together with the wrong ones
_MORE_DENSE: Final = 3
_DENSE: Final = "\u2e7f"

# words of a text that says what it is about
_TELLING: Final = 2
# an entry and its copies: others that say the same
Copies = tuple[Entry, ...]
# calibrated similarity of a text to others
Alike = Callable[[str, Sequence[str]], Sequence[float]]


def find_wrong(found: list[Entry], told: Correction, alike: Alike) -> tuple[Copies, Sequence[Copies]]:
    """The wrong entry with its copies; or, as the second value, the candidates of which one may be wrong."""
    # phrases like "not me" occur in many entries
    if contrasts(told):
        # "the old cat Mira" is known as "Mira": if no entry contains all the words, the last one is tried
        for old in dict.fromkeys((told.old, told.old.split()[-1])):
            holding = [entry for entry in found if holds(entry.text, old)]
            if holding:
                return _choose_holding(copies_of(holding, told), replace(told, old=old))
        # an entry without the wrong words may be meant if it has others of the correction, but only the owner may close it
        found = [entry for entry in found if words_shared(told.trigger, entry.text)]
        wrong, unsure = _choose_alike(copies_of(found, told), told, alike)
        return (), (wrong,) if wrong else unsure
    return _choose_alike(copies_of(found, told), told, alike)


def _choose_alike(found: list[Copies], told: Correction, alike: Alike) -> tuple[Copies, Sequence[Copies]]:
    """The one entry that gives the same thing another value. It is closed only if that value is the only difference: two entries that share
    most of their words may both hold, and so may two similar ones, so the owner is asked about those."""
    right = bare(told.trigger)
    said = terms_of(right)
    # an entry that says only what is right is not wrong
    other = [copies for copies in found if terms_of(copies[0].text) - said]
    valued = [copies for copies in other if contradicts(copies[0].text, right)]
    if valued:
        single = len(valued) == 1 and told.sure != "low" and not _of_another(valued[0][0].text, right)
        return (valued[0], ()) if single else ((), valued)
    shares = [(_share(said, terms_of(copies[0].text)), copies) for copies in other]
    most = max((share for share, _ in shares), default=0.0)
    best = [copies for share, copies in shares if most and share == most]
    if not best and other and said:
        best = _mean_the_same(right, other, alike)
    first = best[0][0].text if len(best) == 1 and told.sure == "high" else ""
    if first and differ_in_one_word(first, right) and not _of_another(first, right):
        return best[0], ()
    return (), best


def _mean_the_same(right: str, other: list[Copies], alike: Alike) -> list[Copies]:
    """The entries with about the same meaning; if there are none, those of which it may be a new value, most likely first; otherwise those
    that share the most words."""
    scores = alike(right, [copies[0].text for copies in other])
    best = [copies for copies, score in zip(other, scores, strict=True) if score >= MATCH]
    return best or changed(other, right) or _nearest(other, right)


def put_in_place(wrong: Copies, told: Correction) -> Replaced:
    """What is written in place of the wrong entries: the first of them with the right words, or the words of the correction."""
    right = without_lead(bare(told.trigger))
    restated = _restated(wrong[0].text, told)
    rest = [(one, untouched(one.text, told.trigger)) for one in wrong] if not restated else []
    # if the wrong part of an entry cannot be separated from the rest, nothing may be removed
    sure = all(left is not None and (left or not _says_more(one.text, told)) for one, left in rest)
    if not restated and len(terms_of(right)) < _TELLING and not words_in_common(right, wrong[0].text):
        # "its blue now" does not say what it is about
        restated = with_quote(right, f"~~{parts_of(wrong[0].text)[0]}~~")
    return Replaced(wrong, right, restated or right, sure, tuple((one, left) for one, left in rest if left))


def copies_of(found: Sequence[Entry], told: Correction) -> list[Copies]:
    """Group entries that say the same, in the order they were found. Copies must also share the same words with the correction, because the
    head takes the brother's birthday for the sister's, and a correction of one does not apply to the other."""
    said = terms_of(told.trigger)
    made: list[Copies] = []
    for entry in found:
        shared = said & terms_of(entry.text)
        at = next(
            (
                at
                for at, (first, *_) in enumerate(made)
                if said & terms_of(first.text) == shared and same_fact(first.text, entry.text)
            ),
            None,
        )
        if at is None:
            made.append((entry,))
        else:
            made[at] = (*made[at], entry)
    return made


def _choose_holding(found: list[Copies], told: Correction) -> tuple[Copies, Sequence[Copies]]:
    """Of the entries that contain the wrong words, the one with the same subject."""
    fresh = [copies for copies in found if not holds(copies[0].text, told.new)]
    topic = {term for term in terms_of(told.trigger) if not _within(term, told.old) and not _within(term, told.new)}
    shared = [len(topic & terms_of(copies[0].text)) for copies in fresh]
    most = max(shared, default=0)
    best = [copies for copies, count in zip(fresh, shared, strict=True) if count == most]
    if most:
        # "the meeting with Li" is not the one with Sandra
        single = len(best) == 1 and not names_another(told.trigger, best[0][0].text, (told.old, told.new))
        return (best[0], ()) if single else ((), best)
    # only the wrong word itself matches: a name that occurs in one entry only can be meant, but a number or a weekday could belong to
    # anything
    if len(fresh) == 1 and not topic and len(told.old) >= _SPECIFIC and not any(char.isdigit() for char in told.old):
        return fresh[0], ()
    return (), best


def changed(found: list[Copies], said: str) -> list[Copies]:
    """The entries that a reworded change may affect, most likely first; empty if there is no encoder to judge relatedness. A statement with
    a value names its subject, so it must share a word with the entry whatever the head says: a delivery day does not change the place of a
    bakery."""
    if read_quantities(said):
        found = [copies for copies in found if words_shared(said, copies[0].text)]
    vectors = encoder.embed([said, *(copies[0].text for copies in found)])
    if vectors is None:
        return []
    near = [float(vectors[0] @ one) for one in vectors[1:]]
    related = [copies for copies, one in zip(found, near, strict=True) if one >= _RELATED]
    judged = [(replaces(said, copies[0].text), at) for at, copies in enumerate(related)]
    likely = [(one.likely, at) for one, at in judged if one.may and not same_fact(said, related[at][0].text)]
    return [related[at] for _, at in sorted(likely, key=lambda pair: -pair[0])]


def _nearest(found: list[Copies], said: str) -> list[Copies]:
    """The entries that share the most words with the statement: one of them may name the subject, another what is said about it."""
    shared = [len(words_in_common(said, copies[0].text)) for copies in found]
    most = max(shared, default=0)
    return [copies for copies, count in zip(found, shared, strict=True) if count == most >= _IN_COMMON]


def _of_another(known: str, said: str) -> bool:
    """Whether the word in which two statements differ may be their subject, which is so if both end in the same word. "No, my sister lives
    in Porto" is not a new value of "my brother lives in Porto"."""
    if read_quantities(known) and read_quantities(said):
        return False
    ours, theirs = words_of_substance(known), words_of_substance(said)
    return bool(ours and theirs) and ours[-1] == theirs[-1]


def differ(known: str, said: str) -> bool:
    return differ_in_one_word(known, said) or bool(contradicts(known, said))


def _restated(known: str, told: Correction) -> str:
    """The entry with the right value in place of the wrong one; empty if the result might not say what was said."""
    if contrasts(told):
        old = told.old if holds(known, told.old) else told.old.split()[-1]
        return exchange(known, old, told.new)
    found = contradicts(known, bare(told.trigger))
    aligned = found and find_difference(known, bare(told.trigger)) is not None
    return exchange(known, found.older, found.newer) if found and not aligned else ""


def _says_more(known: str, told: Correction) -> bool:
    """Whether an entry says more than the wrong words and one word about them. The rest of the sentence would be removed with them."""
    if not contrasts(told):
        return False
    said = f"{told.trigger} {told.old}"
    if any(char > _DENSE for char in known):
        return len({char for char in known if char.isalnum()} - set(said)) > _MORE_DENSE
    return sum(not words_shared(word, said) for word in words_of_substance(known)) > 1


def _share(said: set[str], known: set[str]) -> float:
    """The share of common words; 0 if they are less than half of either text."""
    shared = len(said & known)
    enough = shared and shared >= _SHARED * len(known) and shared >= _SHARED * len(said)
    return shared / len(said | known) if enough else 0.0


def terms_of(text: str) -> set[str]:
    """The words with meaning: neither stop words nor single characters of a script that is read in pairs."""
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    return {term.alternatives[0] for term in read_query(text).terms if term.kind not in kinds}


def contrasts(told: Correction) -> bool:
    """Whether the wrong words have meaning. Judged within the sentence, because "Mia" alone is Italian for "my"."""
    return bool(told.new) and any(_within(term, told.old) for term in terms_of(told.trigger))


def _within(term: str, words: str) -> bool:
    return term in fold_in_place(words).casefold()
