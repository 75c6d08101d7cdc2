"""Lists of partials, rows of frequency, T60 and amplitude, and objects that ring like them."""
from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pysitar.errors import Place, Problem, ScoreError, quoted
from pysitar.fitting.modes import NEPERS_60
from pysitar.fitting.object_file import ObjectModes, strike_response
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.physics.checks import FloatArray
from pysitar.physics.contact import ContactLaw

COLUMNS = ("frequency", "t60", "amplitude")
MOST_ROWS = 1000
LIMITS = {"frequency": (1.0, 1e5, "Hz"), "t60": (1e-3, 1e3, "s"), "amplitude": (-10.0, 10.0, "")}
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True, eq=False)
class PartialList:
    """Partials: frequencies, damped (Hz), T60s (s) and signed amplitudes at the onset (full scale
    1), (M,)."""

    frequencies: FloatArray
    t60s: FloatArray
    amplitudes: FloatArray


def read_partials(text: str, shown: str) -> PartialList:
    """Return the partials of a CSV text: a line for each, `frequency,t60,amplitude`; a first line
    may name the columns in another order; # begins a comment.

    Parameters: shown, the file in messages.
    Errors: ScoreError with every problem.
    """
    problems: list[Problem] = []
    order = list(COLUMNS)
    rows: list[dict[str, float]] = []
    begun = False
    for line, whole in enumerate(text.splitlines(), start=1):
        content = whole.partition("#")[0]
        if not content.strip():
            continue
        cells = _cells(content)
        if not begun and sorted(word.lower() for _, word in cells) == sorted(COLUMNS):
            order = [word.lower() for _, word in cells]
            begun = True
            continue
        begun = True
        if len(cells) != len(COLUMNS):
            problems.append(Problem(
                Place(shown, line, 1, whole), f"has {len(cells)} values; expected "
                f"{', '.join(order)}, separated by commas"))
            continue
        values = {name: _value(name, word, Place(shown, line, column, whole), problems)
                  for name, (column, word) in zip(order, cells, strict=True)}
        rows.append(values)
        if len(rows) > MOST_ROWS:
            problems.append(Problem(Place(shown, line, 1, whole),
                                    f"over {MOST_ROWS} partials; expected fewer"))
            break
    if not rows and not problems:
        problems.append(Problem(Place(shown), "has no partials; expected lines such as "
                                "440, 1.5, 0.1 (Hz, s, full scale 1)"))
    if problems:
        raise ScoreError(problems)
    rows.sort(key=lambda row: row["frequency"])
    return PartialList(*(np.array([row[name] for row in rows]) for name in COLUMNS))


def _cells(content: str) -> list[tuple[int, str]]:
    """Return the words between commas, each with its column, counted from 1."""
    cells, start = [], 0
    for part in content.split(","):
        lead = len(part) - len(part.lstrip())
        cells.append((start + lead + 1, part.strip()))
        start += len(part) + 1
    return cells


def _value(name: str, word: str, place: Place, problems: list[Problem]) -> float:
    """Return a value; a wrong one is added to the problems."""
    low, high, unit = LIMITS[name]
    of_unit = f" {unit}" if unit else ""
    value = float(word) if NUMBER.fullmatch(word) else math.nan
    if low <= value <= high and value != 0.0:
        return value
    more = "" if name != "amplitude" else ", not 0"
    problems.append(Problem(place, f"{name} is {quoted(word)}; expected a number from {low:g} to "
                                   f"{high:g}{of_unit}{more}"))
    return 1.0


def write_partials(partials: PartialList) -> str:
    """Return the CSV text of some partials."""
    rows = zip(partials.frequencies.tolist(), partials.t60s.tolist(),
               partials.amplitudes.tolist(), strict=True)
    lines = [",".join(COLUMNS), *(f"{hz:.9g},{t60:.7g},{amplitude:.7g}"
                                  for hz, t60, amplitude in rows)]
    return "\n".join(lines) + "\n"


def partials_modes(partials: PartialList) -> ObjectModes:
    """Return partials as the modes of an object."""
    rates = NEPERS_60 / partials.t60s
    signs = np.where(partials.amplitudes < 0.0, math.pi, 0.0)
    return ObjectModes(partials.frequencies, rates, np.abs(partials.amplitudes)[None, :], signs)


def object_partials(part: ObjectSpec, gain: float,
                    response: tuple[FloatArray, float] | None = None) -> PartialList:
    """Return the partials of the default strike of an object.

    Parameters: gain, of its instrument; response, the values and the rate (Hz) of the impulse
    response that its sound is convolved with.
    Errors: ParameterError.
    """
    body, weights, _ = part.modes_below(math.inf)
    ball = part.balls[part.ball]
    law = ContactLaw(stiffness=ball.stiffness, exponent=ball.exponent, damping=ball.damping)
    struck = strike_response(body, mass=ball.mass, law=law, velocity=part.strike.velocity)
    if response is not None:
        values, rate = response
        exponents = (-body.decay_rates + 1j * body.angular_frequencies) / rate
        struck = struck * (np.exp(-exponents[:, None] * np.arange(values.size)) @ values)
    signs = np.where(np.cos(np.angle(struck)) < 0.0, -1.0, 1.0)
    amplitudes = gain * np.array(weights) * np.abs(struck) * signs
    audible = (amplitudes != 0.0) & (body.decay_rates > 0.0)
    hz = body.angular_frequencies / (2.0 * math.pi)
    order = np.argsort(hz[audible])
    return PartialList(hz[audible][order], (NEPERS_60 / body.decay_rates[audible])[order],
                       amplitudes[audible][order])


def part_named(parts: Sequence[ObjectSpec], name: str | None) -> ObjectSpec | None:
    """Return the object of a name, or the only one; None where there is none or the name is
    missing."""
    if name is None:
        return parts[0] if len(parts) == 1 else None
    return next((part for part in parts if part.name == name), None)
