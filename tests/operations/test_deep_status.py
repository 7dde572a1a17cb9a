"""A deep look says which prepared weights are not what was written."""

from pathlib import Path

import numpy

from everself.agent import Agent, open_runtime
from everself.config.installation import install_command
from everself.interfaces.rendering.index import _searchable
from everself.models.embedding.local.prepared_arrays import open_prepared
from everself.operations.caller import AT_TERMINAL
from everself.operations.index import IndexRequest, StatusRequest, memory_status, update_index
from everself.operations.setup import set_up
from everself.testing.embedder import FakeEmbedder


def test_damaged_weights_are_named_with_what_helps() -> None:
    with open_runtime() as app:
        set_up(app)
        app.__dict__["embedder"] = FakeEmbedder()
        folder = Path(app.places.home, "models")
        open_prepared(str(folder), "toy-1", lambda: {"a": numpy.arange(99, dtype="<f4")})
        deep = StatusRequest(deep=True)
        assert not [one for one in memory_status(app, AT_TERMINAL, deep).index.remarks if "weights" in one.words]
        (file,) = folder.glob("toy-1/arrays-*.bin")
        data = bytearray(file.read_bytes())
        data[17] ^= 1
        file.write_bytes(data)
        (remark,) = [one for one in memory_status(app, AT_TERMINAL, deep).index.remarks if "weights" in one.words]
        assert remark.mend == f"rm -r {folder}/toy-1"


def test_fixing_removes_damaged_weights_and_brings_the_index_up_to_date() -> None:
    with open_runtime() as app:
        set_up(app)
        app.__dict__["embedder"] = FakeEmbedder()
        folder = Path(app.places.home, "models")
        open_prepared(str(folder), "toy-1", lambda: {"a": numpy.arange(99, dtype="<f4")})
        open_prepared(str(folder), "other-1", lambda: {"a": numpy.arange(99, dtype="<f4")})
        (file,) = folder.glob("toy-1/arrays-*.bin")
        file.write_bytes(bytes(len(file.read_bytes())))
        Agent(app, fresh=False).remember("My boat is called Vela.")
        before = {path: path.read_bytes() for path in Path(app.agent.workspace).rglob("*") if path.is_file()}
        found = memory_status(app, AT_TERMINAL, StatusRequest(fix=True)).index
        assert not (folder / "toy-1").exists()
        assert (folder / "other-1").exists()
        assert (found.stale, found.pieces - found.embedded) == (0, 0)
        assert any("weights" in one.words for one in found.remarks)
        # what is true stays as it is
        assert {path: path.read_bytes() for path in before} == before


def test_the_index_is_brought_up_to_date_first_where_that_is_asked() -> None:
    with open_runtime() as app:
        set_up(app)
        app.__dict__["embedder"] = FakeEmbedder()
        memory_status(app, AT_TERMINAL, StatusRequest(index=True))
        Agent(app, fresh=False).remember("My boat is called Vela.")
        assert memory_status(app, AT_TERMINAL, StatusRequest()).index.stale == 1
        found = memory_status(app, AT_TERMINAL, StatusRequest(index=True)).index
        assert (found.stale, found.pieces - found.embedded) == (0, 0)
        assert "Indexed now: 1 documents read, 0 gone." in [one.words for one in found.remarks]


def test_an_embedder_that_costs_money_is_not_asked() -> None:
    with open_runtime() as app:
        set_up(app)
        app.__dict__["embedder"] = paid = FakeEmbedder(paid=True)
        Agent(app, fresh=False).remember("My boat is called Vela.")
        found = memory_status(app, AT_TERMINAL, StatusRequest(index=True)).index
        assert found.pieces > found.embedded
        assert paid.calls == []


def test_status_says_how_far_the_better_model_is() -> None:
    with open_runtime() as app:
        set_up(app)
        app.__dict__["embedder"] = FakeEmbedder()
        app.__dict__["second_embedder"] = FakeEmbedder(32, model="better/1")
        Agent(app, fresh=False).remember("My boat is called Vela.")
        update_index(app, AT_TERMINAL, IndexRequest())
        health = memory_status(app, AT_TERMINAL, StatusRequest()).index
        assert (health.better_model, health.better_embedded) == ("local/better/1", 0)
        assert any("0 of" in line and "--better" in line for line in _searchable(health))
        report = update_index(app, AT_TERMINAL, IndexRequest(better=True))
        assert (report.better_pending, report.failure) == (0, "")
        for request in (StatusRequest(), StatusRequest(deep=True)):
            health = memory_status(app, AT_TERMINAL, request).index
            assert health.better_embedded == health.pieces
            assert any("better vectors of local/better/1: all" in line for line in _searchable(health))


def test_asking_for_the_better_model_where_there_is_none_says_how_to_get_it() -> None:
    with open_runtime() as app:
        set_up(app)
        app.__dict__["embedder"] = FakeEmbedder()
        assert app.second_embedder is None
        report = update_index(app, AT_TERMINAL, IndexRequest(better=True))
        assert install_command("quality") in report.failure
