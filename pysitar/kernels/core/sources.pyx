"""The digest of the sources from which the kernels were compiled."""

cdef extern from *:
    const char* PYSITAR_SOURCES          # defined by setup.py


def digest():
    """Return the SHA-256 (hex) of the kernels' sources at the time of the build."""
    return PYSITAR_SOURCES.decode("ascii")
