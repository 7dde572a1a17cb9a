"""What the recall benchmark takes for found: planted rankings, perfect and useless, and the baselines on a few sentences."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tools.recall_data import SMALL_TALK, write_data
from tools.bench_recall.baselines import NAMES, FullText, TfIdf, cut, make_baselines
from tools.bench_recall.finding import Finder, sentences
from tools.bench_recall.layout import Turn, session_document
from tools.bench_recall.sets import Dataset, Question, Store, load_sets

from everself.search.packing import pack
from everself.testing.embedder import FakeEmbedder
from everself.text.tokens import count
from everself.values import Hit


class Planted:
    """Answers every question with the same units."""

    name = "planted"

    def __init__(self, store: Store, numbers: Sequence[int]) -> None:
        units = [store.units[number] for number in numbers]
        self._hits = [Hit(one.path, one.first_line, one.last_line, 1 / at, one.text) for at, one in enumerate(units, 1)]

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        assert question.text
        return self._hits[:limit]

    def read(self, question: Question, budget: int) -> str:
        assert question.text
        return pack(self._hits, budget, count).text

    def strength(self, hit: Hit) -> float:
        return hit.score


@pytest.fixture
def locomo(tmp_path: Path) -> Dataset:
    return load_sets(write_data(tmp_path), ("locomo",))[0]


@pytest.fixture
def pool(tmp_path: Path) -> Dataset:
    return load_sets(write_data(tmp_path), ("longmemeval",))[0]


def test_a_perfect_ranking_has_every_figure_at_one_but_for_all_at_one(locomo: Dataset) -> None:
    store = locomo.stores[0]
    _, question = store.questions
    figures = Finder(locomo, store).ask(Planted(store, question.evidence), question)
    less = {name: value for name, value in figures.items() if value != 1}
    assert less == {"all@1": 0.0, "recall@1": 0.5}
    assert {"found@500", "found@1500", "found@3000", "session_any@5", "session_all@10"} <= set(figures)


def test_a_useless_ranking_has_every_figure_at_nought(locomo: Dataset) -> None:
    store = locomo.stores[0]
    _, question = store.questions
    figures = Finder(locomo, store).ask(Planted(store, range(len(SMALL_TALK))), question)
    assert set(figures.values()) == {0.0}


def test_the_right_session_is_found_by_a_wrong_turn(locomo: Dataset) -> None:
    store = locomo.stores[0]
    question, _ = store.questions
    figures = Finder(locomo, store).ask(Planted(store, range(len(SMALL_TALK))), question)
    assert (figures["session_all@5"], figures["recall@10"], figures["found@3000"]) == (1.0, 0.0, 0.0)


def test_evidence_beyond_the_budget_is_not_found(locomo: Dataset) -> None:
    store = locomo.stores[0]
    question, _ = store.questions
    planted = Planted(store, (*range(len(SMALL_TALK)), 4))
    tight = replace(locomo, budgets=(40, 500))
    figures = Finder(tight, store).ask(planted, question)
    assert count(planted.read(question, 40)) <= 40
    assert (figures["found@40"], figures["found@500"]) == (0.0, 1.0)


def test_only_the_whole_text_of_a_turn_counts_as_found(locomo: Dataset) -> None:
    store = locomo.stores[0]
    unit = store.units[4]
    half = Hit(unit.path, 5, 5, 1.0, unit.text.removesuffix(" [a dog on a sofa]"))
    assert Finder(locomo, store).ranks([half], (4,)) == [None]
    assert Finder(locomo, store).ranks([half, half._replace(text=unit.text)], (4,)) == [2]


def test_parts_of_one_turn_are_one_result_of_a_pool_and_strangers_take_a_place(pool: Dataset) -> None:
    store = pool.stores[0]
    first, second = store.units
    part = Hit(first.path, 1, 1, 1.0, "The pottery class")
    hits = [
        part,
        part._replace(text="was on Tuesday."),
        Hit("SOUL.md", 1, 1, 0.9, "x"),
        Hit(second.path, 1, 1, 0.8, "y"),
    ]
    assert Finder(pool, store).ranks(hits, (0, 1)) == [1, 3]


def test_the_same_words_in_another_place_are_the_same_evidence(pool: Dataset) -> None:
    store = pool.stores[0]
    first, second = store.units
    doubled = replace(store, units=(first, replace(second, body=first.body)))
    figures = Finder(pool, doubled).ask(Planted(doubled, [1]), store.questions[0])
    assert figures["hit@1"] == 1.0


def test_every_baseline_finds_the_turn_that_shares_the_words_of_the_question(locomo: Dataset) -> None:
    store = locomo.stores[0]
    question = store.questions[0]
    baselines = make_baselines(store, "english", FakeEmbedder())
    assert [one.name for one in baselines] == list(NAMES)
    for baseline in baselines:
        assert store.units[4].text in baseline.rank(question, 1)[0].text, baseline.name
        assert count(baseline.read(question, 60)) <= 60
        assert store.units[4].body in baseline.read(question, 120)


def test_full_text_drops_words_that_say_nothing_and_stems_the_others() -> None:
    words = FullText(["What did you do about it?", "We adopted a dog."], "english", tuned=True)
    scores = words.score(Question("a", "", 'What did they do about "adopting"?', (1,)))
    assert (scores[0], scores[1] > 0) == (0.0, True)
    # nothing but such words: better asked than not
    assert words.score(Question("b", "", "what did you do", (0,)))[0] > 0


def test_full_text_finds_chinese_by_pairs_of_characters() -> None:
    words = FullText(["这座灯塔建于海边", "橘子酱 ABC 公司"], "cjk")
    assert words.score(Question("a", "", "灯塔", (0,))).nonzero()[0].tolist() == [0]
    assert words.score(Question("b", "", "abc公", (1,))).nonzero()[0].tolist() == [1]


def test_the_seeds_tf_idf_takes_a_run_of_chinese_for_one_word() -> None:
    words = TfIdf(["灯塔 tea house", "tea cup", "灯塔建于海边"])
    assert words.score(Question("a", "", "灯塔?", (0,))).nonzero()[0].tolist() == [0]
    assert words.score(Question("b", "", "a cup of x", (1,))).nonzero()[0].tolist() == [1]


def test_a_long_text_is_found_by_its_sentences() -> None:
    short = "One. Two."
    assert sentences(short) == [short]
    long = (
        "The first sentence is as long as it needs to be. " * 3 + "The second one says something else. " + "Yes. " * 30
    )
    assert sentences(long)[0] == "The first sentence is as long as it needs to be"
    assert sentences(long)[-1] == "The second one says something else"
    dense = "这座灯塔建于海边，高三十米，每天晚上都有很多人来这里看海上的灯光和船。" * 6
    assert len(sentences(dense)) == 6


def test_lines_are_joined_to_pieces_of_a_size_and_longer_ones_cut() -> None:
    _, units = session_document("memory/a.md", [Turn("Bo", "x" * 30), Turn("Bo", "y" * 30), Turn("Bo", "z" * 250)])
    pieces = cut(units, 100)
    assert [(one.first_line, one.last_line) for one in pieces] == [(1, 2), (3, 3), (3, 3), (3, 3)]
    assert "".join(one.text for one in pieces[1:]) == units[2].text
