"""Records the golden files anew: `python -m tests.golden.record`. Only where behaviour was meant to change; read the diff."""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.golden.goldens import EXPECTED, compare_cases, compare_files, play, save
from tests.golden.week import DAYS


def main() -> int:
    with tempfile.TemporaryDirectory() as top, ThreadPoolExecutor() as pool:
        # in folders with names of other lengths and with other hashes of strings: what differs then is no golden
        homes = (Path(top) / "a", Path(top) / "another" / "home")
        first, second = pool.map(lambda home: play(home, len(DAYS), hash_seed=len(str(home))), homes)
    differs = compare_cases(first["cases"], second["cases"]) or compare_files(first["files"], second["files"])
    if differs:
        print(f"Two weeks were not alike; nothing was recorded.\n{differs}", file=sys.stderr)
        return 1
    save(first)
    print(f"Recorded {len(first['cases'])} calls in {EXPECTED}. Now read the diff.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
