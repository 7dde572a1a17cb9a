"""Rules about imports: the order of packages, private modules, no cycles, no import hidden from these rules."""

import ast
from collections.abc import Iterator, Sequence

from tests.architecture.package_rules import INTERFACES, PACKAGE_NAMES, PORCH, SHARED, STARTER, may_import, place_of
from tests.architecture.sources import (
    PACKAGE,
    Import,
    Module,
    Violation,
    imports_of,
    is_import_call,
    literal,
    package_of,
)

Tree = Sequence[Module]


def package_order(tree: Tree) -> Iterator[Violation]:
    """A package imports only from those before it in the order."""
    known = frozenset(module.name for module in tree)
    for module in tree:
        if module.name not in PORCH and place_of(module.package) is None:
            words = f'the package "{module.package}" is not listed in tests/architecture/package_rules.py'
            yield Violation("package-order", module.file, 1, words)
            continue
        for each in imports_of(module, known):
            if words := _objection(module, each):
                yield Violation("package-order", module.file, each.line, words, item=each.target)


def _objection(module: Module, each: Import) -> str:
    if each.target == PACKAGE:
        return "name the module you import; the bare package hides where things come from"
    other = package_of(each.target)
    if each.of_package and other in PACKAGE_NAMES:
        return ""
    # `from everself import open_app` reaches through the package's __init__ into what that imports
    if each.of_package and place_of(other) is None:
        other = PORCH[PACKAGE]
    if place_of(other) is None:
        return f'the package "{other}" is not listed'
    if module.name in PORCH:
        only = PORCH[module.name]
        return "" if other == only else f"{module.name} imports {only} only, not {other}"
    if not may_import(module.package, other):
        return f"{module.package} may not import {other} ({each.target})"
    return _between_interfaces(module, each)


def _between_interfaces(module: Module, each: Import) -> str:
    here, there = _interface(module.name), _interface(each.target)
    if not here or not there or there in SHARED or here in (there, STARTER):
        return ""
    return f"{here} may not import {there}: interfaces call operations, never each other"


def _interface(module: str) -> str:
    parts = module.split(".")[1:3]
    return ".".join(parts) if parts[:1] == [INTERFACES] else ""


def private_modules(tree: Tree) -> Iterator[Violation]:
    """A module whose name begins with an underscore is imported only inside the folder that holds it."""
    known = frozenset(module.name for module in tree)
    for module in tree:
        for each in imports_of(module, known):
            owner = _owner(each.target)
            if owner and not f"{module.name}.".startswith(f"{owner}."):
                words = f"{each.target} is private to {owner}"
                yield Violation("private-modules", module.file, each.line, words, item=each.target)


def _owner(target: str) -> str:
    """The folder around the outermost private part of a name; nothing where every part is public."""
    parts = target.split(".")
    for number, part in enumerate(parts):
        if part.startswith("_") and not part.startswith("__"):
            return ".".join(parts[:number])
    return ""


def cycles(tree: Tree) -> Iterator[Violation]:
    """No module imports itself by way of others; imports inside functions and for type checkers count."""
    known = frozenset(module.name for module in tree)
    files = {module.name: module.file for module in tree}
    arrows: dict[str, dict[str, int]] = {}
    for module in tree:
        # a module may say its own name, to log by it or to build the names of those beneath it
        found = [each for each in imports_of(module, known) if not (each.by_name and each.target == module.name)]
        arrows[module.name] = {each.target: each.line for each in found if each.target in known}
    for ring in _rings({name: tuple(targets) for name, targets in arrows.items()}):
        first, second = ring[0], ring[1 % len(ring)]
        words = " → ".join([*ring, first])
        yield Violation("cycles", files[first], arrows[first][second], words, item=words)


def _rings(graph: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """One shortest cycle through the first module of each tangle, each tangle once."""
    seen: set[str] = set()
    for start in sorted(graph):
        if start in seen:
            continue
        came_from = {start: ""}
        queue = [start]
        while queue:
            here = queue.pop(0)
            if start in graph[here]:
                ring = [here]
                while ring[-1] != start:
                    ring.append(came_from[ring[-1]])
                ring.reverse()
                seen.update(ring)
                yield tuple(ring)
                break
            for there in graph[here]:
                if there not in came_from:
                    came_from[there] = here
                    queue.append(there)


def hidden_imports(tree: Tree) -> Iterator[Violation]:
    """An import by a computed name is seen by no rule, so each one is listed with its reason."""
    for module in tree:
        for node in module.nodes:
            if isinstance(node, ast.Call) and is_import_call(module, node) and not literal(node):
                where = module.inside(node.lineno)
                yield Violation("hidden-imports", module.file, node.lineno, "imports by a computed name", item=where)


def relative_imports(tree: Tree) -> Iterator[Violation]:
    for module in tree:
        for node in module.nodes:
            if isinstance(node, ast.ImportFrom) and node.level:
                yield Violation("relative-imports", module.file, node.lineno, "write the import in full")
