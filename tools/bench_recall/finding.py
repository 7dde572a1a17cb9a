"""Whether and at which rank a system found the evidence. The set decides the rule: by returned text, or by a hit's location."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import re2
from tools.bench_recall.measures import Figures, Ranks, pool_figures, session_figures, session_order, turn_figures
from tools.bench_recall.sets import Dataset, FoundBy, Question, Store
from tools.bench_recall.systems import USUAL_LIMIT, System

from everself.values import Hit

# the longer answer requested after the usual ten hits, to find evidence ranked below them
FURTHER = 200
# a text of at least this length is judged by its sentences; sentences up to the second length are ignored
_LONG = 200
_SHORTEST = 20
_SENTENCE = re2.compile(r"[。！？]+|[.!?]+(?:\s+|$)")


class Finder:
    """Asks systems the questions of one store and scores the answers."""

    def __init__(self, dataset: Dataset, store: Store) -> None:
        self._dataset = dataset
        self._store = store
        self._lines: dict[str, list[int]] = defaultdict(list)
        for number, unit in enumerate(store.units):
            self._lines[unit.path].append(number)
        first: dict[str, int] = {}
        # the same text in two places is one piece of evidence
        self._same = [first.setdefault(unit.body, number) for number, unit in enumerate(store.units)]

    def ask(self, system: System, question: Question) -> Figures:
        """Every figure that the set needs for one question."""
        wanted = self.wanted(question)
        hits = list(system.rank(question, USUAL_LIMIT))
        ranks = self.ranks(hits, wanted)
        further: Sequence[Hit] = ()
        if self._dataset.sessions or None in ranks:
            known = {hit.reference for hit in hits}
            further = system.rank(question, FURTHER)
            ranks = self.ranks([*hits, *(hit for hit in further if hit.reference not in known)], wanted)
        figures = turn_figures(ranks) if self._dataset.sessions else pool_figures(ranks)
        for budget in self._dataset.budgets:
            figures[f"found@{budget}"] = self.share(system.read(question, budget), wanted)
        if not self._dataset.sessions:
            return figures
        order = session_order([(hit.path, system.strength(hit)) for hit in further])
        paths = frozenset(self._store.units[number].path for number in question.evidence)
        return figures | session_figures(order, paths)

    def ranks(self, hits: Sequence[Hit], wanted: Iterable[int]) -> Ranks:
        if self._dataset.found_by == "text":
            bodies = [self._store.units[number].body for number in wanted]
            return [next((at for at, hit in enumerate(hits, 1) if body in hit.text), None) for body in bodies]
        # hits in one turn or passage share a rank; a hit outside all of them occupies a rank as well
        places: dict[int, int] = {}
        place = 0
        for hit in hits:
            units = self._units_of(hit)
            if not units or not units <= places.keys():
                place += 1
            for unit in units:
                places.setdefault(unit, place)
        return [places.get(number) for number in wanted]

    def share(self, text: str, wanted: Sequence[int]) -> float:
        """The share of the evidence that a text contains: whole turns, or their sentences if evidence is found by location."""
        bodies = [self._store.units[number].body for number in wanted]
        if self._dataset.found_by == "text":
            return sum(body in text for body in bodies) / len(bodies)
        shares = [[sentence in text for sentence in sentences(body)] for body in bodies]
        return sum(sum(found) / len(found) for found in shares) / len(bodies)

    def given(self, hits: Sequence[Hit], wanted: Sequence[int]) -> tuple[float, list[bool]]:
        """The share of the evidence that these hits contain, and which of the hits are evidence."""
        ranks = self.ranks(hits, wanted)
        if self._dataset.found_by == "text":
            bodies = [self._store.units[number].body for number in wanted]
            right = [any(body in hit.text for body in bodies) for hit in hits]
        else:
            right = [bool(self._units_of(hit) & set(wanted)) for hit in hits]
        return sum(rank is not None for rank in ranks) / len(ranks), right

    def wanted(self, question: Question) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._same[number] for number in question.evidence))

    def _units_of(self, hit: Hit) -> set[int]:
        found = set()
        for number in self._lines.get(hit.path, ()):
            unit = self._store.units[number]
            if unit.first_line <= hit.last_line and hit.first_line <= unit.last_line:
                found.add(self._same[number])
        return found


def sentences(text: str) -> list[str]:
    """The sentences of a long text, of which an answer may contain only some. A short text is one part."""
    if len(text) < _LONG:
        return [text]
    found = [part.strip() for part in _SENTENCE.split(text)]
    return [part for part in found if len(part) > _SHORTEST] or [text]


def rule(found_by: FoundBy) -> str:
    """The rule as a phrase."""
    return (
        "the turn's text is in the returned text"
        if found_by == "text"
        else "a hit is a part of it; within a budget, its sentences"
    )
