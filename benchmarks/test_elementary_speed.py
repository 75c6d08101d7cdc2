"""Speed of the elementary functions against the C library's, over arguments as kernels have
them."""
import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pysitar
from benchmarks.ratio import ratio

KERNELS = Path(pysitar.__file__).parent / "kernels/core"
COUNT = 4096
FLAGS = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC"]
# expression of x, range of x, how many times the C library's time it may take
CASES = {
    "pow": ("pow(x, 1.3)", (1e-8, 1e-3), 1.6), "exp": ("exp(x)", (-20.0, 0.0), 1.5),
    "expm1": ("expm1(x)", (-0.01, 0.0), 1.5), "sin": ("sin(x)", (-4.0, 4.0), 1.5),
    "cos": ("cos(x)", (-4.0, 4.0), 1.5), "log1p": ("log1p(x)", (0.0, 1.0), 1.6),
}
LOOP = """
void {name}(const double *values, double *out, long n)
{{
    for (long i = 0; i < n; i++) {{
        const double x = values[i];
        out[i] = {expression};
    }}
}}
"""


@pytest.fixture(scope="module")
def loops(tmp_path_factory):
    """A C library of a loop over each function, own and other, compiled as the kernels are."""
    folder = tmp_path_factory.mktemp("loops")
    text = '#include "elementary.h"\n'
    for name, (expression, _, _) in CASES.items():
        text += LOOP.format(name=f"other_{name}", expression=expression)
        text += LOOP.format(name=f"own_{name}", expression=f"pysitar_{expression}")
    (folder / "loops.c").write_text(text)
    library = folder / "loops.so"
    command = ["cc", *FLAGS, f"-I{KERNELS}", folder / "loops.c", "-o", library, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(library)


def calls(loops, name):
    """Calls of the own loop and of the C library's, and their results."""
    values = np.random.default_rng(1).uniform(*CASES[name][1], COUNT)
    results = np.empty((2, COUNT))

    def call(function, out):
        pointers = (array.ctypes.data_as(ctypes.c_void_p) for array in (values, out))
        function(*pointers, ctypes.c_long(COUNT))

    own, other = (getattr(loops, f"{kind}_{name}") for kind in ("own", "other"))
    return lambda: call(own, results[0]), lambda: call(other, results[1]), results


@pytest.mark.parametrize("name", CASES)
def test_both_compute_the_same(loops, name):
    own, other, results = calls(loops, name)
    own()
    other()
    assert np.all(np.abs(results[0] - results[1]) <= 2.0 * np.spacing(np.abs(results[1])))


@pytest.mark.gate
@pytest.mark.parametrize("name", CASES)
def test_against_the_c_library(loops, name):
    own, other, _ = calls(loops, name)
    found = ratio(own, other, 200)
    first, second = (1e9 * seconds / COUNT for seconds in (found.first, found.second))
    print(f"\n{CASES[name][0]}: {first:.1f} ns, the C library {second:.1f} ns: {found.value:.2f}")
    assert found.value <= CASES[name][2]
