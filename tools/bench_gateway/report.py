"""Renders the clients' results as lines and JSON, with the aims beside them. Independent of clocks and processes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from tools.bench_gateway.clients import Answered

# aims in ms, on two idle cores: p99 of the added delay to the first token, with one agent and with several
AIM_ONE, AIM_MANY = 300.0, 150.0


@dataclass(frozen=True, slots=True)
class Delays:
    """Delays of complete replies, in ms. `faults`: the reasons of the others."""

    replies: int
    first_p50: float
    first_p99: float
    gap_p50: float
    gap_p99: float
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Resources of the gateway's process: resident MB before and after, and processor milliseconds per reply."""

    rss_start: float
    rss_end: float
    cpu_per_reply: float
    cpu_share: float


@dataclass(frozen=True, slots=True)
class Run:
    """The same clients run against the gateway and directly against the model."""

    agents: int
    streams: int
    entries: int
    seconds: float
    through: Delays
    alone: Delays
    load: Load

    @property
    def aim(self) -> float:
        return AIM_ONE if self.agents == 1 else AIM_MANY

    @property
    def added_p99(self) -> float:
        return self.through.first_p99 - self.alone.first_p99


def delays_of(answers: Sequence[Answered]) -> Delays:
    whole = [one for one in answers if not one.fault]
    first, gaps = sorted(one.first for one in whole), sorted(one.gap for one in whole)
    spread = (percentile(first, 0.5), percentile(first, 0.99), percentile(gaps, 0.5), percentile(gaps, 0.99))
    return Delays(len(whole), *(value * 1000 for value in spread), tuple(one.fault for one in answers if one.fault))


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that is at least as large as this share of the values; NaN if there are none."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def lines(run: Run) -> Iterator[str]:
    agents = "1 agent" if run.agents == 1 else f"{run.agents} agents"
    yield f"── {run.streams} streams on {agents} of {run.entries:,} entries, {run.seconds:g} s"
    through, alone = run.through, run.alone
    yield _row("first token", (through.first_p50, through.first_p99), (alone.first_p50, alone.first_p99))
    verdict = "ok" if run.added_p99 <= run.aim else "MISSED"
    yield f"   first token, added p99: {run.added_p99:.0f} ms (aim on two idle cores ≤ {run.aim:g}) {verdict}"
    yield _row("worst gap", (through.gap_p50, through.gap_p99), (alone.gap_p50, alone.gap_p99))
    load = run.load
    yield f"   gateway: {load.rss_start:.0f} MB at the start, {load.rss_end:.0f} MB at the end"
    yield f"   gateway: {load.cpu_per_reply:.0f} ms of a processor for each reply, {load.cpu_share:.0%} of one core in all"
    yield f"   replies: {through.replies} through the gateway, {alone.replies} from the model alone"
    for name, faults in (("the gateway", through.faults), ("the model alone", alone.faults)):
        if faults:
            kinds = ", ".join(f"{faults.count(one)} × {one}" for one in sorted(set(faults)))
            yield f"   without a whole reply by {name}: {kinds}"


def as_json(run: Run) -> dict[str, object]:
    return {**asdict(run), "added_p99": run.added_p99, "aim": run.aim}


def _row(name: str, through: tuple[float, float], alone: tuple[float, float]) -> str:
    added = tuple(one - other for one, other in zip(through, alone, strict=True))
    shown = (f"{p50:.0f} / {p99:.0f} ms" for p50, p99 in (through, alone, added))
    return "   {}, p50 / p99: through the gateway {}, the model alone {}, added {}".format(name, *shown)
