"""The catalogue: what templates and pages ask for is there, and nothing else is."""

import ast
from pathlib import Path

import jinja2.nodes as nodes
import pytest

from everself.interfaces.web.phrases import catalogue, counted, phrase
from everself.interfaces.web.templates import environment, folder, source_name

WEB = Path(__file__).parents[3] / "src/everself/interfaces/web"
# put together from a name: a tab, what was done, …
MADE = ("tabs.", "done.", "standing.", "tier.", "tag.", "source.", "group.", "when.", "times.", "provider.")


def _asked() -> tuple[set[str], set[str], set[str]]:
    """Keys of phrases, of counted phrases, and beginnings of keys that are put together, in all templates."""
    plain: set[str] = set()
    counts: set[str] = set()
    begun: set[str] = set()
    for path in sorted((WEB / "templates").rglob("*.html")):
        tree = environment().parse(path.read_text(encoding="utf-8"))
        for call in tree.find_all(nodes.Call):
            if not isinstance(call.node, nodes.Name) or call.node.name not in ("t", "n", "known"):
                continue
            key = call.args[0]
            if isinstance(key, nodes.Const):
                (counts if call.node.name == "n" else plain).add(key.value)
            else:
                first = key.nodes[0] if isinstance(key, nodes.Concat) else key
                if isinstance(first, nodes.Const):
                    begun.add(first.value)
                else:
                    # a macro that is told how its keys begin
                    assert isinstance(first, nodes.Name), path.name
                    assert first.name == "prefix", path.name
    return plain, counts, begun


def _in_code() -> set[str]:
    found: set[str] = set()
    for path in WEB.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("phrase", "counted"):
                key = node.args[0]
                if isinstance(key, ast.Constant):
                    found.add(str(key.value))
    return found


def test_every_phrase_is_there_and_used() -> None:
    plain, counts, begun = _asked()
    known = set(catalogue())
    wanted = plain | {f"{key}.{form}" for key in counts for form in ("one", "many")} | _in_code()
    counted_in_code = {f"{key}.{form}" for key in _in_code() for form in ("one", "many")}
    wanted = {key for key in wanted if key in known or f"{key}.one" not in known}
    assert wanted <= known
    unused = {key for key in known - wanted - counted_in_code if not key.startswith(tuple(begun | set(MADE)))}
    assert not unused


def test_phrases_are_filled_in() -> None:
    assert "401" in phrase("problem.id", status=401, id="x")
    assert counted("frame.waiting", 1).startswith("1 thing ")
    assert counted("frame.waiting", 1234).startswith("1,234 things")
    with pytest.raises(KeyError):
        phrase("no.such.phrase")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("owner", "You"),
        ("person:ana", "Somebody else: ana"),
        # a comment in a file may claim any name, and a guest may have any
        ("person:You", "Somebody else: You"),
        ("You", "Unknown source: You"),
        ("Written by hand", "Unknown source: Written by hand"),
    ],
)
def test_nobody_is_shown_as_the_owner_by_their_name(source: str, shown: str) -> None:
    assert source_name(source) == shown


def test_a_folder_is_named_as_its_owner_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/srv/mina/")
    assert folder("/srv/mina/.everself/workspace") == "~/.everself/workspace"
    assert folder("/srv/minas/workspace") == "/srv/minas/workspace"
    monkeypatch.delenv("HOME")
    assert folder("/srv/workspace") == "/srv/workspace"
