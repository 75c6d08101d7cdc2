"""Elementary functions of floats with the same bits on every machine; they replace those of `math`.

`math` calls the C library, whose rounding depends on its version and on whether the CPU has FMA.
Arguments and errors are those of `math`: ValueError outside the domain, OverflowError where a
finite argument has no finite result; NaN gives NaN.
"""
import numpy as np

from libc.math cimport isfinite, isnan

from pysitar.kernels.core cimport elementary_functions as functions


cdef object domain_error(str name, double x, str expected):
    return ValueError(f"{name} of {x!r}; expected {expected}")


cdef double check_result(str name, double value, double x) except? -1.0:
    """Return the value; raise OverflowError if it is infinite although x is finite."""
    if isfinite(value) or not isfinite(x):
        return value
    raise OverflowError(f"{name} of {x!r} is beyond the largest float")


cdef double check_positive(str name, double x) except? -1.0:
    if x > 0.0 or isnan(x):
        return x
    raise domain_error(name, x, "a number above 0")


cdef double check_finite(str name, double x) except? -1.0:
    if isfinite(x) or isnan(x):
        return x
    raise domain_error(name, x, "a finite number")


def exp(double x):
    """Return e^x."""
    return check_result("exp", functions.exp(x), x)


def expm1(double x):
    """Return e^x - 1, accurate for small x too."""
    return check_result("expm1", functions.expm1(x), x)


def log(double x):
    """Return the natural logarithm of x > 0."""
    return functions.log(check_positive("log", x))


def log2(double x):
    """Return the logarithm of x > 0 to base 2."""
    return functions.log2(check_positive("log2", x))


def log10(double x):
    """Return the logarithm of x > 0 to base 10."""
    return functions.log10(check_positive("log10", x))


def log1p(double x):
    """Return ln(1 + x) for x > -1, accurate for small x too."""
    if x <= -1.0:
        raise domain_error("log1p", x, "a number above -1")
    return functions.log1p(x)


def pow(double x, double y):
    """Return x^y; a negative x needs an integer y."""
    cdef double value = functions.pow(x, y)
    if isfinite(value) or not (isfinite(x) and isfinite(y)):
        return value
    if isnan(value):
        raise domain_error("pow", x, f"an integer exponent for a negative base, not {y!r}")
    if x == 0.0:
        raise domain_error("pow", x, f"an exponent of at least 0 for base 0, not {y!r}")
    raise OverflowError(f"pow of {x!r} and {y!r} is beyond the largest float")


def sin(double x):
    """Return the sine of an angle (rad) of any size."""
    return functions.sin(check_finite("sin", x))


def cos(double x):
    """Return the cosine of an angle (rad) of any size."""
    return functions.cos(check_finite("cos", x))


def cosines(const double[::1] angles not None):
    """Return the cosine of each angle (n,), rad."""
    cdef Py_ssize_t i
    found = np.empty(angles.shape[0])
    cdef double[::1] view = found
    for i in range(angles.shape[0]):
        view[i] = functions.cos(check_finite("cos", angles[i]))
    return found


def tan(double x):
    """Return the tangent of an angle (rad) of any size."""
    return functions.tan(check_finite("tan", x))


def atan2(double y, double x):
    """Return the angle (rad) of the point (x, y), from -pi to pi."""
    return functions.atan2(y, x)


def hypot(double x, double y):
    """Return sqrt(x^2 + y^2); it overflows only if the result exceeds the largest float."""
    return functions.hypot(x, y)


def gamma(double x):
    """Return the gamma function of x, 0 < x <= 3."""
    if not 0.0 < x <= 3.0:
        raise domain_error("gamma", x, "a number above 0, at most 3")
    return check_result("gamma", functions.gamma(x), x)
