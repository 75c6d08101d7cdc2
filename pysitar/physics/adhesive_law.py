"""The force law of a contact that attracts before it touches."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pysitar.physics import ranges
from pysitar.physics.checks import check_numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class AdhesiveLaw:
    """The law of a contact that attracts within a gap, and pushes as a power of the penetration.

    With the penetration p, negative in a gap, and z = 1 + p / range from 0 to 1, the force is
    stiffness * max(p, 0)^exponent - 4 * attraction * z * (1 - z): the attraction begins at a gap
    of range, is greatest in its middle, and is 0 in contact. To part the two takes an energy of
    2/3 attraction * range.

    Parameters
    ----------
    stiffness : float
        1e-6 to 1e16 (N/m^exponent).
    exponent : float, default 1.5
        Power of the penetration, 1 to 10.
    attraction : float
        The greatest attraction, 0 to 1e6 (N).
    range : float
        The widest gap in which it attracts, 1e-9 to 1 (m).

    Raises
    ------
    ParameterError
        For a value out of its range.

    Notes
    -----
    A step has one solution while 1 + W D is above 0, with W the mobility of the contact over a
    step and D = -2 attraction / range the lowest slope of the mean force. A simulation refuses a
    law and a rate without it.

    Examples
    --------
    >>> import pysitar
    >>> law = pysitar.AdhesiveLaw(stiffness=1e8, attraction=2.0, range=1e-4)
    >>> blow = pysitar.ImpactSimulation(body=None, mass=0.001, law=law, velocity=0.5, gap=1e-4,
    ...                                 sample_rate=192000.0)
    >>> run = blow.run(1000, ["mass_velocity", "contact_force"])
    >>> bool(run.outputs[:, 1].min() < -1.0), run.residual < 1e-12
    (True, True)
    """

    stiffness: float
    exponent: float = 1.5
    attraction: float
    range: float
    _kind: ClassVar[int] = 6
    _further: ClassVar[tuple[str, ...]] = ("attraction", "range")

    def __post_init__(self) -> None:
        check_numbers(self, {"stiffness": ranges.CONTACT_STIFFNESS, "exponent": ranges.EXPONENT,
                             "attraction": ranges.ATTRACTION, "range": ranges.ATTRACTION_RANGE})
