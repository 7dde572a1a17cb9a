"""Checking a backup: no bit of it may change unnoticed, and what a stranger made is not believed."""

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.operations.backup.backup_ground import agent_in, damage_of, make_agent

from everself.errors import Damaged, NewerSchema, NotFound, WrongUse
from everself.operations.backup.check import verify
from everself.operations.backup.create import make_backup
from everself.operations.backup.manifest import DATABASE, KEY, Line, Manifest, parse_manifest, render_manifest
from everself.operations.backup.restore import restore_backup
from everself.storage.archive import ArchiveWriter, Member, seal
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.ledger import GENESIS, LedgerHead

CONTENT = b"what stands in every file of it"


def line(path: str, data: bytes = CONTENT) -> Line:
    return Line(path, len(data), hashlib.sha256(data).hexdigest(), 0o600, 0)


def manifest(*paths: str, folders: tuple[str, ...] = ()) -> Manifest:
    files = tuple(line(path) for path in sorted((DATABASE, *paths)))
    return Manifest("0.1.0", "main", "2026-03-19T09:30:00+00:00", LedgerHead(0, GENESIS), "", "", files, folders)


def write(path: Path, head: bytes, members: tuple[tuple[Member, bytes], ...]) -> str:
    handle = RealFileSystem(str(path.parent)).create(path.name)
    try:
        archive = ArchiveWriter(handle)
        archive.add(Member("manifest.json", len(head)), [head])
        for member, data in members:
            archive.add(member, [data])
        archive.finish()
    finally:
        handle.close()
    return str(path)


def forge(path: Path, claimed: Manifest) -> str:
    """A backup in the right form whose manifest is what somebody likes."""
    return write(path, render_manifest(claimed), tuple((one.member, CONTENT) for one in claimed.files))


def altered_damage(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return damage_of(str(path))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("tiny")
    return Path(forge(folder / "tiny.tar.gz", manifest("workspace/SOUL.md", KEY))).read_bytes()


def test_a_flip_in_any_byte_of_a_tiny_backup_is_found(tmp_path: Path, tiny: bytes) -> None:
    assert not altered_damage(tmp_path / "x", tiny)
    for place in range(len(tiny)):
        at_an_end = place < 12 or place > len(tiny) - 12
        for bit in range(8) if at_an_end else (place % 8,):
            altered = bytearray(tiny)
            altered[place] ^= 1 << bit
            assert altered_damage(tmp_path / "x", bytes(altered)), (place, bit)


@pytest.mark.slow
def test_flips_all_over_a_real_backup_are_found_and_it_is_not_restored(tmp_path: Path) -> None:
    make_agent(tmp_path / "old")
    with agent_in(tmp_path / "old") as app:
        good = Path(make_backup(app, str(tmp_path / "one.tar.gz")).path).read_bytes()
    places = {*range(0, len(good), 211), *range(12), *range(len(good) - 10, len(good))}
    for place in places:
        altered = bytearray(good)
        altered[place] ^= 1 << place % 8
        assert altered_damage(tmp_path / "x", bytes(altered)), place
    with pytest.raises(Damaged):
        restore_backup(agent_in(tmp_path / "new"), str(tmp_path / "x"))
    assert not (tmp_path / "new").exists()


def test_bits_that_no_inflater_looks_at_are_found(tmp_path: Path, tiny: bytes) -> None:
    """Deflate skips to the next byte before a stored block; gzip itself does not notice what stands in the gap."""
    body = zlib.decompress(tiny, 31)
    raw = zlib.compressobj(0, zlib.DEFLATED, -15)
    packed = raw.compress(body) + raw.flush()
    odd = bytes([packed[0] | 0b1111_1000]) + packed[1:]
    assert zlib.decompress(odd, -15) == body
    start, tail = tiny[:10], zlib.crc32(body).to_bytes(4, "little") + len(body).to_bytes(4, "little")
    sealed = seal(hashlib.sha256(start + packed + tail).hexdigest())
    assert not altered_damage(tmp_path / "x", start + packed + tail + sealed)
    assert altered_damage(tmp_path / "x", start + odd + tail + sealed)


@pytest.mark.parametrize(
    "alter",
    [
        lambda data: data[:0],
        lambda data: data[:100],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: data + data,
        lambda data: data[: -len(seal("0" * 64))],
        lambda data: data[:500] + data[501:],
        lambda data: data[:2] * 4000,
        lambda data: bytes(len(data)),
    ],
)
def test_what_is_cut_or_longer_or_something_else_is_found(
    tmp_path: Path, tiny: bytes, alter: Callable[[bytes], bytes]
) -> None:
    assert altered_damage(tmp_path / "x", alter(tiny))


@pytest.mark.parametrize(
    "path",
    [
        "workspace/../../outside",
        "workspace//etc/passwd",
        "/etc/passwd",
        "workspace/a/./b",
        "workspace/a\\b",
        "workspace/con.md",
        "workspace/",
        "workspace",
        "state/write.lock",
        "state/journal/00000001-x.intent",
        "state/history.git",
        "keys/other",
        "elsewhere/x",
        "workspace/" + "x" * 300,
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    source = forge(tmp_path / "x.tar.gz", manifest(path))
    assert damage_of(source)
    with pytest.raises(Damaged):
        restore_backup(agent_in(tmp_path / "new"), source)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "claimed",
    [
        manifest("workspace/a", "workspace/a/b"),
        manifest("workspace/a", "workspace/a"),
        manifest("workspace/a", folders=("workspace/a",)),
        manifest("workspace/a/b", folders=("workspace/a",)),
        manifest(folders=("state",)),
        manifest(folders=("workspace/../x",)),
        replace(manifest(), files=()),
        replace(manifest(), files=(replace(line(DATABASE), mode=0o777),)),
        replace(manifest(), files=(replace(line(DATABASE), size=1 << 60),)),
        replace(manifest(), files=(replace(line(DATABASE), sha256="0" * 64),)),
        replace(manifest(), files=(line(DATABASE), line("workspace/b"), line("workspace/a"))),
        replace(manifest(KEY), files=(replace(line(KEY), size=1 << 30), line(DATABASE))),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, claimed: Manifest) -> None:
    members = tuple((replace(one.member, size=len(CONTENT)), CONTENT) for one in claimed.files)
    assert damage_of(write(tmp_path / "x.tar.gz", render_manifest(claimed), members))


def test_what_the_manifest_does_not_list_is_refused(tmp_path: Path) -> None:
    claimed = manifest("workspace/a")
    members = tuple((one.member, CONTENT) for one in claimed.files)
    more = (Member("workspace/b", 1), b"x")
    assert not damage_of(write(tmp_path / "1", render_manifest(claimed), members))
    assert damage_of(write(tmp_path / "2", render_manifest(claimed), (*members, more)))
    assert damage_of(write(tmp_path / "3", render_manifest(claimed), (more, *members)))
    assert damage_of(write(tmp_path / "4", render_manifest(claimed), members[:1]))


@pytest.mark.parametrize(
    "head", [b"", b"[]", b"null", b"{}", b'{"format": "everself backup"}', b"[" * 100_000, b"\xff"]
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, head: bytes) -> None:
    assert damage_of(write(tmp_path / "x.tar.gz", head, ()))


def test_a_backup_of_a_newer_everself_is_called_that(tmp_path: Path) -> None:
    head = render_manifest(manifest()).replace(b'"version": 1', b'"version": 2')
    with pytest.raises(NewerSchema):
        verify(write(tmp_path / "x.tar.gz", head, ()))


def test_a_manifest_is_read_as_it_was_written() -> None:
    claimed = manifest(
        "workspace/봄.md", "state/history.git/HEAD", folders=("state/history.git/refs", "workspace/leer")
    )
    assert parse_manifest(render_manifest(claimed)) == claimed


def test_a_backup_that_is_not_there_or_no_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        verify(str(tmp_path / "none.tar.gz"))
    with pytest.raises(WrongUse):
        verify(str(tmp_path))
