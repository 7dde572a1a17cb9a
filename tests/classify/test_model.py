"""The learned heads: their file, what they see of a text, and that they work with and without an encoder."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
from tools.train_classify.command import LARGEST, pack
from tools.train_classify.examples import SEALED, fingerprint, sources
from tools.train_classify.fit import Plan, fit, scores, stack
from tools.train_classify.heads import OUTPUTS

from everself.classify import encoder
from everself.classify.encoder import offering
from everself.classify.features import EMBEDDED, GRAMS, LAYOUT, LONGEST, features_of
from everself.classify.model import PATH, heads, prepare, score, shipped
from everself.classify.weights import unpack
from everself.errors import Damaged, EmbeddingFailed


def test_the_weights_were_learned_from_the_corpora_as_they_are() -> None:
    assert shipped().told["corpora"] == fingerprint(), "run: python -m tools.train_classify"


def test_nothing_sealed_is_learned_from() -> None:
    assert [path for path in sources() if SEALED in path.parts] == []


def test_the_weights_fit_in_what_is_allowed_and_every_output_has_its_column() -> None:
    assert os.path.getsize(PATH) <= LARGEST
    assert heads("light").names == OUTPUTS
    assert set(heads("deep").names) <= set(OUTPUTS)


def test_a_file_holds_what_was_packed_and_says_when_it_is_another() -> None:
    arrays = {"one": numpy.arange(6, dtype="<f4").reshape(2, 3), "two": numpy.array([1, -1], dtype=numpy.int8)}
    data = pack({"corpora": "x"}, arrays)
    found = unpack(data)
    assert found.told == {"corpora": "x"}
    assert {name: array.tolist() for name, array in found.arrays.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }
    with pytest.raises(Damaged, match="Install"):
        unpack(b"something else" + data)


def test_features_are_bounded_whatever_the_text() -> None:
    for text in ("", "x", "\ud800", "?" * 100_000, "ab " * 50_000, "不" * 9_999):
        found = features_of(text)
        assert found.layout.shape == (LAYOUT,)
        assert len(found.grams) <= 8 * (LONGEST + 3)
        assert ((found.grams >= 0) & (found.grams < GRAMS)).all()
        assert ((found.layout >= 0) & (found.layout <= 1)).all()


def test_the_same_words_in_other_forms_are_the_same_features() -> None:
    one, other = features_of("Ｉ live at 12 Elm Street"), features_of("i live  at 34 ELM street")
    assert one.grams.tolist() == other.grams.tolist()


def test_without_an_encoder_the_light_heads_answer_and_nothing_is_embedded() -> None:
    with offering(None):
        found = score("What is my sister called?")
        assert not found.deep
        assert found.says("question")


def test_an_encoder_is_asked_once_for_what_is_prepared_together_and_never_for_more_than_it_may() -> None:
    asked: list[Sequence[str]] = []

    def encode(texts: Sequence[str]) -> numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float32]]:
        asked.append(texts)
        return numpy.full((len(texts), EMBEDDED), 0.01, dtype=numpy.float32)

    with offering(encode):
        texts = [f"sentence number {number}" for number in range(100)]
        prepare(texts)
        assert [len(one) for one in asked] == [encoder.MOST]
        assert score(texts[0]).deep
        assert not score(texts[0], deep=False).deep
        assert len(asked) == 1


def test_an_encoder_that_fails_is_not_asked_again_and_the_light_heads_answer() -> None:
    calls: list[int] = []

    def encode(texts: Sequence[str]) -> numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float32]]:
        calls.append(len(texts))
        raise EmbeddingFailed("The package is missing.", reason="missing")

    with offering(encode):
        assert not score("I live in Bergen").deep
        assert not score("I work in Oslo").deep
    assert calls == [1]


def test_the_trainer_learns_what_tells_two_kinds_apart_and_the_same_each_time() -> None:
    texts = [f"the {word} is red" for word in ("cat", "dog", "car", "sky")]
    texts += [f"is the {word} red?" for word in ("cat", "dog", "car", "sky")]
    found = [features_of(text) for text in texts]
    rows = stack([one.grams for one in found], numpy.stack([one.layout for one in found]))
    wanted, weight = numpy.array([0.0] * 4 + [1.0] * 4), numpy.ones(8)
    first, second = (fit(rows, wanted, weight, GRAMS, Plan()) for _ in range(2))
    assert first.grams.tobytes() == second.grams.tobytes()
    assert ((scores(first, rows) > 0) == (wanted > 0)).all()


def test_word_patterns_stay_few() -> None:
    """What is learned is not written down again: of patterns of words so many files and bytes are left."""
    folder = Path(PATH).parent / "data"
    rules = [folder / "triggers.txt", folder / "requests.txt"]
    assert sum(one.stat().st_size for one in rules) <= 15 << 10
    # of all sets but those that the reflex asks questions by; this number only ever gets smaller
    kept = [one for one in folder.rglob("*.txt") if one.name != "asking.txt"]
    assert sum(one.stat().st_size for one in kept) <= 91_000
    gone = ("corrections", "signs", "speech", "claims")
    assert [one for name in gone for one in folder.rglob(f"{name}.txt")] == []
