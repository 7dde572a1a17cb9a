"""The README stays short, and each of its figures has a command that prints it."""

import importlib.util
import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text("utf-8")
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (TOP / "Makefile").read_text("utf-8"), re.MULTILINE))


def test_it_can_be_read_in_five_minutes() -> None:
    assert len(README.splitlines()) <= 150


def test_every_figure_names_a_command_that_exists() -> None:
    rows = [row for row in ROW.findall(README.partition("## What makes it different")[2]) if set(row[0]) != {"-"}]
    assert len(rows) >= 5
    for what, measured, command in rows:
        assert re.search(r"\d", measured), what
        named = re.search(r"`(make [a-z-]+|python -m [a-z_.]+)", command)
        assert named, what
        kind, _, name = named[1].rpartition(" ")
        assert name in targets() if kind == "make" else importlib.util.find_spec(name), command


def test_every_make_target_that_it_names_exists() -> None:
    named = set(re.findall(r"(?:`|^|\| )make (?:-s )?([a-z][a-z-]+)", README, re.MULTILINE))
    assert {"chat", "docs"} <= named
    assert named <= targets()


def test_the_pictures_are_there_in_both_looks() -> None:
    for name in re.findall(r'(?:src|srcset)="([^"]+)"', README):
        assert (TOP / name).is_file(), name
    assert README.count("prefers-color-scheme: dark") == README.count("<picture>") >= 1
