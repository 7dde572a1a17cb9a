"""The demo plays a whole month without a key or a network, and touches nothing of whoever watches."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from everself.interfaces.cli.demo.story import SECRET

TOP = Path(__file__).resolve().parents[3]
ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{12}\b|\d+\.\d s\b")


def test_a_folder_with_something_in_it_is_refused(everself, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    said = everself("demo", "--keep", str(tmp_path))
    assert said.code != 0
    assert "is not an empty folder" in said.err
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.slow
def test_a_month_is_played_and_kept_where_it_was_asked_for(everself, tmp_path: Path) -> None:
    kept, home = tmp_path / "mina", Path(os.environ["HOME"])
    before = sorted(home.rglob("*"))
    said = everself("demo", "--keep", str(kept))
    assert (said.code, said.err) == (0, "")
    titles = re.findall(r"^\d\. (.+)$", said.out, re.MULTILINE)
    assert len(titles) == 8
    # the correction, the settled conflict, the grown soul, and the proof
    assert "“My dog is called Bella.” (MEMORY.md" in said.out
    assert "“The rent of the studio is 950 euros.” (memory/2026-03-28.md" in said.out
    assert "+- Keep it up: “Keep answers short.”" in said.out
    assert "A search of every byte finds nothing." in said.out
    workspace = kept / ".everself/workspace"
    assert "Keep answers short." in (workspace / "SOUL.md").read_text("utf-8")
    assert {one.name for one in workspace.glob("memory/2026-03-*.md")} >= {"2026-03-02.md", "2026-03-28.md"}
    # the memory is real: what was forgotten is nowhere, what was not is there
    # a digest may hold four digits by chance, but not as a word
    alone = re.compile(rb"(?<![0-9A-Za-z])%s(?![0-9A-Za-z])" % SECRET.encode())
    holding = [path for path in kept.rglob("*") if path.is_file() and alone.search(path.read_bytes())]
    assert holding == []
    assert sorted(home.rglob("*")) == before
    again = everself("demo")
    assert ID.sub("", again.out).partition("\n\nThe folder")[0] == ID.sub("", said.out).partition("\n\nIt is all in")[0]
    assert sorted(home.rglob("*")) == before


@pytest.mark.slow
def test_the_page_is_opened_on_it_and_its_gateway_ends_with_it(tmp_path: Path) -> None:
    # the path of a socket may not be long
    place = tempfile.mkdtemp(prefix="d-", dir="/tmp")
    environ = {"HOME": str(tmp_path), "TMPDIR": place, "PATH": os.defpath, "PYTHONPATH": str(TOP / "src")}
    command = [sys.executable, "-m", "everself", "demo", "--web"]
    done = subprocess.run(
        command,
        input="\n",
        env={**environ, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^http://127\.0\.0\.1:\d+/sign-in/\S+$", done.stdout, re.MULTILINE)
    assert "The gateway has ended" in done.stdout
    assert list(tmp_path.iterdir()) == []
    # nothing is left there, or this fails
    os.rmdir(place)
