"""Files of learned weights: a header that says what the arrays are and what they were learned from, then the arrays.

`python -m tools.train_classify` writes them; they are mapped into memory, not read. Knows neither features nor heads.
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

MAGIC: Final = b"EVERCLS1"
SIZE: Final = 4


@dataclass(frozen=True, slots=True)
class Weights:
    """`told` is the trainer's description of the arrays: names of outputs, thresholds, the hash of the training data."""

    told: Mapping[str, Any]
    arrays: "Mapping[str, Array]"


def unpack(data: "bytes | mmap.mmap") -> Weights:
    """The weights as views into the bytes; nothing is copied."""
    import numpy

    begin = len(MAGIC) + SIZE
    if data[: len(MAGIC)] != MAGIC:
        raise Damaged("The weights of the classifier are not in the format of this version. Install Everself again.")
    size = int.from_bytes(data[len(MAGIC) : begin], "little")
    header = json.loads(data[begin : begin + size])
    arrays: dict[str, Array] = {}
    for name, row in header["arrays"].items():
        kind = numpy.dtype(row["type"])
        count = int(numpy.prod(row["shape"], dtype=numpy.int64))
        flat = numpy.frombuffer(data, dtype=kind, count=count, offset=begin + size + row["at"])
        arrays[name] = flat.reshape(row["shape"])
    return Weights(header["told"], arrays)


@cache
def load(path: str, version: int) -> Weights:
    """The weights in a file of the package, mapped into memory. `version` is that of the features they were learned for."""
    with open(path, "rb") as file:
        found = unpack(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if found.told["features"] != version:
        raise Damaged(f"{os.path.basename(path)} belongs to another version of Everself. Install it again.")
    return found
