"""A force between parts of an object: a contact, such as of snare wires on a head, or a spring."""
from __future__ import annotations

from dataclasses import dataclass

from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, check_numbers, flag


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class InternalForce:
    """A force between parts of a resonator, by the displacements y of its modes.

    The compression is p = -gap - shape . y. A contact has the force stiffness * p^exponent *
    (1 + damping dp/dt) for p > 0 alone, a spring stiffness * p for any p. The force acts on each
    mode times its shape, so it is equal and opposite on two parts whose shapes differ in sign.

    Parameters
    ----------
    shape : array_like
        Of every mode of the resonator, shape (M,), -1e6 to 1e6; of a spring of air its volume,
        m^3 per m.
    stiffness : float
        1e-6 to 1e16, N/m^exponent.
    exponent : float, default 1.0
        Power of the compression, 1 to 10.
    damping : float, default 0.0
        Hunt-Crossley damping of a contact, 0 to 1e6 (s/m).
    gap : float, default 0.0
        Between the parts where no mode is displaced, -1000 to 1000 (m); below 0 they press on each
        other.
    is_spring : bool, default False
        Whether the force pulls as well; exponent and damping then do not count.

    Raises
    ------
    ParameterError
        For a value out of its range.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.InternalForce(shape=[-1.0, 1.0], stiffness=1e5, gap=1e-3).exponent
    1.0
    """

    shape: FloatArray
    stiffness: float
    exponent: float = 1.0
    damping: float = 0.0
    gap: float = 0.0
    is_spring: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", ranges.MODE_SHAPE.series("shape", self.shape))
        check_numbers(self, {"stiffness": ranges.CONTACT_STIFFNESS, "exponent": ranges.EXPONENT,
                             "damping": ranges.CONTACT_DAMPING, "gap": ranges.DISPLACEMENT})
        object.__setattr__(self, "is_spring", flag("is_spring", self.is_spring))
