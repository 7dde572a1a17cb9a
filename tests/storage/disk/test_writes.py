"""Append, create, replace, remove: whole or not at all, and never over bytes that were not expected."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.storage import writes
from everself.storage.filesystem import FileSystem
from everself.storage.real_disk import RealFileSystem
from everself.storage.simulated_disk import SimulatedDisk
from everself.testing.faulty_disk import MeddledFileSystem
from everself.values import digest

KINDS = ("openat2", "walk", "simulated", "no exchange")


@pytest.fixture(params=KINDS)
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileSystem]:
    match request.param:
        case "simulated":
            yield SimulatedDisk().root("w")
        case "no exchange":
            yield MeddledFileSystem(RealFileSystem(str(tmp_path)), lambda _call, _path: None, exchanges=False)
        case kind:
            yield RealFileSystem(str(tmp_path), walk_only=kind == "walk")


def put(files: FileSystem, path: str, data: bytes) -> None:
    assert writes.create(files, path, data, ".everself-t") is None


def names(files: FileSystem, folder: str = "") -> list[str]:
    return [one.path for one in files.list(folder)]


def test_a_created_file_makes_its_folders(files: FileSystem) -> None:
    put(files, "a/b/c.md", b"text")
    assert files.read("a/b/c.md") == b"text"
    found = files.stat("a/b")
    assert found is not None
    assert (found.kind, found.mode) == ("directory", 0o700)


def test_creating_over_a_file_tells_what_stands_there(files: FileSystem) -> None:
    put(files, "x.md", b"old")
    assert writes.create(files, "x.md", b"new", ".everself-t") == writes.Differs(b"old")
    assert (files.read("x.md"), names(files)) == (b"old", ["x.md"])


def test_replacing_needs_the_expected_bytes(files: FileSystem) -> None:
    put(files, "x.md", b"old")
    assert writes.replace(files, "x.md", b"new", digest(b"other"), ".everself-t") == writes.Differs(b"old")
    assert writes.replace(files, "x.md", b"new", digest(b"old"), ".everself-t") is None
    assert (files.read("x.md"), names(files)) == (b"new", ["x.md"])
    assert writes.replace(files, "y.md", b"new", digest(b""), ".everself-t") == writes.Differs(None)


def test_removing_needs_the_expected_bytes(files: FileSystem) -> None:
    put(files, "x.md", b"old")
    assert writes.remove(files, "x.md", digest(b"other"), ".everself-t") == writes.Differs(b"old")
    assert writes.remove(files, "x.md", digest(b"old"), ".everself-t") is None
    assert writes.remove(files, "x.md", digest(b"old"), ".everself-t") == writes.Differs(None)
    assert names(files) == []


def test_appending_grows_the_file(files: FileSystem) -> None:
    put(files, "x.md", b"one\n")
    assert writes.append(files, "x.md", b"two\n") is None
    assert files.read("x.md") == b"one\ntwo\n"


def test_a_leftover_of_an_earlier_crash_is_no_obstacle(files: FileSystem) -> None:
    put(files, "x.md", b"old")
    files.create(".everself-t").close()
    assert writes.replace(files, "x.md", b"new", digest(b"old"), ".everself-t") is None
    assert names(files) == ["x.md"]


def test_listing_is_sorted_and_tells_kinds(files: FileSystem) -> None:
    put(files, "b/c.md", b"x")
    put(files, "a.md", b"xyz")
    assert [(one.path, one.kind) for one in files.list("")] == [("a.md", "file"), ("b", "directory")]
    assert [(one.path, one.size) for one in files.list("b")] == [("b/c.md", 1)]


def test_names_tell_one_file_from_another_without_examining_them(files: FileSystem) -> None:
    put(files, "b/c.md", b"x")
    put(files, "a.md", b"xyz")
    assert files.names("") == {one.path: one.inode for one in files.list("")}
    assert list(files.names("b")) == ["c.md"]
    before = files.names("")
    put(files, "d.md", b"another")
    files.rename("d.md", "a.md")
    assert files.names("").keys() == before.keys()
    assert files.names("") != before
    with pytest.raises(FileNotFoundError):
        files.names("nowhere")


def test_a_missing_name_is_none_and_reading_it_is_not_found(files: FileSystem) -> None:
    assert files.stat("nothing.md") is None
    assert files.stat("no/where.md") is None
    with pytest.raises(FileNotFoundError):
        files.read("nothing.md")
    with pytest.raises(FileNotFoundError):
        files.list("nowhere")


def test_a_write_that_takes_few_bytes_goes_on_until_all_are_out(tmp_path: Path) -> None:
    files = MeddledFileSystem(RealFileSystem(str(tmp_path)), lambda _call, _path: None, lambda size: max(1, size // 3))
    put(files, "x.md", b"0123456789" * 10)
    writes.append(files, "x.md", b"abc" * 5)
    assert files.read("x.md") == b"0123456789" * 10 + b"abc" * 5


@pytest.mark.parametrize("exchanges", [True, False])
@pytest.mark.parametrize("moment", ["create", "write", "sync", "exchange", "rename", "publish", "read", "unlink"])
def test_text_that_a_person_saves_meanwhile_is_never_overwritten(tmp_path: Path, moment: str, exchanges: bool) -> None:
    target = tmp_path / "x.md"
    target.write_bytes(b"old")
    armed = True

    def save(call: str, path: str) -> None:
        nonlocal armed
        if armed and call == moment and (path == "x.md" or "everself" in path):
            armed = False
            (tmp_path / "mine").write_bytes(b"mine")
            os.replace(tmp_path / "mine", target)

    files = MeddledFileSystem(RealFileSystem(str(tmp_path)), save, exchanges=exchanges)
    outcome = writes.replace(files, "x.md", b"new", digest(b"old"), ".everself-t")
    if armed:
        assert target.read_bytes() == b"new"
        return
    # either the person's text stands, or it was saved after the replacement and stands all the same
    assert target.read_bytes() == b"mine"
    assert outcome is None or outcome == writes.Differs(b"mine")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["x.md"]


def save_by_rename(target: Path, data: bytes) -> None:
    beside = target.with_name("mine")
    beside.write_bytes(data)
    os.replace(beside, target)


def test_a_save_between_the_two_swaps_of_a_replacement_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "x.md"
    target.write_bytes(b"old\n")
    saves = [b"old\nfirst save\n", b"new\nsecond save\n"]

    def save(call: str, _: str) -> None:
        if call == "exchange" and saves:
            save_by_rename(target, saves.pop(0))

    files = MeddledFileSystem(RealFileSystem(str(tmp_path)), save)
    outcome = writes.replace(files, "x.md", b"new\n", digest(b"old\n"), ".everself-t")
    assert target.read_bytes() == b"new\nsecond save\n"
    assert outcome == writes.Differs(b"new\nsecond save\n", b"old\nfirst save\n")
    assert (tmp_path / ".everself-t").read_bytes() == b"old\nfirst save\n"


def test_a_person_who_saves_at_every_swap_loses_nothing_they_saved_last(tmp_path: Path) -> None:
    target = tmp_path / "x.md"
    target.write_bytes(b"old")
    count = 0

    def save(call: str, _: str) -> None:
        nonlocal count
        if call == "exchange" and count < 7:
            count += 1
            save_by_rename(target, b"save %d" % count)

    files = MeddledFileSystem(RealFileSystem(str(tmp_path)), save)
    outcome = writes.replace(files, "x.md", b"new", digest(b"old"), ".everself-t")
    assert target.read_bytes() == b"save 7"
    assert outcome == writes.Differs(b"save 7", b"save 6")


def test_an_editor_that_had_the_old_file_open_loses_nothing(tmp_path: Path) -> None:
    target = tmp_path / "x.md"
    target.write_bytes(b"old")
    with open(target, "r+b") as editor:

        def save(call: str, _: str) -> None:
            if call == "sync_directory" and not editor.tell():
                editor.truncate(0)
                editor.write(b"mine")
                editor.flush()

        files = MeddledFileSystem(RealFileSystem(str(tmp_path)), save)
        assert writes.replace(files, "x.md", b"new", digest(b"old"), ".everself-t") == writes.Differs(b"mine")
    assert (target.read_bytes(), names(files)) == (b"mine", ["x.md"])


@pytest.mark.parametrize("exchanges", [True, False])
def test_text_set_aside_while_a_newer_one_is_saved_is_kept(tmp_path: Path, exchanges: bool) -> None:
    target = tmp_path / "x.md"
    target.write_bytes(b"first save")

    def save(call: str, _: str) -> None:
        if call == "publish":
            target.write_bytes(b"second save")

    files = MeddledFileSystem(RealFileSystem(str(tmp_path)), save, exchanges=exchanges)
    outcome = writes.remove(files, "x.md", digest(b"old"), ".everself-t")
    assert outcome == writes.Differs(b"second save", b"first save")
    assert (tmp_path / ".everself-t").read_bytes() == b"first save"


def test_a_temporary_file_has_its_name_only_once_it_is_whole(files: FileSystem) -> None:
    put(files, "x.md", b"old")
    seen: list[str] = []

    def full(call: str, _: str) -> None:
        if call == "write":
            seen.extend(names(files))
            raise OSError(errno.ENOSPC, "full")

    for write in (writes.replace, writes.create):
        given = ("x.md", b"new", digest(b"old")) if write is writes.replace else ("y.md", b"new")
        with pytest.raises(OSError, match="full"):
            write(MeddledFileSystem(files, full), *given, ".everself-t")  # type: ignore[operator] # two shapes
    assert seen == [".everself-t-part", "x.md"] * 2
    assert (files.read("x.md"), names(files)) == (b"old", ["x.md"])
