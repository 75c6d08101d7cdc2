"""The force law of felt with memory."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pysitar.physics import ranges
from pysitar.physics.checks import check_numbers
from pysitar.physics.contact import FELT


@dataclass(frozen=True, kw_only=True, slots=True)
class FeltLaw:
    """The law of felt with memory: while it recovers it pushes less than while it is compressed.

    The force is stiffness * (q - memory * m), at least 0, with q = max(p, 0)^exponent of the
    penetration p, and m the mean of past q with weights exp(-t / memory_time) / memory_time. A slow
    compression has a stiffness of stiffness * (1 - memory), a fast one the whole.

    Parameters
    ----------
    stiffness : float
        1e-6 to 1e16 (N/m^exponent).
    exponent : float, default 2.5
        Power of the penetration, 1 to 10.
    memory : float
        The part of the force that the felt loses in a lasting compression, 0 to 0.999.
    memory_time : float
        The time in which it does so, 1e-9 to 100 (s).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Stulov 1995, J. Acoust. Soc. Am. 97, 2577, the force; the energy, the loss and the scheme are
    derived in kernels/contact/felt_law.pxd. The loss of each step is at least 0, for any step.

    Examples
    --------
    >>> import pysitar
    >>> felt = pysitar.FeltLaw(stiffness=1e11, exponent=2.5, memory=0.6, memory_time=1e-4)
    >>> blow = pysitar.ImpactSimulation(body=None, mass=0.01, law=felt, velocity=2.0,
    ...                                 sample_rate=96000.0)
    >>> run = blow.run(1000, ["mass_velocity"])
    >>> -2.0 < float(run.outputs[-1, 0]) < 0.0, run.residual < 1e-12
    (True, True)
    """

    stiffness: float
    exponent: float = 2.5
    memory: float
    memory_time: float
    _kind: ClassVar[int] = FELT
    _further: ClassVar[tuple[str, ...]] = ("memory", "memory_time")

    def __post_init__(self) -> None:
        check_numbers(self, {"stiffness": ranges.CONTACT_STIFFNESS, "exponent": ranges.EXPONENT,
                             "memory": ranges.MEMORY, "memory_time": ranges.MEMORY_TIME})
