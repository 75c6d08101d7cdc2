"""Elementary functions of floats with the same bits on every machine, in the place of `math`'s.

`math` calls the C library, which rounds otherwise on a CPU without FMA and in another release_problem.
Arguments and errors are those of `math`: ValueError outside the domain, OverflowError where a
finite argument has no finite result; NaN gives NaN.
"""
from libc.math cimport isfinite, isnan

from pysitar.kernels.core cimport elementary_functions as functions


cdef object domain_error(str name, double x, str expected):
    return ValueError(f"{name} of {x!r}; expected {expected}")


cdef double finite(str name, double value, double x) except? -1.0:
    """The value of a function at a finite x; OverflowError if it is infinite."""
    if isfinite(value) or not isfinite(x):
        return value
    raise OverflowError(f"{name} of {x!r} is beyond the largest float")


cdef double above_zero(str name, double x) except? -1.0:
    if x > 0.0 or isnan(x):
        return x
    raise domain_error(name, x, "a number above 0")


cdef double not_infinite(str name, double x) except? -1.0:
    if isfinite(x) or isnan(x):
        return x
    raise domain_error(name, x, "a finite number")


def exp(double x):
    """e^x."""
    return finite("exp", functions.exp(x), x)


def expm1(double x):
    """e^x - 1, exact for small x too."""
    return finite("expm1", functions.expm1(x), x)


def log(double x):
    """The natural logarithm of x > 0."""
    return functions.log(above_zero("log", x))


def log2(double x):
    """The logarithm of x > 0 to base 2."""
    return functions.log2(above_zero("log2", x))


def log10(double x):
    """The logarithm of x > 0 to base 10."""
    return functions.log10(above_zero("log10", x))


def log1p(double x):
    """ln(1 + x) for x > -1, exact for small x too."""
    if x <= -1.0:
        raise domain_error("log1p", x, "a number above -1")
    return functions.log1p(x)


def pow(double x, double y):
    """x^y; of a negative x for a whole y alone."""
    cdef double value = functions.pow(x, y)
    if isfinite(value) or not (isfinite(x) and isfinite(y)):
        return value
    if isnan(value):
        raise domain_error("pow", x, f"a whole power of a negative number, not {y!r}")
    if x == 0.0:
        raise domain_error("pow", x, f"a power of 0 that is not negative, not {y!r}")
    raise OverflowError(f"pow of {x!r} and {y!r} is beyond the largest float")


def sin(double x):
    """The sine of an angle (rad), of any size."""
    return functions.sin(not_infinite("sin", x))


def cos(double x):
    """The cosine of an angle (rad), of any size."""
    return functions.cos(not_infinite("cos", x))


def tan(double x):
    """The tangent of an angle (rad), of any size."""
    return functions.tan(not_infinite("tan", x))


def atan2(double y, double x):
    """The angle (rad) of the point (x, y), from -pi to pi."""
    return functions.atan2(y, x)


def hypot(double x, double y):
    """sqrt(x^2 + y^2), infinite only if that is beyond the largest float."""
    return functions.hypot(x, y)


def gamma(double x):
    """The gamma function of 0 < x <= 3."""
    if not 0.0 < x <= 3.0:
        raise domain_error("gamma", x, "a number above 0, at most 3")
    return finite("gamma", functions.gamma(x), x)
