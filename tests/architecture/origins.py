"""Rules about whose words a text is: who may make an origin, who may say that words are the owner's, and what every writer is given.

mypy shows that whoever calls a writer hands it an `Origin`; these show that no writer asks for less, and that origins are not made up.
"""

import ast
from collections.abc import Iterator, Sequence

from tests.architecture.package_rules import OWNERS_DOORS, RULES_OF_TRUST, WRITERS
from tests.architecture.sources import Function, Module, Violation

Tree = Sequence[Module]

STAMPS = ("everself.values.Origin", "everself.values.ProvenanceRecord")
OWNERS = "everself.memory.provenance.stated_by_owner"
# how parameters are called that hold words for memory
WORDS = frozenset({"text", "words", "new", "content", "right"})
# what shows that a function writes: the draft of a change, or the classes whose methods do
DRAFT = "Draft"
CLASSES = frozenset({"Memory", "Bank"})
ACCOMPANIED = frozenset({"Origin", "NewEntry"})


def stamps(tree: Tree) -> Iterator[Violation]:
    """Origins and provenance records are made by the rules of trust alone; whoever reads one back has an allowance."""
    for module in tree:
        if module.file in RULES_OF_TRUST:
            continue
        for call in module.calls:
            name = module.dotted(call.func)
            if name in STAMPS:
                made = name.rpartition(".")[2]
                yield Violation(
                    "stamps", module.file, call.lineno, f"{made} is made in memory/provenance.py", item=made
                )


def owners(tree: Tree) -> Iterator[Violation]:
    """Only a door at which the owner stands says that words are theirs."""
    for module in tree:
        if module.file in OWNERS_DOORS:
            continue
        for use in module.uses:
            if use.name == OWNERS:
                yield Violation("owners-words", module.file, use.line, "the owner does not speak here", item=OWNERS)


def writers(tree: Tree) -> Iterator[Violation]:
    """Who writes memory takes no bare text: with it comes its origin, or the new entry that has one."""
    for module in tree:
        if not module.file.startswith(WRITERS):
            continue
        for node, inside in _functions(module.tree):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            kinds = {one.arg: _annotation(one) for one in arguments}
            writes = inside in CLASSES or any(DRAFT in kind for kind in kinds.values())
            bare = any(name in WORDS and kind == "str" for name, kind in kinds.items())
            accompanied = any(kind.strip('"') in ACCOMPANIED for kind in kinds.values())
            if writes and bare and not accompanied:
                words = f"{node.name} writes a text without its origin"
                yield Violation("writers", module.file, node.lineno, words, item=node.name)


def _functions(tree: ast.Module) -> Iterator[tuple[Function, str]]:
    """Every function with the class that it stands in."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, ""
        elif isinstance(node, ast.ClassDef):
            yield from (
                (one, node.name) for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
            )


def _annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation is not None else ""
