"""A violation to plant, and the honest code that looks like it."""

from dataclasses import dataclass, field

Files = dict[str, str]


@dataclass(frozen=True)
class Case:
    """`at` is where the violation is found. Line 1 of every module is its docstring, so code starts on line 2."""

    name: str
    rule: str
    at: str
    planted: Files
    honest: Files
    tables: frozenset[str] = field(default_factory=frozenset)


def one(name: str, rule: str, bad: tuple[str, str], good: tuple[str, str], line: int = 2) -> Case:
    """A case whose twins are one module each."""
    return Case(name, rule, f"{bad[0]}:{line}", dict([bad]), dict([good]))
