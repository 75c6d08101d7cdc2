"""Strings that a scheme raises in pitch because its steps are long for them."""
from __future__ import annotations

import math

from pysitar.errors import ParameterError, Problem
from pysitar.kernels.core import elementary
from pysitar.models.network.schemes.base import StringScheme
from pysitar.models.network.schemes.catalogue import DEFAULT, STRING_SCHEMES
from pysitar.physics.modes import string_modes
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.plan import StringPlan

AUDIBLE = 1.0                   # cents: less is not reported


def sharp_partials(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each played string whose first partial a scheme raises by over a cent.

    Parameters: checked, a voice of a scheme with `simulated_frequency`.
    """
    voice, options, _ = checked
    scheme = STRING_SCHEMES[voice.spec.scheme]
    played = {event.part for event in voice.events}
    found = []
    for string in voice.strings:
        if string.name not in played:
            continue
        cents = _cents_sharp(string, scheme, options.internal_rate)
        if cents <= AUDIBLE:
            continue
        enough = next((n for n in range(options.oversample + 1, options.highest_oversample + 1)
                       if _cents_sharp(string, scheme, n * options.rate) <= AUDIBLE), None)
        remedy = (f"oversample={enough}" if enough else f"the scheme {DEFAULT}")
        found.append(Problem(string.place, (
            f"{voice.name}.{string.name} is sharp by {cents:.2g} cents at {string.hz:.4g} Hz, and "
            f"its partials by more: the steps of the {scheme.name} scheme at an internal rate of "
            f"{options.internal_rate} Hz raise frequencies; expected {remedy}")))
    return found


def _cents_sharp(string: StringPlan, scheme: StringScheme, rate: float) -> float:
    """Return by how much (cents) a scheme raises the first partial of a string at a rate (Hz)."""
    assert scheme.simulated_frequency is not None
    try:
        first = string_modes(string.spec.string(string.hz), count=1)
    except ParameterError:          # reported when the instrument is built
        return 0.0
    hz = float(first.undamped_frequencies[0]) / (2.0 * math.pi)
    return 1200.0 * elementary.log2(scheme.simulated_frequency(hz, rate) / hz)
