"""The installed kernels were compiled from the present sources."""
import hashlib
from pathlib import Path

import pysitar
from pysitar.kernels.core.sources import digest


def test_the_kernels_are_those_of_these_sources():
    folder = Path(pysitar.__file__).parent / "kernels"
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".pyx", ".pxd", ".h"}):
        data = path.read_bytes()
        total.update(f"{path.name} {len(data)}\n".encode() + data)
    assert digest() == total.hexdigest(), "a source has changed since the build: pip install -e ."
