from typing import Final, Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, Ints, Laws
from pysitar.kernels.modal.network import (
    DAMPING,
    NORMAL_FORCE,
    OFFSET,
    SPEED,
    STIFFNESS,
    Network,
)

__all__ = ["DAMPING", "NORMAL_FORCE", "OFFSET", "PARTING", "PARTING_BY_BLOCKS", "SPEED",
           "STATIC_OUTPUTS", "STIFFNESS", "TOUCH", "TwoPoint"]

STATIC_OUTPUTS: Final[dict[str, int]]
TOUCH: int
PARTING: int
PARTING_BY_BLOCKS: int

@disjoint_base
class TwoPoint(Network):
    def __new__(cls, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                time_step: float, shapes: Floats, laws: Laws, offsets: Floats,
                slopes: Floats | None = None) -> Self: ...
    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats]: ...
    def set_axial_row(self, row: int, curvature: Floats) -> None: ...
    def set_friction(self, rows: Ints, curves: Floats, links: Ints, passes: int) -> None: ...
    @property
    def friction_heat(self) -> float: ...
    @property
    def friction_work(self) -> float: ...
    def set_statics(self, *, length: float, tension: float, bending_stiffness: float, theta: float,
                    positions: Floats, weights: Floats, highest: float = ...,
                    side_weights: Floats | None = None, side_softness: float = 1.0) -> None: ...
    def set_static_outputs(self, kinds: Ints, positions: Floats) -> None: ...
    def clear_residual(self) -> None: ...
    @property
    def residual_compliance(self) -> Floats: ...
    @property
    def residual_force(self) -> Floats: ...
    @property
    def residual_losses(self) -> float: ...
    def set_watch(self, rows: Ints, kinds: Ints, shifts: Floats,
                  compressions: Floats | None = None) -> None: ...
    @property
    def has_ended(self) -> bool: ...
    def take_over(self, other: TwoPoint) -> None: ...
