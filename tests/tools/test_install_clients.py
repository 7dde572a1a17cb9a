"""make clients says why the coding agents could not be installed, and what is skipped for it says so too."""

import os
from pathlib import Path

import pytest
from tools.install_clients import FAILURE, main, why_missing


def fake(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o700)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs are found; nowhere else, but for what a shell needs."""
    made = tmp_path / "bin"
    made.mkdir()
    for name in ("sh", "mkdir", "chmod", "cat"):
        (made / name).symlink_to(next(Path(one, name) for one in os.defpath.split(":") if Path(one, name).exists()))
    monkeypatch.setenv("PATH", str(made))
    return made


NPM_FAILS = "echo 'npm error code ENOTFOUND' >&2; echo 'npm error network request to the registry failed' >&2; exit 1"
MAKES = (
    'mkdir -p "$7/node_modules/.bin"; for one in claude codex gemini; '
    'do printf "#!/bin/sh\\necho 1.0\\n" > "$7/node_modules/.bin/$one"; '
)


@pytest.mark.parametrize(
    ("node", "npm", "reason"),
    [
        ("", "", "node and npm not found on PATH"),
        ("echo v20.1.0", "", "npm not found on PATH"),
        ("echo v12.22.0", "exit 0", "Node is v12.22.0; 18 or newer is needed"),
        ("echo v20.1.0", NPM_FAILS, "npm error network request to the registry failed"),
        ("echo v20.1.0", "exit 0", "npm installed no claude"),
    ],
)
def test_the_reason_is_said_and_kept(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], node: str, npm: str, reason: str
) -> None:
    for name, script in (("node", node), ("npm", npm)):
        if script:
            fake(path, name, script)
    folder = tmp_path / "clients"
    assert main([str(folder)]) == 1
    assert reason in capsys.readouterr().err
    assert reason in why_missing(folder)


def test_what_was_installed_is_named_and_no_reason_is_left(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "clients"
    folder.mkdir()
    (folder / FAILURE).write_text("no network\n")
    fake(path, "node", "echo v20.1.0")
    fake(path, "npm", MAKES + 'chmod 700 "$7/node_modules/.bin/$one"; done')
    assert main([str(folder)]) == 0
    assert "claude 1.0, codex 1.0, gemini 1.0" in capsys.readouterr().out
    assert why_missing(folder) == "make clients was not run"
