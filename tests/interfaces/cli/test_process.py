"""The command as a process of its own: the real entry point, pipes, signals, encodings, two at once."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

TOP = Path(__file__).resolve().parents[3]


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    """An empty home and nothing else."""
    return {"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(TOP / "src")}


def call(environ: dict[str, str], *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "everself", *words],
        env={**environ, **extra},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
    )


def test_a_first_day_in_processes(environ: dict[str, str]) -> None:
    made = call(environ, "setup", "--json")
    assert (made.returncode, made.stderr) == (0, "")
    assert Path(json.loads(made.stdout)["data"]["workspace"], "SOUL.md").is_file()
    assert call(environ, "show", "last").stdout.count("+++ b/") == 18
    assert call(environ, "undo", "no-such").returncode == 5
    assert call(environ, "nonsense").returncode == 2


@pytest.mark.slow
def test_a_terminal_without_unicode_does_not_break_it(environ: dict[str, str]) -> None:
    for encoding in ("ascii", "latin-1", "cp1252"):
        said = call(environ, "log", PYTHONIOENCODING=encoding)
        assert said.returncode == 5
        assert "everself setup" in said.stderr
        said = call(environ, "config", "get", "no.such기", "--json", PYTHONIOENCODING=encoding)
        assert "no.such기" in json.loads(said.stdout)["error"]["message"]


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_met_with_silence(environ: dict[str, str]) -> None:
    command = f'"{sys.executable}" -m everself config show --all; echo "code $?" >&2'
    said = subprocess.run(
        ["bash", "-c", f"({command}) | true"], env=environ, capture_output=True, text=True, timeout=600, check=False
    )
    assert said.stderr == "code 0\n"


@pytest.mark.parametrize("words", [("config", "show", "--all"), ("config", "path"), ("--help",)])
def test_a_full_disk_behind_stdout_is_told(environ: dict[str, str], words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        said = subprocess.run(
            [sys.executable, "-m", "everself", *words],
            env=environ,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=600,
            check=False,
        )
    assert said.returncode == 1
    assert said.stderr.startswith("File system error: The answer could not be written")
    assert "Traceback" not in said.stderr


def interrupt(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C until it ends, as a person would: Python misses one that comes right before it begins to wait."""
    for _ in range(200):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=3)[1]
        except subprocess.TimeoutExpired:
            continue
    pytest.fail("it did not stop")


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("config show --all", ">&-", 0),
        ("config show --all", ">&- 2>&-", 0),
        ("nonsense", "2>&-", 2),
        ("undo last", "<&-", 0),
        ("config set provider.openai.apiKey -", "<&-", 2),
    ],
)
@pytest.mark.slow
@pytest.mark.usefixtures("workspace")
def test_closed_streams_are_no_trouble(everself, environ: dict[str, str], words: str, closed: str, code: int) -> None:
    # a change that can be undone
    assert everself("memory", "add", "I like tea").code == 0
    said = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m everself {words} {closed}'],
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert said.returncode == code
    assert "Traceback" not in said.stderr
    assert "mistake in Everself" not in said.stderr


@pytest.mark.slow
def test_ctrl_c_at_the_question_leaves_everything(everself, environ: dict[str, str], workspace: Path) -> None:
    assert everself("memory", "add", "I like tea").code == 0
    before = sorted(workspace.iterdir())
    ours, theirs = os.openpty()
    asking = subprocess.Popen(
        [sys.executable, "-m", "everself", "undo", "last"],
        env=environ,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    try:
        assert asking.stderr is not None
        shown = ""
        while "Take it back?" not in shown:
            shown += asking.stderr.read(1) or pytest.fail(f"it ended without asking: {shown[-200:]}")
        said = interrupt(asking)
    finally:
        asking.kill()
        os.close(ours)
    assert asking.returncode == 130
    assert said.split()[-1] == "Stopped."
    assert "Traceback" not in said
    assert sorted(workspace.iterdir()) == before


@pytest.mark.slow
def test_settings_set_by_several_at_once_are_all_kept(environ: dict[str, str], home: Path) -> None:
    keys = ["ui.assistant.name", "ui.assistant.emoji", "provider.a.apiKey", "provider.b.apiKey"]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "everself", "config", "set", key, f"value-{number}"],
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for number, key in enumerate(keys)
    ]
    for process in running:
        _, said = process.communicate(timeout=600)
        assert process.returncode == 0, said
    shown = json.loads(call(environ, "config", "show", "--json").stdout)["data"]["settings"]
    assert {one["key"] for one in shown} == set(keys)
    secrets = json.loads((home / ".everself" / "secrets.json").read_text())
    assert secrets == {"provider.a.apiKey": "value-2", "provider.b.apiKey": "value-3"}


@pytest.mark.slow
def test_two_first_setups_at_once_make_one_workspace(environ: dict[str, str], home: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "everself", "setup", "--json"],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    created: list[str] = []
    for process in running:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, out + err
        created += json.loads(out)["data"]["created"]
    assert len(created) == len(set(created)) == 18
    assert (home / ".everself" / "workspace" / "BOOTSTRAP.md").is_file()
