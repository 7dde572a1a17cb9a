"""Baselines on the same texts: FTS5's BM25, the seed's TF-IDF, the seeds' weighted sum, and vectors alone.

A baseline ranks whole turns or passages and renders them as the product does, so that a token costs the same everywhere.
"""

import string
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby
from math import log, sqrt
from typing import TYPE_CHECKING

import apsw
import numpy
import re2
from tools.bench_recall.layout import Unit
from tools.bench_recall.sets import Question, Script, Store

from everself.search.packing import pack
from everself.text.tokens import count
from everself.values import Hit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everself.models.embedding import Embedder

    Scores = NDArray[numpy.float32]

# Scores of all units for a question; a unit counts as found if its score is above 0.
Score = Callable[[Question], "Scores"]

# the four baselines that the promised figures must exceed
PLAIN = ("fts5", "tfidf", "seed_sum", "vectors")
# besides, FTS5 with stems and without stop words in the query (nobody ships it like that), and FTS5 over usual chunks:
# lines joined to pieces of 1,500 characters, wherever a turn ends
NAMES = (*PLAIN, "fts5_tuned", "fts5_chunks")
CHUNK = 1_500
VECTOR_SHARE, TEXT_SHARE = 0.7, 0.3
# number of hits that the product considers for a budget
PACKED = 400
# the seed shows no hit below this score
TFIDF_LEAST = 0.01
_COUNTED = 2_000

_STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being between both but by can could did do does
    doing down during each few for from further had has have having he her here hers herself him himself his how i if in into is
    it its itself just me more most my myself no nor not now of off on once only or other our ours out over own same she should
    so some such than that the their theirs them themselves then there these they this those through to too under until up very
    was we were what when where which while who whom why will with would you your yours yourself s t d m ll re ve
"""


@cache
def stop_words() -> frozenset[str]:
    return frozenset(_STOP_WORDS.split())


class Baseline:
    """One way to score units, as a measured system."""

    def __init__(self, name: str, units: Sequence[Unit], score: Score) -> None:
        self.name = name
        self._units = units
        self._score = score
        self._asked = ""
        self._hits: list[Hit] = []

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        return self._ranked(question)[:limit]

    def read(self, question: Question, budget: int) -> str:
        return pack(self._ranked(question), budget, _price).text

    def strength(self, hit: Hit) -> float:
        # sums of weights and cosines, whose means are meaningful
        return hit.score

    def _ranked(self, question: Question) -> list[Hit]:
        # a question is asked several times in a row
        if self._asked != question.id:
            scores = self._score(question)
            order = numpy.argsort(-scores, kind="stable")[:PACKED]
            self._hits = [_hit(self._units[at], float(scores[at])) for at in order.tolist() if scores[at] > 0]
            self._asked = question.id
        return self._hits


def make_baselines(store: Store, script: Script, embedder: "Embedder") -> list[Baseline]:
    texts = [unit.said for unit in store.units]
    words = FullText(texts, script)
    meaning = Meaning(texts, store.questions, embedder)

    def weigh(question: Question) -> "Scores":
        found = words.score(question)
        return VECTOR_SHARE * meaning.score(question) + TEXT_SHARE * found / max(float(found.max()), 1e-6)

    scores: dict[str, Score] = {
        "fts5": words.score,
        "tfidf": TfIdf(texts).score,
        "seed_sum": weigh,
        "vectors": meaning.score,
        "fts5_tuned": FullText(texts, script, tuned=True).score,
    }
    pieces = cut(store.units)
    scores["fts5_chunks"] = FullText([piece.said for piece in pieces], script).score
    return [Baseline(name, pieces if name == "fts5_chunks" else store.units, scores[name]) for name in NAMES]


def cut(units: Sequence[Unit], size: int = CHUNK) -> list[Unit]:
    """The same lines in chunks of about that many characters; a longer line is cut."""
    found: list[Unit] = []
    for path, held in groupby(units, key=lambda unit: unit.path):
        waiting: list[Unit] = []
        for unit in held:
            if waiting and sum(len(one.text) + 1 for one in waiting) + len(unit.text) > size:
                found.append(_joined(path, waiting))
                waiting = []
            waiting.append(unit)
            while len(waiting) == 1 and len(waiting[0].text) > size:
                whole = waiting[0]
                head, rest = whole.text[:size], whole.text[size:]
                found.append(replace(whole, text=head, body=head, said=head))
                waiting = [replace(whole, text=rest, body=rest, said=rest)]
        if waiting:
            found.append(_joined(path, waiting))
    return found


def _joined(path: str, units: Sequence[Unit]) -> Unit:
    text = "\n".join(unit.text for unit in units)
    return Unit(path, units[0].first_line, units[-1].last_line, text, text, text)


class FullText:
    """Plain FTS5: any word of the question, ranked by its bm25. Chinese and Japanese are split into pairs of characters.

    Tuned: English is stemmed by porter, and the query has no stop words.
    """

    def __init__(self, texts: Sequence[str], script: Script, *, tuned: bool = False) -> None:
        self._size = len(texts)
        self._tuned = tuned
        self._cut = _pairs if script == "cjk" else _words
        self._database = apsw.Connection(":memory:")
        tokenizer = "porter unicode61" if tuned and script != "cjk" else "unicode61"
        self._database.execute(f"CREATE VIRTUAL TABLE units USING fts5(text, tokenize='{tokenizer}')")
        rows = [(at, " ".join(_pairs(text)) if script == "cjk" else text) for at, text in enumerate(texts, 1)]
        self._database.executemany("INSERT INTO units(rowid, text) VALUES (?, ?)", rows)

    def score(self, question: Question) -> "Scores":
        scores = numpy.zeros(self._size, numpy.float32)
        asked = list(dict.fromkeys(self._cut(question.text)))
        telling = [word for word in asked if not (self._tuned and word in stop_words())] or asked
        if telling:
            match = " OR ".join(f'"{word}"' for word in telling)
            found = self._database.execute("SELECT rowid, bm25(units) FROM units WHERE units MATCH ?", (match,))
            for at, weight in found:
                # FTS5 gives the best hit the smallest value; a word in most units may have a negative weight
                scores[at - 1] = max(1e-6, -weight)
        return scores


class TfIdf:
    """Seed 0: cosine of bags of words, weighted by the word's share of a text times log(texts / texts with it). Its
    tokens: runs of at least two small Latin letters, digits and Chinese characters.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._size = len(texts)
        held = [Counter(_runs(text)) for text in texts]
        often = Counter(word for counts in held for word in counts)
        self._rarity = {word: log(len(texts) / number) for word, number in often.items()}
        places: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for at, counts in enumerate(held):
            weights = {word: number / counts.total() * self._rarity[word] for word, number in counts.items()}
            length = sqrt(sum(weight * weight for weight in weights.values()))
            for word, weight in weights.items():
                if length:
                    places[word].append((at, weight / length))
        self._places = {
            word: (numpy.array([at for at, _ in found]), numpy.array([weight for _, weight in found]))
            for word, found in places.items()
        }

    def score(self, question: Question) -> "Scores":
        asked = Counter(_runs(question.text))
        weights = {word: number * self._rarity.get(word, 0.0) for word, number in asked.items()}
        length = sqrt(sum(weight * weight for weight in weights.values()))
        scores = numpy.zeros(self._size)
        for word, weight in weights.items():
            if weight and word in self._places:
                at, own = self._places[word]
                scores[at] += weight / length * own
        return numpy.where(scores > TFIDF_LEAST, scores, 0.0).astype(numpy.float32)


class Meaning:
    """The cosine between question and text, by the product's embedder."""

    def __init__(self, texts: Sequence[str], questions: Sequence[Question], embedder: "Embedder") -> None:
        self._rows = embedder.embed(texts)
        # in one batch, which is much cheaper than single calls
        self._asked = embedder.embed([question.text for question in questions], purpose="query")
        self._number = {question.id: at for at, question in enumerate(questions)}

    def score(self, question: Question) -> "Scores":
        cosines: Scores = self._rows @ self._asked[self._number[question.id]]
        return cosines


def _words(text: str) -> list[str]:
    return [word for word in "".join(char if char.isalnum() else " " for char in text.lower()).split() if word]


def _pairs(text: str) -> list[str]:
    """Pairs of adjacent characters; Latin words and numbers are kept whole."""
    return list(_cut_pairs(text))


def _cut_pairs(text: str) -> Iterator[str]:
    latin = set(string.ascii_lowercase + string.digits)
    for run in _words(text):
        held = ""
        for at, char in enumerate(run):
            if char in latin:
                held += char
                continue
            if held:
                yield held
                held = ""
            if at + 1 < len(run) and run[at + 1] not in latin:
                yield run[at : at + 2]
            elif at == 0 or run[at - 1] in latin:
                yield char
        if held:
            yield held


def _runs(text: str) -> list[str]:
    found: list[str] = re2.findall(r"[a-z0-9\x{4e00}-\x{9fff}]+", text.lower())
    return [run for run in found if len(run) > 1]


def _hit(unit: Unit, score: float) -> Hit:
    return Hit(unit.path, unit.first_line, unit.last_line, score, unit.text)


@lru_cache(maxsize=50_000)
def _counted(text: str) -> int:
    return count(text)


def _price(text: str) -> int:
    """The token count of a text. Counts of short texts are cached: lines recur with every question, whole answers do not."""
    return _counted(text) if len(text) < _COUNTED else count(text)
