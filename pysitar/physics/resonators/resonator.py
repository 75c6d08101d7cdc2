"""What has modes and can be struck, whatever it is: a protocol, and what follows from it alone."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

from pysitar.errors import ParameterError
from pysitar.physics.checks import FloatArray, array_of, number, whole
from pysitar.physics.modal_object import ModalObject
from pysitar.physics.ranges import PITCH

MAX_MODES = 1024
Position = TypeVar("Position", contravariant=True)
Mode = TypeVar("Mode", bound=tuple[float, ...])


class Resonator(Protocol[Position]):
    """What a contact needs of anything that vibrates: its modes, and their shapes at a position.

    Strings have it (`StringModes`, position in m), bars (position as a fraction of the length),
    rectangular plates ((x, y) as fractions of length and width), circular plates and membranes
    ((r, angle), r as a fraction of the radius, the angle in radians), and measured objects
    (`ModalObject`, whose one position is None). Displacement at a position is the sum of shape
    times modal displacement; a mode's energy is mass / 2 times (velocity^2 + undamped angular
    frequency^2 displacement^2). A resonator of parts that touch each other, such as a `SnareDrum`,
    has their forces as `internal_forces`.

    Parameters
    ----------
    Position : type
        Of a position: float, a pair of floats, or None.

    Attributes
    ----------
    count : int
        The number of modes, M.
    angular_frequencies : ndarray
        Damped, shape (M,), rad/s.
    decay_rates : ndarray
        Shape (M,), 1/s.
    masses : ndarray
        Modal masses for the shapes as they are scaled, shape (M,), kg.

    Examples
    --------
    >>> import pysitar
    >>> bar = pysitar.Bar(length=0.3, width=0.04, thickness=0.01,
    ...                   material=pysitar.material("rosewood"), modes=3)
    >>> end: pysitar.Resonator[float] = bar
    >>> end.shape(0.0).round(3).tolist()
    [1.99, 1.968, 1.939]
    """

    @property
    def count(self) -> int:
        """The number of modes, M.

        Returns
        -------
        int
        """

    @property
    def angular_frequencies(self) -> FloatArray:
        """The damped angular frequencies.

        Returns
        -------
        ndarray
            Shape (M,), rad/s.
        """

    @property
    def decay_rates(self) -> FloatArray:
        """The decay rates.

        Returns
        -------
        ndarray
            Shape (M,), 1/s.
        """

    @property
    def masses(self) -> FloatArray:
        """The modal masses for the shapes as they are scaled.

        Returns
        -------
        ndarray
            Shape (M,), kg.
        """

    def shape(self, position: Position, /) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : float, tuple of float or None
            As the class takes it.

        Returns
        -------
        ndarray
            Shape (M,).

        Raises
        ------
        ParameterError
            For a position that the resonator does not have.
        """


class ModalSum:
    """The modes of a resonator as arrays, from which each kind derives.

    Every mode shape has the mean square 1 over the resonator's mass, so every modal mass is that of
    the whole resonator (with the air that moves along, if it has any).

    Attributes: frequencies, undamped (Hz), decay_rates (1/s), masses (kg), each of shape (M,),
    read-only.
    """

    frequencies: FloatArray
    decay_rates: FloatArray
    masses: FloatArray

    def _set_modes(self, omegas: list[float], decay_rates: FloatArray, masses: list[float]) -> None:
        for name, value in (
            ("frequencies", array_of([omega / (2.0 * math.pi) for omega in omegas])),
            ("decay_rates", decay_rates), ("masses", array_of(masses))):
            object.__setattr__(self, name, value)

    @property
    def count(self) -> int:
        """The number of modes, M."""
        return int(self.frequencies.size)

    @property
    def angular_frequencies(self) -> FloatArray:
        """The damped angular frequencies, shape (M,), rad/s."""
        pairs = zip(self.frequencies.tolist(), self.decay_rates.tolist(), strict=True)
        return array_of([math.sqrt((2.0 * math.pi * f - alpha) * (2.0 * math.pi * f + alpha))
                         for f, alpha in pairs])


def modal_object(resonator: Resonator[Position], position: Position) -> ModalObject:
    """Return a resonator as it is struck at one position.

    `ImpactSimulation` and `RollingSimulation` take it as their body.

    Parameters
    ----------
    resonator : Resonator
        A bar, plate, membrane, or whatever has its attributes.
    position : float or tuple of float
        Where, as the resonator's `shape` takes it.

    Returns
    -------
    ModalObject
        With the shapes at that position.

    Raises
    ------
    ParameterError
        For a position outside the resonator.

    Examples
    --------
    >>> import pysitar
    >>> plate = pysitar.RectangularPlate(length=0.4, width=0.3, thickness=0.002, edges="supported",
    ...                                  material=pysitar.material("steel"), modes=2)
    >>> pysitar.modal_object(plate, (0.5, 0.5)).shapes.round(12).tolist()
    [2.0, 0.0]
    """
    pairs = zip(resonator.angular_frequencies.tolist(), resonator.decay_rates.tolist(), strict=True)
    return ModalObject(
        frequencies=array_of([math.sqrt(omega * omega + alpha * alpha) / (2.0 * math.pi)
                              for omega, alpha in pairs]),
        decay_rates=resonator.decay_rates, masses=resonator.masses,
        shapes=resonator.shape(position),
        internal_forces=getattr(resonator, "internal_forces", ()))


def mode_limits(modes: object, max_frequency: object, at_most: int) -> tuple[int | None, float]:
    """Return the number of modes (None: all) and the limit of their angular frequencies (rad/s).
    Errors: ParameterError unless exactly one is there."""
    if (modes is None) == (max_frequency is None):
        raise ParameterError("modes, max_frequency", (modes, max_frequency),
                             "expected exactly one of modes and max_frequency (Hz)")
    if modes is not None:
        return whole("modes", modes, at_least=1, at_most=at_most), math.inf
    return None, 2.0 * math.pi * PITCH.number("max_frequency", max_frequency)


def lowest_modes(
    modes_below: Callable[[float], list[Mode]], *, count: int | None, limit: float,
    value_of: Callable[[int], float], at_most: int,
) -> list[Mode]:
    """Return the modes below a limit, or the first `count`, in rising order.

    Parameters: modes_below, returns all modes below a value, each a tuple that begins with its own;
    limit, of these values; value_of, returns a value below which about so many modes lie. Errors:
    ParameterError: no mode, or over `at_most`.
    """
    if count is not None:
        guess = value_of(count)
        while len(found := modes_below(guess)) < count:
            guess *= 1.2
        return sorted(found)[:count]
    if limit < value_of(2 * at_most):
        found = sorted(modes_below(limit))
        if 0 < len(found) <= at_most:
            return found
        if not found:
            raise ParameterError("max_frequency", "below the first mode", "expected a higher one")
    raise ParameterError("max_frequency", f"above more than {at_most} modes",
                         "expected a lower one")


def values_on_a_disc(count: int) -> float:
    """Return about the wave number, times the radius, below which a disc has so many modes: Weyl's
    law."""
    return 2.0 * math.sqrt(count + 4.0)


def fraction(name: str, value: object) -> float:
    """Return a position as a fraction from 0 to 1.  Errors: ParameterError."""
    return number(name, value, "", at_least=0.0, at_most=1.0)


def pair(name: str, position: object, parts: str) -> tuple[object, object]:
    """Return the two parts of a position on a surface.  Errors: ParameterError."""
    if not isinstance(position, tuple) or len(position) != 2:
        raise ParameterError(name, position, f"expected a pair ({parts})")
    return position
