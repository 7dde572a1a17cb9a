"""make bench-integrations: the waiting time and cost that Everself adds to other programs.

usage: python -m tools.bench_integrations [--only mcp,hooks,troubles] [--rounds 20] [--entries 1000] [--json FILE]

Each part is a module with `measure(folder, rounds, entries)`, which yields figures and headings. Meant for an idle machine.
"""

import argparse
import importlib
import json
import sys
import tempfile
from pathlib import Path

from tools.bench_integrations.figures import Figure, as_json

PARTS = ("mcp", "hooks", "troubles")


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    figures: list[Figure] = []
    for part in chosen.only:
        measure = importlib.import_module(f"tools.bench_integrations.{part}").measure
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            for told in measure(Path(folder), chosen.rounds, chosen.entries):
                if isinstance(told, Figure):
                    figures.append(told)
                print(f"   {told}" if isinstance(told, Figure) else f"── {told}", flush=True)
    if chosen.json:
        Path(chosen.json).write_text(json.dumps(as_json(figures), indent=1) + "\n", "utf-8")
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-integrations")
    parser.add_argument("--only", type=lambda text: tuple(text.split(",")), default=PARTS)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--entries", type=int, default=1_000)
    parser.add_argument("--json", default="")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.only) - set(PARTS):
        parser.error(f"unknown part: {min(unknown)}; there are {', '.join(PARTS)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
