"""Figures with the promised limits, as lines and as JSON. Does not measure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `most`: its promised limit, if there is one."""

    name: str
    value: float
    unit: str
    most: float | None = None

    def __str__(self) -> str:
        told = f"{self.name}: {self.value:,.0f} {self.unit}"
        if self.most is None:
            return told
        return f"{told} (promised ≤ {self.most:,.0f}) {'ok' if self.value <= self.most else 'MISSED'}"


def spread(name: str, seconds: Sequence[float], most: float | None = None) -> list[Figure]:
    """The median and the 95th percentile, in milliseconds. `most` limits the latter."""
    ordered = sorted(seconds)
    middle, late = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return [Figure(f"{name} p50", middle * 1000, "ms"), Figure(f"{name} p95", late * 1000, "ms", most)]


def as_json(figures: Sequence[Figure]) -> list[dict[str, object]]:
    return [asdict(one) for one in figures]
