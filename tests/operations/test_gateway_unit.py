"""The unit that systemd is given."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.operations.homes import HOME

from everself.errors import RefusedByRule
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import NoRequest
from everself.operations.gateway import install_unit, render_unit


def test_it_is_written_once_and_names_the_home() -> None:
    done = install_unit(HOME, AT_TERMINAL, NoRequest())
    text = Path(done.file).read_text("utf-8")
    assert done.changed
    assert f'"EVERSELF_HOME={os.environ["EVERSELF_HOME"]}"' in text
    assert "gateway run" in text
    assert not install_unit(HOME, AT_TERMINAL, NoRequest()).changed


def test_a_unit_of_somebody_elses_stays() -> None:
    path = Path(install_unit(HOME, AT_TERMINAL, NoRequest()).file)
    path.write_text("[Service]\nExecStart=/mine\n", "utf-8")
    with pytest.raises(RefusedByRule):
        install_unit(HOME, AT_TERMINAL, NoRequest())
    assert path.read_text("utf-8") == "[Service]\nExecStart=/mine\n"


def test_words_that_mean_something_to_systemd_mean_themselves() -> None:
    assert 'ExecStart="/a$$b" -P' in render_unit("/a$b", {})
    text = render_unit("/opt/my python/bin/python", {"EVERSELF_HOME": '/home/a b/100%/"x"/$y\\z'})
    assert 'ExecStart="/opt/my python/bin/python" -P -m everself gateway run' in text
    assert 'Environment="EVERSELF_HOME=/home/a b/100%%/\\"x\\"/$y\\\\z"' in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_finds_no_fault_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    path = install_unit(HOME, AT_TERMINAL, NoRequest()).file
    done = subprocess.run(["systemd-analyze", "verify", "--user", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
