"""An instrument as its file describes it, checked: strings, their bridge, thread and touch, and the body they drive."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pysitar.models.base import FORCE, LEAD, POSITION, RAMP, RELEASE, TOUCH, WIDTH, Parameter, table
from pysitar.models.network import MAX_ROWS
from pysitar.physics.barrier import SHORTEST, Barrier, parabola
from pysitar.physics.contact import HIGHEST_EXPONENT, MOST_DAMPING, STIFFEST, ContactLaw
from pysitar.physics.modal_object import ModalObject
from pysitar.physics.string import HEAVIEST, LONGEST, String

PROFILES = ("parabola", "flat")
SCHEMES = ("two-point", "three-point", "modal-explicit", "fd-iterative", "fd-explicit")
OTHER_ROWS = 5                          # of a string's network: its thread, the plectrum's touch, three fingers
MOST_POINTS = MAX_ROWS - OTHER_ROWS     # of its barrier
HIGHEST = 0.1                           # m, of a barrier or thread above or below the straight string
STIFFEST_THREAD = 1e9                   # N/m
MOST_RESISTANCE = 1e4                   # kg/s


@dataclass(frozen=True, slots=True, kw_only=True)
class BarrierSpec:
    """A bridge under the string.

    Parameters: profile, "parabola" (0 at both ends, `height` in the middle) or "flat"; start (m from the bridge end); extent (m);
    height (m, 0 is the straight string); points; stiffness (N/m^(1+exponent)); exponent; damping (Hunt-Crossley, s/m).
    """

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
        return Barrier(profile=profile, start=self.start, end=self.start + self.extent, points=self.points, law=law)

    def _flat(self, x: float) -> float:
        return self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSpec:
    """A cotton thread under the string: position (m), height (m), stiffness (N/m), resistance (kg/s)."""

    position: float
    height: float
    stiffness: float
    resistance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PluckSpec:
    """How a string is plucked unless a row says otherwise.

    Parameters: position (m); force (N); width (m); ramp and release (s); touch, the resistance of the finger before it plucks (kg/s), and
    lead, how long before (s).
    """

    position: float
    force: float
    width: float
    ramp: float
    release: float
    touch: float
    lead: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySpec:
    """The modes of a body at the bridge.

    Parameters: frequencies (Hz), q, masses (kg), weights (how loud each mode's velocity is), all of one length; coupled, whether the
    strings feel the body.
    """

    frequencies: tuple[float, ...]
    q: tuple[float, ...]
    masses: tuple[float, ...]
    weights: tuple[float, ...]
    coupled: bool

    def modal_object(self) -> ModalObject:
        """The body of physics, each mode with shape 1 at the bridge.  Errors: ParameterError."""
        ones = [1.0] * len(self.frequencies)
        return ModalObject.from_quality(frequencies=self.frequencies, q=self.q, masses=self.masses, shapes=ones)


@dataclass(frozen=True, slots=True, kw_only=True)
class StringSpec:
    """One string.

    Parameters: name; pitch as written, a text ("pa,", "C#3") or a frequency (Hz); cents, by which the string without its barrier is
    tuned off that pitch, so that with it the pitch sounds; length (m); linear_density (kg/m); bending_stiffness (N m^2); sigma0 (1/s),
    sigma1 (m/s), sigma2 (m^2/s), sigma3 (m^3/s); barrier and thread, where it has them; pluck.
    """

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

    def string(self, hz: float) -> String:
        """The string of physics that sounds at a pitch.

        Parameters: hz, the pitch wanted (Hz); its free fundamental is hz 2^(cents/1200).
        Errors: ParameterError when the string cannot have it.
        """
        return self.untuned().with_pitch(hz * math.pow(2.0, self.cents / 1200.0))

    def untuned(self) -> String:
        """The string of physics at a tension of 1 N.  Errors: ParameterError."""
        return String(
            length=self.length, tension=1.0, linear_density=self.linear_density, bending_stiffness=self.bending_stiffness,
            sigma0=self.sigma0, sigma1=self.sigma1, sigma2=self.sigma2, sigma3=self.sigma3,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class InstrumentSpec:
    """An instrument.

    Parameters: name; source, its file as messages show it; model; gain (full scale per N or m/s); scheme; body, where it has one;
    strings, in the order of the file.
    """

    name: str
    source: str
    model: str
    gain: float
    scheme: str
    body: BodySpec | None
    strings: tuple[StringSpec, ...]


# What an instrument file may say. The ranges are those of the objects in physics, here so that all that is wrong is told at once
# and `describe` can print them; a test holds the two together.
TOP = table(
    Parameter(name="model", kind="text", choices=("string",), meaning="the physical model that plays it"),
    Parameter(name="gain", unit="1/N or s/m", low=0.0, high=1e9, open_low=True, meaning="full scale per newton or metre per second"),
    Parameter(name="scheme", kind="text", choices=SCHEMES, default="two-point", meaning="the numerical scheme"),
)
BODY = table(
    Parameter(name="frequencies", kind="list", unit="Hz", low=0.0, high=1e6, open_low=True, meaning="the frequency of each mode"),
    Parameter(name="q", kind="list", low=0.5, high=1e9, open_low=True, meaning="the quality factor of each mode"),
    Parameter(name="masses", kind="list", unit="kg", low=0.0, open_low=True, meaning="the modal mass of each mode at the bridge"),
    Parameter(name="weights", kind="list", meaning="how loud the velocity of each mode is, with its sign"),
    Parameter(name="coupled", kind="flag", default=False, meaning="whether the strings feel the body"),
)
STRING = table(
    Parameter(name="pitch", kind="pitch", unit="Hz", low=0.0, open_low=True, meaning="the pitch of the open string"),
    Parameter(name="cents", unit="cents", low=-1200.0, high=1200.0, default=0.0,
              meaning="how far the string without its barrier is tuned off that pitch"),
    Parameter(name="length", unit="m", low=0.0, high=LONGEST, open_low=True, meaning="the length between the supports"),
    Parameter(name="linear_density", unit="kg/m", low=0.0, high=HEAVIEST, open_low=True, meaning="the mass per length"),
    Parameter(name="bending_stiffness", unit="N m^2", low=0.0, default=0.0, meaning="the bending stiffness EI"),
    Parameter(name="sigma0", unit="1/s", low=0.0, default=0.0, meaning="the decay rate of every wave"),
    Parameter(name="sigma1", unit="m/s", low=0.0, default=0.0, meaning="the part of the decay rate that grows with the wave number"),
    Parameter(name="sigma2", unit="m^2/s", low=0.0, default=0.0, meaning="the part that grows with its square"),
    Parameter(name="sigma3", unit="m^3/s", low=0.0, default=0.0, meaning="the part that grows with its cube"),
)
BARRIER = table(
    Parameter(name="profile", kind="text", choices=PROFILES, meaning="the shape of the bridge along the string"),
    Parameter(name="start", kind="position", unit="m", low=0.0, high=1.0, open_high=True, default=0.0, meaning="where it begins"),
    Parameter(name="extent", unit="m", low=SHORTEST, meaning="how long it is"),
    Parameter(name="height", unit="m", low=-HIGHEST, high=HIGHEST,
              meaning="its height above the straight string (a parabola's: in its middle)"),
    Parameter(name="points", kind="whole", low=1, high=MOST_POINTS, meaning="at how many points it is met"),
    Parameter(name="stiffness", unit="N/m^(1+exponent)", low=0.0, high=STIFFEST, open_low=True, meaning="the contact stiffness per metre"),
    Parameter(name="exponent", low=1.0, high=HIGHEST_EXPONENT, default=1.0, meaning="the power of the penetration in the force"),
    Parameter(name="damping", unit="s/m", low=0.0, high=MOST_DAMPING, default=0.0, meaning="the Hunt-Crossley damping of the contact"),
)
THREAD = table(
    Parameter(name="position", kind="position", unit="m", low=0.0, high=1.0, open_low=True, open_high=True, meaning="where it lies"),
    Parameter(name="height", unit="m", low=-HIGHEST, high=HIGHEST, meaning="its height above the straight string"),
    Parameter(name="stiffness", unit="N/m", low=0.0, high=STIFFEST_THREAD, meaning="its stiffness"),
    Parameter(name="resistance", unit="kg/s", low=0.0, high=MOST_RESISTANCE, default=0.0, meaning="its resistance"),
)
PLUCK = table(POSITION, FORCE, WIDTH, RAMP, RELEASE, TOUCH, LEAD)
TABLES = {"barrier": BARRIER, "thread": THREAD, "pluck": PLUCK}          # of a string


def parameter_at(path: tuple[str, ...]) -> Parameter | None:
    """The parameter that a path of `set` means, the word `strings` left out; `*` stands for one part; None when there is none."""
    key = path[-1]
    if len(path) == 1:
        return TOP.get(key)
    if len(path) == 2:
        places = [keys for name, keys in (("body", BODY), ("", STRING)) if path[0] in {"*", name} or (not name and path[0] != "body")]
    elif len(path) == 3 and path[0] != "body":
        places = [keys for name, keys in TABLES.items() if path[1] in {"*", name}]
    else:
        places = []
    return next((keys[key] for keys in places if key in keys), None)
