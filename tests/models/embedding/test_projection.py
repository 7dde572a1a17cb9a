"""Projected vectors: means and maps of the shipped models, identity where there is none."""

from pathlib import Path

import numpy
import pytest
from tools.train_recall.maps import pack_map

from everself.models.embedding import projection
from everself.models.embedding.projection import FILES, FOLDER, ProjectedEmbedder, file_of, project
from everself.testing.embedder import FakeEmbedder

SHIPPED = 1 << 20


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A projection for a model of four numbers."""
    monkeypatch.setattr(projection, "FOLDER", str(tmp_path))
    monkeypatch.setattr(projection, "FILES", {"small/": "small.npz"})
    turn = numpy.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], numpy.float32)
    held = pack_map(turn)
    path = tmp_path / "small.npz"
    numpy.savez(
        path,
        query_mean=numpy.full(4, 0.1, numpy.float32),
        query_map=held["map"],
        query_scale=held["scale"],
        document_mean=numpy.full(4, 0.25, numpy.float32),
    )
    return path


@pytest.mark.usefixtures("shipped")
def test_questions_and_documents_are_moved_each_in_their_way() -> None:
    inner = FakeEmbedder(4, model="small/1")
    embedder = ProjectedEmbedder(inner)
    plain = inner.embed(["tea and milk"])
    moved = plain - 0.25
    assert numpy.allclose(embedder.embed(["tea and milk"]), moved / numpy.linalg.norm(moved), atol=1e-6)
    centred = plain - 0.1
    turned = numpy.stack([-centred[:, 1], centred[:, 0], centred[:, 2], centred[:, 3]], axis=1)
    found = embedder.embed(["tea and milk"], purpose="query")
    assert numpy.allclose(found, turned / numpy.linalg.norm(turned), atol=0.02)


def test_the_name_of_the_vectors_changes_with_the_projection(shipped: Path) -> None:
    embedder = ProjectedEmbedder(FakeEmbedder(4, model="small/1"))
    before = embedder.model
    assert before.startswith("small/1+")
    numpy.savez(shipped, query_mean=numpy.zeros(4), document_mean=numpy.zeros(4))
    projection._tag.cache_clear()
    assert embedder.model.startswith("small/1+")
    assert embedder.model != before


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(("provider", "model"), [("openai", "small/1"), ("local", "other/1")])
def test_a_model_without_a_projection_answers_as_it_is(provider: str, model: str) -> None:
    inner = FakeEmbedder(4, provider=provider, model=model)
    embedder = ProjectedEmbedder(inner)
    assert embedder.model == model
    assert numpy.array_equal(embedder.embed(["tea"], purpose="query"), inner.embed(["tea"]))


def test_a_vector_without_direction_after_its_mean_is_gone_stays() -> None:
    row = numpy.array([[0.6, 0.8]], numpy.float32)
    assert numpy.array_equal(project(row, (row[0], None)), row)


@pytest.mark.usefixtures("shipped")
def test_no_texts_give_no_vectors() -> None:
    assert len(ProjectedEmbedder(FakeEmbedder(4, model="small/1")).embed([])) == 0


def test_what_is_shipped_is_small_and_fits_its_model() -> None:
    sizes = {"use.npz": 512, "e5.npz": 384}
    there = [Path(FOLDER, name) for name in FILES.values() if Path(FOLDER, name).exists()]
    assert there
    assert sum(path.stat().st_size for path in there) <= SHIPPED
    for path in there:
        for mean, matrix in projection._load(str(path)).values():
            assert mean.shape == (sizes[path.name],)
            assert matrix is None or matrix.shape == (sizes[path.name],) * 2
            assert numpy.isfinite(mean).all()


def test_the_bundled_model_has_one() -> None:
    assert file_of(FakeEmbedder(512, model="use-multilingual-3/1.0")).endswith("use.npz")
