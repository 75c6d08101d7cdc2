"""Range checks of physical parameters, with ParameterErrors that name the range and the unit."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import numpy.typing as npt

from pysitar.errors import ParameterError

SMALLEST = 1e-12  # in the unit of any quantity: a smaller magnitude, other than 0, is refused
FloatArray = npt.NDArray[np.float64]
Numbers = Sequence[float] | FloatArray


def number(
    name: str,
    value: object,
    unit: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    smallest: float = 0.0,
    nonzero: bool = False,
) -> float:
    """Return a parameter as a float, if it is a finite number within its bounds.

    Parameters: name and unit, as the message shows them ("" is no unit); value; the bounds, in that
    unit; smallest, the least magnitude of a value other than 0, which keeps squares and products
    from underflow; nonzero, whether 0 is refused.
    Errors: ParameterError.
    """
    # the fast path: the text of the message takes longer than the check
    if type(value) is float and _inside(value, above, at_least, below, at_most):
        return _large_enough(name, value, unit, smallest, zero=not nonzero
                             and _inside(0.0, above, at_least, below, at_most))
    expected = f"expected a finite number{_of(unit)}{_bounds(above, at_least, below, at_most)}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise ParameterError(name, value, expected)
    try:
        result = float(value)
    except OverflowError:
        raise ParameterError(name, value, expected) from None
    if not _inside(result, above, at_least, below, at_most):
        raise ParameterError(name, value, expected)
    return _large_enough(name, result, unit, smallest, zero=not nonzero
                         and _inside(0.0, above, at_least, below, at_most))


def whole(name: str, value: object, *, at_least: int, at_most: int) -> int:
    """Return a parameter as an int, if it is a whole number from at_least to at_most.  Errors:
    ParameterError."""
    if isinstance(value, bool | np.bool_) or not isinstance(
            value, Integral) or not at_least <= int(value) <= at_most:
        raise ParameterError(name, value, f"expected a whole number from {at_least} to {at_most}")
    return int(value)


def flag(name: str, value: object) -> bool:
    """Return a parameter as a bool, if it is one.  Errors: ParameterError."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(name, value, "expected True or False")
    return bool(value)


def function(name: str, value: object, unit: str) -> None:
    """Raise a ParameterError unless a value is callable.

    Parameters: unit, of the number that the function of x (m) must return, for the message.
    """
    if not callable(value):
        raise ParameterError(
            name, value, f"expected a function of x (m) that returns {unit}, such as lambda x: 0.0")


def series(
    name: str,
    values: object,
    unit: str,
    *,
    size: int | None = None,
    empty: bool = False,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> FloatArray:
    """Return a parameter as a read-only float64 array of one dimension, if each value is finite and
    within its bounds.

    Parameters: name, unit and bounds as in `number`; values; size, the required number of values
    (None: one or more); empty, whether an empty array is allowed.
    Errors: ParameterError, which names the first wrong value as name[index].
    """
    expected = f"expected an array of {'one or more' if size is None else size} numbers{_of(unit)}"
    try:
        raw = np.asarray(values)
    except ValueError:
        raise ParameterError(name, values, expected) from None
    if raw.size and raw.dtype.kind not in "iuf":
        raise ParameterError(name, values, expected)
    if raw.ndim != 1 or (raw.size == 0 and not empty) or (size is not None and raw.size != size):
        raise ParameterError(name, f"of shape {raw.shape}", expected)
    array = np.array(raw, dtype=np.float64)
    good = np.isfinite(array)
    if above is not None:
        good &= array > above
    if at_least is not None:
        good &= array >= at_least
    if below is not None:
        good &= array < below
    if at_most is not None:
        good &= array <= at_most
    for index in np.flatnonzero(~good)[:1].tolist():
        number(f"{name}[{index}]", float(array[index]), unit, above=above, at_least=at_least,
               below=below, at_most=at_most)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The values of a quantity.

    Parameters: unit ("" is none); low and high, themselves allowed unless open_low, open_high;
    smallest: a size below it, other than 0, is refused.
    """

    unit: str = ""
    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    smallest: float = SMALLEST

    def number(self, name: str, value: object) -> float:
        """Return a parameter as a float if it lies in the range.  Errors: ParameterError."""
        return number(name, value, self.unit, above=self.low if self.open_low else None,
                      at_least=None if self.open_low else self.low,
                      below=self.high if self.open_high else None,
                      at_most=None if self.open_high else self.high, smallest=self.smallest)

    def series(self, name: str, values: object, *, size: int | None = None) -> FloatArray:
        """Return a parameter as a read-only array of values in the range, of any smallness, as
        rounding may leave them.

        Parameters and errors: as in `series`.
        """
        return series(name, values, self.unit, size=size, above=self.low if self.open_low else None,
                      at_least=None if self.open_low else self.low,
                      below=self.high if self.open_high else None,
                      at_most=None if self.open_high else self.high)

    def at(self, name: str, shape: Callable[[float], float],
           places: Sequence[float]) -> list[float]:
        """Return the values of a function of x (m) at some places, each in the range.  Errors:
        ParameterError."""
        return [self.number(f"{name}({x:.6g} m)", shape(x)) for x in places]


def check_numbers(owner: object, ranges: Mapping[str, Range]) -> None:
    """Replace fields of a frozen dataclass by their values as floats.

    Parameters: ranges, of each field, in the order of the checks. Errors: ParameterError, a value
    out of its range.
    """
    for name, within in ranges.items():
        object.__setattr__(owner, name, within.number(name, getattr(owner, name)))


def array_of(values: Sequence[float] | FloatArray) -> FloatArray:
    """Return numbers as a read-only float64 array."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _large_enough(name: str, value: float, unit: str, smallest: float, *, zero: bool) -> float:
    """Return a value whose magnitude is 0, or at least `smallest`.

    Parameters: zero, whether the value may be 0.
    Errors: ParameterError.
    """
    if (value == 0.0 and zero) or (value != 0.0 and abs(value) >= smallest):
        return value
    if value == 0.0:
        raise ParameterError(name, value, f"expected a value other than 0{_of(unit)}")
    least = f"{smallest:g}{f' {unit}' if unit else ''}{' in size' if value < 0.0 else ''}"
    raise ParameterError(name, value, f"expected {'0, or ' if zero else ''}at least {least}")


def _of(unit: str) -> str:
    return f" ({unit})" if unit else ""


def _inside(value: float, above: float | None, at_least: float | None, below: float | None,
            at_most: float | None) -> bool:
    return (
        math.isfinite(value)
        and (above is None or value > above) and (at_least is None or value >= at_least)
        and (below is None or value < below) and (at_most is None or value <= at_most)
    )


def _bounds(above: float | None, at_least: float | None, below: float | None,
            at_most: float | None) -> str:
    words = [("above", above), ("at least", at_least), ("below", below), ("at most", at_most)]
    shown = " and ".join(f"{word} {bound:g}" for word, bound in words if bound is not None)
    return f", {shown}" if shown else ""
