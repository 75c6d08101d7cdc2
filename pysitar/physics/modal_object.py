"""An object known by its modes: a plate, a bar, a bell, the body of an instrument."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.physics.checks import FloatArray, Numbers, array_of, series
from pysitar.physics.damping import decay_rate_from_quality


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ModalObject:
    """An object that is struck or driven at one point.

    Parameters: arrays of shape (M,): frequencies >= 0 (undamped, Hz: the stiffness is
    mass (2 pi f)^2; 0 is a free mass), decay_rates >= 0 (1/s), masses > 0
    (modal, kg), shapes (the mode shape at the point, dimensionless).  The arrays are copied and read-only.
    Errors: ParameterError.
    """

    frequencies: FloatArray
    decay_rates: FloatArray
    masses: FloatArray
    shapes: FloatArray

    def __post_init__(self) -> None:
        frequencies = series("frequencies", self.frequencies, "Hz", at_least=0.0)
        size = frequencies.size
        object.__setattr__(self, "frequencies", frequencies)
        object.__setattr__(self, "decay_rates", series("decay_rates", self.decay_rates, "1/s", size=size, at_least=0.0))
        for i, (f, alpha) in enumerate(zip(frequencies.tolist(), self.decay_rates.tolist(), strict=True)):
            if (f > 0.0 and not alpha < 2.0 * math.pi * f) or (f == 0.0 and alpha > 0.0):
                raise ParameterError(f"decay_rates[{i}]", alpha,
                                     f"expected a rate below 2 pi f = {2.0 * math.pi * f:g} 1/s (0 for a free mass)")
        object.__setattr__(self, "masses", series("masses", self.masses, "kg", size=size, above=0.0))
        object.__setattr__(self, "shapes", series("shapes", self.shapes, "", size=size))

    @classmethod
    def from_quality(cls, *, frequencies: Numbers, q: Numbers | float, masses: Numbers, shapes: Numbers) -> ModalObject:
        """Return the object whose modes have quality factors: decay rate pi f / q.

        Parameters: as in `ModalObject`; q > 0, shape (M,) or one for all.
        Returns: a ModalObject.  Errors: ParameterError.
        """
        f = series("frequencies", frequencies, "Hz", at_least=0.0)
        quality = series("q", [q] * f.size if np.ndim(q) == 0 else q, "", size=f.size, above=0.0)
        rates = [decay_rate_from_quality(hz, factor) for hz, factor in zip(f.tolist(), quality.tolist(), strict=True)]
        return cls(
            frequencies=f, decay_rates=array_of(rates),
            masses=series("masses", masses, "kg", size=f.size, above=0.0), shapes=series("shapes", shapes, "", size=f.size),
        )

    @property
    def count(self) -> int:
        """The number of modes, M."""
        return int(self.frequencies.size)

    @property
    def angular_frequencies(self) -> FloatArray:
        """The damped angular frequencies, shape (M,), rad/s."""
        return array_of([
            math.sqrt(omega * omega - alpha * alpha)
            for omega, alpha in zip((2.0 * math.pi * self.frequencies).tolist(), self.decay_rates.tolist(), strict=True)
        ])
