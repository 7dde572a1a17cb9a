"""The wheel holds the package and nothing else, and works where only it and its dependencies are installed."""

import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from tools.wheel import build_wheel, converse, read_conversation

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.mark.slow
def test_it_holds_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    source = TOP / "src"
    ours = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {Path(name).suffix for name in ours} >= {".py", ".sql", ".md", ".txt", ".typed"}
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        points = opened.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
    assert {name for name in names if ".dist-info/" not in name} == ours
    assert "everself = everself.interfaces.cli.main:main" in points
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.slow
def test_installed_by_itself_it_holds_the_conversation_of_the_readme(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = str(venv / "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)], check=True)
    # the dependencies of this environment, but not its Everself: what is named in a .pth file is not looked through for others
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    where = subprocess.run(
        [python, "-c", "import everself; print(everself.__file__)"], capture_output=True, text=True, check=True
    )
    assert where.stdout.startswith(str(site))
    assert converse([str(venv / "bin/everself")], tmp_path / "talk") == ""


def test_the_readme_holds_a_conversation_of_two_lines() -> None:
    steps = read_conversation((TOP / "README.md").read_text("utf-8"))
    assert [said for said, _ in steps][-1] == "What project am I working on?"
    assert len(steps) == 2
    assert re.search(steps[0][1], "I'll remember that (memory/2031-12-01.md).")
    assert not re.search(steps[1][1], "I do not know.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        ("import sys; print('No idea.')", "was answered with 0: No idea."),
        ("import sys; sys.exit(3)", "was answered with 3"),
        ("import socket; socket.create_connection(('192.0.2.1', 80))", "was answered with 1"),
        (
            "import contextlib, socket\nwith contextlib.suppress(OSError): socket.create_connection(('192.0.2.1', 80))\n"
            'print("I\'ll remember that (memory/2031-12-01.md).")',
            "reached for the network",
        ),
    ],
)
def test_whatever_goes_wrong_is_told(program: str, wrong: str, tmp_path: Path) -> None:
    assert wrong in converse([sys.executable, "-c", program], tmp_path / "talk")
