"""The file of learned weights: arrays behind a header that says what they are and what they were learned from.

`weights.bin` is made by `python -m tools.train_classify` and mapped into memory, not read. Knows neither features nor heads.
"""

import json
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from everself.errors import Damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

PATH: Final = os.path.join(os.path.dirname(__file__), "weights.bin")
LARGEST: Final = 2 << 20
_MAGIC: Final = b"EVERCLS1"
_ALIGNED: Final = 64
_SIZE: Final = 4


@dataclass(frozen=True, slots=True)
class Weights:
    """`told` is what the trainer said of the arrays: names of outputs, thresholds, the hash of what was learned from."""

    told: Mapping[str, Any]
    arrays: "Mapping[str, Array]"


def pack(told: Mapping[str, Any], arrays: "Mapping[str, Array]") -> bytes:
    """The bytes of a file that holds them."""
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
    header += b" " * (-(len(_MAGIC) + _SIZE + len(header)) % _ALIGNED)
    return b"".join((_MAGIC, len(header).to_bytes(_SIZE, "little"), header, *blocks))


def unpack(data: "bytes | mmap.mmap") -> Weights:
    """Views into the bytes; nothing is copied."""
    import numpy

    begin = len(_MAGIC) + _SIZE
    if data[: len(_MAGIC)] != _MAGIC:
        raise Damaged("The weights of the classifier are not in the format of this version. Install Everself again.")
    size = int.from_bytes(data[len(_MAGIC) : begin], "little")
    header = json.loads(data[begin : begin + size])
    arrays: dict[str, Array] = {}
    for name, row in header["arrays"].items():
        kind = numpy.dtype(row["type"])
        count = int(numpy.prod(row["shape"], dtype=numpy.int64))
        flat = numpy.frombuffer(data, dtype=kind, count=count, offset=begin + size + row["at"])
        arrays[name] = flat.reshape(row["shape"])
    return Weights(header["told"], arrays)


@cache
def shipped() -> Weights:
    """Those that come with the package."""
    with open(PATH, "rb") as file:
        return unpack(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
