"""The force law of a viscoelastic contact."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pysitar.physics import ranges
from pysitar.physics.checks import check_numbers
from pysitar.physics.contact import VISCOELASTIC


@dataclass(frozen=True, kw_only=True, slots=True)
class ViscoelasticLaw:
    """The law of a viscoelastic ball: slow blows lose less of their energy than fast ones.

    The force is stiffness * (q + loss_time dq/dt), at least 0, with q = max(p, 0)^exponent of the
    penetration p. The part of the energy that a blow loses grows with its speed to the power
    (exponent - 1) / (exponent + 1): 1/5 of a ball on a plane, as measured of balls of steel, ivory
    and glass; that of `ContactLaw` grows with the speed itself.

    Parameters
    ----------
    stiffness : float
        1e-6 to 1e16 (N/m^exponent).
    exponent : float, default 1.5
        Power of the penetration, 1 to 10.
    loss_time : float
        0 to 1 (s).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Kuwabara & Kono 1987, Jpn. J. Appl. Phys. 26, 1230, the force; Ramirez, Poeschel, Brilliantov &
    Schwager 1999, Phys. Rev. E 60, 4465, the restitution. The scheme is derived in
    kernels/contact/viscoelastic_law.pxd. The loss of each step is at least 0, for any step.

    Examples
    --------
    >>> import pysitar
    >>> glass = pysitar.ViscoelasticLaw(stiffness=4e9, loss_time=8e-7)
    >>> speeds = []
    >>> for velocity in (0.01, 1.0):
    ...     blow = pysitar.ImpactSimulation(body=None, mass=0.005, law=glass, velocity=velocity,
    ...                                     sample_rate=2e6)
    ...     run = blow.run(2000, ["mass_velocity"])
    ...     speeds.append(round(float(run.outputs[-1, 0]) / -velocity, 3))
    >>> speeds
    [0.969, 0.924]
    """

    stiffness: float
    exponent: float = 1.5
    loss_time: float
    _kind: ClassVar[int] = VISCOELASTIC
    _further: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_numbers(self, {"stiffness": ranges.CONTACT_STIFFNESS, "exponent": ranges.EXPONENT,
                             "loss_time": ranges.LOSS_TIME})

    @property
    def damping(self) -> float:
        """What a kernel divides by its step: the loss time.

        Returns
        -------
        float
            s.
        """
        return self.loss_time
