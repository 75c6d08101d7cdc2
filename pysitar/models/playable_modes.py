"""The modes that a string has while its pitch moves: those that a scheme can follow at its highest tension."""
from __future__ import annotations

import math

from pysitar.errors import ParameterError
from pysitar.models.network import HIGHEST, highest_frequency
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import String

HIGHEST_PLAYED = 0.47           # of the sample rate: nearer to half, the prewarped stiffness runs away
HIGHEST_ON_BRIDGE = 28e3        # Hz


def playable_modes(string: String, highest_tension: float, sample_rate: float, *, on_bridge: bool) -> StringModes:
    """Return the modes of a string that a scheme at a sample rate can follow up to a tension.

    Parameters: string, at the tension that it is tuned to; highest_tension > 0 (N), the highest one that it is played at; sample_rate
    > 0 (Hz), internal; on_bridge, whether it rests on a barrier.
    Returns: the first modes of the string: those under `highest_frequency(sample_rate)` that are also under `highest_at` at the highest
    tension.
    Errors: ParameterError: no mode is left, or as `string_modes`.
    """
    modes = string_modes(string, max_frequency=highest_frequency(sample_rate))
    limit = highest_at(sample_rate, on_bridge=on_bridge)
    under = modes.angular_frequencies_at(highest_tension) < 2.0 * math.pi * limit
    count = modes.count if under.all() else int(under.argmin())
    if not count:
        which = "the limit on a bridge" if on_bridge else f"{HIGHEST_PLAYED:g} of the sample rate"
        raise ParameterError("highest_tension", highest_tension, f"under this tension (N) no mode lies below {limit:g} Hz, {which}")
    return modes if count == modes.count else string_modes(string, count=count)


def highest_at(sample_rate: float, *, on_bridge: bool) -> float:
    """Return the frequency (Hz) under which a string's modes stay at its highest tension, at a sample rate (Hz).

    A free mode moves exactly, whatever its frequency. A bridge feels how stiff the modes are: at 0.3 of the rate the prewarped stiffness
    is doubled, at 0.47 it is 51 times too much. It also feels how many they are: a string that lies still on its bridge is sharper by some
    870/M cents. So its limit is the same at every usual rate, and no lower than need be.
    """
    return min(HIGHEST_ON_BRIDGE, HIGHEST * sample_rate) if on_bridge else HIGHEST_PLAYED * sample_rate
