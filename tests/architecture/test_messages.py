"""Messages for people: what their class begins, the words at each place go on with."""

import ast
from pathlib import Path

import pytest

import everself

ROOT = Path(everself.__file__).parent
# "Not found: no entry says …" would deny it twice
WRONG = ("no ", "nothing ", "this ", "there ", "it ")


def sentences(source: str) -> list[str]:
    """The details of `NotFound` that are written as whole sentences instead of naming what is missing."""
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "NotFound" and node.args
    ]
    told = [ast.unparse(one.args[0]).lstrip("f").strip("\"'") for one in calls]
    return [one for one in told if one.startswith(WRONG) or " does not " in one]


def test_what_is_not_found_is_named_and_not_denied_again() -> None:
    found = {str(path): sentences(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}
    assert {path: told for path, told in found.items() if told} == {}


@pytest.mark.parametrize(
    "detail", ['"no entry says that."', 'f"nothing of {name} is known."', 'f"{name} does not exist."']
)
def test_a_planted_sentence_is_found(detail: str) -> None:
    assert sentences(f"raise NotFound({detail})")
