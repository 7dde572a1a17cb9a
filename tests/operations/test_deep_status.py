"""A deep look says which prepared weights are not what was written."""

from pathlib import Path

import numpy

from everself.agent import Agent, open_runtime
from everself.models.embedding.local.prepared_arrays import open_prepared
from everself.operations.caller import AT_TERMINAL
from everself.operations.index import StatusRequest, memory_status
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
