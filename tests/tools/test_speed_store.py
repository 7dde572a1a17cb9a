"""What the speed benchmark makes up: the same each time, like texts and questions of people, and fit for the product."""

from collections import Counter
from random import Random

import numpy
import pytest
from tools.bench_speed.directions import DIMENSIONS, Directions
from tools.bench_speed.language import STRATA, WORDS, Language
from tools.bench_speed.store import Store, environ_of, files_for, load_questions, make_store, open_index, units_in

from everself.agent import open_runtime
from everself.search.recall import RecallRequest
from everself.text.search import TermKind, read_query

# many small steps add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

UNITS = 1_500


@pytest.fixture(scope="module")
def language() -> Language:
    return Language()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, language: Language) -> Store:
    return make_store(tmp_path_factory.mktemp("speed"), UNITS, language)[0]


def test_the_language_is_the_same_each_time_and_has_rare_and_common_words(language: Language) -> None:
    assert language.words == Language().words
    assert len(set(language.words)) == len(language.words)
    drawn = Counter(language.draw(numpy.random.default_rng(1), (200_000,)).tolist())
    assert 0.005 < drawn[0] / 200_000 < 0.02
    assert sum(times == 1 for times in drawn.values()) > len(drawn) / 3
    assert max(drawn) < WORDS


def test_a_question_has_five_to_eight_words_that_tell_something_from_every_stratum(language: Language) -> None:
    chance, generator = Random(1), numpy.random.default_rng(1)
    for _ in range(200):
        asked = language.question(language.draw(generator, (12,)).tolist(), chance)
        assert 4 <= len(asked.ranks) <= 8
        for (low, high), _ in STRATA:
            assert any(low <= rank < high for rank in asked.ranks)
        told = [term.surface for term in read_query(asked.text).terms if term.kind is not TermKind.STOP]
        assert {language.words[rank] for rank in asked.ranks} <= set(told)


def test_texts_with_the_same_words_point_the_same_way(language: Language) -> None:
    chance = numpy.random.default_rng(1)
    ranks = numpy.array([5_000, 900, 30, 12_000], numpy.int32)
    others = [language.draw(chance, (12,)) for _ in range(50)]
    one, same, *rest = Directions(language).of([ranks, ranks, *others], chance)
    assert one.shape == (DIMENSIONS,)
    assert float(numpy.linalg.norm(one)) == pytest.approx(1)
    assert float(one @ same) > 0.6 > max(float(one @ other) for other in rest) + 0.1


@pytest.mark.parametrize(("units", "files"), [(1_000, 50), (100_000, 949), (1_000_000, 3_000)])
def test_a_large_memory_has_large_files(units: int, files: int) -> None:
    assert files_for(units) == files


def test_a_made_store_is_what_the_product_would_have_indexed(made: Store) -> None:
    questions, stub = load_questions(made.folder)
    assert units_in(made.folder) == UNITS
    with open_runtime(environ=environ_of(made.folder)) as app:
        index = open_index(app, stub)
        report = index.sync()
        assert (report.read, report.removed, report.unchanged) == (0, 0, made.files)
        view = index.view()
        assert (view.living, view.embedded, view.pending) == (UNITS, UNITS, 0)
        vars(app)["index"] = index
        found = [app.recall.search(RecallRequest(question, recorded=False)) for question in questions[:10]]
        assert all(one.provider == "made-up/directions/1" and not one.notices for one in found)
        assert sum(len(one.hits) > 0 for one in found) >= 5


def test_a_store_that_is_there_is_used_again(made: Store, language: Language) -> None:
    database = made.folder / "everself" / "agents" / "main" / "index.db"
    before = database.stat().st_mtime_ns
    make_store(made.folder.parent, UNITS, language)
    assert database.stat().st_mtime_ns == before
