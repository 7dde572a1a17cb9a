"""Figures with the promised limits, as lines and as JSON. Does not measure."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Literal

# Promised limits for an idle machine and one thread, by the name of the figure and the number of units (0: any).
PROMISED: dict[tuple[str, int], tuple[Literal["<=", ">="], float]] = {
    ("search p50", 100_000): ("<=", 15.0),
    ("search p50", 1_000_000): ("<=", 90.0),
    ("memory", 100_000): ("<=", 600.0),
    ("search with the better model p50", 100_000): ("<=", 35.0),
    ("memory with both models", 100_000): ("<=", 600.0),
    ("index rate by words, 400 files", 0): (">=", 8_000.0),
    ("freshness of 5000 files", 0): ("<=", 50.0),
    ("cold command with vectors", 0): ("<=", 1.2),
    ("cold command by keywords", 0): ("<=", 0.5),
    ("index rate of the model's own", 0): (">=", 0.8),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `size`: the number of units it was measured with, 0 if irrelevant."""

    name: str
    size: int
    value: float
    unit: str

    @property
    def promise(self) -> tuple[Literal["<=", ">="], float] | None:
        return PROMISED.get((self.name, self.size)) or PROMISED.get((self.name, 0))

    @property
    def kept(self) -> bool | None:
        """Whether the figure is within its promised limit; None without one."""
        promise = self.promise
        if promise is None:
            return None
        return self.value <= promise[1] if promise[0] == "<=" else self.value >= promise[1]


def line(figure: Figure) -> str:
    where = f" at {figure.size:,}" if figure.size else ""
    told = f"{figure.name}{where}: {_number(figure.value)} {figure.unit}".rstrip()
    if figure.promise is None:
        return told
    sign = "≤" if figure.promise[0] == "<=" else "≥"
    verdict = "ok" if figure.kept else "MISSED"
    return f"{told} (promised {sign} {figure.promise[1]:g}) {verdict}"


def growth(figures: Sequence[Figure], names: Sequence[str]) -> Iterator[str]:
    """The growth factor of each figure from one size to the next."""
    for name in names:
        found = sorted((one.size, one.value) for one in figures if one.name == name and one.size)
        steps = [
            f"{small:,} → {large:,} × {after / before:.1f}"
            for (small, before), (large, after) in pairwise(found)
            if before
        ]
        if steps:
            yield f"{name}: {'; '.join(steps)}"


def verdicts(figures: Sequence[Figure]) -> Iterator[str]:
    """Every promise and whether it was kept or not measured."""
    for name, size in PROMISED:
        found = [one for one in figures if one.name == name and size in (0, one.size)]
        for one in found:
            yield line(one)
        if not found:
            yield f"{name}{f' at {size:,}' if size else ''}: not measured"


def as_json(figures: Sequence[Figure]) -> list[dict[str, object]]:
    return [{**asdict(one), "promised": one.promise and one.promise[1], "kept": one.kept} for one in figures]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
