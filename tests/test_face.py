"""The public face: its names, what their import loads, and what a type checker knows of them."""
import ast
import subprocess
import sys
from pathlib import Path

import pysitar

SOURCE = Path(pysitar.__file__).read_text(encoding="utf-8")


def run(code):
    """The words that a Python of its own prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                          check=True).stdout.split()


def test_dir_shows_the_public_names_alone():
    assert dir(pysitar) == sorted(pysitar.__all__)
    assert all(getattr(pysitar, name) is not None for name in pysitar.__all__)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(pysitar, "strings")


def test_star_brings_the_public_names():
    names = {}
    exec("from pysitar import *", names)
    assert set(pysitar.__all__) <= set(names)


def test_import_loads_no_numpy():
    loaded = run("import sys, pysitar; print(*sys.modules)")
    assert not {"numpy", "soundfile", "pysitar.api", "pysitar.app", "pysitar.models"} & set(loaded)
    assert len([name for name in loaded if name.startswith("pysitar")]) < 10


def test_analytic_is_a_module():
    assert run("import pysitar.analytic; print(pysitar.analytic.restitution(hysteresis=0.0, "
               "velocity=1.0) == 1.0)") == ["True"]


def test_a_type_checker_knows_the_same_names():
    tree = ast.parse(SOURCE)
    [block] = [node for node in tree.body
               if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"]
    known = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom)
             for alias in node.names}
    assert known.pop("analytic") == "pysitar"
    assert known == pysitar._MODULES
    assert set(pysitar.__all__) == {*known, "analytic", "__version__"}
