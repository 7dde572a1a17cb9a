"""Types of arrays, for annotations. Import them under TYPE_CHECKING only: this module loads numpy."""

import numpy
from numpy.typing import NDArray

Bools = NDArray[numpy.bool_]
Counts = NDArray[numpy.uint8]
Floats = NDArray[numpy.float32]
Halves = NDArray[numpy.float16]
Hashes = NDArray[numpy.int64]
Numbers = NDArray[numpy.int32]
Rows = NDArray[numpy.void]
Words = NDArray[numpy.uint64]
