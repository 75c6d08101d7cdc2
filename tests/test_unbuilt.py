"""A source tree without built kernels says so, and which command builds them."""
import shutil
import subprocess
import sys
from pathlib import Path

import pysitar


def test_unbuilt_kernels_are_reported(tmp_path):
    source = Path(pysitar.__file__).parent
    shutil.copytree(source, tmp_path / "pysitar",
                    ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import pysitar"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                          check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith("ImportError: pysitar's kernels are not built")
    assert "pip install -e ." in last
