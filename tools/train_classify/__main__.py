"""Learn the weights of everself.classify from tests/corpora and write them.

usage: python -m tools.train_classify [--check] [--out FILE]

--check trains nothing: it says whether the weights were learned from the corpora as they are.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from tools.train_classify.examples import examples, fingerprint
from tools.train_classify.training import KINDS, Table, arrays, encoder, learn

from everself.classify.features import VERSION
from everself.classify.weights import LARGEST, PATH, pack, unpack


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_classify", description="Learn the weights of classify."
    )
    parser.add_argument("--check", action="store_true", help="only compare the weights with the corpora")
    parser.add_argument("--out", default=PATH, metavar="FILE", help="where the weights are written")
    asked = parser.parse_args()
    if asked.check:
        return check(Path(asked.out))
    data = train()
    if len(data) > LARGEST:
        print(f"The weights take {len(data)} bytes; {LARGEST} are allowed.", file=sys.stderr)
        return 1
    Path(asked.out).write_bytes(data)
    print(f"{asked.out}: {len(data)} bytes")
    return 0


def check(path: Path) -> int:
    learned_from = unpack(path.read_bytes()).told["corpora"]
    if learned_from == fingerprint():
        return 0
    print("The weights were learned from other corpora. Run: python -m tools.train_classify", file=sys.stderr)
    return 1


def train() -> bytes:
    table = Table(examples(), encoder())
    told: dict[str, object] = {"features": VERSION, "corpora": fingerprint()}
    made: dict[str, NDArray[Any]] = {"axes.mean": table.mean, "axes.basis": table.axes}
    heads: dict[str, object] = {}
    for kind in KINDS:
        learned = learn(table, kind, lambda line: print(line, flush=True))
        made |= arrays(kind, learned)
        heads[kind] = {
            "outputs": learned.outputs,
            "thresholds": learned.thresholds,
            "possible": learned.possible,
            "figures": [{name: round(value, 4) for name, value in one.items()} for one in learned.figures],
        }
    return pack({**told, "heads": heads}, made)


if __name__ == "__main__":
    sys.exit(main())
