"""make bench: measures every promised figure in one run, as ratios where machines differ.

usage: python -m tools.bench [NAME …]     (all when none is named)
"""

import importlib
import sys

PARTS = {
    "start": "tools.bench.start",
    "storage": "tools.bench.storage",
    "markdown": "tools.bench.markdown",
    "memory": "tools.bench.memory",
    "embedding": "tools.bench.embedding",
    "context": "tools.bench.context",
    "conversation": "tools.bench.conversation",
    "keepers": "tools.bench.keepers",
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"No such benchmark: {', '.join(unknown)}; there are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    for name in names or PARTS:
        print(f"── {name}", flush=True)
        for line in importlib.import_module(PARTS[name]).run():
            print(f"   {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
