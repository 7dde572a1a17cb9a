"""The command line of every trainer: train the weights and write them, or only compare the file with the corpora."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from everself.classify.weights import MAGIC, SIZE, unpack

LARGEST: Final = 2 << 20
_ALIGNED: Final = 64


def pack(told: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Serialise values and arrays into the bytes of a weights file."""
    rows: dict[str, dict[str, Any]] = {}
    blocks: list[bytes] = []
    at = 0
    for name, array in sorted(arrays.items()):
        block = array.tobytes()
        rows[name] = {"type": array.dtype.str, "shape": list(array.shape), "at": at}
        block += bytes(-len(block) % _ALIGNED)
        blocks.append(block)
        at += len(block)
    header = json.dumps({"told": dict(told), "arrays": rows}, sort_keys=True).encode()
    header += b" " * (-(len(MAGIC) + SIZE + len(header)) % _ALIGNED)
    return b"".join((MAGIC, len(header).to_bytes(SIZE, "little"), header, *blocks))


def run(name: str, description: str, path: str, fingerprint: Callable[[], str], train: Callable[[], bytes]) -> int:
    """Run a trainer. `fingerprint` is the hash of the training data; the weights contain it."""
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=description)
    parser.add_argument("--check", action="store_true", help="only compare the weights with the corpora")
    parser.add_argument("--out", default=path, metavar="FILE", help="where the weights are written")
    asked = parser.parse_args()
    out = Path(asked.out)
    if asked.check:
        if unpack(out.read_bytes()).told["corpora"] == fingerprint():
            return 0
        print(f"The weights were learned from other corpora. Run: python -m {name}", file=sys.stderr)
        return 1
    data = train()
    if len(data) > LARGEST:
        print(f"The weights take {len(data)} bytes; {LARGEST} are allowed.", file=sys.stderr)
        return 1
    out.write_bytes(data)
    print(f"{out}: {len(data)} bytes")
    return 0
