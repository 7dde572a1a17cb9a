"""On a disk that cannot be written everything can still be read: mounted read-only, or without the permission to write."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.operations.doctor.doctoring import run, settle_in

pytestmark = pytest.mark.slow

READS = (
    ("memory", "list"),
    ("memory", "search", "tea"),
    ("memory", "status"),
    ("context",),
    ("log",),
    ("show", "last"),
)

LOOK = """
import contextlib, io, json, os, subprocess, sys
from everself.interfaces.cli.entry import run
kind, home = sys.argv[1:3]
for name in [one for one in os.environ if one.startswith(("EVERSELF_", "XDG_"))]:
    del os.environ[name]
os.environ["HOME"] = home
def call(*words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(words))
    return int(code), out.getvalue(), err.getvalue()
reads = json.loads(sys.argv[3])
first = call("memory", "add", "I like green tea")
assert first[0] == 0, first
for words in reads:
    assert call(*words)[0] in (0, 6), words
if kind == "mounted":
    subprocess.run(["mount", "--bind", home, home], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", home], check=True)
else:
    for folder, _, names in os.walk(home, topdown=False):
        for name in names:
            os.chmod(os.path.join(folder, name), 0o444)
        os.chmod(folder, 0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)
said = [call(*words) for words in reads]
print(json.dumps([said, call("memory", "add", "something else")]))
"""


@pytest.mark.parametrize("kind", ["mounted", "forbidden"])
def test_what_cannot_be_written_can_be_read(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    settle_in(home)
    apart = ("unshare", "-rm") if kind == "mounted" else ()
    if apart:
        bind = [*apart, "mount", "--bind", str(home), str(home)]
        if subprocess.run(bind, check=False, capture_output=True).returncode != 0:
            pytest.skip("this machine lets nobody mount")
    elif os.geteuid() == 0:
        # whoever gives up being root must still be let through to the files
        for above in tmp_path.parents:
            if not above.stat().st_mode & 0o001:
                above.chmod(above.stat().st_mode | 0o011)
        tmp_path.chmod(0o755)
    before = {path: path.read_bytes() for path in (home / ".everself/workspace").rglob("*.md")}
    done = run("-c", LOOK, kind, str(home), json.dumps(READS), before=apart)
    assert done.returncode == 0, done.stderr
    said, added = json.loads(done.stdout)
    for words, (code, out, err) in zip(READS, said, strict=True):
        assert code in (0, 6), (words, out, err)
        assert "Reading only" in err, words
    assert "green tea" in said[0][1]
    assert "owner" in said[0][1], "who said it is known from the database, which can be read"
    assert "green tea" in said[1][1]
    code, out, err = added
    assert code == 1
    assert "nothing was written" in out + err
    day = next(path for path in (home / ".everself/workspace/memory").glob("2*.md") if path not in before)
    assert "something else" not in day.read_text()
