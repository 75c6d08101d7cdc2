"""Nothing from score to sample depends on the machine's CPU or its C library: a search of the
sources.

NumPy's exp, sin, pow and the rest are other code on another CPU (and sums and products of arrays
add in another order), and so are the C library's, which `math` and `**` call: this code takes them
from pysitar.kernels.core.elementary. What is rounded exactly (+ - * / sqrt, comparing, copying,
fsum) is the same everywhere. """
import ast
import re
from functools import cache
from pathlib import Path

import pytest
from sources import nodes_of, text_of, tree_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "pysitar"
FOLDERS = ("physics", "models", "rendering", "score", "kernels")
# of other folders: what a sweep or a draw puts in, which part of a score is rendered, the numbers
# of a sound file
# what is set by its figures is rounded to 0.001 dB, over which its sums do not differ
MEASURED = "physics/loudness.py"
ALONE = ("app/batch/variations.py", "api/targets.py", "api/render_memory.py", "output/audio.py",
         "output/encodings.py")
PYTHON = sorted({*(path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py")), *(
    PACKAGE / name for name in ALONE)} - {PACKAGE / MEASURED})
CYTHON = sorted(path for pattern in ("*.pyx", "*.pxd")
                for path in (PACKAGE / "kernels").rglob(pattern))
HEADERS = sorted((PACKAGE / "kernels").rglob("*.h"))
SOURCES = PYTHON + CYTHON + HEADERS

# of NumPy: exact, or no arithmetic at all. Any other name is asked about.
EXACT = frozenset((
    "abs",
    "absolute",
    "all",
    "any",
    "append",
    "argmax",
    "argmin",
    "argsort",
    "array",
    "array_equal",
    "arange",
    "asarray",
    "ascontiguousarray",
    "atleast_2d",
    "bool_",
    "broadcast_to",
    "clip",
    "concatenate",
    "copy",
    "count_nonzero",
    "diff",
    "divide",
    "double",
    "dtype",
    "empty",
    "empty_like",
    "errstate",
    "eye",
    "flatnonzero",
    "float32",
    "float64",
    "full",
    "full_like",
    "generic",
    "inf",
    "int32",
    "int64",
    "intp",
    "isfinite",
    "isinf",
    "isnan",
    "max",
    "maximum",
    "min",
    "minimum",
    "nan",
    "ndarray",
    "ndim",
    "newaxis",
    "ones",
    "ones_like",
    "pi",
    "ravel",
    "reshape",
    "rint",
    "searchsorted",
    "shape",
    "size",
    "sort",
    "sqrt",
    "stack",
    "uint8",
    "uint64",
    "void",
    "where",
    "zeros",
    "zeros_like",
    "accumulate",
    "typing",
    "issubdtype",
    "integer",
    "floating",
    "tobytes",
    "tile",
))
# methods of arrays that add in an order of NumPy's choosing
SUMMING = frozenset(("sum", "dot", "mean", "std", "var", "prod", "cumsum", "trace", "matmul"))
CPU_DEPENDENT = frozenset(
    ("scipy", "numba", "random", "secrets", "uuid", "time", "datetime", "cmath", "statistics"))
# of math: exact, or rounded once. Any other name may be the C library's own.
MATH = frozenset((
    "ceil",
    "copysign",
    "fabs",
    "floor",
    "fmod",
    "frexp",
    "fsum",
    "gcd",
    "inf",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isqrt",
    "lcm",
    "ldexp",
    "modf",
    "nan",
    "nextafter",
    "pi",
    "prod",
    "radians",
    "remainder",
    "sqrt",
    "trunc",
    "ulp",
))
LIBC = frozenset((
    "INFINITY",
    "M_PI",
    "NAN",
    "ceil",
    "copysign",
    "fabs",
    "floor",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "isfinite",
    "isinf",
    "isnan",
    "ldexp",
    "nextafter",
    "remainder",
    "rint",
    "round",
    "signbit",
    "sqrt",
    "trunc",
))
ELEMENTARY = (
    r"(?:exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|hypot|cbrt"
    r"|erf|erfc|tgamma|lgamma|fma)[fl]?")

# (file, what) -> why it is not on the way, or does not differ
ALLOWED = {
    ("physics/energy.py", "np.cumsum"): "the audit's scale: compared with a bound, never heard",
    ("physics/excitation.py", "np.cumsum"): "sums of whole numbers",
    ("physics/excitation.py", "np.multiply.accumulate"): "each product after the one before",
    ("kernels/contact/law.pxd", ".mean()"): "the mean force of a law: a function of its own",
    ("physics/barrier.py", "hash"): "a Barrier's own, for sets and dictionaries: no number comes "
                                    "of it",
    ("kernels/grid/arrays.py", "np.nonzero"): "finds places: whole numbers",
    ("rendering/engine.py", ".sum()"): "counts clipped samples: whole numbers",
    ("models/definitions/reader.py", "datetime"): "the types of dates in a TOML file, for a "
                                                        "message: nothing asks for the time",
}


def named(node):
    """np.linalg.norm -> "np.linalg.norm"; None for what is no dotted name."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def whole_power(node):
    """2**31: of whole numbers, by Python; of a float, `x ** 2` too, by the C library."""
    parts = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    return bool(parts) and all(
        isinstance(part, ast.Constant) and type(part.value) is int for part in parts)


def python_finds(tree):
    """(line, what) of everything in Python source that may differ between CPUs."""
    numpy = {alias.asname or alias.name for node in nodes_of(tree) if isinstance(node, ast.Import)
             for alias in node.names if alias.name == "numpy"}
    mathematics = {alias.asname or alias.name for node in nodes_of(tree)
                   if isinstance(node, ast.Import) for alias in node.names if alias.name == "math"}
    inner = {id(node.value) for node in nodes_of(tree) if isinstance(node, ast.Attribute)}
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names
                        if alias.name.split(".")[0] in CPU_DEPENDENT)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from [(node.lineno,
                         node.module)] if node.module.split(".")[0] in CPU_DEPENDENT else []
            if node.module.split(".")[0] == "numpy" and node.module != "numpy.typing":
                yield from ((node.lineno, f"np.{alias.name}") for alias in node.names
                            if alias.name not in EXACT)
            if node.module == "math":
                yield from ((node.lineno, f"math.{alias.name}") for alias in node.names
                            if alias.name not in MATH)
        elif isinstance(node, ast.Attribute) and id(node) not in inner and (
                name := named(node)) and name.split(".")[0] in numpy:
            if not set(name.split(".")[1:]) <= EXACT:
                yield node.lineno, "np." + ".".join(name.split(".")[1:])
        elif isinstance(node, ast.Attribute) and id(node) not in inner and (
                name := named(node)) and name.split(".")[0] in mathematics:
            if name.split(".")[1] not in MATH:
                yield node.lineno, f"math.{name.split('.')[1]}"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            yield node.lineno, "@"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(
                node.op, ast.Pow) and not whole_power(node):
            yield node.lineno, "**"
        elif isinstance(node, ast.Constant) and isinstance(node.value, complex):
            yield node.lineno, "complex"
        elif isinstance(node, ast.Name) and node.id in {"complex", "hash", "pow"}:
            yield node.lineno, node.id
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in SUMMING and (
                named(called) or "").split(".")[0] not in numpy:
            yield node.lineno, f".{called.attr}()"


def cython_finds(text):
    """The same of Cython source, line by line without comments and doc texts."""
    for match in re.finditer(r'"""(?!\n    static ).*?"""', text, re.DOTALL):
        text = text.replace(match[0], "\n" * match[0].count("\n"), 1)
    for number, line in enumerate(text.splitlines(), start=1):
        line = re.sub(r"#.*", "", line)
        for name in re.findall(r"\bnp\.((?:\w+\.)*\w+)", line):
            if not set(name.split(".")) <= EXACT:
                yield number, f"np.{name}"
        for names in re.findall(r"\bfrom\s+libc\.math\s+cimport\s+(.*)", line):
            plain = [name.split()[0] for name in re.split(r"[,()]", names) if name.strip()]
            yield from ((number, f"libc.{name}") for name in plain if name not in LIBC)
        if re.search(r"\bcimport\s+libc\.math|\bextern\s+from\s+.(?:math|tgmath|cmath)\b", line):
            yield number, "libc.math"
        for name in re.findall(r"\.(\w+)\s*\(", line):
            if name in SUMMING:
                yield number, f".{name}()"
        for name in re.findall(
                r"\b(complex|prange|fmaf?|scipy|random|numba|openmp|__builtin_\w+|_mm\w+)\b", line):
            yield number, name
        if re.search(r"\s@\s", line):
            yield number, "@"
        # not a pointer's
        if re.search(r"[\w)\]] ?\*\* ?[\w(]",
                     re.sub(r"\b(?:double|int|float|void|char)\s*\*\*", "", line)):
            yield number, "**"


def header_finds(text):
    """What C source calls of the C library."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), start=1):
        yield from ((number, name)
                    for name in re.findall(rf"\b(?:__builtin_)?{ELEMENTARY}\s*\(", line))


@cache
def finds(path):
    if path.suffix == ".py":
        return list(python_finds(tree_of(path)))
    return list((header_finds if path.suffix == ".h" else cython_finds)(text_of(path)))


def test_nothing_depends_on_the_machine():
    wrong = [f"{where}:{line}: {what}"
             for path in SOURCES for where in [path.relative_to(PACKAGE).as_posix()]
             for line, what in finds(path) if (where, what) not in ALLOWED]
    assert not wrong, "\n".join(wrong)


def test_all_that_is_allowed_is_there():
    """A reason whose case has gone would hide the next one."""
    there = {(path.relative_to(PACKAGE).as_posix(), what) for path in SOURCES for _,
             what in finds(path)}
    assert set(ALLOWED) <= there


def test_the_search_reads_the_whole_way():
    read = {path.relative_to(PACKAGE).as_posix() for path in SOURCES}
    assert {
        "physics/string.py",
        "physics/excitation.py",
        "models/strings/played.py",
        "models/network/audited.py",
        "rendering/engine.py",
        "rendering/mix.py",
        "score/tempo.py",
        "score/pitch.py",
        "kernels/modal/two_point.pyx",
        "kernels/modal/two_point.pxd",
        "kernels/core/lanes.pxd",
        "kernels/contact/solver.pxd",
        "kernels/contact/law.pxd",
        "kernels/core/decimate.pyx",
        "kernels/core/elementary.h",
        "physics/draws.py",
        "app/batch/variations.py",
        "output/audio.py",
    } <= read


@pytest.mark.parametrize("text, what", [
    ("import numpy as np\ny = np.exp(x)", "np.exp"),
    ("import numpy as n\ny = n.sin(x)", "np.sin"),
    ("import numpy\ny = numpy.power(x, 2)", "np.power"),
    ("from numpy import cos", "np.cos"),
    ("import numpy as np\ny = np.linalg.solve(a, b)", "np.linalg.solve"),
    ("y = a @ b", "@"),
    ("a @= b", "@"),
    ("import numpy as np\ny = np.dot(a, b)", "np.dot"),
    ("y = a.dot(b)", ".dot()"),
    ("y = (a * b).sum()", ".sum()"),
    ("y = a.sum(axis=0)", ".sum()"),
    ("import numpy as np\ny = np.sum(a)", "np.sum"),
    ("import scipy.signal", "scipy.signal"),
    ("from scipy import linalg", "scipy"),
    ("y = x ** 0.5", "**"),
    ("y = x ** 2", "**"),
    ("y = 2.0 ** 3", "**"),
    ("y = 2 ** n", "**"),
    ("x **= 2", "**"),
    ("y = pow(x, 2)", "pow"),
    ("import math\ny = math.exp(x)", "math.exp"),
    ("import math as m\ny = m.pow(x, 0.5)", "math.pow"),
    ("import math\nf = math.hypot", "math.hypot"),
    ("from math import sin", "math.sin"),
    ("from math import *", "math.*"),
    ("import cmath", "cmath"),
    ("y = x ** n", "**"),
    ("y = 1j * x", "complex"),
    ("import numpy as np\ny = np.zeros(3, dtype=np.complex128)", "np.complex128"),
    ("import random", "random"),
    ("import numpy as np\ng = np.random.default_rng(1)", "np.random.default_rng"),
    ("k = hash(name)", "hash"),
    ("import numpy as np\nf = np.hypot.reduce", "np.hypot.reduce"),
    ("import numpy as np\ny = np.add.reduce(x)", "np.add.reduce"),
])
def test_the_search_sees(text, what):
    assert [found for _, found in python_finds(ast.parse(text))] == [what]


@pytest.mark.parametrize("text", [
    "import math\ny = math.floor(x) + math.fsum(z) + math.sqrt(x)",
    "from pysitar.kernels import elementary\ny = elementary.exp(x)",
    "import numpy as np\ny = np.sqrt(x) + np.abs(x) * np.zeros(3)",
    "y = 2**31 + 16 * 10**6",
    "import numpy as np\nimport numpy.typing as npt\ny: npt.NDArray[np.float64] = "
    "np.maximum.accumulate(x)",
    "y = '''a @ b, np.exp'''",
    "# np.exp(x)",
])
def test_the_search_lets_pass(text):
    assert list(python_finds(ast.parse(text))) == []


@pytest.mark.parametrize("line, what", [
    ("    y = np.exp(x)", "np.exp"),
    ("    y = a @ b", "@"),
    ("    y = a.sum(axis=0)", ".sum()"),
    ("cdef double complex z", "complex"),
    ("    for i in prange(n):", "prange"),
    ("    y = fma(a, b, c)", "fma"),
    ("    y = x ** 1.5", "**"),
    ("    w = np.linalg.inv(a)", "np.linalg.inv"),
    ("from libc.math cimport fabs, pow", "libc.pow"),
    ("from libc.math cimport exp as e", "libc.exp"),
    ("cimport libc.math", "libc.math"),
    ('cdef extern from "math.h":', "libc.math"),
])
def test_the_search_sees_in_kernels(line, what):
    assert [found for _, found in cython_finds(line)] == [what]
    assert list(cython_finds(f"    pass          # {line}")) == []


@pytest.mark.parametrize("line, count", [("    y = exp(x);", 1),
                                         ("    y = powf (x, y) + __builtin_sin(x);", 2),
                                         ("    y = pysitar_exp(x) + sqrt(x); /* exp(x) */", 0)])
def test_the_search_sees_in_headers(line, count):
    assert len(list(header_finds(line))) == count


@pytest.mark.parametrize("name", ["setup.py", "pyproject.toml"])
def test_no_compiler_flag_trades_bits_for_speed(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    wrong = re.findall(
        r"-ffast-math|-Ofast|-march=\w+|-mtune=native|-mfma|-mavx\w*|-funsafe-math\S*|-fassociative-math|-freciprocal-math"
        r"|-ffp-contract=(?:fast|on)|-fopenmp|-ffinite-math-only|-fno-signed-zeros", text)
    assert not wrong


def test_every_build_forbids_contraction():
    """a * b + c in one rounding is what a clone could do and the baseline not: each list of flags
    says no."""
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    lists = [
        re.findall(r'"([^"]*)"', found)
        for found in re.findall(r"COMPILE = \[(.*?)\]", text, re.DOTALL)
    ]
    assert len(lists) >= 2 and all("-ffp-contract=off" in flags for flags in lists)


def test_no_kernel_brings_its_own_flags():
    for path in [*CYTHON, *(PACKAGE / "kernels").rglob("*.h")]:
        text = path.read_text(encoding="utf-8")
        # to unroll a loop moves no rounding
        own = (r"distutils:|#\s*pragma\s+(?:GCC(?!\s+unroll\b)|STDC|omp)"
               r"|__attribute__\s*\(\(\s*optimize|fast-math|immintrin")
        assert not re.search(own, text), path.name
