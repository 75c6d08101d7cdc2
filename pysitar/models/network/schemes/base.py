"""What a scheme of strings, masses or objects declares, and what a string is to the code above."""
from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pysitar.errors import ParameterError
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.network import Network
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.friction import FrictionRows
from pysitar.physics.barrier import Barrier
from pysitar.physics.bow import Bow, BridgeFriction
from pysitar.physics.checks import FloatArray, Numbers
from pysitar.physics.grid import StringGrid
from pysitar.physics.modes import StringModes
from pysitar.physics.string import String

# spaces
MODES, GRID, POINT = "modes", "grid", "point"
# capabilities of a scheme of strings
PITCH = "pitch"                 # the pitch changes while the string sounds
ROWS = "rows"                   # rows whose shape and damping change while the string sounds
TOUCH = "touch"                 # a plectrum or finger damps the string before a pluck
FINGER = "finger"               # a damping finger has rows; without it, it raises all decay rates
FRETS = "frets"                 # fingers press the string on frets
HAMMER = "hammer"               # hammers strike the string
THREAD = "thread"               # a thread lies under the string
TENSION = "tension"             # the tension rises with the amplitude
COUPLING = "coupling"           # strings are coupled by a body
CORRECTION = "correction"       # the duration of a contact can be corrected
FRICTION = "friction"           # bows rub the string, and bridges in a second direction
STATICS = "statics"             # the static compliance that the modes lack is added at the rows
# of a scheme of masses
SPRING = "spring"               # the mass may be on a spring
NEED_ROWS = frozenset((PITCH, TOUCH, FINGER, FRETS, HAMMER, THREAD, TENSION, COUPLING, STATICS,
                       FRICTION))
CAPABILITIES = NEED_ROWS | {ROWS, CORRECTION, SPRING}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Scheme:
    """A numerical scheme.

    Parameters: name; model, whose parts it computes, "string", "lumped" or "impact"; space; doc,
    one line; capabilities, of CAPABILITIES; variants, their names; force_time_offset, the fraction
    of a step at which a force acts; solves_together, whether it solves for the forces of all
    contacts of a step together; shortest_contact, in steps, with closed_form, the name in
    `pysitar.analytic` of the closed form of the duration of its contacts ("": there is none);
    no_statics, why it has no statics.
    """

    name: str
    model: str
    space: str
    doc: str
    capabilities: frozenset[str] = frozenset()
    variants: tuple[str, ...] = ()
    force_time_offset: float = 0.0
    solves_together: bool = False
    shortest_contact: float = 0.0
    closed_form: str = ""
    no_statics: str = "adds no static compliance at its contacts"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class NetworkOptions:
    """The arguments of a `StringSimulation` that not every scheme has."""

    variant: str | None = None
    max_frequency: float | None = None
    modes: int | None = None
    corrected: bool = False
    frequencies: Numbers | None = None
    decay_rates: Numbers | None = None
    tension_modulation: bool = False
    theta: float | None = None      # of statics; None: without
    bow: Bow | None = None
    friction: BridgeFriction | None = None


class SchemeString(Protocol):
    """A string in the space of its scheme, with the kernel that computes it.

    Attributes: space, its modes or nodes; kernel.
    """

    @property
    def space(self) -> StringModes | StringGrid: ...
    @property
    def kernel(self) -> Network | GridNetwork: ...

    @property
    def width(self) -> int:
        """The number of all modes or nodes of the kernel."""

    @property
    def points(self) -> int:
        """The number of contact points."""

    @property
    def friction(self) -> FrictionRows | None:
        """The rows of friction; None without."""

    def widen(self, weights: FloatArray, angle: float | None = None) -> FloatArray:
        """Return weights of the modes or nodes as those of the kernel; angle (degrees), from the
        second direction of the string to the first (None: the first).  Errors: ParameterError, an
        angle of a string that has one direction."""

    @property
    def modes(self) -> StringModes | None:
        """The modes; None on a grid."""

    @property
    def grid(self) -> StringGrid | None:
        """The grid; None in a scheme of modes."""

    def force_weights(self, position: float, width: float, spread: str | None) -> FloatArray:
        """Return the weights of a force on modes or nodes; position and width (m); spread, over
        the nodes.  Errors: ParameterError."""

    def pluck_weights(self, position: float, width: float) -> FloatArray:
        """Return the weights of the force of a pluck; position and width (m)."""

    def sampled(self, shape: Callable[[float], float]) -> FloatArray:
        """Return the displacements (m) of a function of x (m) -> m."""

    def triangle(self, position: float, height: float) -> FloatArray:
        """Return the displacements (m) of a triangle of a height (m) at a position (m)."""

    def set_displacement(self, displacement: FloatArray) -> None:
        """Set the state: a displacement (m), at velocity 0.  Errors: ArithmeticError."""

    def set_outputs(self, displacement: FloatArray, velocity: FloatArray, force: FloatArray,
                    tension: FloatArray) -> None:
        """Set the weights of the outputs (N, M), (N, M), (N, rows), (N, M)."""

    def add_decay(self, rate: float) -> None:
        """Set the decay rate (1/s) that is added to those of the string."""

    def audited(self, *, name: str, sample_rate: float, floor: float, outputs: int,
                recorded: bool) -> AuditedNetwork[Network] | AuditedNetwork[GridNetwork]:
        """Return the network of the kernel: see `AuditedNetwork`."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StringScheme(Scheme):
    """A scheme of strings; highest, the fraction of the sample rate under which modes are kept
    (0: it has no modes); simulated_frequency, which returns the frequency (Hz) that a mode of an
    undamped frequency (Hz) has at a sample rate (Hz) (None: modes are exact, or it has none)."""

    model: str = "string"
    highest: float = 0.0
    simulated_frequency: Callable[[float, float], float] | None = None

    @abstractmethod
    def simulate(self, string: String, barriers: Sequence[Barrier], sample_rate: float,
                 options: NetworkOptions) -> SchemeString:
        """Return the string of a `StringSimulation`.  Errors: ParameterError."""

    @abstractmethod
    def play(self, string: String, hz: float, barriers: Sequence[Barrier],
             sample_rate: float) -> SchemeString:
        """Return the string of an instrument, at a pitch (Hz).  Errors: ParameterError."""


def checked_barriers(barriers: Sequence[Barrier]) -> tuple[Barrier, ...]:
    """Return the barriers of a string, checked.  Errors: ParameterError."""
    expected = "expected a list of Barrier, such as [barrier]; [] for none"
    try:
        found = tuple(barriers)
    except TypeError:
        raise ParameterError("barriers", barriers, expected) from None
    for k, barrier in enumerate(found):
        if not isinstance(barrier, Barrier):
            raise ParameterError(f"barriers[{k}]", barrier, "expected a Barrier")
    return found
