"""The numbers of pysitar/kernels/core/elementary_tables.h, from mpmath; a test compares the file.

  python tests/twins/elementary_tables.py > pysitar/kernels/core/elementary_tables.h
"""
from itertools import chain

from mpmath import mp, mpf

DIGITS = 60
STEPS = 128                     # of the tables of exp and log, a power of two
LAST_ABOVE = 52                 # of log's rows about 1 + i/128; from the next on x counts halved
ATAN_STEPS = 32                 # of atan's table, over [0, 1]
WORDS = 20                      # of 64 bits, of 2/pi
HEAD = """\
/* Made by tests/twins/elementary_tables.py; not to be changed by hand. */
#ifndef PYSITAR_ELEMENTARY_TABLES_H
#define PYSITAR_ELEMENTARY_TABLES_H
#include <stdint.h>

"""


def literal(value):
    """A double as C writes it exactly."""
    return float(value).hex()


def rounded(value, bits):
    """The multiple of 2^-bits next to a value, exactly."""
    return mp.nint(mp.ldexp(value, bits)) / mpf(2) ** bits


def leading(value, bits):
    """A value cut to its first bits."""
    exponent = mp.frexp(value)[1]
    return mp.floor(mp.ldexp(value, bits - exponent)) * mpf(2) ** (exponent - bits)


def parts(value, *, bits, count):
    """A value as a sum: `count` parts of that many bits each, and the rest."""
    found = []
    for _ in range(count):
        found.append(leading(value, bits))
        value -= found[-1]
    return [*found, value]


def pair(name, value):
    """A value as a double and the rest."""
    return {name: value, f"{name}_TAIL": value - mpf(float(value))}


def series(coefficient, x):
    """The power series of these coefficients, summed until nothing changes."""
    total, power, n = mpf(0), mpf(1), 0
    while True:
        term = coefficient(n) * power
        total += term
        power *= x
        n += 1
        if power == 0 or abs(term) <= mpf(10) ** -DIGITS * abs(total):
            return total


def interpolation(function, low, high, terms):
    """The polynomial through a function at the Chebyshev points: coefficients, constant first."""
    middle, half = (low + high) / 2, (high - low) / 2
    places = [mp.cos(mp.pi * (2 * k + 1) / (2 * terms)) for k in range(terms)]
    found = [mpf(0)] * terms
    for place in places:            # Lagrange's form; x = middle + half t
        others = [other for other in places if other != place]
        share = function(middle + half * place) / mp.fprod(place - other for other in others)
        product = [mpf(1)]
        for other in others:        # times (x - middle) / half - other
            shift = middle / half + other
            product = [a / half - shift * b for a,
                       b in zip([0, *product], [*product, 0], strict=True)]
        found = [a + share * b for a, b in zip(found, product, strict=True)]
    return found


def polynomial(low, high, terms, coefficient):
    """The interpolation of a power series."""
    return interpolation(lambda x: series(coefficient, x), low, high, terms)


def polynomials():
    """Name -> coefficients in r, or in z = r^2, after the terms that the functions add
    themselves."""
    step = mp.log(2) / (2 * STEPS) + mpf(2) ** -11          # pow adds a tail to exp's argument
    quarter = (mp.pi / 4 * mpf("1.0001")) ** 2
    greatest = max(abs(z * inverse(i) - 1) for i in range(STEPS) for z in interval(i)[:2])
    small = (mpf(1) / (2 * ATAN_STEPS) * mpf("1.0001")) ** 2
    return {
        "EXP": polynomial(-step, step, 4, lambda n: 1 / mp.factorial(n + 2)),
        "EXPM1": polynomial(-mpf("0.171"), mpf("0.171"), 9, lambda n: 1 / mp.factorial(n + 3)),
        "LOG": polynomial(-greatest, greatest, 7, lambda n: (-1) ** n / mpf(n + 3)),
        "SIN": polynomial(0, quarter, 7, lambda n: (-1) ** (n + 1) / mp.factorial(2 * n + 3)),
        "COS": polynomial(0, quarter, 6, lambda n: (-1) ** n / mp.factorial(2 * n + 4)),
        "ATAN": polynomial(0, small, 5, lambda n: (-1) ** (n + 1) / mpf(2 * n + 3)),
    }


def gamma_series():
    """gamma(1.5 + t) for -0.5 <= t <= 0.5: coefficients, of the constant first."""
    return interpolation(lambda t: mp.gamma(t + mpf("1.5")), -mpf("0.5"), mpf("0.5"), 23)


def exp_rows():
    """2^(i/128) as a double, and the rest relative to it."""
    for i in range(STEPS):
        exact = mpf(2) ** (mpf(i) / STEPS)
        near = mpf(float(exact))
        yield near, (exact - near) / near


def interval(i):
    """The numbers that log's row i serves: from, to, and how many bits they have after the
    point."""
    half = mpf(1) / (2 * STEPS)
    centre = 1 + mpf(i) / STEPS
    if i == 0:
        return 1 - half / 2, 1 + half, 53
    if i <= LAST_ABOVE:
        return centre - half, centre + half, 52
    return (centre - half) / 2, (centre + half) / 2, 53


def inverse(i):
    """A short number c near 1 / z for which z c - 1 is a double for every z of row i."""
    low, high, bits = interval(i)
    for places in range(12, 5, -1):
        c = rounded(2 / (low + high), places)
        if max(abs(low * c - 1), abs(high * c - 1)) <= mpf(2) ** (53 - bits - places):
            return c
    raise AssertionError(i)


def log_rows():
    """c near 1 / z, and -ln c in two parts, the first a multiple of 2^-42; halved numbers first."""
    for i in chain(range(LAST_ABOVE + 1, STEPS), range(LAST_ABOVE + 1)):
        c = inverse(i)
        head = rounded(-mp.log(c), 42)
        yield c, head, -mp.log(c) - head


def atan_rows():
    for i in range(ATAN_STEPS + 1):
        exact = mp.atan(mpf(i) / ATAN_STEPS)
        near = mpf(float(exact))
        yield near, exact - near


def words_of_two_over_pi():
    with mp.workprec(64 * WORDS + 64):
        fraction = int(mp.floor(mp.ldexp(2 / mp.pi, 64 * (WORDS - 1))))
    return [0, *((fraction >> (64 * (WORDS - 2 - j))) & (2**64 - 1) for j in range(WORDS - 1))]


def constants():
    """Name -> value."""
    step, step_tail = parts(mp.log(2) / STEPS, bits=36, count=1)
    ln2 = rounded(mp.log(2), 42)
    quarters = parts(mp.pi / 2, bits=33, count=3)
    gamma = gamma_series()[0]
    return {"EXP_STEPS_PER_UNIT": STEPS / mp.log(2), "EXP_STEP": step, "EXP_STEP_TAIL": step_tail,
            "LN2": ln2, "LN2_TAIL": mp.log(2) - ln2, "QUARTERS_PER_RADIAN": 2 / mp.pi,
            **{f"QUARTER_{n}": value for n, value in enumerate(quarters, start=1)},
            **pair("HALF_PI", mp.pi / 2), **pair("PI", mp.pi),**pair("LOG2_E", 1 / mp.log(2)),
            **pair("LOG10_E", 1 / mp.log(10)), "GAMMA_TAIL": gamma - mpf(float(gamma)),
            **{f"{name}_{n}": value for name, found in polynomials().items() for n,
               value in enumerate(found)}}


def table(kind, name, rows, comment):
    """A table of one or more numbers a row."""
    rows = [tuple(row) for row in rows]
    width = f"[{len(rows[0])}]" if len(rows[0]) > 1 else ""
    texts = [f"{{{', '.join(row)}}}" if width else row[0] for row in rows]
    lines = ",\n".join(f"    {text}" for text in texts)
    start = f"static const {kind} PYSITAR_{name}[{len(rows)}]{width}"
    return f"\n/* {comment} */\n{start} = {{\n{lines}\n}};\n"


def doubles(name, rows, comment):
    return table("double", name, ([literal(value) for value in row] for row in rows), comment)


def header():
    """The text of the file."""
    with mp.workdps(DIGITS):
        words = ([f"{word:#018x}"] for word in words_of_two_over_pi())
        return "".join((
            HEAD,
            *(f"#define PYSITAR_{name} {literal(value)}\n" for name, value in constants().items()),
            doubles("GAMMA_SERIES", ([value] for value in gamma_series()),
                    "gamma(1.5 + t): coefficients, of the constant first"),
            doubles("EXP_TABLE", exp_rows(), "2^(i/128), and the rest relative to it"),
            doubles("LOG_TABLE", log_rows(), "c near 1 / z; -ln c in two parts"),
            doubles("ATAN_TABLE", atan_rows(), f"atan(i/{ATAN_STEPS}) in two parts"),
            table("uint64_t", "TWO_OVER_PI", words, "2/pi: its whole part, 0, and its fraction"),
            "#endif\n",
        ))


if __name__ == "__main__":
    print(header(), end="")
