"""How CPU cores are used: one thread for one text, all cores for many, each with texts of its own.

Two threads that share one small product of matrices wait for each other at every step, and on a busy machine for ever; two
that embed different texts do not. So BLAS is told to use one thread, and texts are dealt out.
"""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors

MOST_CORES = 8
# Enough texts that handing them over costs nothing, few enough that all cores finish together.
PART = 32
# As OpenBLAS is called in numpy's wheels of today, in older ones and on its own.
_BLAS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)


def count_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_CORES)
    return min(os.cpu_count() or 1, MOST_CORES)


def use_one_blas_thread() -> bool:
    """Tell numpy's BLAS, for this process. False where it is another library, which then does as it likes."""
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
    """All texts through `embed`, on all cores where there are many; `embed` is called from several threads."""
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
