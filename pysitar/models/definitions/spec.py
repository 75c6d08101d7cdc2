"""Specification of an instrument, checked: strings, their contacts and default values of plucks,
and the body."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from pysitar.kernels.core import elementary
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.definitions.objects import BallSpec, ObjectSpec
from pysitar.models.definitions.tables import parameter_at
from pysitar.physics.barrier import Barrier, parabola
from pysitar.physics.contact import ContactLaw
from pysitar.physics.modal_object import ModalObject
from pysitar.physics.string import String

__all__ = [
    "BarrierSpec", "BodySpec", "FretboardSpec", "FretsSpec", "InstrumentSpec", "MassSpec",
    "ObjectSpec", "PartSpec", "PickupSpec", "PluckSpec", "StrikeSpec", "StringSpec", "ThreadSpec",
    "parameter_at"
]
STEEL = 7850.0                  # kg/m^3
STEEL_MODULUS = 2.0e11          # Pa


@dataclass(frozen=True, slots=True, kw_only=True)
class BarrierSpec:
    """A bridge under the string.

    Parameters: profile, "parabola" (0 at both ends, `height` in the middle) or "flat"; start (m
    from the bridge end); extent (m); height (m, 0 is the straight string); points; stiffness
    (N/m^(1+exponent)); exponent; damping (Hunt-Crossley, s/m). """

    profile: str
    start: float
    extent: float
    height: float
    points: int
    stiffness: float
    exponent: float
    damping: float

    def barrier(self) -> Barrier:
        """The barrier of physics.  Errors: ParameterError."""
        profile: Callable[[float], float]
        if self.profile == "parabola":
            profile = parabola(start=self.start, extent=self.extent, height=self.height)
        else:
            profile = self._flat
        law = ContactLaw(stiffness=self.stiffness, exponent=self.exponent, damping=self.damping)
        return Barrier(profile=profile, start=self.start, end=self.start + self.extent,
                       points=self.points, law=law)

    def _flat(self, x: float) -> float:
        return self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSpec:
    """A cotton thread under the string: position (m), height (m), stiffness (N/m), resistance
    (kg/s)."""

    position: float
    height: float
    stiffness: float
    resistance: float


def gap_at(x: float, *, gap_nut: float, gap_12: float, length: float) -> float:
    """Return the distance (m) of frets or fretboard below the straight string at x (m from the
    bridge end); length, of the string (m)."""
    return gap_nut + (length - x) / (0.5 * length) * (gap_12 - gap_nut)


@dataclass(frozen=True, slots=True, kw_only=True)
class FretsSpec:
    """Frets under the string, their tops on a straight line.

    Parameters: count; gap_nut and gap_12, the distance of that line below the straight string at
    the nut and at fret 12, its middle (m); stiffness of each (N/m^exponent); exponent; damping
    (Hunt-Crossley, s/m). """

    count: int
    gap_nut: float
    gap_12: float
    stiffness: float
    exponent: float
    damping: float

    def barrier(self, length: float) -> Barrier:
        """The barrier of physics on a string of a length (m): fret n at length 2^(-n/12) from the
        bridge end, from the nut on.

        Errors: ParameterError.
        """
        positions = [length * elementary.pow(2.0, -n / 12.0) for n in range(1, self.count + 1)]
        heights = [
            -gap_at(x, gap_nut=self.gap_nut, gap_12=self.gap_12, length=length) for x in positions
        ]
        law = ContactLaw(stiffness=self.stiffness, exponent=self.exponent, damping=self.damping)
        return Barrier.at(positions=positions, heights=heights, weights=[1.0] * self.count, law=law)


@dataclass(frozen=True, slots=True, kw_only=True)
class FretboardSpec:
    """A board under the string, from a point to the nut, its surface straight.

    Parameters: start (m from the bridge end); gap_nut and gap_12, the distance of the surface below
    the straight string at the nut and in its middle (m); points; stiffness (N/m^(1+exponent));
    exponent; damping (Hunt-Crossley, s/m). """

    start: float
    gap_nut: float
    gap_12: float
    points: int
    stiffness: float
    exponent: float
    damping: float

    def barrier(self, length: float) -> Barrier:
        """The barrier of physics on a string of a length (m).  Errors: ParameterError."""
        def profile(x: float) -> float:
            return -gap_at(x, gap_nut=self.gap_nut, gap_12=self.gap_12, length=length)

        law = ContactLaw(stiffness=self.stiffness, exponent=self.exponent, damping=self.damping)
        return Barrier(profile=profile, start=self.start, end=length, points=self.points, law=law)


@dataclass(frozen=True, slots=True, kw_only=True)
class PickupSpec:
    """A pickup, whose output is the velocity of the string at a position (m from the bridge
    end)."""

    position: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PluckSpec:
    """Default values of a pluck.

    Parameters: position (m); force (N); width (m); ramp and release (s); touch, the resistance of
    the finger before it plucks (kg/s), and lead, how long before (s). """

    position: float
    force: float
    width: float
    ramp: float
    release: float
    touch: float
    lead: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikeSpec:
    """Default values of a strike.

    Parameters: position (m); velocity of the hammer (m/s); its mass (kg); stiffness of its head
    (N/m^exponent); exponent; damping (Hunt-Crossley, s/m). """

    position: float
    velocity: float
    mass: float
    stiffness: float
    exponent: float
    damping: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySpec:
    """The modes of a body at the bridge.

    Parameters: frequencies (Hz), q, masses (kg), weights (of each mode's velocity in the output),
    all of one length; coupled, whether the motion of the body acts on the strings. """

    frequencies: tuple[float, ...]
    q: tuple[float, ...]
    masses: tuple[float, ...]
    weights: tuple[float, ...]
    coupled: bool

    def modal_object(self) -> ModalObject:
        """Return the body of physics, each mode with shape 1 at the bridge.  Errors:
        ParameterError."""
        ones = [1.0] * len(self.frequencies)
        return ModalObject.from_quality(frequencies=self.frequencies, q=self.q, masses=self.masses,
                                        shapes=ones)


@dataclass(frozen=True, slots=True, kw_only=True)
class StringSpec:
    """One string.

    Parameters: name; pitch as written, a text ("pa,", "C#3") or a frequency (Hz); cents, by which
    the string without its barrier is tuned off that pitch, so that with it the pitch sounds,
    stretch, by which more for each semitone over the open string, and corrections, by which more
    yet (cents) at 0, 1, 2 ... semitones over it; truncation, how much sharper (cents) fewer modes
    make it: see `playable_modes.retuned_spec`; lowest and highest note (semitones from the open
    string); role: melody, drone or sympathetic; length (m); linear_density (kg/m); core_diameter of
    what carries the tension (m; 0: a plain steel wire of that density); bending_stiffness (N m^2);
    axial_stiffness (N; 0: see `wire_stiffness`), and whether the tension follows the amplitude with
    it; sigma0 (1/s), sigma1 (m/s), sigma2 (m^2/s), sigma3 (m^3/s); barrier, thread, frets,
    fretboard and pickup, where it has them; pluck; strike, where it has hammers. """

    name: str
    pitch: str | float
    cents: float
    length: float
    linear_density: float
    bending_stiffness: float
    sigma0: float
    sigma1: float
    sigma2: float
    sigma3: float
    barrier: BarrierSpec | None
    thread: ThreadSpec | None
    pluck: PluckSpec
    stretch: float = 0.0
    corrections: tuple[float, ...] = (0.0,)
    truncation: float = 0.0
    lowest: float = -12.0
    highest: float = 12.0
    role: str = "melody"
    core_diameter: float = 0.0
    axial_stiffness: float = 0.0
    tension_modulation: bool = False
    frets: FretsSpec | None = None
    fretboard: FretboardSpec | None = None
    pickup: PickupSpec | None = None
    strike: StrikeSpec | None = None

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name."""
        defaults = {"pluck": self.pluck, "strike": self.strike}.get(verb)
        return {} if defaults is None else asdict(defaults)

    def string(self, hz: float, *, open_hz: float | None = None) -> String:
        """Return the string of physics for a pitch.

        Parameters: hz, the pitch (Hz); open_hz, that of the open string (Hz; None: it is open). The
        free fundamental is open_hz 2^((cents + corrections[0] + 100 semitones)/1200). Errors:
        ParameterError, a pitch that the string cannot have. """
        free = (hz if open_hz is None else open_hz) * elementary.pow(
            2.0, (self.cents + self.correction(0.0)) / 1200.0)
        if open_hz is not None:
            free *= elementary.pow(2.0, self.semitones(hz, open_hz=open_hz) / 12.0)
        return self.untuned().with_pitch(free)

    def semitones(self, hz: float, *, open_hz: float) -> float:
        """Return the pitch (semitones over open_hz, Hz) of the string without its barrier that
        gives hz (Hz) with it."""
        above = 12.0 * elementary.log2(hz / open_hz)
        return above * (1.0 + 0.01 * self.stretch) + 0.01 * (self.correction(above)
                                                             - self.correction(0.0))

    def correction(self, semitones: float) -> float:
        """Return the correction (cents) at some semitones over the open string, interpolated
        linearly, constant beyond the last."""
        last = len(self.corrections) - 1
        low = int(min(max(semitones, 0.0), last))
        part = min(max(semitones - low, 0.0), 1.0)
        return self.corrections[low] + part * (self.corrections[min(low + 1, last)]
                                               - self.corrections[low])

    def stress(self, hz: float, *, open_hz: float | None = None) -> float:
        """Return the stress (Pa) of the wire that carries the tension at a pitch.  Parameters,
        errors: as `string`."""
        d = self.wire
        return self.string(hz, open_hz=open_hz).tension / (0.25 * math.pi * d * d)

    @property
    def wire(self) -> float:
        """The diameter (m) of the wire that carries the tension."""
        return self.core_diameter or 2.0 * math.sqrt(self.linear_density / (STEEL * math.pi))

    @property
    def wire_stiffness(self) -> float:
        """The force (N) per strain: axial_stiffness, else that of a round wire, 16 EI / d^2, else
        of steel if EI is 0."""
        d = self.wire
        if self.axial_stiffness > 0.0:
            return self.axial_stiffness
        return 16.0 * self.bending_stiffness / (
            d * d) if self.bending_stiffness > 0.0 else STEEL_MODULUS * 0.25 * math.pi * d * d

    def untuned(self) -> String:
        """Return the string of physics at a tension of 1 N, with an axial stiffness where it is
        used.  Errors: ParameterError."""
        return String(
            length=self.length,
            tension=1.0,
            linear_density=self.linear_density,
            bending_stiffness=self.bending_stiffness,
            sigma0=self.sigma0,
            sigma1=self.sigma1,
            sigma2=self.sigma2,
            sigma3=self.sigma3,
            axial_stiffness=self.wire_stiffness if self.tension_modulation else 0.0,
        )


PartSpec: TypeAlias = StringSpec | MassSpec | ObjectSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class InstrumentSpec:
    """An instrument.

    Parameters: name; source, its file as messages show it; model; gain (full scale per N or m/s);
    scheme; body, where it has one; parts, its strings, masses or objects, in the order of the file;
    bridge, the name of the chosen one ("": the file describes none); balls, of objects, by their
    names. """

    name: str
    source: str
    model: str
    gain: float
    scheme: str
    body: BodySpec | None
    parts: tuple[PartSpec, ...]
    bridge: str = ""
    balls: Mapping[str, BallSpec] = field(default_factory=dict)

    @property
    def strings(self) -> tuple[StringSpec, ...]:
        """The parts that are strings."""
        return tuple(part for part in self.parts if isinstance(part, StringSpec))
