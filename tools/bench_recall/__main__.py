"""make bench-recall: the share of evidence that the product's search finds, compared with baselines in the same run.

usage: python -m tools.bench_recall --data DIR [--json FILE] [--sets locomo,beam] [--questions N] [--jobs N]
       [--rankers DIR] [--better]

--rankers measures every set with weights that were learnt without it: python -m tools.train_recall --left-out DIR.
--better first computes a vector of the better model for every unit, which takes an hour for all sets.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from tools.bench_recall.report import as_json, make_rows, render
from tools.bench_recall.running import run, say
from tools.bench_recall.sets import READERS, BadData, load_sets, thin_out
from tools.bench_recall.systems import Unmeasurable

from everself.errors import EverselfError


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    begin = time.perf_counter()
    try:
        datasets = load_sets(Path(chosen.data), chosen.sets)
        if chosen.questions:
            datasets = tuple(thin_out(dataset, chosen.questions) for dataset in datasets)
        rankers = Path(chosen.rankers) if chosen.rankers else None
        outcome = run(datasets, chosen.jobs, rankers, better=chosen.better)
    except (BadData, Unmeasurable, EverselfError) as error:
        print(f"bench-recall: {error}", file=sys.stderr)
        return 2
    rows = make_rows(outcome.answers)
    for line in render(datasets, rows, outcome):
        print(line)
    print(f"measured in {time.perf_counter() - begin:.0f} s")
    if chosen.json:
        try:
            Path(chosen.json).write_text(
                json.dumps(as_json(rows, outcome.answers), ensure_ascii=False, indent=1), encoding="utf-8"
            )
        except OSError as error:
            print(f"bench-recall: {chosen.json} cannot be written: {error.strerror}.", file=sys.stderr)
            return 2
        say(f"Every row and every question is in {chosen.json}.")
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench_recall", description="Measure recall.")
    parser.add_argument("--data", required=True, metavar="DIR", help="the folder with the sets, see docs/benchmarks.md")
    parser.add_argument("--json", default="", metavar="FILE", help="where every row and every question is written")
    parser.add_argument("--sets", type=_sets, default=tuple(READERS), help=f"of {','.join(READERS)}; all by default")
    parser.add_argument("--questions", type=int, default=0, metavar="N", help="at most so many of each set")
    jobs = min(2, len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else 1
    parser.add_argument("--jobs", type=int, default=jobs, metavar="N", help="workspaces measured at a time")
    parser.add_argument("--rankers", default="", metavar="DIR", help="weights learnt without each set, by train_recall")
    parser.add_argument("--better", action="store_true", help="with the better model's second stage")
    chosen = parser.parse_args(arguments)
    if chosen.jobs < 1 or chosen.questions < 0:
        parser.error("--jobs begins with 1, --questions with 0")
    return chosen


def _sets(told: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in told.split(",") if name.strip()))
    unknown = [name for name in names if name not in READERS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"there are {', '.join(READERS)}, and not {', '.join(unknown) or 'none'}")
    return names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
