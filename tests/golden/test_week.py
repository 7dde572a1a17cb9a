"""Whatever is moved or rewritten: every command answers a week's calls as before, and the week leaves the same bytes.

A difference that is meant is recorded with `python -m tests.golden.record`.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.golden.goldens import RECORD, compare_cases, compare_files, load, play
from tests.golden.normal import VARIES, WORDS, normal_case, render_files
from tests.golden.product import leaves
from tests.golden.week import DAYS


def agree(*differences: str) -> None:
    differs = "\n\n".join(one for one in differences if one)
    if differs:
        pytest.fail(f"{differs}\n\nIf all of this was meant: {RECORD}", pytrace=False)


@pytest.mark.slow
def test_the_week_is_answered_as_before_and_leaves_the_same_bytes(tmp_path: Path) -> None:
    cases, files = load()
    found = play(tmp_path / "home", len(DAYS))
    agree(compare_cases(cases, found["cases"]), compare_files(files, found["files"]))


@pytest.mark.slow
def test_the_first_hour_is_answered_as_before(tmp_path: Path) -> None:
    found = play(tmp_path / "home", 1)["cases"]
    agree(compare_cases(load()[0][: len(found)], found))


# they last, or what they start does, until a signal ends it: tests/interfaces/http/test_process.py
LASTING = {"gateway run", "gateway start", "gateway restart", "web", "mcp"}
# a life of its own, in a folder of its own: tests/interfaces/cli/test_demo.py
ELSEWHERE = {"demo"}


def test_every_command_has_a_golden_answer() -> None:
    cases, _ = load()
    answered = {case["command"] for case in cases if case["out"] is not None}
    assert set(leaves()) - answered == LASTING | ELSEWHERE, "add a call of it to tests/golden/week.py"
    succeeded = {case["command"] for case in cases if case["code"] == 0}
    # a conversation is no JSON object: its golden answer is the refusal; where no gateway runs, its status is a code of its own and
    # nobody signs in
    assert set(leaves()) - succeeded == LASTING | ELSEWHERE | {"gateway status", "gateway sign-in"}


def case(**out: Any) -> dict[str, Any]:
    return {"at": "2026-03-16T08:30:00+01:00", "call": "log", "command": "log", "code": 0, "out": out}


def test_one_field_one_code_one_call_more_or_less_is_a_difference() -> None:
    one, other = case(ok=True, data=[1]), {**case(ok=True), "call": "show"}
    assert compare_cases([one], [one]) == ""
    assert '- "data"' in compare_cases([one], [case(ok=True)]).replace("-  ", "- ")
    assert compare_cases([one], [{**one, "code": 1}])
    assert "not called any more" in compare_cases([one, other], [one])
    assert "everself show" in compare_cases([one], [one, other])


def test_every_byte_and_mode_of_the_workspace_is_seen(tmp_path: Path) -> None:
    page = tmp_path / ".everself" / "workspace" / "SOUL.md"
    page.parent.mkdir(parents=True)
    (tmp_path / ".everself" / "everself.json5").write_text("{}\n")
    seen = set()
    texts = (b"a\n", b"a", b"a \n", b"a\r\n", b"a\n\n", b"\xff\n", b" b'\\xff'\n", "é\n".encode(), b"")
    for text in texts:
        page.write_bytes(text)
        seen.add(render_files(tmp_path))
    page.chmod(0o640)
    seen.add(render_files(tmp_path))
    page.rename(page.with_name("SELF.md"))
    seen.add(render_files(tmp_path))
    assert len(seen) == len(texts) + 2


def test_what_varies_and_what_is_only_worded_is_left_out_and_nothing_else() -> None:
    error = {"kind": "NotFound", "message": "There is none.", "mend": "everself setup"}
    told = case(
        error=error, notices=["Note"], data={"message": "7K3QX9M2ABCD", "seconds": 0.2, "score": 0.1234, "bytes": 7}
    )
    assert normal_case(told, "/srv/agent")["out"] == {
        "error": {"kind": "NotFound", "message": WORDS, "mend": WORDS},
        "notices": [WORDS],
        "data": {"message": "7K3QX9M2ABCD", "seconds": VARIES, "score": 0.12, "bytes": 7},
    }
    assert normal_case(case(path="/srv/agent/a.md"), "/srv/agent")["out"] == {"path": "HOME/a.md"}
