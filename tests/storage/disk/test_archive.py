"""The archive's own form, read by somebody else's tar; and the spool, which copies only what changed."""

import io
import os
import tarfile
from datetime import timedelta
from pathlib import Path

import pytest

from everself.clock import system_now
from everself.errors import Damaged
from everself.storage.archive import ArchiveReader, ArchiveWriter, Member, render_head
from everself.storage.real_disk import RealFileSystem
from everself.storage.spool import Copier, Spool

LONG_AGO = 1_000_000_000


@pytest.mark.parametrize(
    "member",
    [
        Member("a", 0),
        Member("workspace/SOUL.md", 12, 0o700, 1_773_912_600),
        Member("x" * 100, 1),
        Member("x" * 101, 1),
        Member("봄/" * 300 + "é.md", 77),
        Member("large", 8**11 - 1),
        Member("larger", 8**11, 0o600, 5),
        Member("z" * 84, 1),
        Member("z" * 985, 9 << 40),
    ],
)
def test_another_tar_reads_a_header_as_it_was_meant(member: Member) -> None:
    with tarfile.open(fileobj=io.BytesIO(render_head(member)), mode="r|") as archive:
        found = archive.next()
    assert found is not None
    assert found.isreg()
    assert (found.name, found.size, found.mode, found.mtime) == (member.path, member.size, member.mode, member.mtime)


def test_a_member_of_another_length_than_said_is_not_written(tmp_path: Path) -> None:
    handle = RealFileSystem(str(tmp_path)).create("x")
    with pytest.raises(Damaged):
        ArchiveWriter(handle).add(Member("a", 3), [b"ab"])
    handle.close()


def test_contents_of_any_size_come_back_in_order(tmp_path: Path) -> None:
    contents = [b"", b"x", os.urandom(511), bytes(512), os.urandom(3 << 20), bytes(5 << 20)]
    handle = RealFileSystem(str(tmp_path)).create("x")
    archive = ArchiveWriter(handle)
    for number, data in enumerate([b"first", *contents]):
        archive.add(Member(str(number), len(data)), [data[:700], data[700:]])
    archive.finish()
    handle.close()
    with (tmp_path / "x").open("rb") as stream:
        reader = ArchiveReader(stream, os.path.getsize(stream.name))
        assert reader.first("0", 100) == b"first"
        for number, data in enumerate(contents, 1):
            assert b"".join(reader.next(Member(str(number), len(data)))) == data
        reader.finish()


def copied(spool: Spool, copier: Copier) -> dict[str, bytes]:
    return {one.path: b"".join(spool.read(one)) for one in copier.take().files}


def test_a_tree_taken_again_copies_only_what_changed(tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    for folder in (source, out):
        folder.mkdir()
    for name in ("a", "b", "c", "d"):
        (source / name).write_bytes(name.encode() * 1000)
        os.utime(source / name, (LONG_AGO, LONG_AGO))
    spool = Spool(RealFileSystem(str(out)), "spool")
    copier = Copier(spool, RealFileSystem(str(source)))
    first = copied(spool, copier)
    assert first == {name: name.encode() * 1000 for name in "abcd"}
    (source / "a").unlink()
    # same size, same time: only the file system's own time of change tells
    (source / "b").write_bytes(b"B" * 1000)
    os.utime(source / "b", (LONG_AGO, LONG_AGO))
    (source / "new").write_bytes(b"new")
    second = copied(spool, copier)
    spool.close()
    assert second == {"b": b"B" * 1000, "c": b"c" * 1000, "d": b"d" * 1000, "new": b"new"}


def test_what_has_long_been_still_is_copied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a").write_bytes(b"a" * 1000)
    # a clock an hour ahead: to it the file has long been as it is
    monkeypatch.setattr("everself.storage.spool.system_now", lambda: system_now() + timedelta(hours=1))
    spool = Spool(RealFileSystem(str(tmp_path)), "spool")
    copier = Copier(spool, RealFileSystem(str(tmp_path / "source")))
    for _ in range(3):
        assert copied(spool, copier) == {"a": b"a" * 1000}
    spool.close()
    assert (tmp_path / "spool").stat().st_size == 1000
