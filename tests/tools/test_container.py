"""The container image: its file agrees with the package, and what it runs serves. Building it needs a builder and a registry."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
from pathlib import Path

import pytest
from tests.docs.fences import all_fences, commands
from tests.interfaces.http.gateways import free_port
from tools.build_image import FILE, TOP, base_images, instructions, main
from tools.interpreters import promised
from tools.wheel import build_wheel

from everself.config.sections import SETTINGS
from tools import build_image

TEXT = FILE.read_text("utf-8")
STEPS = instructions(TEXT)
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]


def only(word: str) -> str:
    (found,) = [words for name, words in STEPS if name == word]
    return found


def variables() -> dict[str, str]:
    return dict(one.split("=", 1) for one in only("ENV").split())


def test_every_line_of_the_file_agrees_with_the_package() -> None:
    (base,) = base_images(TEXT)
    assert re.search(r"python:(3\.\d+)-", base)[1] in promised(TOP / "pyproject.toml")  # type: ignore[index]
    build, user = (words for name, words in STEPS if name == "RUN")
    extras = re.search(r'"/source\[([\w,]+)\]"', build)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])
    assert "--constraint /source/constraints.txt" in build
    assert (TOP / "constraints.txt").is_file()
    # the environment is copied to the place that it was made for: its scripts name it
    (venv,) = re.findall(r"python -m venv (\S+)", build)
    assert f"--from=build {venv} {venv}" in [words for name, words in STEPS if name == "COPY"]
    assert variables()["PATH"].startswith(f"{venv}/bin:")
    home = variables()["EVERSELF_HOME"]
    assert home == only("VOLUME")
    assert f"-m 700 {home}" in user
    assert only("USER") in user.split()
    (port,) = [one.default for one in SETTINGS if one.key == "gateway.port"]
    assert only("EXPOSE") == str(port)


def test_what_the_image_does_not_need_is_not_copied_into_it() -> None:
    left_out = (TOP / ".dockerignore").read_text("utf-8").split("\n")
    assert {".git", ".venv*", "build", "dist"} <= set(left_out)
    needed = {"src", "README.md", "LICENSE", "pyproject.toml", "constraints.txt"}
    assert not needed & set(left_out)


@pytest.mark.slow
def test_the_commands_of_the_page_make_a_gateway_that_answers(tmp_path: Path) -> None:
    """What podman would run inside, in the page's order, with the wheel in an environment of its own and the file's variables."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    wheel = build_wheel(tmp_path / "dist")
    (site,) = venv.glob("lib/python*/site-packages")
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin/python"), "install", "--quiet", "--no-index"]
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    # the dependencies of this environment stand for those that the image installs
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    home = tmp_path / "data"
    home.mkdir(mode=0o700)
    environ = {
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        **variables(),
        "EVERSELF_HOME": str(home),
        "PATH": f"{venv / 'bin'}:{os.defpath}",
    }
    shown = next(one.text for one in all_fences() if one.page == "docs/gateway.md" and "podman build" in one.text)
    inside = [words[words.index("everself") + 1 :] for words in commands(shown) if words[:2] == ["podman", "run"]]
    inside = [words for words in inside if words]
    assert len(inside) == 3
    port = free_port()
    for words in [*inside, ["everself", "config", "set", "gateway.port", str(port)]]:
        subprocess.run(words, env=environ, check=True, capture_output=True, timeout=120, cwd=tmp_path)
    command = json.loads(only("CMD"))
    with subprocess.Popen([*command, "--json"], env=environ, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            assert '"ok": true' in served.stdout.readline() + served.stdout.readline()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as answer:
                assert answer.read() == b"ok"
        finally:
            served.terminate()
            served.wait(60)


def fake(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f'#!/bin/sh\necho "$@" >> "{folder}/calls"\n{script}\n')
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("programs", "code", "said"),
    [
        ({}, 1, "No container builder works here"),
        # the command without its daemon
        ({"docker": "exit 1"}, 1, "No container builder works here"),
        ({"buildah": 'test "$1" != pull'}, 1, "buildah cannot fetch"),
        ({"buildah": 'test "$1" != build'}, None, "buildah failed"),
        ({"podman": "exit 0"}, 0, "The image everself is built."),
    ],
)
def test_it_is_built_where_a_builder_works(
    programs: dict[str, str],
    code: int | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name, script in programs.items():
        fake(tmp_path, name, script)
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere")
    # what is missing is no failure where it was said so; a build that fails always is
    assert main([]) == (1 if code is None else code)
    assert main(["--if-possible"]) == (1 if code is None else 0)
    assert said in capfd.readouterr().out
    if "podman" in programs:
        assert f"build --tag everself --file {FILE} {TOP}" in (tmp_path / "calls").read_text().splitlines()


def test_a_stage_of_the_file_is_not_fetched() -> None:
    text = "FROM a/b:1 AS build\nRUN x \\\n && y\n# no\nFROM build\nFROM a/b:1\n"
    assert build_image.base_images(text) == ["a/b:1"]
    assert ("RUN", "x && y") in instructions(text)
