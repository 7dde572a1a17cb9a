"""Fences around manners: broad excepts, asserts, excuses without a reason, promises instead of code."""

import ast
import re
from collections.abc import Iterator, Sequence

from tests.architecture.package_rules import FAKES
from tests.architecture.sources import Module, Violation

Tree = Sequence[Module]

BROAD = frozenset({"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"})
EXCUSE = re.compile(
    r"#\s*(?:type:\s*ignore(?:\[[^\]]*\])?|(?:ruff:\s*)?noqa(?::\s*[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)?"
    r"|pragma:\s*no\s+(?:cover|branch)|mypy:\s*[\w-]+)"
)
REASON = re.compile(r"[^\W\d_]{2,}\W+[^\W\d_]{2,}")
PROMISE = re.compile(r"\b(?:TODO|FIXME|XXX)\b")


def broad_excepts(tree: Tree) -> Iterator[Violation]:
    """Only listed fences catch everything."""
    for module in tree:
        for node in module.nodes:
            words = _breadth(module, node)
            if words:
                line = getattr(node, "lineno", 1)
                yield Violation("broad-excepts", module.file, line, words, item=module.inside(line))


def _breadth(module: Module, node: ast.AST) -> str:
    if isinstance(node, ast.ExceptHandler):
        if node.type is None:
            return "a bare except catches everything"
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        return next((f"catches {ast.unparse(each)}" for each in caught if _is_broad(module, each)), "")
    if isinstance(node, ast.Call) and module.dotted(node.func) == "contextlib.suppress":
        return next((f"suppresses {ast.unparse(each)}" for each in node.args if _is_broad(module, each)), "")
    return ""


def _is_broad(module: Module, node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else ""
    return name in BROAD or module.dotted(node) in BROAD


def broad_excepts_per_thousand_lines(tree: Tree) -> float:
    lines = sum(module.lines for module in tree)
    return 1_000 * len(list(broad_excepts(tree))) / lines if lines else 0.0


def asserts(tree: Tree) -> Iterator[Violation]:
    """`python -O` removes asserts, so nothing may depend on one."""
    for module in tree:
        if module.package == FAKES:
            continue
        for node in module.nodes:
            if isinstance(node, ast.Assert):
                item = module.inside(node.lineno)
                yield Violation("asserts", module.file, node.lineno, "an assert vanishes under -O: raise", item=item)


def excuses(tree: Tree) -> Iterator[Violation]:
    """A checker is silenced with a reason in words, in the same comment."""
    for module in tree:
        for line, comment in module.comments:
            if EXCUSE.search(comment) and not REASON.search(EXCUSE.sub(" ", comment)):
                yield Violation("excuses", module.file, line, f"{comment.strip()}: say why in the same comment")


def promises(tree: Tree) -> Iterator[Violation]:
    """What is not built is not there: no marker of work left over, no body that raises for want of one."""
    for module in tree:
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        for node in module.nodes:
            if isinstance(node, ast.Name) and node.id == "NotImplementedError":
                item = module.inside(node.lineno)
                yield Violation("promises", module.file, node.lineno, f"{node.id}: build it or leave it out", item=item)
            elif isinstance(node, documented) and PROMISE.search(ast.get_docstring(node) or ""):
                yield Violation("promises", module.file, getattr(node, "lineno", 1), "a docstring that puts off work")
        for line, comment in module.comments:
            if PROMISE.search(comment):
                yield Violation("promises", module.file, line, f"{comment.strip()}: do it now or open an issue")
