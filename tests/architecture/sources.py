"""Reads a source tree into values the fences look at: modules, their imports, the dotted names they use.

Knows Python's syntax and none of the rules.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

PACKAGE = "everself"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule. `item` is what an allowance names: a function, a library, or nothing for the whole file."""

    rule: str
    file: str
    line: int
    words: str
    item: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.words}"


@dataclass(frozen=True, slots=True)
class Use:
    """A dotted name that a module imports or refers to, with aliases resolved."""

    name: str
    node: ast.AST
    line: int


@dataclass(frozen=True, slots=True)
class Import:
    """An import of one of our own modules, wherever it stands.

    `by_name` is one done at run time from a string; `of_package` asks the package itself for a name that is no module.
    """

    target: str
    line: int
    by_name: bool = False
    of_package: bool = False


Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    name: str
    file: str
    source: str
    is_package: bool

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, self.file)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Walked once: a dozen rules look at every node of every module."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def calls(self) -> tuple[ast.Call, ...]:
        return tuple(node for node in self.nodes if isinstance(node, ast.Call))

    @cached_property
    def lines(self) -> int:
        return len(self.source.splitlines())

    @property
    def package(self) -> str:
        return package_of(self.name)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """What each imported local name stands for."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    def dotted(self, node: ast.AST) -> str:
        """The full name behind `a.b.c`, or nothing where it does not start at an import."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            return ""
        return ".".join([self.aliases[node.id], *reversed(parts)])

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        return tuple(self._uses())

    def _uses(self) -> Iterator[Use]:
        inner: set[ast.AST] = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from (Use(alias.name, node, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield from (Use(f"{node.module}.{alias.name}", node, node.lineno) for alias in node.names)
            elif isinstance(node, ast.Attribute | ast.Name) and node not in inner:
                below: ast.AST = node
                while isinstance(below, ast.Attribute):
                    below = below.value
                    inner.add(below)
                if name := self.dotted(node):
                    yield Use(name, node, node.lineno)

    @cached_property
    def functions(self) -> tuple[tuple[str, Function], ...]:
        """Every function with its qualified name, methods and nested ones included."""
        return tuple(_functions(self.tree, ""))

    def inside(self, line: int) -> str:
        """The innermost function around a line, or nothing at module level."""
        around = [name for name, node in self.functions if node.lineno <= line <= (node.end_lineno or node.lineno)]
        return around[-1] if around else ""

    @cached_property
    def comments(self) -> tuple[tuple[int, str], ...]:
        tokens = tokenize.generate_tokens(io.StringIO(self.source).readline)
        return tuple((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def package_of(module: str) -> str:
    """The package below `everself` that a module belongs to; nothing for `everself` itself."""
    return ".".join(module.split(".")[1:2])


def read_tree(top: Path) -> tuple[Module, ...]:
    """Every module beneath the package folder `top`, in a stable order."""
    modules: list[Module] = []
    for path in sorted(top.rglob("*.py")):
        parts = path.relative_to(top).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join([PACKAGE, *(parts[:-1] if is_package else parts)])
        modules.append(Module(name, path.relative_to(top).as_posix(), path.read_text("utf-8"), is_package))
    return tuple(modules)


@cache
def imports_of(module: Module, known: frozenset[str]) -> tuple[Import, ...]:
    """The imports of our own modules, those inside functions and for type checkers included.

    A string that is exactly the name of a module counts too: that is how a lazy table imports.
    """
    found: list[Import] = []
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno) for alias in node.names if _is_ours(alias.name)]
        elif isinstance(node, ast.ImportFrom) and _is_ours(node.module or "") and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if node.module == PACKAGE:
                    found.append(Import(whole, node.lineno, of_package=whole not in known))
                else:
                    found.append(Import(whole if whole in known else str(node.module), node.lineno))
        elif isinstance(node, ast.JoinedStr):
            start = node.values[0] if node.values else None
            name = str(start.value).rpartition(".")[0] if isinstance(start, ast.Constant) else ""
            if name in known and name != PACKAGE:
                found.append(Import(name, node.lineno, by_name=True))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0]
            if name in known and name != PACKAGE:
                found.append(Import(name, node.lineno, by_name=True))
        elif isinstance(node, ast.Call) and is_import_call(module, node) and _is_ours(literal(node)):
            found.append(Import(literal(node), node.lineno, by_name=True))
    return tuple(sorted(set(found), key=lambda each: (each.line, each.target)))


def is_import_call(module: Module, call: ast.Call) -> bool:
    """Whether a call imports by name: `importlib.import_module(…)` or `__import__(…)`."""
    bare = isinstance(call.func, ast.Name) and call.func.id == "__import__"
    return bare or module.dotted(call.func) in ("importlib.import_module", "importlib.__import__")


def literal(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")
