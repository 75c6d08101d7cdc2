"""The elementary functions: their error against mpmath, special values, steps, and their bits."""
import hashlib
import math
import random
import struct
from itertools import product
from pathlib import Path

import pytest
from mpmath import mp, mpf
from twins.elementary_tables import header

from pysitar.kernels.core import elementary

KERNELS = Path(elementary.__file__).parent
COUNT = 500                     # arguments from each range of a function
HUGE = 2.0**500

# the error that a function may have, in units of the last place of the exact value
BOUNDS = {
    "exp": 0.51, "expm1": 0.55, "log": 0.51, "log2": 0.51, "log10": 0.51, "log1p": 0.51,
    "pow": 0.51, "sin": 0.85, "cos": 0.85, "tan": 0.95, "atan2": 0.51, "hypot": 0.51, "gamma": 0.9,
}
SUBNORMAL = 0.95                # of a result under the least normal number, which is rounded twice
TWO = {"pow", "atan2", "hypot"}


def uniform(low, high):
    return lambda draw: draw.uniform(low, high)


def across(low, high, *, signed=False):
    """Numbers of every size between two, from plain arithmetic: the same on every machine."""
    first, last = math.frexp(low)[1], math.frexp(high)[1]

    def number(draw):
        size = min(max(math.ldexp(draw.uniform(0.5, 1.0), draw.randint(first, last)), low), high)
        return draw.choice((-size, size)) if signed else size
    return number


def about(centre, width):
    """Return doubles next to one."""
    return lambda draw: centre + math.ldexp(draw.uniform(-width, width), -draw.randrange(50))


def any_bits(draw):
    while True:
        x, = struct.unpack("d", draw.randbytes(8))
        if math.isfinite(x):
            return x


def near_quarter(draw):
    """Return doubles next to multiples of pi/2."""
    place = draw.randrange(1, 2**draw.randrange(2, 60)) * (0.5 * math.pi)
    return math.nextafter(place, draw.choice((-1e300, 1e300)))


def pair(first, second):
    return lambda draw: (first(draw), second(draw))


def powers(draw):
    """A base and the exponent of a result of any size."""
    x = across(1e-100, 1e100)(draw)
    return x, draw.uniform(-744.0, 709.0) / elementary.log(x)


POSITIVE = [
    across(1e-308, 1e308), uniform(0.5, 2.0), about(1.0, 0.02), about(math.sqrt(2.0), 0.02),
    across(5e-324, 1e-300),
]
ANGLES = [
    uniform(-0.8, 0.8), uniform(-7.0, 7.0), uniform(-(2.0**20), 2.0**20), any_bits, near_quarter,
    across(1e-20, 1.0, signed=True),
]
PLANE = [
    pair(uniform(-1.0, 1.0), uniform(-1.0, 1.0)), pair(any_bits, any_bits),
    pair(across(1e-12, 1.0, signed=True), uniform(-1.0, 1.0)),
]
CASES = {
    "exp": [uniform(-745.0, 709.7), uniform(-1.0, 1.0), across(1e-20, 1.0, signed=True),
            uniform(709.0, 709.78)],
    "expm1": [uniform(-40.0, 709.0), uniform(-1.0, 1.0), about(0.17, 0.01), about(-0.17, 0.01),
              across(1e-300, 1.0, signed=True)],
    "log": POSITIVE, "log2": POSITIVE, "log10": POSITIVE,
    "log1p": [across(1e-300, 1e300), uniform(-1.0, 3.0), about(0.0, 0.02), about(-0.29, 0.02),
              lambda draw: across(1e-16, 1.0)(draw) - 1.0],
    "pow": [pair(across(1e-10, 1e10), uniform(-30.0, 30.0)),
            pair(lambda draw: 2.0, uniform(-10.0, 10.0)),
            pair(across(1e-12, 1.0), uniform(1.0, 4.0)),
            pair(about(1.0, 0.01), across(1.0, 1e18, signed=True)),
            pair(across(5e-324, 1e-307), uniform(-0.9, 0.9)), powers],
    "sin": ANGLES, "cos": ANGLES, "tan": ANGLES, "atan2": PLANE, "hypot": PLANE,
    "gamma": [uniform(1.0, 2.0), uniform(0.0, 3.0), uniform(0.4, 1.6), across(1e-300, 1.0)],
}
EXACT = {
    "log2": lambda x: mp.log(x) / mp.ln2, "log10": lambda x: mp.log(x) / mp.ln10, "pow": mp.power,
    "hypot": lambda x, y: mp.sqrt(x * x + y * y),
}


def arguments(name, seed=1, count=COUNT):
    """Pairs or single numbers, as tuples."""
    draw = random.Random(f"{name} {seed}")
    for number in CASES[name]:
        for _ in range(count):
            found = number(draw)
            yield found if name in TWO else (found,)


def digits(name, operands):
    """Return the number of bits that mpmath needs for a function value."""
    if name in {"sin", "cos", "tan"} and abs(operands[0]) > HUGE:
        return 1300
    return 640 if abs(operands[-1]) > 1e15 else 160


def error(name, operands):
    """In units of the exact value's last place, and if that is subnormal; None past all doubles."""
    with mp.workprec(digits(name, operands)):
        exact = EXACT.get(name, getattr(mp, name, None))(*map(mpf, operands))
        if abs(exact) >= mpf(2) ** 1024 * (1 - mpf(2) ** -54):
            return None
        place = max(int(mp.frexp(exact)[1]) - 53, -1074) if exact else -1074
        found = mpf(getattr(elementary, name)(*operands))
        return float(abs(found - exact) * mpf(2) ** -place), place == -1074


def test_the_tables_are_those_of_mpmath():
    advice = "python tests/twins/elementary_tables.py > pysitar/kernels/core/elementary_tables.h"
    assert (KERNELS / "elementary_tables.h").read_text() == header(), advice


@pytest.mark.parametrize("name", CASES)
def test_each_is_within_one_unit_of_the_last_place(name):
    found = [(error(name, operands), operands) for operands in arguments(name)]
    found = [(*size, operands) for size, operands in found if size is not None]
    assert len(found) > 0.7 * COUNT * len(CASES[name])
    worst = max((size, operands) for size, subnormal, operands in found if not subnormal)
    assert worst[0] <= BOUNDS[name], worst
    assert max((size for size, subnormal, _ in found if subnormal), default=0.0) <= SUBNORMAL


SPECIAL = [
    0.0,
    1.0,
    2.0,
    3.0,
    0.5,
    2.5,
    1e-5,
    5e-324,
    2.2250738585072014e-308,
    1e300,
    2.0**53,
    2.0**53 - 1,
    709.8,
    745.2,
    1.7976931348623157e308,
    math.inf,
]
SPECIAL = [*SPECIAL, *(-x for x in SPECIAL), math.nan]


def outcome(function, operands):
    try:
        return function(*operands)
    except (ValueError, OverflowError) as reason:
        return type(reason)


@pytest.mark.parametrize("name", [name for name in CASES if name != "gamma"])
def test_special_values_and_errors_are_those_of_math(name):
    """C99's: zeros with their sign, infinities, NaN; `math` raises ValueError and OverflowError."""
    for operands in product(SPECIAL, repeat=2 if name in TWO else 1):
        own, other = (outcome(getattr(module, name), operands) for module in (elementary, math))
        same = repr(own) == repr(other)
        if not same and isinstance(own, float) and isinstance(other, float) and own:
            same = abs(own - other) <= 2.0 * math.ulp(other)
        assert same, (operands, own, other)


def test_gamma_has_its_domain():
    for x in (0.0, -1.0, -0.5, 3.1, math.inf, math.nan):
        with pytest.raises(ValueError, match="expected a number above 0, at most 3"):
            elementary.gamma(x)
    assert [elementary.gamma(x) for x in (1.0, 2.0, 3.0)] == [1.0, 1.0, 2.0]
    with pytest.raises(OverflowError):
        elementary.gamma(1e-310)


def test_messages_have_the_values():
    with pytest.raises(OverflowError, match=r"^exp of 1000\.0 is beyond the largest float$"):
        elementary.exp(1000.0)
    with pytest.raises(ValueError, match=r"^log of -2\.0; expected a number above 0$"):
        elementary.log(-2.0)
    expected = r"^pow of -2\.0; expected an integer exponent for a negative base, not 0\.5$"
    with pytest.raises(ValueError, match=expected):
        elementary.pow(-2.0, 0.5)


def test_exact_results_are_exact():
    for n in range(-1074, 1024):
        assert elementary.pow(2.0, n) == math.ldexp(1.0, n)
        assert elementary.log2(math.ldexp(1.0, n)) == n
    assert [elementary.log10(10.0**n) for n in range(23)] == list(range(23))
    assert [elementary.pow(10.0, n) for n in range(23)] == [10.0**n for n in range(23)]
    draw = random.Random(1)
    for x in (any_bits(draw) for _ in range(2000)):
        assert elementary.pow(x, 1.0) == x and elementary.pow(x, 0.0) == 1.0
    for whole in (draw.randrange(1, 2**26) for _ in range(2000)):
        assert elementary.pow(-float(whole), 2.0) == whole * whole
        assert elementary.pow(float(whole * whole), 0.5) == whole
    assert elementary.exp(0.0) == elementary.cos(0.0) == 1.0
    assert elementary.hypot(*(math.ldexp(x, 600) for x in (3.0, 4.0))) == math.ldexp(5.0, 600)


STEP = math.log(2.0) / 256.0
RISING = {
    "exp": [STEP * n for n in range(-300, 300)],
    "expm1": [-0.17, 0.17, *(STEP * n for n in range(-60, 60))],
    "log": [n / 256.0 for n in range(128, 1024)],
    "log10": [n / 256.0 for n in range(128, 1024)],
    "log1p": [n / 256.0 for n in range(-200, 300) if n],
    "sin": [0.25 * math.pi, 0.785, -0.785, 1.2],
    "tan": [0.785, 1.0, -0.785],
}


@pytest.mark.parametrize("name", RISING)
def test_a_greater_argument_has_no_smaller_value(name):
    """Monotony at the boundaries between table rows or methods."""
    function = getattr(elementary, name)
    for x in RISING[name]:
        near = [x]
        for _ in range(6):
            near = [math.nextafter(near[0], -math.inf), *near, math.nextafter(near[-1], math.inf)]
        values = [function(y) for y in near]
        assert values == sorted(values), x


# of all results of `arguments`: the same with every CPU, C library, compiler and Python
BITS = "7b8bc987c207b7cb3d6aeeca98eef401f361dd23d4690901805621652ea5d8d0"


def test_the_bits_are_the_same_on_every_machine():
    digest = hashlib.sha256()
    for name in CASES:
        for operands in arguments(name, seed=2, count=1000):
            value = outcome(getattr(elementary, name), operands)
            digest.update(struct.pack("<d", value) if isinstance(value, float) else b"error")
    assert digest.hexdigest() == BITS
