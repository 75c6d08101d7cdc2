"""An instrument file of one string from a fit, at the level of the recording."""
from __future__ import annotations

import math

import numpy as np

from pysitar.errors import ParameterError
from pysitar.fitting.string_fit import StringFit
from pysitar.gestures.catalogue import find_gesture
from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.strings.instrument import StringInstrument
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray

FORCE = 1.0                     # N, of the default pluck
RAMP, LEAD = 0.008, 0.003       # s
WIDTH = 0.001                   # m
COMPARED = (0.02, 1.0)          # s after the onset in which levels are compared
RATE = 96000.0                  # Hz, of the pluck that is computed
DIGITS = 7


def linear_density(fit: StringFit, *, tension: float | None, density: float | None) -> float:
    """Return the mass per length (kg/m) of a fitted string from its tension (N) or its density; the
    sound shows only their quotient.

    Errors: ParameterError, where neither or both are known.
    """
    if (tension is None) == (density is None):
        raise ParameterError("tension, density", (tension, density),
                             "expected one of tension (N) and density (kg/m)")
    if density is not None:
        return ranges.LINEAR_DENSITY.number("density", density)
    assert tension is not None
    pull = ranges.TENSION.number("tension", tension)
    return ranges.LINEAR_DENSITY.number("density", pull / (2.0 * fit.length * fit.f0)**2)


def string_text(fit: StringFit, *, density: float, sound: FloatArray, rate: float,
                name: str = "string", comment: str = "") -> str:
    """Return the text of an instrument file with one string whose default pluck has the level of
    the recording.

    Parameters: density (kg/m); sound (n,), the recording, and its rate (Hz); name, of the string;
    comment, its first lines.
    Errors: ParameterError for a string that cannot be played.
    """
    text = _text(fit, density, 1.0, name, comment)
    played = _pluck(text, name, fit)
    first, last = (round((fit.onset + time) * rate) for time in COMPARED)
    recorded = sound[first:last]
    start, stop = (round((LEAD + RAMP + time) * RATE) for time in COMPARED)
    own = played[start:min(stop, start + round(recorded.size / rate * RATE))]
    powers = [float(np.mean(part**2)) if part.size else 0.0 for part in (recorded, own)]
    if min(powers) <= 0.0:
        raise ParameterError("audio", "silent after the pluck", "expected a string that rings")
    text = _text(fit, density, math.sqrt(powers[0] / powers[1]), name, comment)
    parse_instrument(text, name=name, shown=f"{name}.toml")
    return text


def _pluck(text: str, name: str, fit: StringFit) -> FloatArray:
    """Return the sound of the default pluck of a string with gain 1."""
    spec = parse_instrument(text, name=name, shown=f"{name}.toml")
    [string] = spec.strings
    hz = float(string.pitch)
    instrument = StringInstrument(spec, pitches={name: hz}, sample_rate=RATE, floor=-100.0,
                                  name=name)
    lead = round(LEAD * RATE)
    instrument.play(name, find_gesture("string", lambda gesture: gesture.draws).name, lead, {},
                    None)
    sound = np.empty(lead + round((RAMP + COMPARED[1] + 0.1) * RATE))
    [part] = instrument.parts
    part.advance(sound)
    return sound


def _text(fit: StringFit, density: float, gain: float, name: str, comment: str) -> str:
    tension = density * (2.0 * fit.length * fit.f0)**2
    stiffness = fit.b * tension * (fit.length / math.pi)**2
    pitch = fit.f0 * math.sqrt(1.0 + fit.b)
    values = {
        "pitch": pitch, "length": fit.length, "linear_density": density,
        "bending_stiffness": stiffness, "sigma0": fit.sigma0, "sigma1": fit.sigma1,
        "sigma3": fit.sigma3}
    pluck = {"position": fit.position, "force": FORCE, "width": WIDTH, "ramp": RAMP,
             "release": fit.release, "touch": 0.0, "lead": LEAD}
    pluck["position"] /= fit.length             # a bare number is a fraction of the length
    lines = [*(f"# {line}".rstrip() for line in comment.splitlines()),
             f"# Tension {tension:.4g} N; B {fit.b:.3g}.", 'model = "string"',
             f"gain = {gain:.{DIGITS}g}", "", f"[strings.{name}]"]
    lines += [f"{key} = {value:.{DIGITS}g}" for key, value in values.items()]
    lines += ["", f"[strings.{name}.pluck]"]
    lines += [f"{key} = {value:.{DIGITS}g}" for key, value in pluck.items()]
    return "\n".join(lines) + "\n"
