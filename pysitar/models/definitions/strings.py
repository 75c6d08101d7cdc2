"""The tables of a string: its barrier, thread, frets, fretboard, pickup, and how it is played."""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pysitar.errors import ParameterError, quoted
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.gestures.felt import MEMORY, MEMORY_TIME, check_losses
from pysitar.gestures.pluck import ANGLE, FORCE, LEAD, POSITION, RAMP, RELEASE, TOUCH, WIDTH
from pysitar.gestures.strike import (
    HAMMER_DAMPING,
    HAMMER_EXPONENT,
    HAMMER_MASS,
    HAMMER_STIFFNESS,
    HAMMER_VELOCITY,
    STRUCK,
)
from pysitar.kernels.core import elementary
from pysitar.models.definitions.bodies import BodySpec
from pysitar.models.definitions.bows import BowSpec
from pysitar.models.definitions.gauges import NONE as NO_WINDING
from pysitar.models.definitions.gauges import WINDINGS, Wire
from pysitar.models.definitions.picks import ROWS as PICK_ROWS
from pysitar.models.definitions.picks import PickSpec, tip_of
from pysitar.models.definitions.rattles import ROWS as RATTLE_ROWS
from pysitar.models.definitions.rattles import RattleSpec
from pysitar.models.definitions.schema import Specification, TableFault, inner, key, key_of
from pysitar.models.network.network import MAX_ROWS
from pysitar.models.network.schemes.base import COUPLING, HAMMER, STATICS, TENSION, THREAD
from pysitar.models.network.schemes.base import FRICTION as FRICTION_ROWS
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES, names_with
from pysitar.models.network.schemes.statics import DEFAULT_THETA
from pysitar.physics import ranges
from pysitar.physics.barrier import SHORTEST, Barrier, check_on_string, parabola
from pysitar.physics.bow import COEFFICIENT, DETUNING
from pysitar.physics.contact import ContactLaw
from pysitar.physics.parameters import (
    MOST_STRING_CONTACT_DAMPING,
    NEAREST,
    STIFFEST_HAMMER,
    STIFFEST_STRING_CONTACT,
    Parameter,
    check_string_contact,
    check_width,
    ranged,
)
from pysitar.physics.resonators.material import MATERIALS
from pysitar.physics.string import String

PLAIN_WIRE = MATERIALS["steel"]         # of a string without a gauge
PROFILES = ("parabola", "flat")
MODEL = "string"
HANDS = 2                               # hammers of a string, one per hand
# of a string's network: thread, touch of the plectrum, three fingers; hammers add more
OTHER_ROWS = 5
MOST_POINTS = MAX_ROWS - OTHER_ROWS     # of its barrier, frets and fretboard
MOST_FRETS = 60
HIGHEST = 0.1  # m, of a barrier, thread or fret above or below the straight string
STIFFEST_THREAD = 1e9                   # N/m
MOST_RESISTANCE = 1e4                   # kg/s
THINNEST, THICKEST = 1e-6, 0.1          # m
ROLES = ("melody", "drone", "sympathetic")
MOST_TILT = 28.0                        # deg
WIDEST = 36.0                           # semitones that a string may be pulled from its open pitch
MOST_STRETCH = 20.0                     # cents per semitone
MOST_TRUNCATION = 5000.0                # cents

# The ranges are those of physics or narrower, so that all faults are reported at once and
# `describe` can print them.
START = Parameter(name="start", kind="position", unit="m", low=0.0, high=1.0, open_high=True,
                  default=0.0, meaning="where it begins")
POINTS = Parameter(name="points", kind="whole", low=1, high=MOST_POINTS,
                   meaning="the number of contact points")
SPREAD_STIFFNESS = ranged("stiffness", ranges.CONTACT_STIFFNESS, unit="N/m^(1+exponent)",
                          meaning="the contact stiffness per metre")
FRET_STIFFNESS = ranged("stiffness", ranges.CONTACT_STIFFNESS, unit="N/m^exponent",
                        meaning="the contact stiffness of each")
EXPONENT = ranged("exponent", ranges.EXPONENT, default=1.0,
                  meaning="the power of the penetration in the force")
DAMPING = ranged("damping", ranges.CONTACT_DAMPING, high=MOST_STRING_CONTACT_DAMPING, default=0.0,
                 meaning="the Hunt-Crossley damping of the contact")
FRICTION = ranged("friction", COEFFICIENT, default=0.2, meaning=
                  "the coefficient of dry friction on it; of a string with polarisation = 2")
GAP_NUT = Parameter(name="gap_nut", unit="m", low=0.0, high=HIGHEST,
                    meaning="its distance below the straight string, extrapolated to the nut")
GAP_12 = Parameter(name="gap_12", unit="m", low=0.0, high=HIGHEST,
                   meaning="its distance below the straight string in the middle of the string")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BarrierSpec(Specification):
    """A bridge under the string: a parabola is 0 at both ends, and a height of 0 is the straight
    string."""

    profile: str = key("the shape of the bridge along the string", kind="text", choices=PROFILES)
    start: float = key_of(START)
    extent: float = key("how long it is", unit="m", low=ranges.BARRIER_EXTENT.low)
    height: float = key("its height above the straight string (a parabola's: in its middle)",
                        unit="m", low=-HIGHEST, high=HIGHEST)
    points: int = key_of(POINTS)
    stiffness: float = key_of(SPREAD_STIFFNESS)
    exponent: float = key_of(EXPONENT)
    damping: float = key_of(DAMPING)
    friction: float = key_of(FRICTION)
    tilt: float = key("by how much it is turned about the string, so that its force has a part in "
                      "the second direction; of a string with polarisation = 2", unit="deg",
                      low=-MOST_TILT, high=MOST_TILT, default=0.0)

    def barrier(self) -> Barrier:
        """The barrier of physics.  Errors: ParameterError."""
        profile = self._flat if self.profile == "flat" else parabola(
            start=self.start, extent=self.extent, height=self.height)
        return Barrier(profile=profile, start=self.start, end=self.start + self.extent,
                       points=self.points, law=_law(self))

    def _flat(self, x: float) -> float:
        return self.height


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThreadSpec(Specification):
    """A cotton thread under the string."""

    position: float = key("where it lies", kind="position", unit="m", low=0.0, high=1.0,
                          open_low=True, open_high=True, smallest=NEAREST)
    height: float = key("its height above the straight string", unit="m", low=-HIGHEST,
                        high=HIGHEST)
    stiffness: float = key("its stiffness", unit="N/m", low=0.0, high=STIFFEST_THREAD,
                           smallest=1e-6)
    resistance: float = key("its resistance", unit="kg/s", low=0.0, high=MOST_RESISTANCE,
                            smallest=1e-9, default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FretsSpec(Specification):
    """Frets under the string, their tops on a straight line."""

    count: int = key("the number of frets, a semitone apart from the nut on", kind="whole", low=1,
                     high=MOST_FRETS)
    gap_nut: float = key_of(GAP_NUT)
    gap_12: float = key_of(GAP_12)
    stiffness: float = key_of(FRET_STIFFNESS)
    exponent: float = key_of(EXPONENT)
    damping: float = key_of(DAMPING)
    friction: float = key_of(FRICTION)

    def barrier(self, length: float) -> Barrier:
        """The barrier of physics on a string of a length (m): fret n at length 2^(-n/12) from the
        bridge end, from the nut on.

        Errors: ParameterError.
        """
        positions = [length * elementary.pow(2.0, -n / 12.0) for n in range(1, self.count + 1)]
        heights = [
            -gap_at(x, gap_nut=self.gap_nut, gap_12=self.gap_12, length=length) for x in positions
        ]
        return Barrier.at(positions=positions, heights=heights, weights=[1.0] * self.count,
                          law=_law(self))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FretboardSpec(Specification):
    """A board under the string, from a point to the nut, its surface straight."""

    start: float = key_of(replace(START, meaning="where it begins; it ends at the nut"))
    gap_nut: float = key_of(GAP_NUT)
    gap_12: float = key_of(GAP_12)
    points: int = key_of(POINTS)
    stiffness: float = key_of(SPREAD_STIFFNESS)
    exponent: float = key_of(EXPONENT)
    damping: float = key_of(DAMPING)
    friction: float = key_of(FRICTION)

    def barrier(self, length: float) -> Barrier:
        """The barrier of physics on a string of a length (m).  Errors: ParameterError."""
        def profile(x: float) -> float:
            return -gap_at(x, gap_nut=self.gap_nut, gap_12=self.gap_12, length=length)

        return Barrier(profile=profile, start=self.start, end=length, points=self.points,
                       law=_law(self))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PickupSpec(Specification):
    """A pickup, whose output is the velocity of the string."""

    position: float = key(
        "the position of the pickup, which measures the string's velocity, from the bridge",
        kind="position", unit="m", low=0.0, high=1.0, open_low=True, open_high=True,
        smallest=NEAREST)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PluckSpec(Specification):
    """Default values of a pluck."""

    position: float = key_of(POSITION)
    force: float = key_of(FORCE)
    width: float = key_of(WIDTH)
    ramp: float = key_of(RAMP)
    release: float = key_of(RELEASE)
    touch: float = key_of(TOUCH)
    lead: float = key_of(LEAD)
    angle: float = key_of(ANGLE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StrikeSpec(Specification):
    """Default values of a strike, and the hammer."""

    position: float = key_of(STRUCK)
    velocity: float = key_of(HAMMER_VELOCITY)
    mass: float = key_of(HAMMER_MASS)
    stiffness: float = key_of(HAMMER_STIFFNESS)
    exponent: float = key_of(HAMMER_EXPONENT)
    damping: float = key_of(HAMMER_DAMPING)
    memory: float = key_of(MEMORY)
    memory_time: float = key_of(MEMORY_TIME)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StringSpec(Specification):
    """One string; the pitch is as written, a text ("pa,", "C#3") or a frequency (Hz)."""

    name: str
    pitch: str | float = key("the pitch of the open string", kind="pitch", unit="Hz", low=0.0,
                             high=1e6, open_low=True, smallest=1e-3)
    cents: float = key(
        "the offset of the tuning of the string without its barrier from that pitch", unit="cents",
        low=-1200.0, high=1200.0, default=0.0)
    stretch: float = key(
        "a further offset for each semitone over the open string; on a bridge high notes are "
        "sharp, values below 0 flatten them", unit="cents per semitone", low=-MOST_STRETCH,
        high=MOST_STRETCH, default=0.0)
    corrections: tuple[float, ...] = key(
        "a further offset at 0, 1, 2 ... semitones over the open string, interpolated linearly, "
        "as measured by pysitar tune", kind="list", unit="cents", low=-1200.0, high=1200.0,
        smallest=0.0, default=(0.0,))
    truncation: float = key(
        "how much fewer modes sharpen the string on its bridge: a note is tuned flatter by "
        "truncation (1/M - 1/M0) where a higher note of the score leaves M modes, instead of M0 "
        "for the note alone", unit="cents", low=0.0, high=MOST_TRUNCATION, default=0.0)
    lowest: float = key("its lowest note, from the open string", unit="semitones", low=-WIDEST,
                        high=0.0, default=-12.0)
    highest: float = key("its highest note, from the open string", unit="semitones", low=0.0,
                         high=WIDEST, default=12.0)
    role: str = key(
        "its role: notes of a MIDI file are put on melody strings, or on drones if there are no "
        "others", kind="text", choices=ROLES, default="melody")
    length: float = key("the length between the supports", ranges.LENGTH)
    linear_density: float = key("the mass per length; required without a gauge, not with one",
                                ranges.LINEAR_DENSITY, absent=0.0)
    gauge: float = key(
        "the outer diameter, such as 0.010in; with it mass per length and bending stiffness are "
        "those of a round wire of material, or of a core of core_diameter with a winding",
        unit="m", low=0.0, high=THICKEST, smallest=THINNEST, default=0.0)
    material: str = key("the material of a wire by its gauge, or of its core", kind="text",
                        choices=tuple(MATERIALS), default="steel")
    winding: str = key("the material of the winding of a string by its gauge", kind="text",
                       choices=WINDINGS, default=NO_WINDING)
    core_diameter: float = key(
        "the diameter of the wire that carries the tension; 0 is a plain steel wire of the same "
        "mass per length", unit="m", low=0.0, high=THICKEST, smallest=THINNEST, default=0.0)
    bending_stiffness: float = key("the bending stiffness EI", ranges.BENDING_STIFFNESS,
                                   default=0.0)
    axial_stiffness: float = key(
        "the force EA for a strain of 1; 0 is that of a round wire of core_diameter d, 16 EI / "
        "d^2, or of steel if EI is 0", ranges.AXIAL_STIFFNESS, default=0.0)
    tension_modulation: bool = key(
        "whether its tension rises with the amplitude: a hard pluck begins sharp and falls; only "
        f"in the {' or '.join(names_with(MODEL, TENSION))} scheme, which then takes two to three "
        "times as long", kind="flag",
        default=False)
    statics: bool = key(
        "whether the static compliance that its modes lack is added at its contacts: pitch on a "
        "bridge then hardly depends on the sample rate and on the number of modes; only in the "
        f"{' or '.join(names_with(MODEL, STATICS))} scheme, where a step in contact takes 1.0 to "
        "2.9 times as long", kind="flag", default=False)
    polarisation: int = key(
        "in how many directions it moves, 1 or 2: 1 is across the bridge, 2 also along it; only in "
        f"the {' or '.join(names_with(MODEL, FRICTION_ROWS))} scheme, where a step takes 2 to 3 "
        "times as long", kind="whole", low=1, high=2, default=1)
    detuning: float = key("by how much of their frequency the modes of the second direction are "
                          "lower", low=0.0, high=DETUNING.high, default=0.003)
    axis_angle: float = key(
        "by how much the two directions in which it moves by itself are turned from across and "
        "along the bridge: what moves across it then beats, and has two decays on a coupled body",
        unit="deg", low=-45.0, high=45.0, default=0.0)
    nut_coupling: float = key(
        "the stiffness of a spring 1 cm before the nut, at 45 degrees to both directions, which "
        "couples them", unit="N/m", low=0.0, high=STIFFEST_THREAD, smallest=1e-6, default=0.0)
    theta: float = key(
        "how strongly the compliance added by statics is damped; lower values are brighter and "
        "ring more near half the sample rate; without statics it has no effect", ranges.THETA,
        default=DEFAULT_THETA)
    sigma0: float = key("the decay rate of every wave", ranges.SIGMA0, default=0.0)
    sigma1: float = key("the part of the decay rate that grows with the wave number",
                        ranges.SIGMA1, default=0.0)
    sigma2: float = key("the part that grows with its square", ranges.SIGMA2, default=0.0)
    sigma3: float = key("the part that grows with its cube", ranges.SIGMA3, default=0.0)
    barrier: BarrierSpec | None = inner(BarrierSpec)
    thread: ThreadSpec | None = inner(ThreadSpec)
    frets: FretsSpec | None = inner(FretsSpec)
    fretboard: FretboardSpec | None = inner(FretboardSpec)
    pickup: PickupSpec | None = inner(PickupSpec)
    pluck: PluckSpec = inner(PluckSpec, required=True)
    strike: StrikeSpec | None = inner(StrikeSpec)
    bow: BowSpec | None = inner(BowSpec)
    pick: PickSpec | None = inner(PickSpec)
    rattle: RattleSpec | None = inner(RattleSpec)

    @property
    def by_gauge(self) -> Wire:
        """The wire of its gauge."""
        return Wire(gauge=self.gauge, material=self.material, core_diameter=self.core_diameter,
                    winding=self.winding)

    def part(self) -> StringSpec:
        """Return the string with the mass and the stiffness of its gauge, if it has one."""
        if self.gauge == 0.0:
            return self
        wire = self.by_gauge
        return replace(self, gauge=0.0, winding=NO_WINDING, linear_density=wire.linear_density,
                       core_diameter=wire.core,
                       bending_stiffness=self.bending_stiffness or wire.bending_stiffness)

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name."""
        gesture = BY_MODEL["string"].get(verb)
        defaults = getattr(self, gesture.defaults) if gesture and gesture.defaults else None
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
        """Return the pitch, in semitones over open_hz (Hz), of the string without its barrier that
        sounds at hz (Hz) on its barrier."""
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
        return self.core_diameter or 2.0 * math.sqrt(
            self.linear_density / (PLAIN_WIRE.density * math.pi))

    @property
    def wire_stiffness(self) -> float:
        """The force (N) per strain: axial_stiffness, else that of a round wire, 16 EI / d^2, else
        of steel if EI is 0."""
        d = self.wire
        if self.axial_stiffness > 0.0:
            return self.axial_stiffness
        return 16.0 * self.bending_stiffness / (
            d * d) if self.bending_stiffness > 0.0 else (
                PLAIN_WIRE.youngs_modulus * 0.25 * math.pi * d * d)

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

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield what only the whole string shows: parts beyond its end or above it, and too many
        rows."""
        wrong = [((name,), message) for name, message in self.by_gauge.faults(self.linear_density)]
        if wrong or self.gauge > 0.0:
            yield from wrong or self.part().faults(scheme)
            return
        try:
            check_width(self.pluck.position, self.pluck.width, self.length)
        except ParameterError as error:
            yield ("pluck", "width"), str(error)
        try:
            string = self.untuned()
        except ParameterError as error:          # of a stiffness that follows from other values
            yield (error.name,), (f"{error}; it follows from a wire of {self.wire:.3g} m; "
                                  f"expected a larger core_diameter")
            return
        if self.barrier is not None:
            try:
                check_on_string(self.barrier.barrier(), string)
            except ParameterError as error:
                yield ("barrier", "extent"), str(error)
        board = self.fretboard
        if board is not None and self.length - board.start < SHORTEST:
            yield ("fretboard", "start"), (f"start is {board.start:g} m; expected at least "
                                           f"{SHORTEST:g} m before the nut at {self.length:g} m")
            return
        yield from self._faults_of_stiffness()
        if self.strike is not None:
            try:
                check_losses(self.strike.memory, self.strike.damping)
            except ParameterError as error:
                yield ("strike", "memory"), str(error)
        if self.pick is not None:
            yield from ((("pick", *path), message) for path, message in self.pick.faults(scheme))
        if self.bow is not None:
            yield from self._faults_of_bow(self.bow)
        for table in ("strike", "rattle"):
            if self.polarisation == 2 and getattr(self, table) is not None:
                yield ("polarisation",), ("polarisation is 2, and masses move a string in one "
                                          f"direction; expected 1, or no table {table}")
        if self.polarisation == 2 and self.statics and self.axis_angle != 0.0:
            yield ("axis_angle",), (f"axis_angle is {self.axis_angle:g} deg, and statics is true; "
                                    "expected 0 deg, or statics = false")
        yield from self._faults_above_string("frets", self.frets)
        yield from self._faults_above_string("fretboard", board)
        yield from self._faults_of_row_count()

    def _faults_of_bow(self, bow: BowSpec) -> Iterator[TableFault]:
        """Yield a bow beyond the string, or beside a hammer."""
        for name, message in bow.faults_on(self.length):
            yield ("bow", name), message
        if self.strike is not None:
            yield ("bow",), ("a string has a bow or a hammer; expected either the table bow or the "
                             "table strike")
        if self.rattle is not None:
            yield ("bow",), ("a string with a rattle is not bowed; expected either the table bow "
                             "or the table rattle")

    def _faults_of_stiffness(self) -> Iterator[TableFault]:
        """Yield contacts so stiff that rounding of their forces spoils the energy balance."""
        parts = {
            "barrier": (self.barrier, SPREAD_STIFFNESS), "frets": (self.frets, FRET_STIFFNESS),
            "fretboard": (self.fretboard, SPREAD_STIFFNESS),
            "strike": (self.strike, HAMMER_STIFFNESS), "rattle": (self.rattle, HAMMER_STIFFNESS)
        }
        for table, (part, parameter) in parts.items():
            if part is None:
                continue
            linear = STIFFEST_HAMMER if table in {"strike", "rattle"} else STIFFEST_STRING_CONTACT
            try:
                check_string_contact(linear, part.stiffness, part.exponent, parameter.unit)
            except ParameterError as error:
                yield (table, "stiffness"), str(error)

    def _faults_above_string(self, table: str,
                             part: FretsSpec | FretboardSpec | None) -> Iterator[TableFault]:
        """Yield frets or a fretboard above the straight string: a straight line rises only towards
        the bridge."""
        if part is None:
            return
        barrier = part.barrier(self.length)
        x, height = min(zip(barrier.positions.tolist(), barrier.heights.tolist(), strict=True))
        if height > 0.0:
            least = part.gap_nut * (1.0 - 0.5 * self.length / (self.length - x))
            yield (table, "gap_12"), (
                f"gap_12 is {part.gap_12:g} m; {x:g} m from the bridge the line of the gaps is "
                f"{height:g} m above the straight string; expected at least {least:g} m")

    def _faults_of_row_count(self) -> Iterator[TableFault]:
        """Yield more contact points than a network has rows."""
        places = {
            ("barrier", "points"): self.barrier.points if self.barrier is not None else 0,
            ("frets", "count"): self.frets.count if self.frets is not None else 0,
            ("fretboard", "points"): self.fretboard.points if self.fretboard is not None else 0
        }
        rows = sum(places.values())
        others = (OTHER_ROWS + self.tension_modulation + (HANDS if self.strike is not None else 0)
                  + (RATTLE_ROWS if self.rattle is not None else 0)
                  + (0 if tip_of(self) is None else PICK_ROWS))
        if self.polarisation == 2:          # friction on each point; thread and hands twice; nut
            others += rows + OTHER_ROWS + 1
        if rows + others > MAX_ROWS:
            most = max(places, key=lambda place: places[place])
            counts = ", ".join(f"{table} {count}" for (table, _), count in places.items() if count)
            yield most, (f"the string has {rows} contact points ({counts}); "
                         f"expected at most {MAX_ROWS - others} in all")

    @classmethod
    def faults_together(cls, parts: Sequence[StringSpec], *, scheme: str,
                        top: Mapping[str, Any]) -> Iterator[TableFault]:
        """Yield what the scheme does not have, and pickups beside the modes of a body, or beside
        strings without one."""
        if scheme:
            yield from _faults_of_scheme(parts, scheme, top.get("body"))
        with_pickup = [string.name for string in parts if string.pickup is not None]
        if "body" in top:
            for name in with_pickup:
                yield (name, "pickup"), (
                    "the modes of a body are driven by the forces at the strings' ends, not by a "
                    "pickup; expected either modes in [body], or pickups")
        elif with_pickup:
            for string in parts:
                if string.pickup is None:
                    yield ("strings", string.name), (
                        f"has no pickup, and {quoted(with_pickup[0])} has one; "
                        f"expected a table [strings.{string.name}.pickup]")


def gap_at(x: float, *, gap_nut: float, gap_12: float, length: float) -> float:
    """Return the distance (m) of frets or fretboard below the straight string at x (m from the
    bridge end); length, of the string (m)."""
    return gap_nut + (length - x) / (0.5 * length) * (gap_12 - gap_nut)


def _law(part: BarrierSpec | FretsSpec | FretboardSpec) -> ContactLaw:
    """Return the law of the contacts of a part.  Errors: ParameterError."""
    return ContactLaw(stiffness=part.stiffness, exponent=part.exponent, damping=part.damping)


def _faults_of_scheme(strings: Sequence[StringSpec], scheme: str,
                      body: BodySpec | None) -> Iterator[TableFault]:
    """Yield what the strings and the body have and the scheme has not."""
    capabilities = STRING_SCHEMES[scheme].capabilities
    threads = [string.name for string in strings if string.thread is not None]
    if threads and THREAD not in capabilities:
        yield ("scheme",), (f"the {scheme} scheme has no thread, and {quoted(threads[0])} has one; "
                            f"expected {_names_with(THREAD)}, or no thread")
    rattles = [string.name for string in strings if string.rattle is not None]
    if rattles and HAMMER not in capabilities:
        yield ("scheme",), (f"the {scheme} scheme has no masses on strings, and "
                            f"{quoted(rattles[0])} has a rattle; expected {_names_with(HAMMER)}, "
                            "or no rattle")
    modulated = [string.name for string in strings if string.tension_modulation]
    if modulated and TENSION not in capabilities:
        yield ("scheme",), (f"the {scheme} scheme keeps the tension constant, and "
                            f"{quoted(modulated[0])} has tension_modulation; "
                            f"expected {_names_with(TENSION)}, or tension_modulation = false")
    static = [string.name for string in strings if string.statics]
    if static and STATICS not in capabilities:
        yield ("scheme",), (f"the {scheme} scheme {STRING_SCHEMES[scheme].no_statics}, and "
                            f"{quoted(static[0])} has statics; "
                            f"expected {_names_with(STATICS)}, or statics = false")
    turned = [string.name for string in strings if string.polarisation == 2]
    if turned and FRICTION_ROWS not in capabilities:
        yield ("scheme",), (f"the {scheme} scheme moves strings in one direction, and "
                            f"{quoted(turned[0])} has polarisation = 2; "
                            f"expected {_names_with(FRICTION_ROWS)}, or polarisation = 1")
    if body is not None and body.coupled and COUPLING not in capabilities:
        yield ("scheme",), (f"the {scheme} scheme has no coupled body; "
                            f"expected {_names_with(COUPLING)}, or coupled = false in [body]")


def _names_with(capability: str) -> str:
    """Return the schemes that have a capability, as messages name them."""
    return " or ".join(names_with(MODEL, capability))
