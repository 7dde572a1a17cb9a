"""Computes the ranking features of each candidate. Their scale does not depend on the size of the index. Knows no weights.

Words are counted by how much they tell, as a share of what the whole query tells; so a feature is about 1 where everything asked for is
there, however many documents there are.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy

from everself.frozen import Frozen
from everself.search._packaged import read_packaged
from everself.search.chunking.marks import SPEAKER, Flag
from everself.search.index_file.protocol import IndexView
from everself.search.matching import K1, Matched, counts_at, norm, saturate, union
from everself.text.search import TermKind, index_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.int32]
    Floats = NDArray[numpy.float32]

# The order of the columns that `measure` gives and that the weights are for.
WORDS = (
    "own",  # words of the query in the chunk
    "strict",  # … as plain BM25 counts them, long chunks less
    "around",  # … within two chunks of it, or in the headings above it
    "group",  # … in its part of the document, by frequency, for what is said
    "spread",  # … the same for notes, but only words that no single chunk of the part holds together
    "best",  # the most that any chunk of its part has; for what is written down, what it has itself
    "answers",  # the chunk before asks with these words, and no assistant replies: a reply repeats them
    "speaker",  # somebody who is named speaks
    "assistant",  # who says it: an assistant, …
    "owner",  # … the person whose memory it is,
    "note",  # … or nobody: it is written down
    "length",
    "longer",  # beside the usual length in this memory
    "asks",
    "timed",
    "when",  # it speaks of a time, and the query asks for one
    "date",  # it is of the time that the query names
    "first",  # how far in front it is by plain BM25, whatever the distance
    "first_told",  # … as far as some candidate has the words
    "strict_told",  # these two once more, as far as some candidate has the words
    "around_told",
    "own_lead",  # these beside the most that any candidate has
    "strict_lead",
    "around_lead",
    "best_lead",
    "page_lead",  # around_lead once more, as far as the first by plain BM25 is a long text that is written down
)
MEANING = (
    "meaning",  # cosine of the chunk
    "part",  # the best of its part of the document; for what is written down, its own
    "meaning_lead",  # the cosine beside the greatest
    "nearest",  # how far in front it is by the cosine
    "nearest_alone",  # … as far as no candidate has the words
    "meaning_apart",  # by how much it is above the usual cosine of this query's candidates
    "meaning_alone",  # … as far as no candidate has the words
    "smoothed",  # the mean cosine of the candidates that are most like it, itself among them
)
# Where there are vectors, these order what is written down only as far as the words can be trusted (`trust`).
TRUSTED = ("own", "strict", "around", "best", "first", "own_lead", "strict_lead", "around_lead", "best_lead")
# a lead among very weak candidates does not count
LEAD = 0.2
# lower bound of the query's information: a query of common words must not make noise look like a match
FLOOR = 1.0
# the place at which being in front counts half
FRONT = 3.0
STEPS = (-2, -1, 0, 1, 2)
BEFORE, HERE = STEPS.index(-1), STEPS.index(0)
# length normalisation where whole parts of documents are compared
ACROSS = 0.75
# The neighbours of an entry say less about it than the neighbours of a turn: entries are independent facts.
LOOSE = 0.25
# As much as this says that the words stand in several notes of a part; more would let a long day outrank a short one.
SPREAD = 0.05
# The `length` from which a text that is written down is taken for prose, and at which it is nothing else: about 20 and 150 words. A page is
# asked for by its words; a note or a preference often is not.
PROSE = (3.0, 5.0)
# One word of a long question is in some note by chance. Words of notes are trusted where some candidate has so much of the question: by the
# share of what it tells, or by how much that is in itself. A rare word weighs about 7. A pair of characters counts as half a word, so that
# both mean the same in every script.
SHARE = (0.3, 0.6)
AMOUNT = (7.0, 18.0)
PAIR = 0.5
# `smoothed` is the mean over so many chunks, of as many of the nearest: few enough to compare each with each
ALIKE = 11
NEAR = 60
# weight of a name as a word where its speaker's turns are marked: measured as zero
NAMED = 0.0


class QueryFacts(Frozen):
    """What the query asks besides its words. `days` are spans of days since 1970 that it names."""

    when: bool = False
    days: tuple[tuple[int, int], ...] = ()


class Measured(Frozen):
    """`words` is chunks × WORDS, `meaning` chunks × MEANING or nothing where there are no vectors.

    `told` is how much of what the query tells some candidate has, and `trust` how far the words of each chunk count beside meaning."""

    chunks: "Numbers"
    words: "Floats"
    meaning: "Floats | None"
    told: float
    trust: "Floats"

    @property
    def trusted(self) -> "Floats":
        """How far each of `words` counts beside meaning."""
        counted: Floats = numpy.where(_DOUBTED, self.trust[:, None], numpy.float32(1))
        return counted


_DOUBTED = numpy.array([name in TRUSTED for name in WORDS])


def measure(
    view: IndexView,
    matched: Sequence[Matched],
    chunks: "Numbers",
    asked: QueryFacts,
    vector: "Floats | None" = None,
) -> Measured:
    """All features of these chunks, which rise."""
    beside = _Beside(view, chunks)
    group = _Group(view, chunks)
    words = _words(view, matched, chunks, beside, group)
    flags = view.columns["flags"][chunks]
    words["asks"] = _has(flags, Flag.ASKS)
    words["timed"] = _has(flags, Flag.TIMED)
    words["when"] = words["timed"] if asked.when else numpy.zeros(len(chunks), numpy.float32)
    words |= _roles(view, chunks, _has(flags, Flag.SPOKEN))
    words["answers"] *= 1 - words["assistant"]
    words["longer"] = numpy.log((view.columns["length"][chunks].astype(numpy.float32) + 2) / (view.average_length + 2))
    words["length"] = numpy.log(view.columns["length"][chunks].astype(numpy.float32) + 2)
    words["date"] = _dated(view.columns["day"][chunks], asked.days)
    told = min(1.0, float((words["own"] ** 2).max(initial=0.0)))
    words["first"] = in_front(words["strict"])
    for name in ("first", "strict", "around"):
        words[f"{name}_told"] = told * words[name]
    for name, of in (
        ("own_lead", words["own"] ** 2),
        ("strict_lead", words["strict"] ** 2),
        ("around_lead", words["around"]),
        ("best_lead", words["best"]),
    ):
        words[name] = lead(of)
    words["page_lead"] = _prose(words["strict"], words["note"], words["length"]) * words["around_lead"]
    return Measured(
        chunks,
        numpy.stack([words[name] for name in WORDS], axis=1),
        None if vector is None else _meaning(view, vector, chunks, group, told),
        told,
        1 - words["note"] * (1 - _trust(matched, words["shared"])),
    )


def _trust(matched: Sequence[Matched], shared: "Floats") -> float:
    """How far words of notes count, by how much of the question some candidate has."""
    worth = _worth(matched)
    whole = sum(one.weight * worth.get(one.term.kind, 1.0) for one in matched)
    most = float(shared.max(initial=0.0))
    return max(_ramp(most / max(whole, 1e-6), SHARE), _ramp(most, AMOUNT))


def _worth(matched: Sequence[Matched]) -> "Mapping[TermKind, float]":
    """What a term is worth in words, if not one. Characters of a longer run stand in pairs, which count already."""
    paired = any(one.term.kind is TermKind.PAIR for one in matched)
    return {TermKind.PAIR: PAIR, TermKind.CHARACTER: 0.0} if paired else {}


def _ramp(value: float, between: tuple[float, float]) -> float:
    low, high = between
    return min(1.0, max(0.0, (value - low) / (high - low)))


class _Beside:
    """The chunks around each candidate, and which of them belong to the same document."""

    def __init__(self, view: IndexView, chunks: "Numbers") -> None:
        documents = view.columns["document"]
        meant = chunks + numpy.array(STEPS, numpy.int32)[:, None]
        # a row for each step
        self.numbers: Numbers = numpy.clip(meant, 0, max(0, len(documents) - 1)).astype(numpy.int32)
        self.there = (self.numbers == meant) & (documents[self.numbers] == documents[chunks])
        # neighbours of several candidates are looked up once
        self._every = union([self.numbers.ravel()])
        self._at = numpy.searchsorted(self._every, self.numbers)

    def counts(self, one: Matched) -> "Floats":
        """How often the word stands in each of them, 0 where it belongs to another document."""
        if len(one.chunks) >= len(self._every):
            found = counts_at(one.chunks, one.counts, self._every)
        else:
            # a rare word is looked for among the chunks, instead of every chunk among those that have the word
            found = numpy.zeros(len(self._every), numpy.float32)
            if len(one.chunks):
                at = numpy.minimum(self._every.searchsorted(one.chunks), len(self._every) - 1)
                hit = self._every[at] == one.chunks
                found[at[hit]] = one.counts[hit]
        counts: Floats = found[self._at] * self.there
        return counts


def _words(
    view: IndexView, matched: Sequence[Matched], chunks: "Numbers", beside: "_Beside", group: "_Group"
) -> "dict[str, Floats]":
    columns = view.columns
    size = len(chunks)
    spoken = _has(columns["flags"][chunks], Flag.SPOKEN)
    tied = numpy.where(spoken > 0, 1.0, LOOSE).astype(numpy.float32)
    unnamed = sum(one.weight for one in matched if not one.name)
    # where a name is a speaker, the speaker field decides and the word adds nothing
    named = numpy.where((spoken > 0) & (unnamed > 0), NAMED, 1.0).astype(numpy.float32)
    whole = (
        sum((one.weight * (named if one.name else 1.0) for one in matched), numpy.zeros(size, numpy.float32)) + FLOOR
    )
    own, before, around, speaker, alone, shared = (numpy.zeros(size, numpy.float32) for _ in range(6))
    lengths = columns["length"][beside.numbers[BEFORE : HERE + 1]].astype(numpy.float32)
    usual, across = norm(lengths, view.average_length), norm(lengths[1], view.average_length, ACROSS)
    worth = _worth(matched)
    for one in matched:
        weight = one.weight * (named if one.name else numpy.float32(1.0))
        counts = beside.counts(one)
        said = weight * saturate(counts[BEFORE : HERE + 1], usual)
        before += said[0]
        own += said[1]
        alone += weight * saturate(counts[HERE], across)
        there = counts > 0
        near = there[:HERE].any(axis=0) | there[HERE + 1 :].any(axis=0)
        held: Floats | NDArray[numpy.bool_] = there[HERE]
        if len(one.titles):
            held = numpy.maximum(held, counts_at(one.titles, None, chunks))
        around += weight * numpy.maximum(held, tied * near)
        shared += one.weight * worth.get(one.term.kind, 1.0) * held
        if len(one.speakers):
            speaker = numpy.maximum(speaker, counts_at(one.speakers, None, chunks))
    share = own / whole
    # Notes of one day are facts of their own: one that has all the words says nothing about those beside it.
    most = group.most(share)
    whole_part = group.frequency(matched, unnamed > 0) / whole
    asking = _has(columns["flags"][beside.numbers[BEFORE]], Flag.ASKS) * beside.there[BEFORE]
    return {
        "own": numpy.sqrt(share),
        "strict": numpy.sqrt(alone / whole),
        "around": around / whole,
        "group": spoken * whole_part,
        "spread": (1 - spoken) * numpy.clip(whole_part - most, 0, SPREAD),
        "best": numpy.where(spoken > 0, most, share),
        "answers": tied * asking * before / whole,
        "speaker": speaker,
        "shared": shared,  # no feature: `_trust` needs it
    }


class _Group:
    """The part of its document around each candidate."""

    def __init__(self, view: IndexView, chunks: "Numbers") -> None:
        columns = view.columns
        self.columns = columns
        self.first, self.inverse = numpy.unique(columns["group"][chunks], return_inverse=True)
        self.last = self.first + columns["span"][self.first]

    def frequency(self, matched: Sequence[Matched], named: bool) -> "Floats":
        """BM25 with the whole part as the document."""
        total = numpy.zeros(len(self.first), numpy.float32)
        totals = self._lengths()
        across = norm(totals, max(1.0, float(totals.mean())) if len(totals) else 1.0, ACROSS)
        for one in matched:
            weight = one.weight * (NAMED if one.name and named else 1.0)
            if not weight:
                continue
            running = numpy.concatenate([[0], numpy.cumsum(one.counts, dtype=numpy.int64)])
            low = numpy.searchsorted(one.chunks, self.first)
            high = numpy.searchsorted(one.chunks, self.last)
            counts = (running[high] - running[low]).astype(numpy.float32)
            total += weight * counts * (K1 + 1) / (counts + across)
        spread: Floats = total[self.inverse]
        return spread

    def _lengths(self) -> "Floats":
        """How long each part is."""
        if not len(self.first):
            return numpy.zeros(0, numpy.float32)
        sizes = self.last - self.first
        starts = numpy.cumsum(sizes) - sizes
        every = numpy.arange(int(sizes.sum())) + numpy.repeat(self.first - starts, sizes)
        totals: Floats = numpy.add.reduceat(self.columns["length"][every], starts, dtype=numpy.int64).astype(
            numpy.float32
        )
        return totals

    def most(self, values: "Floats") -> "Floats":
        """The greatest value among the candidates of the same part."""
        return _greatest(values, self.inverse, len(self.first))


def most_of(groups: "NDArray[numpy.int32]", values: "Floats") -> "Floats":
    """For each the greatest value of its group."""
    names, inverse = numpy.unique(groups, return_inverse=True)
    return _greatest(values, inverse, len(names))


def _greatest(values: "Floats", places: "NDArray[numpy.intp]", count: int) -> "Floats":
    found = numpy.full(count, -numpy.inf, numpy.float32)
    numpy.maximum.at(found, places, values)
    spread: Floats = found[places]
    return spread


def _meaning(view: IndexView, vector: "Floats", chunks: "Numbers", group: "_Group", told: float) -> "Floats":
    cosines = view.cosines(vector, chunks)
    usual = float(numpy.nanmean(cosines)) if numpy.isfinite(cosines).any() else 0.0
    # a chunk that has no vector yet is neither near nor far
    own = numpy.where(numpy.isnan(cosines), usual, cosines).astype(numpy.float32)
    spoken = _has(view.columns["flags"][chunks], Flag.SPOKEN)
    part = numpy.where(spoken > 0, group.most(own), own)
    apart = (own - own.mean()) / (3 * max(float(own.std()), 1e-3)) if len(own) else own
    front = in_front(own)
    smoothed = _smoothed(view, chunks, own)
    rows = [own, part, lead(own), front, (1 - told) * front, apart, (1 - told) * apart, smoothed]
    return numpy.stack(rows, axis=1)


def _smoothed(view: IndexView, chunks: "Numbers", cosines: "Floats") -> "Floats":
    """For the nearest, the mean cosine of those most like each; no more than the least of these for all others."""
    near = numpy.argsort(-cosines, kind="stable")[:NEAR]
    count = min(ALIKE, len(near))
    if count < 2:
        return cosines
    alike = view.likenesses(chunks[near])
    unknown = numpy.isnan(alike.diagonal())
    alike[unknown] = alike[:, unknown] = -1
    beside = numpy.argpartition(-alike, count - 1, axis=1)[:, :count]
    means = numpy.where(unknown, cosines[near], cosines[near][beside].mean(axis=1))
    found = numpy.full(len(cosines), means.min(), numpy.float32)
    found[near] = means
    return found


def in_front(values: "Floats") -> "Floats":
    """1 for the greatest, less for each one that is greater, 0 for what has nothing. Equals stay equal."""
    places = len(values) - numpy.searchsorted(numpy.sort(values), values, side="right")
    found: Floats = numpy.where(values > 0, FRONT / (FRONT + places), 0.0).astype(numpy.float32)
    return found


def _roles(view: IndexView, chunks: "Numbers", spoken: "Floats") -> "dict[str, Floats]":
    kept = _speakers.setdefault(view, {})
    for role in ("assistant", "owner"):
        if role not in kept:
            kept[role] = union([view.postings(term)[0] for term in role_terms(role)])
    return {**{role: counts_at(said, None, chunks) for role, said in kept.items()}, "note": 1 - spoken}


# the chunks that somebody with a role says, by view: a view never changes, and a role has dozens of names
_speakers: "WeakKeyDictionary[IndexView, dict[str, Numbers]]" = WeakKeyDictionary()


@cache
def role_terms(role: str) -> tuple[str, ...]:
    """How the index spells the speakers that have this role."""
    words = (word.strip() for word in read_packaged(f"words/{role}.txt").replace("\n", ",").split(","))
    return tuple(dict.fromkeys(SPEAKER + term for word in words if word for term in index_terms(word).counts))


def lead(values: "Floats") -> "Floats":
    """Beside the best of the candidates: what is clearly ahead of all others for this query, however much it is."""
    beside: Floats = values / max(float(values.max(initial=0.0)), LEAD)
    return beside


def _prose(strict: "Floats", note: "Floats", length: "Floats") -> float:
    """How far the first by plain BM25 is prose: for all candidates of a query alike, so that no page outranks a note for its length."""
    if not len(strict):
        return 0.0
    first = int(strict.argmax())
    short, long = PROSE
    return float(note[first] * numpy.clip((length[first] - short) / (long - short), 0, 1))


def _has(flags: "NDArray[numpy.uint16]", flag: Flag) -> "Floats":
    there: Floats = ((flags & flag) != 0).astype(numpy.float32)
    return there


def _dated(days: "NDArray[numpy.int32]", spans: Sequence[tuple[int, int]]) -> "Floats":
    inside = numpy.zeros(len(days), numpy.bool_)
    for first, last in spans:
        inside |= (days >= first) & (days <= last) & (days != 0)
    return inside.astype(numpy.float32)
