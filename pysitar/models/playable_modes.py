"""The modes that a string has while its pitch moves: those that stay under half the sample rate at its highest tension."""
from __future__ import annotations

import math

from pysitar.errors import ParameterError
from pysitar.models.network import highest_frequency
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import String

HIGHEST_PLAYED = 0.47          # of the sample rate: nearer to half, the prewarped stiffness runs away


def playable_modes(string: String, highest_tension: float, sample_rate: float) -> StringModes:
    """Return the modes of a string that a scheme at a sample rate can follow up to a tension.

    Parameters: string, at the tension that it is tuned to; highest_tension > 0 (N), the highest one that it is played at; sample_rate
    > 0 (Hz), internal.
    Returns: the first modes of the string: those under `highest_frequency(sample_rate)` that are also under 0.47 of the sample rate at
    the highest tension.
    Errors: ParameterError: no mode is left, or as `string_modes`.
    """
    modes = string_modes(string, max_frequency=highest_frequency(sample_rate))
    limit = HIGHEST_PLAYED * sample_rate
    under = modes.angular_frequencies_at(highest_tension) < 2.0 * math.pi * limit
    count = modes.count if under.all() else int(under.argmin())
    if not count:
        raise ParameterError("highest_tension", highest_tension,
                             f"under this tension (N) no mode lies below {limit:g} Hz, {HIGHEST_PLAYED:g} of the sample rate")
    return modes if count == modes.count else string_modes(string, count=count)
