"""An instrument file of one string from a fit, at the level of the recording."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.fitting.body_division import DividedBody
from pysitar.fitting.modes import NEPERS_60
from pysitar.fitting.string_fit import LEAST_DECAYS, StringFit, fit_losses
from pysitar.gestures.catalogue import find_gesture
from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.strings.instrument import StringInstrument
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray

NAME, SECOND = "string", "2"    # of a string, and what the name of a second one ends in
FORCE = 1.0                     # N, of the default pluck
RAMP, LEAD = 0.008, 0.003       # s
RAMP_PERIODS = 3.5              # of the pitch, at least: the rise excites no partial by itself
WIDTH = 0.001                   # m
COMPARED = (0.02, 1.0)          # s after the onset in which levels are compared
RATE = 96000.0                  # Hz, of the pluck that is computed
DIGITS = 7


@dataclass(frozen=True, slots=True)
class Polarisation:
    """One of the strings of a file.

    Parameters: suffix of its name; sigmas, its sigma0, sigma1 and sigma3; cents, over the fitted
    pitch; force, of its default pluck (N).
    """

    suffix: str
    sigmas: tuple[float, float, float]
    cents: float = 0.0
    force: float = FORCE


def polarisations(fit: StringFit) -> list[Polarisation]:
    """Return the strings that have the decays of a fit: two, of its early and its late decays,
    where half of its partials or more have two decays, else one.

    A partial that has one decay counts for the first string alone.
    """
    two = ~np.isnan(fit.late_t60s)
    if np.count_nonzero(two) < max(LEAST_DECAYS, 0.5 * two.size):
        return [Polarisation("", (fit.sigma0, fit.sigma1, fit.sigma3))]
    waves = fit.orders * math.pi / fit.length
    early = np.where(two, fit.early_t60s, fit.t60s)
    errors = np.where(two, fit.early_t60_errors, fit.t60_errors)
    late, late_errors = fit.late_t60s[two], fit.late_t60_errors[two]
    ratio = float(np.median(fit.detunings[two] / fit.frequencies[two]))
    force = FORCE * 10.0 ** (float(np.median(fit.late_levels[two])) / 20.0)
    return [Polarisation("", fit_losses(waves, NEPERS_60 / early, errors / early)),
            Polarisation(SECOND, fit_losses(waves[two], NEPERS_60 / late, late_errors / late),
                         1200.0 * math.log2(1.0 + ratio), force)]


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
                name: str = NAME, comment: str = "") -> str:
    """Return the text of an instrument file with one string whose default pluck has the level of
    the recording, or with two that have it together: see `polarisations`.

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
    """Return the sound of the default plucks of a file's strings with gain 1."""
    spec = parse_instrument(text, name=name, shown=f"{name}.toml")
    instrument = StringInstrument(
        spec, pitches={string.name: float(string.pitch) for string in spec.strings},
        sample_rate=RATE, floor=-100.0, name=name)
    lead = round(LEAD * RATE)
    verb = find_gesture("string", lambda gesture: gesture.draws).name
    total = np.zeros(lead + round((RAMP + COMPARED[1] + 0.1) * RATE))
    for string, part in zip(spec.strings, instrument.parts, strict=True):
        instrument.play(string.name, verb, lead, {}, None)
        sound = np.empty(total.size)
        part.advance(sound)
        total += sound
    return total


def _text(fit: StringFit, density: float, gain: float, name: str, comment: str) -> str:
    tension = density * (2.0 * fit.length * fit.f0)**2
    laws = polarisations(fit)
    lines = [*(f"# {line}".rstrip() for line in comment.splitlines()),
             f"# Tension {tension:.4g} N; B {fit.b:.3g}."]
    if len(laws) > 1:
        lines.append(f"# Two decays: pluck {name} and {name}{SECOND} at the same time.")
    lines += ['model = "string"', f"gain = {gain:.{DIGITS}g}"]
    for law in laws:
        lines += _string_lines(fit, density, law, name)
    return "\n".join(lines) + "\n"


def notes_text(body: DividedBody, *, densities: Sequence[float], response: str,
               comments: Sequence[str]) -> str:
    """Return the text of an instrument file with a string for each of several notes, and the body
    that they have in common; the default plucks have the levels of the recordings.

    Parameters: densities (kg/m) of the strings; response, the file of the body's impulse response;
    comments, of the file and then of each string.
    Errors: InstrumentError for strings that cannot be played.
    """
    lines = [f"# {comments[0]}", 'model = "string"', "gain = 1.0", "", "[body]",
             f'impulse_response = "{response}"']
    for index, fit in enumerate(body.strings):
        force = FORCE * 10.0 ** (float(body.strengths[index]) / 20.0)
        ramp = max(RAMP, RAMP_PERIODS / fit.f0)
        for law in polarisations(fit):
            lines += _string_lines(fit, densities[index], replace(law, force=force * law.force),
                                   f"{NAME}_{index + 1}", comments[index + 1], ramp)
    text = "\n".join(lines) + "\n"
    parse_instrument(text, name=NAME, shown=f"{NAME}.toml")
    return text


def _string_lines(fit: StringFit, density: float, law: Polarisation, name: str,
                  comment: str = "", ramp: float = RAMP) -> list[str]:
    """Return the lines of one string of a file.  Parameters: ramp, the rise of its force (s)."""
    tension = density * (2.0 * fit.length * fit.f0)**2
    values = {
        "pitch": fit.f0 * math.sqrt(1.0 + fit.b), "cents": law.cents, "length": fit.length,
        "linear_density": density,
        "bending_stiffness": fit.b * tension * (fit.length / math.pi)**2,
        "sigma0": law.sigmas[0], "sigma1": law.sigmas[1], "sigma3": law.sigmas[2]}
    # a bare position is a fraction of the length
    pluck = {"position": fit.position / fit.length, "force": law.force, "width": WIDTH,
             "ramp": ramp, "release": fit.release, "touch": 0.0, "lead": LEAD}
    lines = ["", f"[strings.{name}{law.suffix}]", *([f"# {comment}"] if comment else [])]
    lines += [f"{key} = {value:.{DIGITS}g}" for key, value in values.items()
              if key != "cents" or value]
    lines += ["", f"[strings.{name}{law.suffix}.pluck]"]
    return lines + [f"{key} = {value:.{DIGITS}g}" for key, value in pluck.items()]
