"""The rows with real processes at CI size (R1, R2, R5, R14), and whether they notice what they are there for."""

import dataclasses
from pathlib import Path

import pytest
from tests.trust.rows import r01, r02, r05, r14
from tests.trust.tracing import Act, Stage, parse_trace
from tests.trust.workers import LOGS, Nursery, count_entries, entry_of, title_of, write

from everself.storage.journal import Filed, Intent, Journal

pytestmark = pytest.mark.trust


@pytest.mark.timeout(3600)
def test_r1_a_kill_before_any_system_call_loses_doubles_and_tears_nothing(seed: int) -> None:
    print(r01.run_r1(len(r01.FIRST), seed))


@pytest.mark.timeout(3600)
def test_r2_random_kills_under_eight_writers_lose_nothing_acknowledged(seed: int) -> None:
    print(r02.run_r2(20, seed))


@pytest.mark.timeout(3600)
def test_r5_eight_writers_and_a_person_lose_nothing(seed: int) -> None:
    print(r05.run_r5(50, seed))


def test_r14_a_dead_holder_frees_the_lock_and_a_stopped_one_is_named(seed: int) -> None:
    print(r14.run_r14(5, seed))


def perform_without_journal(name: str, top: str, seed: int) -> None:
    """In a child: a workspace that writes straight away."""

    def begin(_: Journal, intent: Intent, *_seen: object) -> Filed:
        return Filed(f"journal/00000001-{intent.id}.intent", intent)

    Journal.begin = begin  # type: ignore[method-assign, assignment]
    Journal.finish = lambda _, filed: filed  # type: ignore[method-assign, assignment]
    r01.perform(name, top, seed)


def test_r1_notices_a_workspace_without_a_journal(seed: int) -> None:
    with Nursery("tests.trust.test_processes", memory=32) as nursery:
        stage = Stage(nursery)
        play = r01.prepare_operation(nursery.folder, "promote", seed)
        careless = dataclasses.replace(play, act=Act(f"{__name__}:perform_without_journal", play.act.arguments))
        stage.learn(play.prepared, careless.act, play.recovery)
        points = stage.record(play.prepared, careless.act)
        # the first document is exchanged, the second not yet
        exchanges = [
            at for at, point in enumerate(points) if "workspace" not in point.line and point.call == "renameat2"
        ]
        # both documents hold it, or what was to become of the second lies about
        with pytest.raises(AssertionError, match=r"half of it|\.everself-"):
            r01.kill_at(stage, careless, points, exchanges[-1], r01.Tally())


def test_a_document_that_was_published_by_a_second_name_is_recovered(seed: int) -> None:
    with Nursery("tests.trust.rows.r01", memory=32) as nursery:
        stage = Stage(nursery)
        play = r01.prepare(stage, nursery.folder, "create on an old file system", seed)
        stage.learn(play.prepared, play.act, play.recovery)
        points = stage.record(play.prepared, play.act)
        linked = next(at for at, point in enumerate(points) if point.call == "linkat")
        for at in (linked, linked + 1):
            r01.kill_at(stage, play, points, at, r01.Tally())


def test_r1_says_what_is_missing_without_strace(monkeypatch: pytest.MonkeyPatch) -> None:
    with Nursery(memory=32) as nursery:
        monkeypatch.setenv("PATH", "")
        with pytest.raises(AssertionError, match="strace is missing"):
            Stage(nursery)


def test_calls_are_points_when_they_change_the_disk_after_the_mark() -> None:
    lines = [
        'write(3, "x", 1) = 1',
        'access("/everself-begin", F_OK) = -1 ENOENT (No such file or directory)',
        'openat(4, "a", O_RDONLY|O_CLOEXEC) = 5',
        'openat(4, "b", O_WRONLY|O_CREAT|O_EXCL, 0600) = 5',
        'write(5, "acknowledged\\n", 13) = 13',
        'write(5, "y", 1) = ?',
        "+++ killed by SIGKILL +++",
    ]
    assert [(one.call, one.number) for one in parse_trace(lines) or []] == [("openat", 2), ("write", 3)]
    assert parse_trace(lines[2:]) is None


def test_r2_notices_lost_doubled_and_torn_entries(tmp_path: Path) -> None:
    write(str(tmp_path), "w", f"{tmp_path}/report", 3, LOGS[:1])
    r02.check(str(tmp_path), {"w-0", "w-1", "w-2"})
    with pytest.raises(AssertionError, match="lost"):
        r02.check(str(tmp_path), {"w-0", "w-3"})
    whole = title_of(LOGS[0]) + entry_of("w-0")
    with pytest.raises(AssertionError, match="torn"):
        count_entries({LOGS[0]: whole + entry_of("w-1")[:-4]})
    (tmp_path / "workspace" / LOGS[0]).write_bytes(whole + entry_of("w-0"))
    with pytest.raises(AssertionError, match="more than once"):
        r02.check(str(tmp_path), {"w-0"})
