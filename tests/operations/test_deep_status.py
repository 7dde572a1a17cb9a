"""A deep look says which prepared weights are not what was written."""

from pathlib import Path

import numpy

from everself.agent import open_runtime
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
