"""Keys that people try in an instrument and that it does not have: what each follows from, and
which keys are expected instead."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

from pysitar.errors import suggest_name
from pysitar.models.definitions.spec import BALL, GROUPS, TOP, tables_at
from pysitar.physics.cabinets import CIRCUIT

KeyPath = tuple[str, ...]
# kinds of tables
STRINGS, OBJECTS, MASSES, BODIES, BALLS, WHOLE = "strings", "objects", "masses", "body", "balls", ""
SIZED = "objects by size"
PARTS_OF_STRINGS = "parts of strings"

_PITCH = 'expected pitch, a name such as "pa," or a frequency in Hz'
_DENSITY = ("expected gauge (m), the outer diameter, with material and winding, or linear_density "
            "(kg/m), of a plain steel wire of diameter d (m) 6165 d^2")
_STIFF = ("expected bending_stiffness (N m^2), of a round wire pi/64 times Young's modulus times "
          "the diameter to the power of 4")
_LOSS = ("expected sigma0 (1/s), 6.91 over the decay time T60 (s), and sigma1 to sigma3 for "
         "losses "
         "that grow with the frequency")
_MODES = ("an object is described by its modes; expected frequencies, decay_rates, masses, shapes "
          "and weights, or kind, such as \"plate\", for one by its size and material")
_RATES = ("expected decay_rates (1/s), for each mode 6.91 over its decay time T60 (s), or pi "
          "times "
          "its frequency over its Q")
_GAPS = ("expected gap_nut and gap_12 (m), how far below the string it lies at the nut and in the "
         "middle")
_LEVEL = "expected gain of the instrument, or in a score a line such as mix t gain=-3dB"
NO_PICKUPS = "that is behind pickups; expected a table [strings.NAME.pickup] in its file"
_OBJECT_LIST = "expected frequencies (Hz), a list with one value for each mode"


def _entries(*rows: tuple[str, str]) -> dict[str, str]:
    """What is said of each key; a row holds several, with blanks between them."""
    return {key: said for keys, said in rows for key in keys.split()}


_DECAY = ("its decay follows from material, air and support_decay (1/s); expected one of "
          "loss_factor and support_decay")
# by the kind of the table, or by the name of a table inside a part
TRIED: Mapping[str, Mapping[str, str]] = {
    STRINGS: _entries(
        ("tension",
         "tension follows from pitch, length and linear_density, as linear_density "
         "(2 length frequency)^2; expected one of these keys of the string"),
        ("mass weight",
         "the mass of a string is its length times its linear_density; expected linear_density "
         "(kg/m)"),
        ("frequency freq f0 hz note fundamental tune tuning", _PITCH),
        ("diameter radius thickness", f"the diameter is not a key by itself; {_DENSITY}"),
        ("density rho", f"the density is not a key by itself; {_DENSITY}"),
        ("young youngs_modulus modulus elasticity stiffness inharmonicity", _STIFF),
        ("damping decay decay_time decay_rate t60 rt60 q loss losses sustain", _LOSS),
        ("speed wave_speed",
         "the speed of its waves is 2 length frequency; expected pitch or length"),
        ("impedance",
         "the impedance follows from pitch, length and linear_density; expected one of these keys "
         "of the string"),
        ("volume level loudness amplitude pan", _LEVEL),
    ),
    PARTS_OF_STRINGS: _entries(
        ("bridge jawari", "the bridge under a string is its barrier; expected barrier"),
        ("hammer mallet", "the hammer that plays a string is its table strike; expected strike"),
    ),
    OBJECTS: _entries(
        ("frequency freq f0 hz pitch note", _OBJECT_LIST),
        ("decay decay_rate decay_time damping t60 q loss sigma0", _RATES),
        ("mass weight", "expected masses (kg), the modal mass of each mode"),
        ("amplitude amplitudes gains",
         "expected weights of the modes in the output, and shapes at the point of contact"),
        ("material density young modulus thickness length width size diameter tension", _MODES),
        ("volume level loudness pan", _LEVEL),
    ),
    SIZED: _entries(
        ("decay decay_rate decay_rates decay_time damping t60 q loss losses", _DECAY),
        ("mass weight", "its mass follows from size and density; expected density (kg/m^3)"),
        ("diameter", "expected radius (m), half of the diameter"),
        ("young modulus elasticity", "expected youngs_modulus (Pa), or material"),
        ("poisson", "expected poisson_ratio, or material"),
        ("edge edges boundary", "expected support"),
        ("frequencies masses shapes weights",
         "an object with a kind has the modes of its size; expected these lists without kind"),
        ("pitch note", "expected frequency (Hz), of a bar or membrane"),
        ("volume level loudness pan", _LEVEL),
    ),
    MASSES: _entries(
        ("pitch freq f0 hz",
         "expected frequency (Hz) of the spring that holds the mass, 0 for a free one"),
        ("damping decay t60 q",
         "a mass before a barrier has no losses; expected mass, stiffness, exponent and frequency "
         "alone"),
        ("weight density radius diameter", "expected mass (kg)"),
        ("tension length", "a mass is no string; expected mass, stiffness and frequency"),
        ("volume level loudness pan", _LEVEL),
    ),
    BALLS: _entries(
        ("diameter size", "expected radius (m), half of the diameter"),
        ("density material weight",
         "expected mass (kg), 4.19 times the density times the radius to the power of 3"),
        ("young modulus hardness",
         "expected stiffness (N/m^exponent), by Hertz 4/3 of the effective modulus times the "
         "square root of the radius"),
        ("restitution bounce loss",
         "the restitution follows from damping (s/m) and the velocity; expected damping"),
    ),
    BODIES: _entries(
        ("frequency freq pitch", _OBJECT_LIST),
        ("decay damping decay_rates t60",
         "expected q, for each mode pi times its frequency (Hz) times its decay time T60 (s) over "
         "6.91"),
        ("mass weight", "expected masses (kg), one for each mode at the bridge"),
        ("gain gains amplitude shapes", "expected weights, one for the velocity of each mode"),
    ),
    WHOLE: _entries(
        ("volume level loudness pan",
         "expected gain, or in a score a line such as mix t gain=-3dB pan=-0.2"),
    ),
    "barrier": _entries(
        ("position", "expected start (m) from the end of the string, and extent (m)"),
        ("length width", "expected extent (m)"),
        ("curvature radius",
         "the curvature of a parabola is 8 height / extent^2; expected height and extent"),
        ("gap", "expected height (m), below 0 where it lies below the string"),
    ),
    "thread": _entries(("damping", "expected resistance (kg/s)")),
    "frets": _entries(
        ("gap height action", _GAPS),
        ("positions spacing", "frets lie a semitone apart from the nut on; expected count"),
    ),
    "fretboard": _entries(("gap height action", _GAPS)),
    "pluck": _entries(
        ("velocity vel speed v amplitude amp level displacement height h",
         "expected force (N); a row may give a height instead, h=2mm"),
        ("duration time", "expected ramp and release (s)"),
    ),
    "bow": _entries(
        ("speed vel", "expected velocity (m/s), negative in the other direction"),
        ("pressure weight level amplitude", "expected force (N) on the string or object"),
        ("beta place", "expected position, where the bow is"),
        ("duration time", "expected dur of the row, or curves"),
        ("attack fade", "expected rise and lift (s)"),
    ),
    "strike": _entries(
        ("force f",
         "the force follows from the velocity (m/s), the mass and the stiffness; expected "
         "velocity"),
    ),
}


def unknown_key(key: str, path: KeyPath, group: str, known: Sequence[str]) -> str:
    """The end of a message about a key or table that an instrument does not have.

    Parameters: path, of its table, without the table of the parts, which is `group`; known, the
    keys and tables that there are.
    """
    if not path and key in CIRCUIT:
        return NO_PICKUPS
    said = tried(key, path, SIZED if group == OBJECTS and len(path) == 1 and "kind" in known
                 else group)
    if said:
        return said
    lower = {name.casefold(): name for name in known}
    if key.casefold() in lower:
        return suggest_name(key, known)
    if path and key in TOP:
        return f"{key} is a key of the whole instrument; expected {key} outside its tables"
    elsewhere = _elsewhere(key, path, group, known)
    if elsewhere:
        return f"{key} is a key of another table; expected {elsewhere}"
    return suggest_name(key, known)


def tried(key: str, path: KeyPath, group: str) -> str:
    """What is said of a key that people try in a table, or of the short name of one of its keys
    ("": nothing)."""
    lower = key.casefold()
    for name in _kinds(path, group):
        said = TRIED.get(name, {}).get(lower)
        if said:
            return said
    names = [parameter.name for table in tables_at(path, OBJECTS if group == SIZED else group)
             for parameter in table.keys.values() if parameter.alias and parameter.alias == key]
    return f"{key} is its short name in rows; expected {names[0]}" if names else ""


def _kinds(path: KeyPath, group: str) -> tuple[str, ...]:
    """The kinds of table whose keys may be meant at a path: for the instrument itself those of its
    parts, too."""
    if not path:
        return WHOLE, group
    if path[0] in {BODIES, BALLS}:
        return (path[0],)
    if len(path) == 1:
        return (group, PARTS_OF_STRINGS) if group == STRINGS else (group,)
    return (path[1],)


def _elsewhere(key: str, path: KeyPath, group: str, known: Sequence[str]) -> str:
    """The tables of the same instrument that have a key, as they stand after its name in a score
    ("": none has it)."""
    own, tables = GROUPS[group].keys, GROUPS[group].tables
    part = path[0] if path and path[0] not in {BODIES, BALLS} else group[:-1].upper()
    found = [f"{part}.{key}"] if key in own and len(path) != 1 else []
    found += [f"{part}.{name}.{key}" for name, table in tables.items()
              if key in table.keys and path[1:] != (name,) and (len(path) != 1 or name in known)]
    if group == OBJECTS and key in BALL and path[:1] != (BALLS,):
        found.append(f"{BALLS}.NAME.{key}")
    return " or ".join(found)
