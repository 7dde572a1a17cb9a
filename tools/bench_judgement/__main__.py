"""make bench-judgement: precision, recall and false alarms of Everself's classifiers, compared with plain patterns.

usage: python -m tools.bench_judgement --data DIR [--json FILE] [--tasks corrections,conflicts,attacks,newer-first]
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.bench_judgement.tasks import TASKS, BadData, Case

from everself.clock import monotonic
from everself.errors import EverselfError

ALL = "all"


@dataclass(frozen=True, slots=True)
class Figure:
    """The results of one system on one part. A share of nothing is None."""

    task: str
    part: str
    system: str
    wanted: int
    unwanted: int
    found: int
    alarms: int

    @property
    def recall(self) -> float | None:
        return self.found / self.wanted if self.wanted else None

    @property
    def precision(self) -> float | None:
        # without harmless texts every find is right by definition, so there is no precision
        return self.found / (self.found + self.alarms) if self.wanted and self.unwanted and self.found else None

    @property
    def false_alarms(self) -> float | None:
        return self.alarms / self.unwanted if self.unwanted else None


def figures(task: str, cases: Iterable[Case]) -> list[Figure]:
    """Figures of Everself and of the baseline: for each part, each group of parts, and all together."""
    parts: dict[str, list[Case]] = {}
    for case in cases:
        for part in filter(None, (case.part, case.group, ALL)):
            parts.setdefault(part, []).append(case)
    found = []
    for part, held in sorted(parts.items(), key=lambda one: one[0] == ALL):
        for system in ("everself", "plain"):
            said = [(case.wanted, case.found if system == "everself" else case.plain) for case in held]
            wanted = sum(one for one, _ in said)
            hits, alarms = sum(one and other for one, other in said), sum(other and not one for one, other in said)
            found.append(Figure(task, part, system, wanted, len(said) - wanted, hits, alarms))
    return found


def render(found: list[Figure]) -> Iterator[str]:
    yield f"{'':34} {'':8} {'to find':>8} {'recall':>7} {'prec.':>7} {'harmless':>9} {'alarms':>7}"
    for one in found:
        name = f"{one.task}: {one.part}" if one.system == "everself" else ""
        shares = [_share(one.recall), _share(one.precision), _share(one.false_alarms)]
        yield f"{name:34} {one.system:8} {one.wanted:8} {shares[0]:>7} {shares[1]:>7} {one.unwanted:9} {shares[2]:>7}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    begin = monotonic()
    found: list[Figure] = []
    try:
        for task in chosen.tasks:
            found += figures(task, TASKS[task](Path(chosen.data)))
    except (BadData, EverselfError) as error:
        print(f"bench-judgement: {error}", file=sys.stderr)
        return 2
    for line in render(found):
        print(line)
    print(f"measured in {monotonic() - begin:.0f} s")
    if chosen.json:
        shares = ("recall", "precision", "false_alarms")
        rows = [asdict(one) | {name: getattr(one, name) for name in shares} for one in found]
        try:
            Path(chosen.json).write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
        except OSError as error:
            print(f"bench-judgement: {chosen.json} cannot be written: {error.strerror}.", file=sys.stderr)
            return 2
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench_judgement", description="Measure judgement.")
    parser.add_argument(
        "--data", required=True, metavar="DIR", help="the folder with correction/, conflict/, injection/"
    )
    parser.add_argument("--json", default="", metavar="FILE", help="where every figure is written")
    parser.add_argument("--tasks", type=_tasks, default=tuple(TASKS), help=f"of {','.join(TASKS)}; all by default")
    return parser.parse_args(arguments)


def _tasks(told: str) -> tuple[str, ...]:
    names = tuple(told.split(","))
    if unknown := [name for name in names if name not in TASKS]:
        raise argparse.ArgumentTypeError(f"there is no {', '.join(unknown)}")
    return names


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
