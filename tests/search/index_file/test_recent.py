"""Exact vectors come from the file or from memory, and say the same either way."""

import numpy
import pytest

from everself.errors import Damaged
from everself.search.index_file._vector_cache import VectorCache
from everself.search.index_file.file import IndexFile, open_memory
from everself.search.index_file.rows import CodeSlot, render_vector
from everself.search.index_file.vectors import fetch_vectors

DIMENSIONS = 16
MODEL = 2**40 + 7
SLOT = CodeSlot(1, MODEL, DIMENSIONS)
VECTORS = numpy.random.default_rng(4).standard_normal((300, DIMENSIONS)).astype(numpy.float16)
ASKED = numpy.random.default_rng(5).standard_normal(DIMENSIONS).astype(numpy.float32)


@pytest.fixture
def file() -> IndexFile:
    made = open_memory()
    for number, vector in enumerate(VECTORS, 1):
        hashed = number.to_bytes(16, "little")
        given = (number, hashed, MODEL, render_vector(number, hashed, MODEL, vector.tobytes()))
        made.connection.execute("INSERT INTO embeddings VALUES (?, ?, ?, ?)", given)
    return made


def ids(*numbers: int) -> "numpy.typing.NDArray[numpy.int32]":
    return numpy.array(numbers, numpy.int32)


@pytest.mark.parametrize("room", [1, 7, 100, 1_000])
def test_scores_are_the_same_however_much_is_kept(file: IndexFile, room: int) -> None:
    recent = VectorCache(room * DIMENSIONS * 4)
    expected = VECTORS.astype(numpy.float32) @ ASKED
    chance = numpy.random.default_rng(room)
    for _ in range(60):
        wanted = numpy.unique(chance.integers(1, 301, chance.integers(1, 90))).astype(numpy.int32)
        known, scores = recent.score(file.connection, wanted, SLOT, ASKED)
        assert known.tolist() == wanted.tolist()
        numpy.testing.assert_allclose(scores, expected[wanted - 1], rtol=1e-4, atol=1e-5)


def test_a_score_does_not_depend_on_what_else_was_asked(file: IndexFile) -> None:
    together = VectorCache().score(file.connection, numpy.arange(1, 301, dtype=numpy.int32), SLOT, ASKED)[1]
    recent = VectorCache()
    alone = [recent.score(file.connection, ids(number), SLOT, ASKED)[1][0] for number in range(1, 301)]
    again = recent.score(file.connection, numpy.arange(1, 301, dtype=numpy.int32), SLOT, ASKED)[1]
    assert together.tolist() == alone == again.tolist()


def test_what_is_kept_is_not_read_again(file: IndexFile) -> None:
    recent = VectorCache()
    before = recent.score(file.connection, ids(3, 5, 8), SLOT, ASKED)[1]
    file.connection.execute("DELETE FROM embeddings")
    known, scores = recent.score(file.connection, ids(3, 4, 8), SLOT, ASKED)
    assert known.tolist() == [3, 8]
    assert scores.tolist() == [before[0], before[2]]


def test_vectors_of_another_slot_are_read_anew(file: IndexFile) -> None:
    recent = VectorCache()
    recent.score(file.connection, ids(3), SLOT, ASKED)
    file.connection.execute("DELETE FROM embeddings")
    assert recent.score(file.connection, ids(3), CodeSlot(2, MODEL, DIMENSIONS), ASKED)[0].tolist() == []


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE embeddings SET data=zeroblob(length(data)) WHERE number=5",
        "UPDATE embeddings SET data=substr(data, 1, 20) WHERE number=5",
        "UPDATE embeddings SET hash=zeroblob(16) WHERE number=5",
        "UPDATE embeddings SET model=3 WHERE number=5",
        "UPDATE embeddings SET data='text' WHERE number=5",
        "UPDATE embeddings SET hash='text' WHERE number=5",
        "UPDATE embeddings SET data=(SELECT data FROM embeddings WHERE number=6) WHERE number=5",
    ],
)
def test_a_damaged_row_is_noticed_and_not_kept(file: IndexFile, harm: str) -> None:
    file.connection.execute(harm)
    recent = VectorCache()
    for _ in range(2):
        with pytest.raises(Damaged):
            recent.score(file.connection, ids(4, 5, 6), SLOT, ASKED)
    assert recent.score(file.connection, ids(4, 6), SLOT, ASKED)[0].tolist() == [4, 6]


def test_a_row_of_another_model_is_damage(file: IndexFile) -> None:
    hashed = bytes(range(16))
    given = (900, hashed, MODEL + 1, render_vector(900, hashed, MODEL + 1, VECTORS[0].tobytes()))
    file.connection.execute("INSERT INTO embeddings VALUES (?, ?, ?, ?)", given)
    with pytest.raises(Damaged):
        fetch_vectors(file.connection, ids(900), SLOT)


@pytest.mark.parametrize("room", [1, 7, 1_000])
def test_rows_are_those_of_the_file(file: IndexFile, room: int) -> None:
    recent = VectorCache(room * DIMENSIONS * 4)
    recent.score(file.connection, ids(3, 5, 8), SLOT, ASKED)
    known, rows = recent.rows(file.connection, ids(2, 3, 8, 299, 999), SLOT)
    assert known.tolist() == [2, 3, 8, 299]
    assert rows.tolist() == VECTORS[known - 1].astype(numpy.float32).tolist()
    assert recent.rows(file.connection, ids(999), SLOT)[0].tolist() == []
