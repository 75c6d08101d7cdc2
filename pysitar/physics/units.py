"""The units of scores and instrument files: one table for both."""
from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

# unit -> (kind, factor, divisor): value * factor / divisor is in the base unit of the kind.
# A division by 1000 rounds once, a product with 0.001 twice.
UNITS: Mapping[str, tuple[str, float, float]] = MappingProxyType({
    "s": ("time", 1.0, 1.0),
    "ms": ("time", 1.0, 1000.0),
    "m": ("length", 1.0, 1.0),
    "cm": ("length", 1.0, 100.0),
    "mm": ("length", 1.0, 1000.0),
    "um": ("length", 1.0, 1e6),
    "N": ("force", 1.0, 1.0),
    "mN": ("force", 1.0, 1000.0),
    "Hz": ("frequency", 1.0, 1.0),
    "kHz": ("frequency", 1000.0, 1.0),
    "kg": ("mass", 1.0, 1.0),
    "g": ("mass", 1.0, 1000.0),
    "dB": ("level", 1.0, 1.0),
    "c": ("interval", 1.0, 1.0),
    "st": ("interval", 100.0, 1.0),
    "oct": ("interval", 1200.0, 1.0),
    "m/s": ("speed", 1.0, 1.0),
    "deg": ("angle", 1.0, 1.0),
    "us": ("time", 1.0, 1e6),
    "in": ("length", 254.0, 1e4),
    "LUFS": ("loudness", 1.0, 1.0),
    "%": ("percentage", 1.0, 100.0),
})
# the kinds of the units of parameters; other units ("kg/m") are those of bare numbers alone
KINDS: Mapping[str, str] = MappingProxyType({
    "s": "time", "m": "length", "N": "force", "Hz": "frequency", "kg": "mass", "dB": "level",
    "LUFS": "loudness", "cents": "interval", "c": "interval", "semitones": "interval",
    "m/s": "speed", "deg": "angle"})
# the units of messages, the larger first, by the unit of a value
READABLE: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "s": ("s", "ms", "us"), "m": ("m", "mm", "um"), "kg": ("kg", "g")})
SEMITONE = 100.0                # cents


@lru_cache(maxsize=64)
def units_of(unit: str) -> Mapping[str, tuple[float, float]]:
    """Return the units in which a value may be written whose parameter has a unit ("": none), each
    with a factor and a divisor that give the value in the unit of the parameter."""
    kind = KINDS.get(unit) if unit else "percentage"
    larger = SEMITONE if unit == "semitones" else 1.0
    return MappingProxyType({name: (factor, divisor * larger)
                             for name, (its_kind, factor, divisor) in UNITS.items()
                             if its_kind == kind})


def format_quantity(value: float, unit: str, digits: int = 3) -> str:
    """Return a value in the largest unit of scores in which it is 1 or more, as text.

    Parameters: unit, of the value: "s", "m" or "kg"; digits, how many are shown.
    """
    if value == 0.0:
        return f"0 {unit}"
    text = ""
    for name in READABLE[unit]:
        factor, divisor = units_of(unit)[name]
        rounded = float(f"{value * divisor / factor:.{digits}g}")
        text = f"{rounded:g} {name}"
        if abs(rounded) >= 1.0:
            break
    return text
