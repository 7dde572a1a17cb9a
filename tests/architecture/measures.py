"""Fences around size and names: what a person can hold in their head, and find by its name."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from tests.architecture.package_rules import (
    EMPTY_WORDS,
    FUNCTION_LINES,
    MODULE_LINES,
    PARAMETERS,
    SAME_PREFIX,
)
from tests.architecture.sources import Function, Module, Violation

Tree = Sequence[Module]


def module_sizes(tree: Tree) -> Iterator[Violation]:
    for module in tree:
        if module.lines > MODULE_LINES:
            yield Violation("module-size", module.file, 1, f"{module.lines} lines, the limit is {MODULE_LINES}")


def function_sizes(tree: Tree) -> Iterator[Violation]:
    for module in tree:
        for name, node in module.functions:
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                words = f"{name} has {lines} lines, the limit is {FUNCTION_LINES}"
                yield Violation("function-size", module.file, node.lineno, words, item=name)


def parameters(tree: Tree) -> Iterator[Violation]:
    for module in tree:
        for name, node in module.functions:
            count = _count(node)
            if count > PARAMETERS:
                words = f"{name} takes {count} parameters, the limit is {PARAMETERS}: hand over an options value"
                yield Violation("parameters", module.file, node.lineno, words, item=name)


def _count(node: Function) -> int:
    named = [*node.args.posonlyargs, *node.args.args]
    if named and named[0].arg in ("self", "cls"):
        named = named[1:]
    return len(named) + len(node.args.kwonlyargs) + bool(node.args.vararg) + bool(node.args.kwarg)


def package_lines(tree: Tree) -> dict[str, int]:
    total: dict[str, int] = defaultdict(int)
    for module in tree:
        if module.package:
            total[module.package] += module.lines
    return dict(total)


def names(tree: Tree) -> Iterator[Violation]:
    """No module or folder is named for being nothing in particular."""
    for module in tree:
        for part in PurePosixPath(module.file).with_suffix("").parts:
            words = part.strip("_").split("_")
            if words[0] in EMPTY_WORDS or words[-1] in EMPTY_WORDS:
                yield Violation("names", module.file, 1, f'"{part}" says nothing: name it for what it knows')


def prefixes(tree: Tree) -> Iterator[Violation]:
    """Three files with one prefix want to be a folder."""
    alike: Counter[tuple[str, str]] = Counter()
    for module in tree:
        path = PurePosixPath(module.file)
        if path.stem.startswith("__"):
            continue
        alike[str(path.parent), path.stem.strip("_").split("_")[0]] += 1
    for (folder, prefix), count in sorted(alike.items()):
        if count >= SAME_PREFIX:
            words = f'{count} files begin with "{prefix}": make a folder of them'
            yield Violation("prefixes", folder, 1, words, item=prefix)


def docstrings(tree: Tree) -> Iterator[Violation]:
    for module in tree:
        if not ast.get_docstring(module.tree):
            words = "has no docstring: say what it does and what it does not know"
            yield Violation("docstrings", module.file, 1, words)
