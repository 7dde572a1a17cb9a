"""Whatever goes wrong, a person gets words and the shell a code."""

import errno
import json
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import everself.operations.home
from everself.agent import open_runtime
from everself.errors import ChangedMeanwhile, DiskFull
from everself.interfaces.cli.call import wants_json
from everself.interfaces.rendering.lines import paint, render, safe
from everself.storage.history.commits import History
from everself.storage.real_disk import RealFileSystem
from everself.values import Append, Author, Change, Outcome
from everself.workspace.disk_workspace import DiskWorkspace, Recovery


def failing(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def break_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(everself.operations.home.Home, "places", property(fail))


@pytest.mark.parametrize(
    "error", [RuntimeError("boom"), RecursionError(), MemoryError(), KeyError("x"), UnicodeError()]
)
def test_a_mistake_of_ours_is_an_apology_and_a_trace_in_a_file(
    everself, home: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    break_with(monkeypatch, error)
    said = everself("config", "path")
    log = home / ".everself" / "crash.log"
    assert said.code == 1
    assert "Traceback" not in said.out + said.err
    assert str(log) in said.err
    assert type(error).__name__ in log.read_text()
    assert "line " in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_the_trace_holds_no_secret_and_does_not_grow_for_ever(
    everself, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = home / ".everself" / "crash.log"
    log.parent.mkdir()
    log.write_text("x" * 500_000)
    break_with(monkeypatch, ValueError(f"cannot use {TOKEN}"))
    said = everself("config", "path")
    assert TOKEN not in said.out + said.err
    assert TOKEN not in log.read_text()
    assert "ValueError: cannot use" in log.read_text()
    assert log.stat().st_size <= 64 * 1024


def test_a_trace_that_cannot_be_written_is_no_second_trouble(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERSELF_HOME", "/proc/nowhere")
    break_with(monkeypatch, RuntimeError("boom"))
    said = everself("config", "path", "--json")
    assert said.code == 1
    assert said.json["error"] == {
        "kind": "EverselfError",
        "message": "Something went wrong. This is a mistake in Everself, not yours (RuntimeError).",
        "mend": "Please report it.",
    }


def test_ctrl_c_is_met_with_one_word(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    break_with(monkeypatch, KeyboardInterrupt())
    said = everself("config", "path")
    assert (said.code, said.out, said.err.strip()) == (130, "", "Stopped.")
    assert everself("config", "path", "--json").json["error"]["kind"] == "Interrupted"


def test_a_reader_that_left_is_no_trouble(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    break_with(monkeypatch, BrokenPipeError())
    out, err = sys.stdout, sys.stderr
    try:
        assert everself("config", "path").code == 0
    finally:
        sys.stdout, sys.stderr = out, err


def test_words_of_an_error_stand_first_and_its_mend_behind_an_arrow(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    break_with(monkeypatch, ChangedMeanwhile("(\x1b[31mx)", mend="try\x07again"))
    said = everself("config", "path")
    assert said.code == 4
    assert said.err == f"{ChangedMeanwhile.headline} (␛[31mx)\n→ try␇again\n"


@pytest.mark.usefixtures("workspace")
def test_what_recovery_did_is_told(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    real = DiskWorkspace.recover

    def recover(self: DiskWorkspace) -> Recovery:
        real(self)
        return Recovery(("7K3QX9M2ABCD",), ("8K3QX9M2ABCD",))

    monkeypatch.setattr(DiskWorkspace, "recover", recover)
    said = everself("log")
    assert "completed: 7K3QX9M2ABCD" in said.err
    assert "taken back: 8K3QX9M2ABCD" in said.err
    assert len(everself("log", "--json").json["notices"]) == 2


@pytest.mark.usefixtures("workspace")
def test_an_error_while_closing_is_a_warning_in_one_json_object(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    def close(_: DiskWorkspace) -> None:
        raise ChangedMeanwhile("(the history)")

    monkeypatch.setattr(DiskWorkspace, "close", close)
    said = everself("log", "--json")
    assert said.code == 6
    assert json.loads(said.out)["ok"] is True
    assert "(the history)" in json.loads(said.out)["notices"][-1]


def texts(everself) -> list[str]:
    return [one["entry"]["text"] for one in everself("memory", "list", "--json").json["data"]]


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE, errno.EIO])
def test_a_change_whose_history_cannot_be_written_is_done_with_a_warning(
    everself, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(History, "commit", failing(OSError(code, os.strerror(code))))
        said = everself("memory", "add", "Prefers green tea", "--json")
        assert said.code == 6
        assert said.json["ok"] is True
        assert "not in the history yet" in said.json["notices"][-1]
        words = everself("memory", "add", "Lives in Busan")
        assert words.code == 6
        assert words.err.count("not in the history yet") == 1
    assert sorted(texts(everself)) == ["Lives in Busan", "Prefers green tea"]
    # the next command made the history whole from the journal
    assert "Prefers green tea" in everself("show", said.json["data"]["change"]).out
    with open_runtime() as app:
        assert app.state.changes_without_commit() == []


@pytest.mark.usefixtures("workspace")
def test_what_fails_after_a_change_never_says_that_nothing_was_changed(
    everself, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = DiskWorkspace.apply_plan

    def apply_plan(self: DiskWorkspace, plan: Callable[[], Change | None]) -> Outcome:
        real(self, plan)
        raise DiskFull("(the database)")

    with monkeypatch.context() as patch:
        patch.setattr(DiskWorkspace, "apply_plan", apply_plan)
        said = everself("memory", "add", "Prefers green tea", "--json")
    assert said.code == 6
    assert said.json["error"]["kind"] == "Unfinished"
    change = everself("log", "--json").json["data"][0]["id"]
    assert f"Change {change} stands" in said.json["error"]["message"]
    assert texts(everself) == ["Prefers green tea"]


@pytest.mark.usefixtures("workspace")
def test_what_fails_before_a_change_says_that_nothing_was_changed(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(RealFileSystem, "reserve", failing(OSError(errno.ENOSPC, "full")))
        said = everself("memory", "add", "Prefers green tea")
    assert said.code == 1
    assert said.err.startswith(DiskFull.headline)
    assert texts(everself) == []


@pytest.mark.usefixtures("workspace")
def test_a_machine_without_a_thread_left_keeps_what_was_said(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    real = threading.Thread.start

    def start(self: threading.Thread) -> None:
        if self.name == "everself-history":
            raise RuntimeError("can't start new thread")
        real(self)

    monkeypatch.setattr(threading.Thread, "start", start)
    assert everself("memory", "add", "Prefers green tea").code == 0
    assert texts(everself) == ["Prefers green tea"]


@pytest.mark.usefixtures("workspace")
def test_colours_are_for_terminals_that_want_them(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in everself("log").out
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in everself("log").out
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[33m" in everself("log").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in everself("log").out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["log", "--json"], True),
        (["--json", "log"], True),
        (["log"], False),
        (["config", "set", "k", "--", "--json"], False),
        (["--json", "config", "get", "--", "x"], True),
        ([], False),
    ],
)
def test_json_is_asked_for_before_the_double_dash(words: list[str], wanted: bool) -> None:
    assert wants_json(words) is wanted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain  text\nsecond", "plain  text␊second"),
        ("  indented\tand tabbed", "  indented    and tabbed"),
        ("기억  해\u200d요", "기억  해\u200d요"),
        ("a\x1b[2Jb", "a␛[2Jb"),
        ("\udc80", "\ufffd"),
        ("crlf\r\n", "crlf␍␊"),
        ("", ""),
    ],
)
def test_text_is_shown_as_it_is_but_powerless(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_only_a_colour_that_was_asked_for_reaches_the_terminal() -> None:
    line = paint("er\x1b[8mror", "red") + ": a\x1b[32mb" + paint("\n", bold=True)
    assert render(line) == "\x1b[31mer␛[8mror\x1b[0m: a␛[32mb\x1b[1m␊\x1b[0m"


HOSTILE = "a\n  → rm -rf ~\x1b[2J\u202e.md"


def hostile_lines(said: str) -> list[str]:
    return [line for line in said.splitlines() if "rm -rf" in line]


@pytest.mark.parametrize("words", [("doctor",), ("backup", "kept.tar.gz"), ("doctor", "--fix"), ("setup",)])
def test_a_name_makes_no_line_of_its_own(
    everself, words: tuple[str, ...], workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (workspace / HOSTILE).write_text("x\n")
    (workspace / f"l{HOSTILE}").symlink_to(workspace / "SOUL.md")
    said = everself(*words)
    told = said.out + said.err
    assert not [line for line in told.splitlines() if line.startswith("  → rm")]
    assert "\x1b" not in told
    assert "\u202e" not in told
    if words[0] != "setup":
        assert hostile_lines(told)


def test_json_keeps_a_name_as_it_is(everself, workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (workspace / HOSTILE).write_text("x\n")
    left = everself("backup", "kept.tar.gz", "--json").json["data"]["left_out"]
    assert HOSTILE in [one["path"] for one in left]


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    "words",
    [
        ("memory", "show", HOSTILE),
        ("memory", "bank", "show", HOSTILE),
        ("memory", "import", HOSTILE),
        ("log", "--path", HOSTILE),
        ("config", "get", HOSTILE),
        ("show", HOSTILE),
        (HOSTILE,),
        ("--agent", HOSTILE, "log"),
        ("restore", HOSTILE),
    ],
)
def test_what_was_typed_or_pasted_makes_no_line_of_its_own(everself, words: tuple[str, ...]) -> None:
    said = everself(*words)
    assert not [line for line in (said.out + said.err).splitlines() if line.startswith("  → rm")]
    assert "\x1b" not in said.out + said.err


def test_the_agent_may_stand_before_or_after_the_command(everself) -> None:
    everself("setup", "--agent", "aria")
    with open_runtime("aria") as app:
        app.workspace.apply(Change(Author.OWNER, "hers", (Append("MEMORY.md", b"- x\n"),)))
    for words in (("--agent", "aria", "log"), ("log", "--agent", "aria"), ("--agent", "no", "log", "--agent", "aria")):
        assert "hers" in everself(*words).out
    assert everself("--agent", "no", "log").code == 5


def test_the_profile_chooses_the_agent(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    everself("setup", "--agent", "aria")
    monkeypatch.setenv("EVERSELF_PROFILE", "nobody")
    assert everself("log").code == 1
    monkeypatch.setenv("EVERSELF_PROFILE", "aria")
    assert everself("log").code == 0


@pytest.mark.usefixtures("workspace")
def test_a_refusal_of_the_house_has_its_own_code(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    from everself.operations import changes

    real = changes.undo_change

    def undo(workspace: DiskWorkspace, identity: str, **_: bool) -> changes.UndoReport:
        report = real(workspace, identity, dry_run=True)
        return changes.UndoReport(report.undone, report.diff, refused=("the soul is yours",))

    monkeypatch.setattr(changes, "undo_change", undo)
    said = everself("undo", everself("log", "--json").json["data"][0]["id"])
    assert said.code == 3
    assert "the soul is yours" in said.err
