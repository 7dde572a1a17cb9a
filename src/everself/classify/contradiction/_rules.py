"""The rules: two statements about one thing contradict where exactly one thing in them differs, and that one cannot be two at once.

Where the newer says itself that something changed, the rest may differ too. Knows no language; the words are the lexicon's.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from everself.classify.contradiction._alignment import Alignment, align
from everself.classify.contradiction._frames import compare_frames, find_taken_back
from everself.classify.contradiction._lexicon import Lexicon, lexicon
from everself.classify.contradiction._quantities import differ
from everself.classify.contradiction._statement import Clause, Statement, content_of
from everself.classify.contradiction._verdict import AGREE, Kind, Verdict

# beyond this a text tells a story, and one clause of it rarely takes back another's
_LONG: Final = 200
_SHARED_WHEN_LONG: Final = 3
# two statements so short say one thing each, and say it of their subject
_BRIEF: Final = 70
# so many more words than they share may be said besides
_MOST_BESIDES: Final = 3


def compare(before: Statement, after: Statement) -> Verdict:
    """What the rules say of a pair, each of which has a clause at least."""
    # "these days" in both tells no change between them
    after = replace(after, changed=bool(after.changes - before.changes))
    taken_back = find_taken_back(before, after)
    if taken_back:
        return taken_back
    if _speak_of_other_times(before, after):
        return AGREE
    if _others(before.clauses[:1], after.clauses[:1]):
        return AGREE
    found = compare_frames(before, after)
    if found:
        return found
    long = max(len(before.clauses[0].text), len(after.clauses[0].text)) > _LONG
    # what changed in a story is seldom what the other statement speaks of
    told = replace(after, changed=False) if long else after
    verdicts = (
        _compare(ours, theirs, told) for ours, theirs in _pairs(before, told, long) if not _others((ours,), (theirs,))
    )
    return max(verdicts, key=lambda verdict: verdict.sure, default=AGREE)


def _speak_of_other_times(before: Statement, after: Statement) -> bool:
    if before.unsure or after.unsure or (after.more and not after.changed):
        return True
    return before.past != after.past and not (after.changed and after.past)


def _others(ours: tuple[Clause, ...], theirs: tuple[Clause, ...]) -> bool:
    """Whether they speak of different people."""
    mine = frozenset[str]().union(*(clause.people for clause in ours))
    other = frozenset[str]().union(*(clause.people for clause in theirs))
    return bool(mine and other) and mine.isdisjoint(other)


def _pairs(before: Statement, after: Statement, long: bool) -> Iterator[tuple[Clause, Clause]]:
    for ours in before.clauses[long:]:
        for theirs in after.clauses[long:]:
            yield ours, theirs


def _compare(ours: Clause, theirs: Clause, after: Statement) -> Verdict:
    found = align(ours, theirs, after.language)
    long = len(ours.text) + len(theirs.text) > _LONG
    # the same day, or the same number of another kind, is something in common too
    common = found.shared + ours.times.same(theirs.times)
    if common < (_SHARED_WHEN_LONG if long else 1) or _is_another(ours, theirs, after):
        return AGREE
    opposed = _opposed(ours, theirs, after)
    mine, other = (_beyond(rest, opposed, after) for rest in (found.ours, found.theirs))
    alone = not (mine and other)
    if _apart(ours, theirs) and not after.changed:
        # another one of its kind, unless that is all that is said of it
        return AGREE if mine or other else Verdict("attribute", 0.8, f"{ours.text} / {theirs.text}")
    if max(len(mine), len(other)) > _MOST_BESIDES + found.shared:
        return AGREE
    if alone or after.changed:
        kind = _difference(_Pair(ours, theirs, mine, other, after.changed), bool(opposed))
        if kind is not None:
            return Verdict(kind, 0.9 if alone else 0.75, f"{ours.text} / {theirs.text}")
    return _attribute(ours, theirs, found, after)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two clauses, and what each says besides what they share."""

    ours: Clause
    theirs: Clause
    mine: tuple[str, ...]
    other: tuple[str, ...]
    changed: bool


def _is_another(ours: Clause, theirs: Clause, after: Statement) -> bool:
    """Whether they number their subjects differently, or only one says that it means another one: the spare key, the flight back."""
    if ours.numbered and theirs.numbered and differ(ours.quantities, theirs.quantities) and not after.changed:
        return True
    words = lexicon(after.language)
    return not after.changed and words.says("aside", ours.text) != words.says("aside", theirs.text)


def _apart(ours: Clause, theirs: Clause) -> bool:
    """Whether each names another one of the same kind."""
    mine, other = dict(ours.contrasts), dict(theirs.contrasts)
    return any(kind in other and other[kind] != word for kind, word in mine.items())


def _opposed(ours: Clause, theirs: Clause, after: Statement) -> frozenset[str]:
    """The words of both that mean the opposite of one in the other."""
    opposites = lexicon(after.language).opposites
    only, others = ours.opposites - theirs.opposites, theirs.opposites - ours.opposites
    return frozenset(word for one in only for other in opposites[one] & others for word in (one, other))


def _beyond(rests: tuple[str, ...], opposed: frozenset[str], after: Statement) -> tuple[str, ...]:
    """What differs besides the opposites."""
    if not opposed:
        return rests
    if after.language == "en":
        bare = {word for one in opposed for word in (one, *content_of(one, lexicon("en")))}
        return tuple(rest for rest in rests if rest not in bare)
    return tuple(rest for rest in rests if not any(word in rest or rest in word for word in opposed))


def _difference(pair: _Pair, opposed: bool) -> Kind | None:
    found: list[Kind] = ["antonym"] if opposed else []
    if pair.ours.negative != pair.theirs.negative:
        if not _denies(pair):
            return None
        found.append("negation")
    if pair.ours.times.differ(pair.theirs.times):
        found.append("date")
    if differ(pair.ours.quantities, pair.theirs.quantities):
        found.append("number")
    if len(found) == 1 or (found and pair.changed):
        return "date" if "date" in found else found[0]
    return None


def _denies(pair: _Pair) -> bool:
    """Whether the one clause denies what the other says: neither something else, nor only some of it."""
    denied, told, besides = (
        (pair.ours, pair.theirs, pair.mine) if pair.ours.negative else (pair.theirs, pair.ours, pair.other)
    )
    if denied.denied in besides:
        return False
    return pair.changed or not (besides or (denied.times and not told.times))


def _values_differ(mine: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether each says something that the other does not; one word may be common, as the type in "type A" and "type B"."""
    ours, theirs = frozenset(mine), frozenset(other)
    return bool(ours - theirs and theirs - ours) and len(ours & theirs) <= 1


def _of_one_kind(mine: tuple[str, ...], other: tuple[str, ...], words: Lexicon) -> bool:
    """Whether they could take each other's place: a colour is no make, and what something is like is not what it is."""
    like = frozenset(content_of(" ".join(words.adjectives), words))
    if any(value[0] in like for value in (mine, other)):
        return False
    return words.colours.isdisjoint(mine) == words.colours.isdisjoint(other)


def _attribute(ours: Clause, theirs: Clause, found: Alignment, after: Statement) -> Verdict:
    mine, other = found.values
    if ours.times.differ(theirs.times) or ours.negative != theirs.negative:
        return AGREE
    words = lexicon(after.language)
    brief = len(ours.text) + len(theirs.text) <= (_BRIEF if after.language == "en" else _BRIEF // 2)
    single = brief or (words.says("single", ours.text) and words.says("single", theirs.text))
    if (
        found.subject
        and _values_differ(mine, other)
        and (after.changed or (single and _of_one_kind(mine, other, words)))
    ):
        return Verdict("attribute", 0.85, f"{' '.join(mine)} / {' '.join(other)}")
    if after.changed and found.shared and found.ours and found.theirs:
        return Verdict("attribute", 0.7, f"{' '.join(found.ours)} / {' '.join(found.theirs)}")
    return AGREE
