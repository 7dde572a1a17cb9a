"""A log of lines: private, bounded, and never in anybody's way."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from everself.storage.line_log import LineLog, last_lines


def files(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir())


def test_a_full_file_is_set_aside_and_the_oldest_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = LineLog(str(path), largest=30, kept=2)
    for number in range(12):
        log.write(f"line {number:03}")
    log.close()
    assert files(path) == ["log", "log.1", "log.2"]
    assert all(one.stat().st_size <= 30 for one in tmp_path.iterdir())
    assert last_lines(str(path), 4, kept=2) == [f"line {number:03}" for number in range(8, 12)]
    assert last_lines(str(path), 100, kept=2)[-1] == "line 011"
    assert log.lost == 0


def test_it_goes_on_where_an_earlier_process_stopped(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for word in ("one", "two"):
        log = LineLog(str(path), largest=30)
        log.write(word)
        log.close()
    assert path.read_text() == "one\ntwo\n"
    log = LineLog(str(path), largest=10)
    log.write("three")
    assert files(path) == ["log", "log.1"]


def test_only_the_owner_reads_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        log = LineLog(str(tmp_path / "log"), largest=8)
        log.write("first")
        log.write("second")
        log.close()
    finally:
        os.umask(before)
    assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}


def test_a_line_stays_one_line(tmp_path: Path) -> None:
    log = LineLog(str(tmp_path / "log"))
    log.write("one\nforged")
    log.close()
    assert (tmp_path / "log").read_text() == "one forged\n"


def test_what_cannot_be_written_is_counted_and_stops_nobody(tmp_path: Path) -> None:
    log = LineLog(str(tmp_path / "missing" / "log"))
    log.write("one")
    assert log.lost == 1
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    log = LineLog(str(link))
    log.write("one")
    assert log.lost == 1
    assert not (tmp_path / "elsewhere").exists()


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    log = LineLog(str(tmp_path / "log"), largest=2_000, kept=50)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: log.write(f"{number:04}"), range(1_000)))
    log.close()
    assert sorted(last_lines(str(tmp_path / "log"), 2_000, kept=50)) == [f"{number:04}" for number in range(1_000)]


def test_no_file_has_no_lines(tmp_path: Path) -> None:
    assert last_lines(str(tmp_path / "log"), 5) == []
