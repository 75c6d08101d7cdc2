"""Which sources the kernels were compiled from."""

cdef extern from *:
    const char* PYSITAR_SOURCES          # defined by setup.py


def digest():
    """The SHA-256 (hex) of the kernels' sources, as they were when the kernels were compiled."""
    return PYSITAR_SOURCES.decode("ascii")
