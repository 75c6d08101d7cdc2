"""An object known by its modes: a plate, a bar, a bell, the body of an instrument."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, Numbers, array_of
from pysitar.physics.internal_force import InternalForce


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ModalObject:
    """An object that is struck or driven at one point.

    Parameters
    ----------
    frequencies : array_like
        Shape (M,), undamped, 0 to 1e9 (Hz): the stiffness is mass (2 pi f)^2; 0 is a free mass.
    decay_rates : array_like
        Shape (M,), 0 to 1e9 (1/s), below 2 pi f; 0 for a free mass.
    masses : array_like
        Shape (M,), modal masses, 1e-30 to 1e12 (kg).
    shapes : array_like
        Shape (M,), the mode shape at the point, -1e6 to 1e6. All arrays are copied and read-only.
    internal_forces : sequence of InternalForce, default ()
        Forces between its parts, each with a shape (M,). The object then rests at the equilibrium
        of these forces.

    Raises
    ------
    ParameterError
        For a value out of its range, or arrays of different sizes.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.ModalObject(frequencies=[200.0, 540.0], decay_rates=[3.0, 8.0],
    ...                     masses=[0.1, 0.1], shapes=[1.0, 0.5]).count
    2
    """

    frequencies: FloatArray
    decay_rates: FloatArray
    masses: FloatArray
    shapes: FloatArray
    internal_forces: Sequence[InternalForce] = ()

    def __post_init__(self) -> None:
        frequencies = ranges.MODAL_FREQUENCY.series("frequencies", self.frequencies)
        size = frequencies.size
        object.__setattr__(self, "frequencies", frequencies)
        object.__setattr__(self, "decay_rates",
                           ranges.RATE_OF_DECAY.series("decay_rates", self.decay_rates, size=size))
        for i, (f, alpha) in enumerate(
                zip(frequencies.tolist(), self.decay_rates.tolist(), strict=True)):
            if (f > 0.0 and not alpha < 2.0 * math.pi * f) or (f == 0.0 and alpha > 0.0):
                raise ParameterError(
                    f"decay_rates[{i}]", alpha,
                    f"expected a rate below 2 pi f = {2.0 * math.pi * f:g} 1/s (0 for a free mass)")
        object.__setattr__(self, "masses", ranges.MODAL_MASS.series("masses", self.masses,
                                                                    size=size))
        object.__setattr__(self, "shapes", ranges.MODE_SHAPE.series("shapes", self.shapes,
                                                                    size=size))
        object.__setattr__(self, "internal_forces", tuple(self.internal_forces))
        for i, force in enumerate(self.internal_forces):
            if not isinstance(force, InternalForce):
                raise ParameterError(f"internal_forces[{i}]", force, "expected an InternalForce")
            ranges.MODE_SHAPE.series(f"internal_forces[{i}].shape", force.shape, size=size)

    @classmethod
    def from_quality(cls, *, frequencies: Numbers, q: Numbers | float, masses: Numbers,
                     shapes: Numbers) -> ModalObject:
        """Return the object whose modes have quality factors: decay rate pi f / q.

        Parameters
        ----------
        frequencies, masses, shapes : array_like
            Shape (M,), as in `ModalObject`.
        q : float or array_like
            Quality factor of all modes, or shape (M,); above 0.5 to 1e12.

        Returns
        -------
        ModalObject

        Raises
        ------
        ParameterError
            For a value out of its range, or arrays of different sizes.

        Examples
        --------
        >>> import pysitar
        >>> bell = pysitar.ModalObject.from_quality(frequencies=[440.0], q=1000.0, masses=[0.1],
        ...                                         shapes=[1.0])
        >>> round(float(bell.decay_rates[0]), 6)
        1.382301
        """
        f = ranges.MODAL_FREQUENCY.series("frequencies", frequencies)
        quality = ranges.QUALITY.series("q", [q] * f.size if np.ndim(q) == 0 else q, size=f.size)
        rates = [
            math.pi * hz / factor for hz, factor in zip(f.tolist(), quality.tolist(), strict=True)
        ]
        return cls(
            frequencies=f,
            decay_rates=array_of(rates),
            masses=ranges.MODAL_MASS.series("masses", masses, size=f.size),
            shapes=ranges.MODE_SHAPE.series("shapes", shapes, size=f.size),
        )

    @property
    def count(self) -> int:
        """The number of modes.

        Returns
        -------
        int
            M.
        """
        return int(self.frequencies.size)

    @property
    def angular_frequencies(self) -> FloatArray:
        """The damped angular frequencies of the modes.

        Returns
        -------
        numpy.ndarray
            Shape (M,), rad/s.
        """
        return array_of([
            math.sqrt(omega * omega - alpha * alpha) for omega, alpha in zip((
                2.0 * math.pi * self.frequencies).tolist(), self.decay_rates.tolist(), strict=True)
        ])

    def shape(self, position: None = None) -> FloatArray:
        """Return the mode shapes at the one point of the object, its `shapes`.

        Parameters
        ----------
        position : None
            There is no other point.

        Returns
        -------
        ndarray
            Shape (M,).

        Examples
        --------
        >>> import pysitar
        >>> pysitar.ModalObject(frequencies=[200.0], decay_rates=[3.0], masses=[0.1],
        ...                     shapes=[1.0]).shape().tolist()
        [1.0]
        """
        return self.shapes
