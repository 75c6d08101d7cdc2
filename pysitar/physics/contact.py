"""The force law of a one-sided contact, and the array `laws` of the kernels."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pysitar.physics import ranges
from pysitar.physics.checks import check_numbers, flag

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
        check_numbers(self, {"stiffness": ranges.CONTACT_STIFFNESS, "exponent": ranges.EXPONENT,
                             "damping": ranges.CONTACT_DAMPING})
        object.__setattr__(self, "adhesive", flag("adhesive", self.adhesive))


# kernels/contact/law_record.pxd: LawEntry, Kind and flags; further kinds in the files of the laws
LAW = np.dtype([("kind", np.int32), ("flags", np.int32), ("damping", np.float64),
                ("parameters", np.float64, (6,))])
CONTACT, LINEAR, FELT, FRICTION, VISCOELASTIC = 0, 1, 5, 7, 8
MAY_PULL = 1

LawArray = npt.NDArray[np.void]


class LawValues(NamedTuple):
    """The law of a row.

    Fields: kind, CONTACT (one-sided power law, damping in s/m), LINEAR (bilateral spring with
    damper, damping in kg/s), or that of a further law; stiffness (N/m^exponent); exponent; damping;
    adhesive, whether damping may make a contact pull; further, the parameters of the law alone. The
    damping of a viscoelastic law is its loss time (s)."""

    kind: int = CONTACT
    stiffness: float = 0.0
    exponent: float = 1.0
    damping: float = 0.0
    adhesive: bool = True
    further: tuple[float, ...] = ()


class Law(Protocol):
    """What the dataclass of a law has beside its own parameters: stiffness (N/m^exponent),
    exponent, the number of its kind, and the names of its own in the order of the array."""

    _kind: ClassVar[int]
    _further: ClassVar[tuple[str, ...]]

    @property
    def stiffness(self) -> float: ...
    @property
    def exponent(self) -> float: ...


def law_values(law: Law, *, stiffness: float | None = None,
               adhesive: bool | None = None) -> LawValues:
    """Return the law of a row; stiffness (N/m^exponent) and adhesive take the place of the
    law's."""
    return LawValues(kind=law._kind, stiffness=law.stiffness if stiffness is None else stiffness,
                     exponent=law.exponent, damping=getattr(law, "damping", 0.0),
                     adhesive=getattr(law, "adhesive", True) if adhesive is None else adhesive,
                     further=tuple(getattr(law, name) for name in law._further))


def law_array(laws: Iterable[LawValues]) -> LawArray:
    """Return the array `laws` of a kernel, (K,), one element for each row."""
    values = list(laws)
    array = np.zeros(len(values), dtype=LAW)
    for entry, law in zip(array, values, strict=True):
        entry["kind"], entry["damping"] = law.kind, law.damping
        entry["flags"] = MAY_PULL if law.adhesive else 0
        entry["parameters"][:2 + len(law.further)] = law.stiffness, law.exponent, *law.further
    return array
