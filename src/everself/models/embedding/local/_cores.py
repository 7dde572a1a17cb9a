"""Uses CPU cores: one thread for one text, all cores for many texts.

Threads that share a small matrix product wait for each other at every step; threads with different texts do not. So BLAS gets one thread,
and texts are distributed over threads.
"""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors

MOST_CORES = 8
# enough texts to amortise the hand-over, few enough that all cores finish together
PART = 32
# the names of this function in numpy's wheels, older ones, and OpenBLAS itself
_BLAS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)


def count_cores() -> int:
    """The number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_CORES)
    return min(os.cpu_count() or 1, MOST_CORES)


def use_one_blas_thread() -> bool:
    """Set numpy's BLAS to one thread in this process. False if it is another library."""
    import ctypes

    from numpy.linalg import _umath_linalg  # linked against BLAS, so its symbols are visible

    try:
        library = ctypes.CDLL(_umath_linalg.__file__)
    except OSError:
        return False
    name = next((name for name in _BLAS if hasattr(library, name)), None)
    if name is None:
        return False
    getattr(library, name)(ctypes.c_int(1))
    return True


def deal_out(embed: Callable[[Sequence[str]], "Vectors"], texts: Sequence[str]) -> "Vectors":
    """Embed all texts, on all cores if there are many; `embed` is called from several threads."""
    import numpy

    cores = count_cores()
    if cores < 2 or len(texts) < 4:
        return embed(texts)
    from concurrent.futures import ThreadPoolExecutor

    size = min(PART, -(-len(texts) // cores))
    parts = [texts[at : at + size] for at in range(0, len(texts), size)]
    pool = ThreadPoolExecutor(min(cores, len(parts)), thread_name_prefix="everself-embedding")
    try:
        return numpy.concatenate(list(pool.map(embed, parts)))
    finally:
        # after Ctrl-C the remaining work is cancelled
        pool.shutdown(cancel_futures=True)
