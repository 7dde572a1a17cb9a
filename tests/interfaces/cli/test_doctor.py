"""`everself doctor` as a person reads it and a script tests it."""

import os
from pathlib import Path

import pytest


@pytest.mark.usefixtures("workspace")
def test_all_is_well_after_setup(everself) -> None:
    said = everself("doctor")
    assert (said.code, said.err) == (0, "")
    assert "error" not in said.out
    assert everself("doctor", "--json").json["ok"] is True


def test_an_error_has_words_and_on_its_own_line_the_command_that_mends_it(everself, home: Path) -> None:
    (home / ".everself").mkdir()
    (home / ".everself" / "everself.json5").write_text("{ unknownn: 1 }")
    said = everself("doctor")
    assert said.code == 1
    lines = said.out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("error: "))
    assert "unknownn" in lines[first]
    assert lines[first + 1].startswith("  → ")
    assert lines[-1].startswith(f"{sum(line.startswith('error: ') for line in lines)} error")


def test_errors_in_json_come_with_the_data(everself, home: Path) -> None:
    (home / ".everself").mkdir()
    (home / ".everself" / "everself.json5").write_text("{ unknownn: 1 }")
    said = everself("doctor", "--json")
    assert (said.code, said.json["ok"]) == (1, False)
    assert {"severity", "code", "message", "mend", "path", "fixable"} == set(said.json["data"]["findings"][0])
    assert said.json["error"]["mend"]


def test_warnings_alone_are_degraded_and_fix_mends_them(everself, workspace: Path) -> None:
    os.chmod(workspace / "MEMORY.md", 0o644)
    found = everself("doctor", "--json")
    worst = {one["severity"] for one in found.json["data"]["findings"]}
    assert found.code == (1 if "error" in worst else 6)
    assert "everself doctor --fix mends 1 of them." in everself("doctor").out
    said = everself("doctor", "--fix")
    assert said.code == 0
    assert "mended: " in said.out
    assert (workspace / "MEMORY.md").stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("workspace")
def test_a_warning_exits_with_six(everself, home: Path) -> None:
    (home / ".everself" / "everself.json5").write_text("{ telegram: { botName: 'x' } }")
    os.chmod(home / ".everself" / "everself.json5", 0o600)
    said = everself("doctor")
    assert said.code == 6
    assert any(line.startswith("warning: ") for line in said.out.splitlines())
    assert everself("doctor", "--json").json["ok"] is True


def test_without_anything_set_up_it_says_what_to_do(everself) -> None:
    said = everself("doctor")
    assert said.code == 1
    assert "everself setup" in said.out


def test_an_unknown_agent_is_an_error_with_its_mend(everself) -> None:
    said = everself("doctor", "--agent", "nobody")
    assert said.code == 1
    assert "→ everself setup --agent nobody" in said.out
    assert everself("--agent", "nobody", "doctor") == said


@pytest.mark.parametrize("words", [("--frob",), ("extra",), ("--fix=yes",)])
def test_called_wrongly(everself, words: tuple[str, ...]) -> None:
    assert everself("doctor", *words).code == 2
