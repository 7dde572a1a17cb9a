"""Fences around imports: who may import whom, no circles, no import hidden from these fences."""

import ast
from collections.abc import Iterator, Sequence

from tests.architecture.house import PACKAGE_NAMES, PORCH, floor_of, may_import
from tests.architecture.sources import PACKAGE, Import, Module, Violation, imports_of, is_import_call, literal, room_of

Tree = Sequence[Module]


def floors(tree: Tree) -> Iterator[Violation]:
    """A room imports from the floors above it only, and stands on the drawing."""
    known = frozenset(module.name for module in tree)
    for module in tree:
        at_the_porch = module.name in PORCH
        if not at_the_porch and floor_of(module.room) is None:
            yield Violation(
                "floors",
                module.file,
                1,
                f'the room "{module.room}" is not on the drawing (tests/architecture/house.py)',
            )
            continue
        for each in imports_of(module, known):
            if words := _objection(module, each):
                yield Violation("floors", module.file, each.line, words, item=each.target)


def _objection(module: Module, each: Import) -> str:
    if each.target == PACKAGE:
        return "name the room you import; the bare package hides where things come from"
    other = room_of(each.target)
    if each.of_package and other in PACKAGE_NAMES:
        return ""
    # `from everself import open_app` reaches through the package into the room that its porch opens
    if each.of_package and floor_of(other) is None:
        other = PORCH[PACKAGE]
    if floor_of(other) is None:
        return f'the room "{other}" is not on the drawing'
    if module.name in PORCH:
        door = PORCH[module.name]
        return "" if other == door else f"{module.name} opens {door} only, not {other}"
    if may_import(module.room, other):
        return ""
    return f"{module.room} may not import {other} ({each.target})"


def circles(tree: Tree) -> Iterator[Violation]:
    """No module imports itself by way of others, a lazy import inside a function included."""
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
        yield Violation("circles", files[first], arrows[first][second], words, item=words)


def _rings(graph: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """One shortest circle through the first module of each tangle, each tangle once."""
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
    """An import by a computed name is seen by no fence, so each one is listed with its reason."""
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
