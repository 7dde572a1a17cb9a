"""Forgetting reaches the index: no row, hash or vector tells of what was forgotten, all else is found as before, and it is said."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from everself.agent import Agent, open_runtime
from everself.config import load_here
from everself.errors import StoreBusy
from everself.memory.forgetting.forgotten_words import ForgottenWords
from everself.memory.forgetting.proof import ForgetProof, PlaceResult, Target
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search import index as index_module
from everself.search import rebuild
from everself.search.index import Index
from everself.search.recall import RecallRequest
from everself.storage.lock import FileLock
from everself.testing.embedder import FakeEmbedder

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

FACT = "The code of the vault is KESTREL-4471-ZYGOTE."
RARE = ("kestrel", "4471")
NOTES = {
    "memory/topics.md": f"# Topics\n\n- The vault is green.\n- {FACT}\n- The harbour opens at nine.\n",
    "memory/2026-03-19.md": f"# Log\n\n## [08:00:00] a\n\nThe vault was shut.\n\n## [08:01:00] b\n\n{FACT}\n",
    "bank/world.md": f"# World\n\n- {FACT}\n",
    "memory/other.md": "# Other\n\n- Nothing about codes here, but the harbour.\n",
}


def agent(home: Path) -> Runtime:
    app = open_runtime(environ={"HOME": str(home)})
    app.__dict__["embedder"] = FakeEmbedder()
    return app


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Runtime]:
    with agent(tmp_path) as made:
        set_up(made)
        for path, text in NOTES.items():
            file = Path(made.agent.workspace, path)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        yield made


def file_of(app: Runtime) -> Path:
    return Path(app.agent.state, "index.db")


def fill_index(app: Runtime) -> None:
    app.index.sync()
    assert app.index.embed().pending == 0


def told(app: Runtime, terms: tuple[str, ...] = RARE) -> list[str]:
    """Terms whose hash stands anywhere in the file: a search of our own."""
    data = file_of(app).read_bytes()
    hashes = {term: hashlib.blake2b(term.encode(), digest_size=8).digest() for term in terms}
    return [term for term, hashed in hashes.items() if hashed in data or hashed[::-1] in data]


def forget(app: Runtime, words: str = FACT) -> ForgetProof:
    return app.forgetting.carry_out(app.forgetting.plan(Target(words=words)))


def part(proof: ForgetProof) -> PlaceResult:
    (found,) = [one for one in proof.places if one.place == "index"]
    return found


def found_in(app: Runtime, query: str) -> list[str]:
    return [hit.path for hit in app.recall.search(RecallRequest(query, recorded=False)).hits if not hit.weak]


def test_nothing_of_the_forgotten_is_left_and_all_else_is_found_without_embedding_it_again(app: Runtime) -> None:
    fill_index(app)
    assert told(app) == list(RARE)
    assert found_in(app, "KESTREL-4471-ZYGOTE")
    embedder = app.embedder
    assert isinstance(embedder, FakeEmbedder)
    texts = [text for call, _ in embedder.calls for text in call if FACT in text]
    vectors = [vector.astype("<f2").tobytes() for vector in embedder.embed(texts)]
    assert vectors
    assert all(vector in file_of(app).read_bytes() for vector in vectors)
    embedder.calls.clear()
    proof = forget(app)
    assert proof.gone
    assert part(proof).found >= 3
    assert (part(proof).left, proof.notices) == (0, ())
    assert told(app) == []
    data = file_of(app).read_bytes()
    for coding in ("utf-8", "utf-16-le", "utf-16-be"):
        assert "KESTREL".encode(coding) not in data
        assert FACT.encode(coding) not in data
    assert not any(vector in data for vector in vectors)
    assert embedder.calls == []
    assert found_in(app, "KESTREL-4471-ZYGOTE") == []
    found = app.recall.search(RecallRequest("when does the harbour open", recorded=False)).hits
    assert {hit.path for hit in found} >= {"memory/topics.md", "memory/other.md"}
    assert app.index.pending() == 0
    assert app.index.verify().differing == ()


def test_what_was_dead_already_goes_as_well(app: Runtime) -> None:
    fill_index(app)
    topics = Path(app.agent.workspace, "memory/topics.md")
    # a person took it out of one file, but its row is still in the index
    topics.write_text("# Topics\n\n- The vault is green.\n- The harbour opens at nine.\n")
    app.index.sync()
    assert told(app) == list(RARE)
    proof = forget(app)
    assert proof.gone
    assert told(app) == []


def test_where_there_is_no_index_none_is_made_and_nothing_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from everself.agent import Agent, open_runtime; from everself.operations.setup import set_up\n"
        "from everself.memory.forgetting.proof import Target\n"
        "with open_runtime() as app:\n"
        "    set_up(app); Agent(app, fresh=False).remember('The lamp is red, they say.')\n"
        "    assert app.forgetting.carry_out(app.forgetting.plan(Target(words='The lamp is red, they say.'))).gone\n"
        "sys.exit('numpy' in sys.modules)"
    )
    environ = {"HOME": str(tmp_path), "PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("index.db*")) == []


def test_the_same_words_in_another_sentence_stay_found_and_are_no_reason_for_alarm(app: Runtime) -> None:
    mention = Path(app.agent.workspace, "memory/mention.md")
    mention.write_text("# Mention\n\n- Somebody asked whether KESTREL-4471-ZYGOTE was a bird, and laughed.\n")
    fill_index(app)
    token = file_of(app).stat().st_ino
    proof = forget(app)
    assert proof.gone
    assert proof.notices == ()
    assert found_in(app, "KESTREL-4471-ZYGOTE") == ["memory/mention.md"]
    assert file_of(app).stat().st_ino == token


def test_a_damaged_index_is_cleaned_too(app: Runtime) -> None:
    fill_index(app)
    data = bytearray(file_of(app).read_bytes())
    data[8192 * 3 : 8192 * 6] = bytes(8192 * 3)
    file_of(app).write_bytes(data)
    assert forget(app).gone
    assert told(app) == []
    assert "memory/topics.md" in found_in(app, "harbour")


def test_one_that_a_stopped_process_writes_is_made_anew(app: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_PATIENCE", 0.01)
    fill_index(app)
    rival = apsw.Connection(str(file_of(app)))
    rival.execute("BEGIN IMMEDIATE")
    proof = forget(app)
    rival.close()
    assert proof.gone
    assert proof.notices == ()
    assert told(app) == []


def test_one_that_cannot_be_cleaned_is_deleted_and_that_is_said(app: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(_index: Index) -> None:
        raise StoreBusy("(index.db)")

    fill_index(app)
    with monkeypatch.context() as patch:
        patch.setattr(Index, "purge", busy)
        patch.setattr(Index, "rebuild", busy)
        proof = forget(app)
    assert not file_of(app).exists()
    assert proof.gone
    assert "was deleted" in proof.notices[0]
    assert proof.notices[0] in proof.lines()
    assert "memory/topics.md" in found_in(app, "harbour")


def test_an_index_that_was_not_purged_is_noticed(app: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_index(app)
    with monkeypatch.context() as patch:
        # as if marking chunks dead were enough
        patch.setattr(Index, "purge", Index.sync)
        patch.setattr(Index, "rebuild", Index.sync)
        patch.setattr("everself.search.forgetting.discard", lambda *_: None)
        proof = forget(app)
    assert not proof.gone
    assert part(proof).left >= 3


def test_vectors_that_nobody_has_are_noticed(app: Runtime) -> None:
    fill_index(app)
    (traces,) = app.forgetting._resources.derived
    words = ForgottenWords((), ("something that stands nowhere",))
    assert traces.holds(words) == 0
    app.index.close()
    connection = apsw.Connection(str(file_of(app)))
    connection.execute("INSERT INTO embeddings SELECT 999, zeroblob(16), model, data FROM embeddings LIMIT 1")
    connection.close()
    assert traces.holds(words) == 1


def test_what_a_rebuild_left_that_was_killed_goes_and_one_under_way_is_not_called_clean(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_index(app)
    beside = file_of(app).with_name("index.db.new-7K3QX9M2ABCD")
    beside.write_bytes(file_of(app).read_bytes())
    with FileLock(f"{file_of(app)}.lock").hold(), monkeypatch.context() as patch:
        patch.setattr(rebuild.sweep, "__defaults__", (0.01,))
        patch.setattr(app.index._opener, "_wait", 0.01)
        assert not forget(app).gone
    assert beside.exists()
    (proof,) = app.forgetting.resume()
    assert proof.gone
    assert not beside.exists()


def test_an_index_at_the_usual_place_that_another_setting_put_out_of_use_is_deleted(tmp_path: Path) -> None:
    with agent(tmp_path) as old:
        set_up(old)
        Agent(old).remember(FACT)
        fill_index(old)
    host = Path(load_here({"HOME": str(tmp_path)}).config.places.host_file)
    host.write_text(f'{{agents: {{defaults: {{memorySearch: {{store: {{path: "{tmp_path}/elsewhere/i.db"}}}}}}}}}}')
    with agent(tmp_path) as app:
        fill_index(app)
        assert file_of(app).exists()
        proof = forget(app)
        assert proof.gone
        assert "no longer in use" in proof.notices[0]
        assert not file_of(app).exists()
        assert Path(tmp_path, "elsewhere/i.db").exists()


def test_a_process_that_died_before_the_index_was_clean_is_made_good(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    fill_index(app)
    with monkeypatch.context() as patch:
        patch.setattr(Index, "purge", die)
        with pytest.raises(KeyboardInterrupt):
            forget(app)
    assert told(app) == list(RARE)
    (proof,) = app.forgetting.resume()
    assert proof.gone
    assert told(app) == []
