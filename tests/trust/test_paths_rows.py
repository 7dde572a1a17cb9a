"""S1 and S2 at CI size, the registry they run over, and whether they notice what they are there for."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.trust.entrances import BY_COMMANDS, ENTRANCES, NO_PATHS, text_parameters, unregistered
from tests.trust.path_cases import CANARY, SECRET, Ground
from tests.trust.rows.s01 import all_cases, run_s1, scene, try_cases
from tests.trust.rows.s02 import run_s2

from everself.errors import EverselfError, UnsafePath
from everself.storage.real_disk import RealFileSystem, RealHandle
from everself.testing.workspaces import Bench, real_workspace
from everself.values import Append, Applied, Author, Change, Conflict, Create, Edit, Move, Remove, Replace, digest
from everself.workspace.assembly import WorkspaceOptions

IDENTITY = "AAAAAAAAAAAA"
LINKS = frozenset({"link to a file", "link to a folder", "link for a soul"})


def test_every_text_that_can_be_a_path_is_registered() -> None:
    assert unregistered() == set()


def test_no_excuse_outlives_its_parameter() -> None:
    known = set(text_parameters())
    excused = {name for name in NO_PATHS if name not in known}
    # a word that only some verbs of a family take
    assert {name.rpartition(".")[2] for name in excused} <= {"key", "group"}, excused
    covered = {one.covers.partition(" ")[0] for one in ENTRANCES}
    assert covered - known == {"FileChange.path", "Line.path"}


def test_there_are_more_than_five_hundred_paths_of_every_kind() -> None:
    with scene() as (_, made):
        cases = all_cases(made, 0)
    assert len(cases) >= 500
    assert {one.kind for one in cases} == {"spelling", "through", "name", "folder", "odd"}


@pytest.mark.trust
@pytest.mark.timeout(3600)
def test_s1_no_path_leads_out_through_any_entrance(seed: int) -> None:
    print(run_s1(10_000, seed))


@pytest.mark.trust
@pytest.mark.timeout(3600)
def test_s1_no_path_leads_out_through_the_memory_tool(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.trust.rows.s01.ENTRANCES", BY_COMMANDS)
    print(run_s1(520, seed, thorough=True))


@pytest.mark.trust
@pytest.mark.timeout(3600)
def test_s2_no_link_swapped_in_leads_out(seed: int) -> None:
    print(run_s2(20, seed))


def follow(files: RealFileSystem, path: str, flags: int) -> int:
    """What a careless file system would do."""
    return os.open(os.path.join(files.root, path), flags & ~os.O_NOFOLLOW)


@pytest.mark.trust
def test_s1_notices_a_file_system_that_follows_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RealFileSystem, "_open", follow)
    with pytest.raises(AssertionError, match=r"outside|let through"):
        try_cases(lambda cases: [one for one in cases if one.label in LINKS], thorough=False)


@pytest.mark.trust
def test_s1_notices_a_second_hard_link_that_is_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.storage.real_disk.refuse_odd", lambda *_: None)
    with pytest.raises(AssertionError, match=r"outside|let through"):
        try_cases(lambda cases: [one for one in cases if one.label == "hard link"], thorough=False)


@pytest.mark.trust
def test_s1_notices_a_call_that_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = RealFileSystem._open

    def patient(files: RealFileSystem, path: str, flags: int) -> int:
        return plain(files, path, flags & ~os.O_NONBLOCK)

    monkeypatch.setattr(RealFileSystem, "_open", patient)
    monkeypatch.setattr("tests.trust.rows.s01.PATIENCE", 0.5)
    with pytest.raises(AssertionError, match="hangs"):
        try_cases(lambda cases: [one for one in cases if one.label == "FIFO"][:1], thorough=False)


@pytest.mark.trust
def test_s2_notices_a_file_system_that_looks_first_and_opens_later(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = RealFileSystem._open

    def late(files: RealFileSystem, path: str, flags: int) -> int:
        os.close(plain(files, path, flags))
        # by way of the module that the row puts its hand on
        from everself.storage import real_disk as real

        return real.os.open(os.path.join(files.root, path), flags & ~os.O_NOFOLLOW)

    monkeypatch.setattr(RealFileSystem, "_open", late)
    with pytest.raises(AssertionError, match="S2 seed 1"):
        run_s2(80, 1)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / SECRET).write_bytes(CANARY)
    return Ground(tmp_path / "workspace", tmp_path / "outside")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with real_workspace(str(tmp_path), WorkspaceOptions(background=False, identify=lambda: IDENTITY)) as made:
        yield made


def untouched(ground: Ground) -> bool:
    return os.listdir(ground.outside) == [SECRET] and (ground.outside / SECRET).read_bytes() == CANARY


PLANTS: dict[str, Callable[[Path, Path], None]] = {
    "link to a file": lambda place, outside: place.symlink_to(outside / SECRET),
    "link to a folder": lambda place, outside: place.symlink_to(outside),
    "dangling link": lambda place, outside: place.symlink_to(outside / "new.md"),
    "hard link": lambda place, outside: place.hardlink_to(outside / SECRET),
    "FIFO": lambda place, _: os.mkfifo(place),
    "file": lambda place, _: place.write_bytes(b"left over"),
}
EDITS: dict[str, Edit] = {
    "append": Append("log.md", b"more\n"),
    "create": Create("new.md", b"new\n"),
    "replace": Replace("log.md", digest(b"log\n"), 0, 3, b"Log"),
    "remove": Remove("log.md", digest(b"log\n")),
    "move": Move("log.md", digest(b"log\n"), "moved.md"),
}


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("edit", EDITS)
def test_what_stands_under_a_temporary_name_leads_nowhere(edit: str, plant: str, ground: Ground, bench: Bench) -> None:
    (ground.inside / "log.md").write_bytes(b"log\n")
    PLANTS[plant](ground.inside / f".everself-{IDENTITY}-0", ground.outside)
    change = Change(Author.OWNER, edit, (EDITS[edit],))
    try:
        outcome = bench.workspace.apply(change)
    except EverselfError as error:
        assert "CANARY" not in str(error)  # noqa: PT017 — refusing is as good as applying
    else:
        assert isinstance(outcome, Applied | Conflict)
    assert untouched(ground)


@pytest.mark.parametrize("walk_only", [False, True], ids=["openat2", "walking"])
def test_a_link_is_called_a_link_wherever_it_stands(walk_only: bool, ground: Ground) -> None:
    (ground.inside / "memory").mkdir(parents=True)
    (ground.inside / "memory" / "linked").symlink_to(ground.outside)
    files = RealFileSystem(str(ground.inside), walk_only=walk_only)
    for path in ("memory/linked/x.md", "memory/linked/x/y.md"):
        with pytest.raises(OSError) as raised:
            files.stat(path)
        assert raised.value.errno == errno.ELOOP
    with pytest.raises(OSError) as raised:
        files.list("memory/linked")
    assert raised.value.errno == errno.ELOOP


def test_the_mode_of_a_file_with_a_second_name_is_left_alone(ground: Ground) -> None:
    ground.inside.mkdir()
    (ground.inside / "hard.md").hardlink_to(ground.outside / SECRET)
    before = (ground.outside / SECRET).stat().st_mode
    with pytest.raises(OSError, match="hard link"):
        RealFileSystem(str(ground.inside)).set_mode("hard.md", 0o600)
    assert (ground.outside / SECRET).stat().st_mode == before


@pytest.mark.parametrize("operation", ["replace", "remove"])
def test_a_link_that_takes_a_documents_place_at_the_last_moment_keeps_it_and_blocks_nobody(
    operation: str, ground: Ground, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ground.inside / "log.md"
    log.write_bytes(b"log\n")
    # the very last moment before the names are exchanged, or the document is set aside
    call = {"replace": "exchange", "remove": "rename"}[operation]
    plain = getattr(RealFileSystem, call)

    def late(files: RealFileSystem, one: str, other: str) -> object:
        if "log.md" in (one, other) and not log.is_symlink() and log.exists():
            log.unlink()
            log.symlink_to(ground.outside / SECRET)
        return plain(files, one, other)

    monkeypatch.setattr(RealFileSystem, call, late)
    with pytest.raises(UnsafePath):
        bench.workspace.apply(Change(Author.OWNER, operation, (EDITS[operation],)))
    monkeypatch.undo()
    assert log.is_symlink()
    assert untouched(ground)
    assert [one.name for one in ground.inside.iterdir()] == ["log.md"]
    later = Change(Author.OWNER, "later", (Create("later.md", b"later\n"),))
    assert isinstance(bench.workspace.apply(later), Applied)


@pytest.mark.parametrize("name", [b"a\xff.md", b"aux.md", b"a\nb.md", b"folder /x.md"])
def test_a_name_that_is_no_path_of_ours_hides_nothing_else(name: bytes, ground: Ground, bench: Bench) -> None:
    (ground.inside / "log.md").write_bytes(b"log\n")
    place = os.fsencode(ground.inside) + b"/" + name
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(b"odd\n")
    assert "log.md" in [one.path for one in bench.workspace.list()]
    assert bench.workspace.note_outside() == ["log.md"]


def test_a_damaged_branch_is_told_as_damage(ground: Ground, bench: Bench) -> None:
    bench.workspace.apply(Change(Author.OWNER, "create", (Create("log.md", b"log\n"),)))
    bench.workspace.close()
    branch = ground.inside.parent / "state" / "history.git" / "refs" / "heads" / "main"
    branch.write_bytes(b"../../../outside/secret.md\n")
    with pytest.raises(EverselfError, match="damaged"):
        bench.workspace.note_outside()


def test_the_look_outside_leaves_no_trace_and_sees_one() -> None:
    with scene() as (_, made):
        assert made.escapes() == ""
        assert made.escapes() == ""
        secret = made.ground.outside / SECRET
        if made.access:
            secret.read_bytes()
            assert str(secret) in made.escapes()
        made.remember()
        handle = RealHandle(os.open(secret, os.O_WRONLY | os.O_APPEND), SECRET)
        handle.write(b"x")
        handle.close()
        assert str(secret) in made.escapes()
