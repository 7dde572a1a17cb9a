"""Programs run within their limits, and nothing of them is left afterwards."""

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from everself.config.sections import Exec
from everself.conversation.tools.outside._execute import exec_tool, plan_words, run_program, safe_variables
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext
from everself.models.chat.protocol import JsonObject
from everself.search.scopes import Scope, SessionKind

MAIN = ToolContext(Scope(SessionKind.MAIN), "s", "m", "", by_owner=True)
PATH = {"PATH": os.environ["PATH"]}


def call(tool: Tool, arguments: JsonObject, setting: ToolContext = MAIN) -> Outcome:
    async def scene() -> Outcome:
        return await tool.run(arguments, setting)

    return asyncio.run(scene())


def run(folder: Path, command: str, settings: Exec | None = None, setting: ToolContext = MAIN) -> Outcome:
    tool = exec_tool(settings or Exec(enabled=True, timeout=600), str(folder), PATH)
    return call(tool, {"command": command}, setting)


def told(outcome: Outcome) -> dict[str, Any]:
    found = json.loads(outcome.content)
    assert isinstance(found, dict)
    return found


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # a dead child of a process that does not reap it is no program any more
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


async def gone(pid: int) -> bool:
    for _ in range(6_000):
        if not alive(pid):
            return True
        await asyncio.sleep(0.01)
    return False


def test_a_command_line_runs_in_its_folder_and_gives_code_and_output(tmp_path: Path) -> None:
    outcome = run(tmp_path, "pwd; echo out; echo err >&2; exit 3")
    assert outcome.failed
    assert outcome.origin == "exec"
    assert told(outcome)["exit"] == 3
    assert told(outcome)["output"] == f"{tmp_path}\nout\nerr\n"
    assert not run(tmp_path, "true").failed


@pytest.mark.slow
def test_a_program_that_runs_too_long_is_killed_with_what_it_printed(tmp_path: Path) -> None:
    outcome = run(tmp_path, "echo begun; sleep 3600 & echo $!; sleep 3600", Exec(enabled=True, timeout=5))
    found = told(outcome)
    assert outcome.failed
    assert "longer than 5 s" in found["ended"]
    begun, child = found["output"].split()
    assert begun == "begun"
    assert asyncio.run(gone(int(child)))


def test_what_is_left_in_the_background_does_not_outlive_the_call(tmp_path: Path) -> None:
    found = told(run(tmp_path, "(trap '' HUP TERM; sleep 60) & echo $!"))
    assert found["exit"] == 0
    assert asyncio.run(gone(int(found["output"])))


@pytest.mark.slow
def test_a_grandchild_with_a_session_of_its_own_does_not_keep_us_waiting(tmp_path: Path) -> None:
    script = """
import os, time
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), flush=True)
    os.execvp("sleep", ["sleep", "3600"])
time.sleep(0.3)
"""
    (tmp_path / "leave.py").write_text(script)
    found = told(run(tmp_path, f"{shlex.quote(sys.executable)} leave.py"))
    # it is still there, and we are not
    assert alive(int(found["output"]))
    os.kill(int(found["output"]), 9)


def test_cancelling_kills_the_whole_group(tmp_path: Path) -> None:
    async def scene() -> tuple[int, int]:
        words = ("/bin/sh", "-c", f"sleep 60 & echo $$ $! > {tmp_path}/pids; wait")
        task = asyncio.ensure_future(run_program(words, str(tmp_path), PATH, 60))
        while not (text := (tmp_path / "pids").read_text() if (tmp_path / "pids").exists() else ""):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        first, second = (int(word) for word in text.split())
        assert await gone(first)
        assert await gone(second)
        return first, second

    asyncio.run(scene())


def test_of_long_output_beginning_and_end_are_kept(tmp_path: Path) -> None:
    found = told(run(tmp_path, "echo first; seq 1 200000; echo last"))
    assert found["output"].startswith("first\n1\n2\n")
    assert found["output"].endswith("199999\n200000\nlast\n")
    assert "left out" in found["output"]
    assert len(found["output"]) < 16_000


def test_a_flood_is_stopped(tmp_path: Path) -> None:
    outcome = run(tmp_path, "yes")
    assert outcome.failed
    assert "MiB" in told(outcome)["ended"]


def test_output_cannot_steer_a_terminal(tmp_path: Path) -> None:
    found = told(run(tmp_path, r"printf '\033[31mred\007\r\nx\377\n'"))
    assert found["output"] == "[31mred\nx\ufffd\n"


def test_standard_input_is_empty(tmp_path: Path) -> None:
    assert told(run(tmp_path, "cat; echo done"))["output"] == "done\n"


def test_no_secret_of_the_environment_is_passed_on(tmp_path: Path) -> None:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": "/h",
        "LC_ALL": "C",
        "OPENAI_API_KEY": "a",
        "GITHUB_TOKEN": "b",
        "DATABASE_URL": "c",
        "PGPASSWORD": "d",
        "EVERSELF_KEYS": "/k",
    }
    assert safe_variables(environ).keys() == {"PATH", "HOME", "LC_ALL"}
    tool = exec_tool(Exec(enabled=True), str(tmp_path), environ)
    outcome = call(tool, {"command": "env"})
    assert "HOME=/h" in outcome.content
    assert "API_KEY" not in outcome.content
    assert "PGPASSWORD" not in outcome.content


def test_with_a_list_there_is_no_shell(tmp_path: Path) -> None:
    settings = Exec(enabled=True, allow=("echo",))
    assert told(run(tmp_path, "echo a; touch b | $(touch c) > d `touch e`", settings))["output"].startswith(
        "a; touch b"
    )
    assert list(tmp_path.iterdir()) == []
    for line in ("touch x", "/bin/echo x", "./echo x", "", "echo 'open", "X=1 echo"):
        assert run(tmp_path, line, settings).failed, line
    assert list(tmp_path.iterdir()) == []


def test_a_listed_path_is_run_by_that_path() -> None:
    assert plan_words("/bin/echo x", ("/bin/echo",)) == ("/bin/echo", "x")
    assert plan_words("echo x && rm y", ()) == ("/bin/sh", "-c", "echo x && rm y")


@pytest.mark.parametrize(
    "scope",
    [
        Scope(SessionKind.GUEST, person="p"),
        Scope(SessionKind.GROUP),
        Scope(SessionKind.SUBAGENT),
        Scope(SessionKind.MAIN, person="p"),
    ],
)
def test_nobody_but_the_owner_runs_programs(tmp_path: Path, scope: Scope) -> None:
    outcome = run(tmp_path, "touch x", setting=ToolContext(scope, "s", "m", "", by_owner=True))
    assert outcome.failed
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_is_not_there_is_words(tmp_path: Path) -> None:
    outcome = run(tmp_path, "no-such-program-at-all x", Exec(enabled=True, allow=("no-such-program-at-all",)))
    assert outcome.failed
    assert outcome.content == "no-such-program-at-all: No such file or directory."


def test_a_folder_that_is_gone_is_words(tmp_path: Path) -> None:
    assert run(tmp_path / "gone", "true").failed


@pytest.mark.parametrize("command", [None, 3, "", "  ", "a\0b", "x" * 30_000])
def test_arguments_that_are_none_are_refused(tmp_path: Path, command: object) -> None:
    tool = exec_tool(Exec(enabled=True), str(tmp_path), PATH)
    outcome = call(tool, {"command": command})
    assert outcome.failed


def test_no_handle_is_left_open(tmp_path: Path) -> None:
    def handles() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    before = handles()
    for _ in range(5):
        run(tmp_path, "true")
        run(tmp_path / "gone", "true")
    assert handles() == before
