"""A source tree without built kernels says so, and which command builds them; a build uses all
CPUs."""
import os
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


def test_a_build_compiles_on_all_cpus():
    # pip's editable build takes no options of the command from setup.py
    code = ("import setuptools; from distutils.core import run_setup; "
            "dist = run_setup('setup.py', stop_after='init'); "
            "dist.command_options.clear(); command = dist.get_command_obj('build_ext'); "
            "command.ensure_finalized(); "
            "print(command.parallel)")
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(pysitar.__file__).parents[1],
                          capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout.split()[-1]) == len(os.sched_getaffinity(0))
