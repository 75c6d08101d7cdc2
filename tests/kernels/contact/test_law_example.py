"""The law of docs/extending.md: its text is compiled alone, and is a discrete gradient."""
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from pysitar.physics.contact import law_array, law_values

ROOT = Path(__file__).resolve().parents[3]
CORE = ROOT / "pysitar" / "kernels" / "core"
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## A law of a contact"):]
LAW, LINES = re.findall(r"```cython\n(.*?)```", SECTION, re.DOTALL)
DATACLASS = re.search(r"```python\n(.*?)```", SECTION, re.DOTALL)[1]
DRIVER = """
# cython: language_level=3, cdivision=True
from pysitar.kernels.contact.law_record cimport Law
from layer_law cimport LAYER, set_layer_law

kind = LAYER

def step(double p0, double p1, double stiffness, double core, double depth):
    cdef Law law
    cdef double slope
    law.stiffness, law.parameters[2], law.parameters[3] = stiffness, core, depth
    assert set_layer_law(&law) and law.relax == NULL
    force = law.mean(&law, p0, p1, &slope)
    return force, slope, law.stored(&law, p0), law.stored(&law, p1)
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The compiled module of the law alone."""
    pytest.importorskip("Cython")
    folder = tmp_path_factory.mktemp("law")
    (folder / "layer_law.pxd").write_text(LAW, encoding="utf-8")
    (folder / "driver.pyx").write_text(DRIVER, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "cython", "-3", "-I", ROOT, "driver.pyx"], cwd=folder,
                   check=True, capture_output=True)
    target = folder / f"driver{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run([*os.environ.get("CC", "gcc").split(), "-shared", "-fPIC", "-O0",
                    "-ffp-contract=off", f"-I{CORE}", f"-I{sysconfig.get_path('include')}",
                    f"-I{sysconfig.get_path('platinclude')}", "driver.c", "-o", target],
                   cwd=folder, check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("driver", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_is_a_discrete_gradient(example):
    k, core, depth = 1e5, 1e7, 1e-4
    rng = np.random.default_rng(2)
    cores = 0
    for p0, p1 in (rng.random((300, 2)) * 3.0 - 1.0) * depth:
        force, slope, low, high = example.step(p0, p1, k, core, depth)
        # the energies cancel by a few roundings of the larger
        assert force * (p1 - p0) == pytest.approx(high - low, abs=1e-15 * (high + low + 1e-9))
        assert slope >= 0.0
        cores += max(p0, p1) > depth
    assert cores > 100
    # at rest and near p0 = p1: the law's own force
    for p, exact in ((-depth, 0.0), (0.5 * depth, 5.0), (2.0 * depth, 20.0 + 1000.0)):
        assert example.step(p, p, k, core, depth)[0] == pytest.approx(exact, rel=1e-14)
        assert example.step(p, p + 1e-16, k, core, depth)[0] == pytest.approx(exact, rel=1e-9)


def test_its_lines_have_the_form_of_the_others():
    # the two lines of each law in law.pxd, with the names of the example
    text = (ROOT / "pysitar/kernels/contact/law.pxd").read_text(encoding="utf-8")
    ours = {line.strip() for line in LINES.splitlines()}
    theirs = {line.strip().replace("ADHESIVE", "LAYER").replace("adhesive", "layer")
              for line in text.splitlines() if "adhesive_law" in line}
    assert ours == theirs


def test_its_dataclass_fills_the_array(example):
    names: dict = {}
    exec(compile(DATACLASS, "extending.md", "exec"), names)
    [entry] = law_array([law_values(names["LayerLaw"](stiffness=1e5, core=1e7, depth=1e-4))])
    assert entry["kind"] == example.kind
    assert entry["parameters"].tolist() == [1e5, 1.0, 1e7, 1e-4, 0.0, 0.0]


def test_the_example_is_short():
    assert sum(map(len, map(str.splitlines, (LAW, LINES, DATACLASS)))) < 60
