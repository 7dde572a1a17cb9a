"""Which evidence a system found, and at which rank. The rule is the set's: by the returned text, or by the place of a hit."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from tools.bench_recall.measures import Figures, Ranks, pool_figures, session_figures, session_order, turn_figures
from tools.bench_recall.sets import Dataset, FoundBy, Question, Store
from tools.bench_recall.systems import USUAL_LIMIT, System

from everself.values import Hit

# after the usual ten a longer answer goes on, for what is below them
FURTHER = 200


class Finder:
    """Asks systems the questions of one store."""

    def __init__(self, dataset: Dataset, store: Store) -> None:
        self._dataset = dataset
        self._store = store
        self._lines: dict[str, list[int]] = defaultdict(list)
        for number, unit in enumerate(store.units):
            self._lines[unit.path].append(number)
        first: dict[str, int] = {}
        # the same words in two places are one piece of evidence
        self._same = [first.setdefault(unit.body, number) for number, unit in enumerate(store.units)]

    def ask(self, system: System, question: Question) -> Figures:
        """Every figure that the set wants of one question."""
        wanted = tuple(dict.fromkeys(self._same[number] for number in question.evidence))
        hits = list(system.rank(question, USUAL_LIMIT))
        ranks = self.ranks(hits, wanted)
        further: Sequence[Hit] = ()
        if self._dataset.sessions or None in ranks:
            known = {hit.reference for hit in hits}
            further = system.rank(question, FURTHER)
            ranks = self.ranks([*hits, *(hit for hit in further if hit.reference not in known)], wanted)
        if not self._dataset.sessions:
            return pool_figures(ranks)
        figures = turn_figures(ranks)
        for budget in self._dataset.budgets:
            figures[f"found@{budget}"] = self.share(system.read(question, budget), wanted)
        order = session_order([(hit.path, system.strength(hit)) for hit in further])
        paths = frozenset(self._store.units[number].path for number in question.evidence)
        return figures | session_figures(order, paths)

    def ranks(self, hits: Sequence[Hit], wanted: Iterable[int]) -> Ranks:
        if self._dataset.found_by == "text":
            bodies = [self._store.units[number].body for number in wanted]
            return [next((at for at, hit in enumerate(hits, 1) if body in hit.text), None) for body in bodies]
        # parts of one turn or passage are one result; what is none of them takes a place all the same
        places: dict[int, int] = {}
        place = 0
        for hit in hits:
            unit = self._unit_of(hit)
            if unit is None or unit not in places:
                place += 1
            if unit is not None:
                places.setdefault(unit, place)
        return [places.get(number) for number in wanted]

    def share(self, text: str, wanted: Sequence[int]) -> float:
        """How much of the evidence stands in a text."""
        return sum(self._store.units[number].body in text for number in wanted) / len(wanted)

    def _unit_of(self, hit: Hit) -> int | None:
        for number in self._lines.get(hit.path, ()):
            unit = self._store.units[number]
            if unit.first_line <= hit.last_line and hit.first_line <= unit.last_line:
                return self._same[number]
        return None


def rule(found_by: FoundBy) -> str:
    """The rule in words."""
    return "the turn's text is in the returned text" if found_by == "text" else "a hit is a part of it"
