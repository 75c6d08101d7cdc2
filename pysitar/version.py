"""Which pysitar this is: its version and its folder."""
from __future__ import annotations

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent         # where its files are


@cache
def package_version() -> str:
    """Return the version from the package's metadata; "unknown" where the package is not installed.

    Read at the first call: the metadata is slow, and few need it.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pysitar")
    except PackageNotFoundError:
        return "unknown"
