"""Doctor on bad ground: full, read-only, foreign and open disks, and folders that are none. Looking never changes anything."""

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.operations.doctor.doctoring import STATE, codes, found, run, settle_in, snapshot

from everself.operations.doctor import examine

# each needs a disk of its own, or a process
pytestmark = pytest.mark.slow

# Runs in a mount namespace of its own, where even an ordinary user may mount.
MOUNTED = """
import json, subprocess, sys
from pathlib import Path
from everself.operations.doctor import examine
from tests.operations.doctor.doctoring import settle_in, snapshot
kind, home = sys.argv[1], Path(sys.argv[2])
environ = {"HOME": str(home)}
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", home], check=True)
workspace = settle_in(home)
if kind == "full":
    try:
        (home / "filler").write_bytes(bytes(1 << 23))
    except OSError:
        pass
else:
    subprocess.run(["mount", "-o", "remount,ro", home], check=True)
before = snapshot(home)
report = examine(environ=environ)
fixed = examine(environ=environ, fix=True)
findings = [[one.severity, one.code, one.message, one.mend] for one in report.findings]
print(json.dumps([findings, snapshot(home) == before, [one.code for one in fixed.findings]]))
"""

# Loads everything while it still may, then looks again as somebody who may do nothing here.
AS_NOBODY = """
import json, os, sys
from everself.operations.doctor import examine
from everself.clock import host_zone
host_zone()
environ = {"HOME": sys.argv[1]}
examine(environ=environ)
if os.geteuid() == 0:
    os.seteuid(65534)
report = examine(environ=environ)
print(json.dumps([[one.severity, one.code, one.mend] for one in report.findings]))
"""


def _look_mounted(kind: str, home: Path) -> tuple[list[list[str]], bool, list[str]]:
    apart = ("unshare", "-rm")
    tried = subprocess.run([*apart, "mount", "-t", "tmpfs", "tmpfs", home], check=False, capture_output=True)
    if tried.returncode != 0:
        pytest.skip("this machine lets nobody mount")
    done = run("-c", MOUNTED, kind, str(home), before=apart)
    assert done.returncode == 0, done.stderr
    findings, same, fixed = json.loads(done.stdout)
    return findings, same, fixed


def test_a_full_disk_is_said_and_nothing_is_changed(tmp_path: Path) -> None:
    findings, same, _ = _look_mounted("full", tmp_path)
    worst = findings[0]
    assert worst[:2] == ["error", "disk-full"]
    assert "Free some space" in worst[3]
    assert same


def test_a_read_only_disk_is_said_and_nothing_is_changed_even_when_asked_to_mend(tmp_path: Path) -> None:
    findings, same, fixed = _look_mounted("read-only", tmp_path)
    worst = findings[0]
    assert worst[:2] == ["error", "workspace-read-only"]
    assert "Remount it writable" in worst[3]
    assert same
    assert "workspace-read-only" in fixed


def test_a_workspace_that_one_may_not_enter_is_said() -> None:
    # not below the folder of the test: the way there has to be open to others, and only the door closed
    with TemporaryDirectory() as top:
        home = Path(top)
        workspace = settle_in(home)
        home.chmod(0o711)
        (home / ".everself").chmod(0o711)
        workspace.chmod(0o700 if os.geteuid() == 0 else 0)
        done = run("-c", AS_NOBODY, str(home))
        workspace.chmod(0o700)
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    hits = [finding for finding in findings if finding[1] == "workspace-unreadable"]
    assert hits == [["error", "workspace-unreadable", f"Check who owns it: ls -ld {workspace}"]]


def test_a_home_that_one_may_not_enter_is_said(tmp_path: Path) -> None:
    settle_in(tmp_path)
    tmp_path.chmod(0o700 if os.geteuid() == 0 else 0)
    done = run("-c", AS_NOBODY, str(tmp_path))
    tmp_path.chmod(0o700)
    assert done.returncode == 0, done.stderr
    assert any(severity == "error" and mend for severity, _, mend in json.loads(done.stdout))


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


def test_a_file_in_the_place_of_the_workspace_is_said(home: Path) -> None:
    (home / ".everself").mkdir(mode=0o700)
    (home / ".everself/workspace").write_text("not a folder")
    before = snapshot(home)
    finding = found(examine(), "workspace-no-folder")
    assert finding.mend.endswith("everself setup")
    assert snapshot(home) == before


def test_a_link_to_nowhere_in_the_place_of_the_workspace_is_said(home: Path) -> None:
    (home / ".everself").mkdir(mode=0o700)
    (home / ".everself/workspace").symlink_to("/nowhere/at/all")
    assert "/nowhere/at/all" in found(examine(), "workspace-dangling").message


def test_a_link_to_a_folder_is_the_persons_own_choice(home: Path) -> None:
    workspace = settle_in(home)
    workspace.rename(home / "elsewhere")
    workspace.symlink_to(home / "elsewhere")
    assert codes(examine()) == set()


def test_a_workspace_without_state_is_said(home: Path) -> None:
    settle_in(home)
    (home / STATE).rename(home / "away")
    finding = found(examine(), "state-missing")
    assert (finding.severity, finding.mend) == ("warning", "everself setup")


def test_a_disk_with_little_room_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle_in(home)
    monkeypatch.setattr("everself.operations.doctor.folders.NEARLY_FULL", 1 << 80)
    assert found(examine(), "disk-nearly-full").severity == "warning"


def test_everything_that_others_may_reach_is_counted_by_folder(home: Path) -> None:
    workspace = settle_in(home)
    for path in (workspace, workspace / "memory", workspace / "SOUL.md"):
        path.chmod(0o777)
    (home / STATE / "state.db").chmod(0o644)
    (home / ".config/everself").chmod(0o755)
    before = snapshot(home)
    by_folder = {finding.path: finding for finding in examine().findings if finding.code == "open-to-others"}
    assert snapshot(home) == before
    assert "change 3 files and folders of the workspace" in by_folder[str(workspace)].message
    assert by_folder[str(workspace)].severity == "error"
    assert "state.db (0644)" in by_folder[str(home / STATE)].message
    assert by_folder[str(home / STATE)].severity == "warning"
    assert by_folder[str(home / ".config/everself")].severity == "error"
    assert all(finding.fixable and finding.mend == "everself doctor --fix" for finding in by_folder.values())


def test_a_key_inside_the_workspace_is_an_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = settle_in(home)
    (home / ".config/everself").rename(workspace / "keys")
    monkeypatch.setenv("EVERSELF_KEYS", str(workspace / "keys"))
    finding = found(examine(), "key-inside")
    assert "EVERSELF_KEYS" in finding.mend


def test_a_broken_key_is_an_error(home: Path) -> None:
    settle_in(home)
    (home / ".config/everself/integrity.key").write_text("short")
    finding = found(examine(), "key-unchecked")
    assert "integrity.key is not a key" in finding.message
    assert "backup" in finding.mend
