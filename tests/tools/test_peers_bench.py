"""The benchmark beside peers, with a peer that is not one of them: those are not installed here."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.tools.recall_data import write_data
from tools.bench_peers import __main__ as bench
from tools.bench_peers.peers import Peer, plain
from tools.bench_recall.sets import Question, Store, load_sets

from everself.testing.embedder import FakeEmbedder
from everself.values import Hit


class Backwards(Peer):
    """Hands out every unit, last first."""

    name = "backwards"

    def __init__(self, store: Store, folder: Path, embedder: object) -> None:
        assert folder.is_dir()
        assert embedder is not None
        self._units = store.units
        self.opened = 0

    def reopen(self) -> None:
        self.opened += 1

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        del question
        last = list(reversed(self._units))[:limit]
        return [Hit(unit.path, unit.first_line, unit.last_line, 1.0, unit.text) for unit in last]


@pytest.fixture
def fake_model(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    fake = FakeEmbedder()
    monkeypatch.setattr("everself.models.embedding.open_embedder", lambda *_, **__: fake)
    monkeypatch.setattr("everself.models.embedding.open_second", lambda *_, **__: None)
    return fake


@pytest.mark.usefixtures("fake_model")
def test_every_system_is_asked_the_same_and_has_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "PEERS", (Backwards,))
    data = write_data(tmp_path / "data")
    assert bench.main(["--data", str(data), "--sets", "beam", "--questions", "5"]) == 0
    title, heads, *rows = capsys.readouterr().out.splitlines()
    assert title == "── beam: 2 questions in 1 workspace(s)"
    assert "recall@10" in heads
    assert "cold ms" in heads
    assert [row.split()[0] for row in rows] == ["everself", "backwards"]
    # everything is handed out, so everything is found
    (dataset,) = load_sets(data, ("beam",))
    handed = sum(len(unit.text) for unit in dataset.stores[0].units)
    assert rows[1].split()[2] == "1.000"
    assert rows[1].split()[-3] == str(handed)


@pytest.mark.usefixtures("fake_model")
def test_a_peer_that_is_not_installed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object) -> Backwards:
        raise ModuleNotFoundError("No module named 'lancedb'", name="lancedb")

    monkeypatch.setattr(bench, "PEERS", (missing,))
    assert bench.main(["--data", str(write_data(tmp_path / "data")), "--sets", "prefeval"]) == 2
    assert "lancedb is not installed. make bench-peers DATA=FOLDER installs it." in capsys.readouterr().err


def test_operators_of_a_query_language_are_taken_out() -> None:
    assert plain('what -did "Bo" say: (NOT) that?').split() == ["what", "did", "Bo", "say", "NOT", "that"]
