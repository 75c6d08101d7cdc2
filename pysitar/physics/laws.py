"""The array `laws` of the kernels: one structured element for the law of each row."""
from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

# kernels/contact/law_record.pxd: LawEntry, Kind and flags; further kinds in the files of the laws
LAW = np.dtype([("kind", np.int32), ("flags", np.int32), ("damping", np.float64),
                ("parameters", np.float64, (6,))])
CONTACT, LINEAR, FELT = 0, 1, 5
MAY_PULL = 1

LawArray = npt.NDArray[np.void]


class LawValues(NamedTuple):
    """The law of a row.

    Fields: kind, CONTACT (one-sided power law, damping in s/m), LINEAR (bilateral spring with
    damper, damping in kg/s), or that of a further law; stiffness (N/m^exponent); exponent; damping;
    adhesive, whether damping may make a contact pull; further, the parameters of the law alone."""

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
