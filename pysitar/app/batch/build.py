"""The identity of this pysitar: the same version and sources make the same samples."""
from __future__ import annotations

import hashlib
from functools import cache
from typing import NamedTuple

from pysitar.kernels.core.sources import digest
from pysitar.version import PACKAGE, package_version

SUFFIXES = (".py", ".toml")     # endings of hashed files beside the kernels: code and presets
SHOWN = 12                      # digits of a hash in messages


class Build(NamedTuple):
    """A version and the hash (hex) of its sources; fault, why it cannot be loaded ("": it can)."""

    version: str
    sources: str
    fault: str = ""

    def __str__(self) -> str:
        return self.fault or f"pysitar {self.version}, sources {self.sources[:SHOWN] or 'unknown'}"


@cache
def this_build() -> Build:
    """Return the running build: kernels as they were compiled, all other files as on disk."""
    total = hashlib.sha256(digest().encode())
    for path in sorted(path for path in PACKAGE.rglob("*") if path.suffix in SUFFIXES):
        data = path.read_bytes()
        total.update(f"{path.relative_to(PACKAGE).as_posix()} {len(data)}\n".encode() + data)
    return Build(package_version(), total.hexdigest())
