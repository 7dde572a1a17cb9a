"""Nothing is defined that nothing uses: by its name, so what shares its name with something in use is not found."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.architecture.package_rules import FAKES
from tests.architecture.sources import Module, read_tree

TOP = Path(__file__).resolve().parents[2]
# their names are for programs of others
DOCUMENTS = ("library.md", "plugins.md", "frameworks.md")
# bases that say only what kind of class it is
KINDS = frozenset({"NamedTuple", "Protocol", "TypedDict", "Generic", "Exception"})
WORD = re.compile(r"[A-Za-z_]\w*")
# the doctor runs every function of its modules that begins so
COLLECTED = re.compile(r"operations/doctor/\w+\.py:check_")
# each with the reason why it stays
ALLOWED = {
    ("classify/encoder.py", "offering"): "lets a test see what the encoder is asked",
    ("classify/grounded.py", "OUTPUTS"): "used by its trainer",
    ("classify/grounded.py", "makes_wrong"): "what its corpora are measured by",
    ("interfaces/frameworks/openai_agents.py", "get_items"): "called by the framework",
    (
        "interfaces/repl/editor.py",
        "load_history_strings",
    ): "called by prompt_toolkit, whose class has the name of one of ours",
    ("interfaces/repl/editor.py", "store_string"): "called by prompt_toolkit, whose class has the name of one of ours",
    ("interfaces/web/offers.py", "WITHHELD"): "a test compares it with the operations",
    ("interfaces/web/offers.py", "page_of"): "no longer used; it goes with the next change of that module",
    ("operations/entry_account.py", "ceiling"): "shown by --json",
    ("storage/simulated_disk.py", "cut_power"): "a fake for tests",
}


def unused_names(tree: Sequence[Module], elsewhere: frozenset[str]) -> Iterator[tuple[str, str]]:
    """File and name of each definition; `elsewhere` are words of templates and documents, which use names too."""
    used = elsewhere.union(*(_uses(module) for module in tree))
    own = _own_classes(tree)
    for module in tree:
        if module.package != FAKES:
            found = [(module.file, name) for name in _definitions(module.tree, own) if name not in used]
            yield from (one for one in found if not COLLECTED.match(":".join(one)))


def _own_classes(tree: Sequence[Module]) -> set[str]:
    """The classes whose methods nobody else calls: neither they nor what they inherit from has a base of somebody else's."""
    bases = {
        node.name: [ast.unparse(base).partition("[")[0] for base in node.bases]
        for module in tree
        for node in module.nodes
        if isinstance(node, ast.ClassDef)
    }
    own = set(KINDS)
    while more := {name for name, above in bases.items() if name not in own and own.issuperset(above)}:
        own |= more
    return own


def _uses(module: Module) -> Iterator[str]:
    for node in module.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()) | ast.alias(name=name):
                yield name
            case ast.Constant(value=str(text)) if text.isidentifier():
                yield text
            case ast.Constant(value=str(text)) if "." in text or '"' in text or "[" in text:
                # annotations in quotes, and names of modules
                yield from WORD.findall(text)
            case ast.MatchClass(kwd_attrs=names):
                yield from names


def _definitions(owner: ast.Module | ast.ClassDef, own: set[str]) -> Iterator[str]:
    for node in owner.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                # a decorator with arguments hands it on, as that of an operation or of a command does
                if not node.name.startswith("__") and not any(isinstance(one, ast.Call) for one in node.decorator_list):
                    yield node.name
                if isinstance(node, ast.ClassDef) and node.name in own:
                    yield from _definitions(node, own)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if not name.startswith("__"):
                    yield name


def test_every_name_is_used() -> None:
    src = TOP / "src" / "everself"
    texts = [*src.rglob("*.html"), *(TOP / "docs" / name for name in DOCUMENTS)]
    elsewhere = frozenset(word for path in texts for word in WORD.findall(path.read_text("utf-8")))
    found = set(unused_names(read_tree(src), elsewhere))
    assert sorted(found - ALLOWED.keys()) == []
    assert sorted(ALLOWED.keys() - found) == []


def test_a_name_that_nothing_uses_is_found(tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    code = """
class Day(NamedTuple):
    number: int
    told: str = ""

    def next(self): return self.number + 1

def first(): return Day(1, told="").next()
def second(): return first()
@command("x")
def third(): return None
"""
    (tmp_path / "text" / "days.py").write_text(code, "utf-8")
    assert set(unused_names(read_tree(tmp_path), frozenset())) == {("text/days.py", "told"), ("text/days.py", "second")}
