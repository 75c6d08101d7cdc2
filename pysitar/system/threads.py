"""The number of threads of the linear algebra behind NumPy."""
from __future__ import annotations

import os
import sys

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def limit_threads() -> None:
    """Let linear algebra use one thread, so that its sums have the same bits on any number of
    cores; of no effect once NumPy is imported."""
    if "numpy" not in sys.modules:
        os.environ.update(dict.fromkeys(THREADS, "1"))
