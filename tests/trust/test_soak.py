"""The soak: every row is in it, it goes on where it was stopped, and it says what it found."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tools.soak import ROWS, Row, Soak, chunks_of, listing, main, merge_figures, work

from everself.clock import monotonic, pause

HERE = Path(__file__).resolve().parent
IN_THE_ISSUE = {
    *(f"R{number}" for number in (1, 2, 3, 4, 5, 6, 8, 12, 14, 16)),
    *(f"S{number}" for number in (1, 2, 3, 10)),
}
FAKE = """
import os, time
def run(count, seed):
    with open(os.environ["FAKE_LOG"], "a") as log:
        log.write(f"{seed}\\n")
    if os.environ.get("FAKE_WAITS") == str(seed):
        time.sleep(60)
    assert os.environ.get("FAKE_BREAKS") != str(seed), f"R0 seed {seed}: broken\\non purpose"
    return f"R0 {count} cases, 2 kinds, longest {seed} ms, 0 lost, seed {seed}"
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fake_row.py").write_text(FAKE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    # whoever edits the house while this runs does not make it begin anew
    monkeypatch.setattr("tools.soak.code_digest", lambda: "always the same")
    return tmp_path / "log"


def soak(tmp_path: Path, full: int = 25) -> Soak:
    rows = {"R0": Row("fake_row", "run", full, 10)}
    return Soak(3, path=tmp_path / "progress" / "progress.json", rows=rows)


def test_every_row_module_is_registered_and_every_row_of_the_issue_is_there() -> None:
    modules = {f"tests.trust.rows.{path.stem}" for path in (HERE / "rows").glob("[rs][0-9]*.py")}
    assert {row.module for row in ROWS.values()} == modules
    assert set(ROWS) >= IN_THE_ISSUE
    for name, row in ROWS.items():
        assert row.function == f"run_{name.lower().replace('-', '_')}"
        number, _, part = name[1:].partition("-")
        assert row.module.endswith(f".{name[0].lower()}{int(number):02}{'_' if part else ''}{part.lower()}")


@pytest.mark.parametrize("name", ROWS)
def test_chunks_cover_a_row_and_no_two_are_the_same(name: str) -> None:
    chunks = chunks_of(ROWS[name], 7, closing=False)
    told = [json.dumps(one.arguments) for one in chunks]
    assert len(set(told)) == len(told)
    full = ROWS[name].full
    assert isinstance(full, str) or sum(one.size for one in chunks) == full


def test_what_is_held_out_is_judged_in_closing_runs_only() -> None:
    for name in ("S6", "S10"):
        assert [one.options for one in chunks_of(ROWS[name], 1, closing=False)] == [{}]
        assert [one.options for one in chunks_of(ROWS[name], 1, closing=True)] == [{"held_out": True}]


@pytest.mark.slow
def test_a_row_is_run_in_chunks_and_told_in_one_line(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert work(soak(tmp_path), ["R0"]) == 0
    assert log.read_text().split() == ["3", "30001", "30002"]
    line = "R0 25 cases, 2 kinds, longest 30002 ms, 0 lost, seed 3"
    assert capsys.readouterr().out.splitlines()[0] == line


@pytest.mark.slow
def test_a_failing_chunk_is_named_kept_and_tried_again_first(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAKE_BREAKS", "30001")
    assert work(soak(tmp_path), ["R0"]) == 1
    assert "R0 seed 30001: broken\non purpose" in capsys.readouterr().out
    monkeypatch.delenv("FAKE_BREAKS")
    assert work(soak(tmp_path), ["R0"]) == 0
    assert log.read_text().split() == ["3", "30001", "30001", "30002"]
    again = soak(tmp_path)
    again.forget(["R0"])
    assert again.run("R0").done == 3
    assert len(log.read_text().split()) == 7


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_soak_that_was_ended_goes_on_with_the_next_chunk_and_leaves_no_process(
    sent: signal.Signals, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_WAITS", "30001")
    script = (
        "import sys; sys.path[:0] = sys.argv[2:]; from pathlib import Path; from tools import soak\n"
        "soak.code_digest = lambda: 'always the same'\n"
        "made = soak.Soak(3, path=Path(sys.argv[1]), rows={'R0': soak.Row('fake_row', 'run', 25, 10)})\n"
        "sys.exit(soak.work(made, ['R0']))"
    )
    paths = [path for path in sys.path if path]
    progress = tmp_path / "progress" / "progress.json"
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(progress), *paths], cwd=HERE.parents[1], stdout=subprocess.PIPE, text=True
    )
    try:
        await_text(log, "30001")
    finally:
        process.send_signal(sent)
        told, _ = process.communicate(timeout=600)
    assert process.returncode == (-sent if sent is signal.SIGKILL else 130)
    assert sent is signal.SIGKILL or "R0   stopped, goes on next time" in told
    await_end(str(tmp_path / "log"))
    monkeypatch.delenv("FAKE_WAITS")
    assert soak(tmp_path).run("R0").done == 3
    assert log.read_text().split() == ["3", "30001", "30001", "30002"]


@pytest.mark.slow
def test_a_row_that_had_its_hour_is_stopped(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WAITS", "30001")
    monkeypatch.setattr("tools.soak.LIMIT", 2.0)
    found = soak(tmp_path).run("R0")
    assert found.failure.startswith("stopped after 0.0333333 minutes")
    assert found.done == 1
    assert log.exists()


@pytest.mark.slow
def test_what_was_shown_for_other_code_is_shown_again(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert soak(tmp_path, 10).run("R0").done == 1
    assert soak(tmp_path, 10).run("R0").done == 1
    monkeypatch.setattr("tools.soak.code_digest", lambda: "another")
    assert soak(tmp_path, 10).run("R0").done == 1
    assert log.read_text().split() == ["3", "3"]


def test_figures_of_chunks_become_one() -> None:
    assert merge_figures(["R1 1 operations, 30 points, longest recovery 12 ms, seed 1"], 1).endswith("12 ms, seed 1")
    merged = merge_figures(
        [
            "R1 1 operations, 30 points, longest recovery 12 ms, seed 1",
            "R1 1 operations, 31 points, longest recovery 9 ms, seed 10001",
        ],
        1,
    )
    assert merged == "R1 2 operations, 61 points, longest recovery 12 ms, seed 1"
    assert merge_figures(["R7 2 walks × 50 steps, seed 7", "R7 1 walks × 50 steps, seed 70001"], 7) == (
        "R7 3 walks × 50 steps, seed 7"
    )


def test_the_list_names_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.splitlines() == list(listing())
    with pytest.raises(SystemExit):
        main(["R99"])


def await_text(path: Path, text: str) -> None:
    end = monotonic() + 600
    while not path.exists() or text not in path.read_text():
        assert monotonic() < end
        pause(0.02)


def await_end(mark: str) -> None:
    """Until no process with this in its environment is left."""
    end = monotonic() + 300
    while any(mark.encode() in read(f"/proc/{name}/environ") for name in os.listdir("/proc") if name.isdigit()):
        assert monotonic() < end, "a process is left"
        pause(0.05)


def read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
