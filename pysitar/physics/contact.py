"""The force law of a one-sided contact: a power of the penetration, with Hunt-Crossley damping."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pysitar.physics import ranges
from pysitar.physics.checks import flag

HIGHEST_EXPONENT = ranges.EXPONENT.high
STIFFEST = ranges.CONTACT_STIFFNESS.high
MOST_DAMPING = ranges.CONTACT_DAMPING.high


@dataclass(frozen=True, kw_only=True, slots=True)
class ContactLaw:
    """The law of a contact: the force stiffness * p^exponent * (1 + damping dp/dt).

    p is the penetration; for p <= 0 there is no force.

    Parameters
    ----------
    stiffness : float
        1e-6 to 1e16, N/m^exponent at a point or N/m^(1+exponent) for a distributed barrier.
    exponent : float, default 1.0
        Power of the penetration, 1 to 10.
    damping : float, default 0.0
        Hunt-Crossley damping, 0 to 1e6 (s/m).
    adhesive : bool, default True
        Whether the damping may make the force pull (False clamps it at 0).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    van Walstijn & Bridges 2016, eq. (2), its sign re-derived from (3), (4); Hunt & Crossley 1975.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.ContactLaw(stiffness=1e8, exponent=1.5).damping
    0.0
    """

    stiffness: float
    exponent: float = 1.0
    damping: float = 0.0
    adhesive: bool = True
    _kind: ClassVar[int] = 0
    _further: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness",
                           ranges.CONTACT_STIFFNESS.number("stiffness", self.stiffness))
        object.__setattr__(self, "exponent", ranges.EXPONENT.number("exponent", self.exponent))
        object.__setattr__(self, "damping", ranges.CONTACT_DAMPING.number("damping", self.damping))
        object.__setattr__(self, "adhesive", flag("adhesive", self.adhesive))
