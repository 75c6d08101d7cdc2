"""The keys of the tables of an instrument file, each with its unit, range and meaning."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from pysitar.models.definitions.masses import MASS, MASS_TABLES
from pysitar.models.definitions.objects import BALL, OBJECT, OBJECT_TABLES
from pysitar.models.definitions.parameters import (
    FORCE,
    LEAD,
    MOST_STRING_CONTACT_DAMPING,
    NEAREST,
    POSITION,
    RAMP,
    RELEASE,
    STRIKE,
    TOUCH,
    WIDTH,
    Parameter,
    ranged,
    table,
)
from pysitar.models.network.network import MAX_ROWS
from pysitar.physics import ranges

Keys: TypeAlias = Mapping[str, Parameter]

PROFILES = ("parabola", "flat")
SCHEMES = ("two-point", "three-point", "modal-explicit", "fd-iterative", "fd-explicit", "iterative",
           "explicit")
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
LIGHTEST, HEAVIEST = 1e-6, 1e9          # kg, of a mode
LOUDEST = 1e9                           # of gain and weights
WIDEST = 36.0                           # semitones that a string may be pulled from its open pitch
MOST_STRETCH = 20.0                     # cents per semitone
MOST_TRUNCATION = 5000.0                # cents

# The ranges are those of physics or narrower, repeated here so that all faults are reported at once
# and `describe` can print the ranges.
TOP = table(
    Parameter(name="model", kind="text", choices=("string", "lumped", "impact"),
              meaning="the physical model"),
    Parameter(name="gain", unit="1/N or s/m", low=0.0, high=LOUDEST, open_low=True,
              meaning="full scale per newton or metre per second"),
    Parameter(name="scheme", kind="text", choices=SCHEMES, default="two-point",
              meaning="the numerical scheme"),
    Parameter(
        name="bridge", kind="text",
        meaning="the name of one of its [bridges.NAME]; only for an instrument with such tables"),
)
BODY = table(
    Parameter(name="frequencies", kind="list", unit="Hz", low=0.0, high=1e6, open_low=True,
              smallest=1e-3, meaning="the frequency of each mode"),
    Parameter(name="q", kind="list", low=0.5, high=1e9, open_low=True,
              meaning="the quality factor of each mode"),
    Parameter(name="masses", kind="list", unit="kg", low=LIGHTEST, high=HEAVIEST,
              meaning="the modal mass of each mode at the bridge"),
    Parameter(name="weights", kind="list", low=-LOUDEST, high=LOUDEST, smallest=0.0,
              meaning="the weight of each mode's velocity in the output, with its sign"),
    Parameter(name="coupled", kind="flag", default=False,
              meaning="whether the motion of the body acts on the strings"),
)
STRING = table(
    Parameter(name="pitch", kind="pitch", unit="Hz", low=0.0, high=1e6, open_low=True,
              smallest=1e-3, meaning="the pitch of the open string"),
    Parameter(name="cents", unit="cents", low=-1200.0, high=1200.0, default=0.0,
              meaning="the offset of the tuning of the string without its barrier from that pitch"),
    Parameter(
        name="stretch", unit="cents per semitone", low=-MOST_STRETCH, high=MOST_STRETCH,
        default=0.0, meaning=
        "a further offset for each semitone over the open string; on a bridge high notes are "
        "sharp, "
        "values below 0 flatten them"),
    Parameter(
        name="corrections", kind="list", unit="cents", low=-1200.0, high=1200.0, smallest=0.0,
        default=(0.0, ),
        meaning=
        "a further offset at 0, 1, 2 ... semitones over the open string, interpolated linearly, "
        "as measured by "
        "pysitar tune"),
    Parameter(
        name="truncation", unit="cents", low=0.0, high=MOST_TRUNCATION, default=0.0, meaning=
        "how much fewer modes sharpen the string on its bridge: a note is tuned flatter by "
        "truncation (1/M - 1/M0) where "
        "a higher note of the score leaves M modes, instead of M0 for the note alone"),
    Parameter(name="lowest", unit="semitones", low=-WIDEST, high=0.0, default=-12.0,
              meaning="its lowest note, from the open string"),
    Parameter(name="highest", unit="semitones", low=0.0, high=WIDEST, default=12.0,
              meaning="its highest note, from the open string"),
    Parameter(
        name="role", kind="text", choices=ROLES, default="melody", meaning=
        "its role: notes of a MIDI file are put on melody strings, or on drones if there are no "
        "others"
    ),
    ranged("length", ranges.LENGTH, meaning="the length between the supports"),
    ranged("linear_density", ranges.LINEAR_DENSITY, meaning="the mass per length"),
    Parameter(
        name="core_diameter", unit="m", low=0.0, high=THICKEST, smallest=THINNEST, default=0.0,
        meaning=
        "the diameter of the wire that carries the tension; 0 is a plain steel wire of the same "
        "mass per length"
    ),
    ranged("bending_stiffness", ranges.BENDING_STIFFNESS, default=0.0,
           meaning="the bending stiffness EI"),
    ranged(
        "axial_stiffness", ranges.AXIAL_STIFFNESS, default=0.0, meaning=
        "the force EA for a strain of 1; 0 is that of a round wire of core_diameter d, 16 EI / "
        "d^2, or of steel if EI is 0"
    ),
    Parameter(
        name="tension_modulation", kind="flag", default=False, meaning=
        "whether its tension rises with the amplitude: a hard pluck begins sharp and falls; only "
        "in the two-point scheme, "
        "which then takes two to three times as long"),
    ranged("sigma0", ranges.SIGMA0, default=0.0, meaning="the decay rate of every wave"),
    ranged("sigma1", ranges.SIGMA1, default=0.0,
           meaning="the part of the decay rate that grows with the wave number"),
    ranged("sigma2", ranges.SIGMA2, default=0.0, meaning="the part that grows with its square"),
    ranged("sigma3", ranges.SIGMA3, default=0.0, meaning="the part that grows with its cube"),
)
EXPONENT = ranged("exponent", ranges.EXPONENT, default=1.0,
                  meaning="the power of the penetration in the force")
DAMPING = ranged("damping", ranges.CONTACT_DAMPING, high=MOST_STRING_CONTACT_DAMPING, default=0.0,
                 meaning="the Hunt-Crossley damping of the contact")
SPREAD_STIFFNESS = ranged("stiffness", ranges.CONTACT_STIFFNESS, unit="N/m^(1+exponent)",
                          meaning="the contact stiffness per metre")
POINTS = Parameter(name="points", kind="whole", low=1, high=MOST_POINTS,
                   meaning="the number of contact points")
BARRIER = table(
    Parameter(name="profile", kind="text", choices=PROFILES,
              meaning="the shape of the bridge along the string"),
    Parameter(name="start", kind="position", unit="m", low=0.0, high=1.0, open_high=True,
              default=0.0, meaning="where it begins"),
    Parameter(name="extent", unit="m", low=ranges.BARRIER_EXTENT.low, meaning="how long it is"),
    Parameter(name="height", unit="m", low=-HIGHEST, high=HIGHEST,
              meaning="its height above the straight string (a parabola's: in its middle)"),
    POINTS,
    SPREAD_STIFFNESS,
    EXPONENT,
    DAMPING,
)
THREAD = table(
    Parameter(name="position", kind="position", unit="m", low=0.0, high=1.0, open_low=True,
              open_high=True, smallest=NEAREST, meaning="where it lies"),
    Parameter(name="height", unit="m", low=-HIGHEST, high=HIGHEST,
              meaning="its height above the straight string"),
    Parameter(name="stiffness", unit="N/m", low=0.0, high=STIFFEST_THREAD, smallest=1e-6,
              meaning="its stiffness"),
    Parameter(name="resistance", unit="kg/s", low=0.0, high=MOST_RESISTANCE, smallest=1e-9,
              default=0.0, meaning="its resistance"),
)
GAP_NUT = Parameter(name="gap_nut", unit="m", low=0.0, high=HIGHEST,
                    meaning="its distance below the straight string, extrapolated to the nut")
GAP_12 = Parameter(name="gap_12", unit="m", low=0.0, high=HIGHEST,
                   meaning="its distance below the straight string in the middle of the string")
FRETS = table(
    Parameter(name="count", kind="whole", low=1, high=MOST_FRETS,
              meaning="the number of frets, a semitone apart from the nut on"),
    GAP_NUT,
    GAP_12,
    ranged("stiffness", ranges.CONTACT_STIFFNESS, unit="N/m^exponent",
           meaning="the contact stiffness of each"),
    EXPONENT,
    DAMPING,
)
FRETBOARD = table(
    Parameter(name="start", kind="position", unit="m", low=0.0, high=1.0, open_high=True,
              default=0.0, meaning="where it begins; it ends at the nut"),
    GAP_NUT,
    GAP_12,
    POINTS,
    SPREAD_STIFFNESS,
    EXPONENT,
    DAMPING,
)
PICKUP = table(
    Parameter(
        name="position", kind="position", unit="m", low=0.0, high=1.0, open_low=True,
        open_high=True, smallest=NEAREST,
        meaning="the position of the pickup, which measures the string's velocity, from the bridge"
    ), )
PLUCK = table(POSITION, FORCE, WIDTH, RAMP, RELEASE, TOUCH, LEAD)
TABLES = {
    "barrier": BARRIER, "thread": THREAD, "frets": FRETS, "fretboard": FRETBOARD, "pickup": PICKUP,
    "pluck": PLUCK, "strike": STRIKE.parameters
}  # of a string
GROUPS: dict[str, tuple[Keys, Mapping[str, Keys]]] = {
    "strings": (STRING, TABLES), "masses": (MASS, MASS_TABLES), "objects": (OBJECT, OBJECT_TABLES)
}


def parameter_at(path: tuple[str, ...], group: str = "") -> Parameter | None:
    """The parameter that a path of `set` means, its group, such as `strings`, left out ("": of
    any); `*` stands for one part; None when there is none."""
    key = path[-1]
    groups = [GROUPS[group]] if group else list(GROUPS.values())
    if len(path) == 1:
        return TOP.get(key)
    if len(path) == 2:
        places: list[Keys] = [BODY] if path[0] in {"*", "body"} else []
        places += [keys for keys, _ in groups if path[0] != "body"]
    elif len(path) == 3 and path[0] == "balls":
        places = [BALL]
    elif len(path) == 3 and path[0] != "body":
        places = [
            keys for _, inner in groups for name, keys in inner.items() if path[1] in {"*", name}
        ]
    else:
        places = []
    return next((keys[key] for keys in places if key in keys), None)
