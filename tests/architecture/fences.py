"""All the fences, run over one source tree: pure functions from a folder to what is wrong in it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tests.architecture import arrows, doors, manners, measures, origins
from tests.architecture.allowed import Allowance
from tests.architecture.package_rules import INDEX_TABLES
from tests.architecture.sources import Module, Violation, read_tree

Rule = Callable[[Sequence[Module]], Iterator[Violation]]

RULES: tuple[Rule, ...] = (
    arrows.package_order,
    arrows.private_modules,
    arrows.cycles,
    arrows.hidden_imports,
    arrows.relative_imports,
    doors.time,
    doors.environment,
    doors.files,
    doors.paths,
    doors.homes,
    doors.regular_expressions,
    doors.printing,
    doors.log_records,
    origins.stamps,
    origins.owners,
    origins.writers,
    manners.broad_excepts,
    manners.asserts,
    manners.excuses,
    manners.promises,
    measures.module_sizes,
    measures.function_sizes,
    measures.parameters,
    measures.names,
    measures.prefixes,
    measures.docstrings,
)


def find_violations(top: Path, index_tables: frozenset[str] = INDEX_TABLES) -> tuple[Violation, ...]:
    """Everything the fences object to in the package folder `top`, allowances aside."""
    tree = read_tree(top)
    found = [violation for rule in RULES for violation in rule(tree)]
    return (*found, *doors.index_rows(top, index_tables))


def not_allowed(found: Iterable[Violation], allowed: Sequence[Allowance]) -> tuple[Violation, ...]:
    """What remains when everything with an allowance is taken away."""
    return tuple(each for each in found if not any(_covers(allowance, each) for allowance in allowed))


def unused(found: Sequence[Violation], allowed: Sequence[Allowance]) -> tuple[tuple[str, str, str], ...]:
    """Rule, file and item of what is allowed although no violation needs it any more."""
    needed = {(each.rule, each.file, each.item) for each in found}
    given = [(allowance.rule, allowance.file, item) for allowance in allowed for item in allowance.items]
    return tuple(each for each in given if each not in needed)


def _covers(allowance: Allowance, violation: Violation) -> bool:
    return (allowance.rule, allowance.file) == (violation.rule, violation.file) and violation.item in allowance.items


def summary(top: Path) -> str:
    """The source tree in figures, on one line."""
    tree = read_tree(top)
    largest = max(tree, key=lambda module: module.lines)
    packages = measures.package_lines(tree)
    largest_package = max(packages, key=lambda name: packages[name])
    return (
        f"{len(tree)} modules, {sum(module.lines for module in tree)} lines; largest module {largest.file} "
        f"({largest.lines}), largest package {largest_package} "
        f"({packages[largest_package]}); "
        f"{manners.broad_excepts_per_thousand_lines(tree):.1f} broad excepts per 1,000 lines"
    )
