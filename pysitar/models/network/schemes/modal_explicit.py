"""The explicit scheme of strings in modes, stable for modes below 1 / pi of the sample rate."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.kernels.modal.explicit import PAPER, RESET, ModalExplicit
from pysitar.models.network.network import Row, highest_frequency, parts
from pysitar.models.network.schemes.modal import ModalScheme
from pysitar.physics.checks import array_of
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import String

NAME = "modal-explicit"
VARIANTS = {"reset": RESET, "paper": PAPER}
HIGHEST = 0.31                  # fraction of the sample rate: the scheme is stable below 1 / pi


def explicit_modes(string: String, sample_rate: float) -> StringModes:
    """Return the modes of a string whose undamped frequencies are stable in the explicit scheme at
    a sample rate (Hz).

    Errors: ParameterError, as `string_modes`.
    """
    modes = string_modes(string, max_frequency=highest_frequency(sample_rate, HIGHEST))
    stable = modes.undamped_frequencies < 2.0 * math.pi * HIGHEST * sample_rate
    return modes if stable.all() else string_modes(string, count=max(1, int(stable.argmin())))


def explicit_network(modes: StringModes, rows: Sequence[Row], sample_rate: float,
                     variant: str | None = None) -> ModalExplicit:
    """Return the explicit kernel of a string's modes and its rows, at a sample rate (Hz); variant,
    "reset" (default) or "paper".

    Errors: ParameterError, as `parts`; an undamped frequency of 1 / pi of the sample rate or more.
    """
    given = parts(angular_frequencies=modes.angular_frequencies, decay_rates=modes.decay_rates,
                  masses=modes.masses, rows=rows, sample_rate=sample_rate)
    highest = max(modes.undamped_frequencies.tolist())
    if not highest < 2.0 * sample_rate:
        raise ParameterError(
            "sample_rate", sample_rate,
            f"{NAME} is stable above pi times the undamped frequency of the highest "
            f"mode, {highest / (2.0 * math.pi):g} Hz; expected a higher rate, or a lower "
            f"max_frequency"
        )
    given["angular_frequencies"] = modes.undamped_frequencies
    return ModalExplicit(**given, variant=VARIANTS[variant or "reset"])


def explicit_frequency(hz: float, sample_rate: float) -> float:
    """Return the frequency (Hz) that a mode of an undamped frequency (Hz) has at a sample rate
    (Hz): asin(pi hz / rate) rate / pi."""
    x = min(math.pi * hz / sample_rate, 1.0)
    return elementary.atan2(x, math.sqrt(1.0 - x * x)) * sample_rate / math.pi


def undamped_decay(kernel: ModalExplicit, modes: StringModes) -> Callable[[float], None]:
    """Return a function that adds a decay rate (1/s) to all modes of a kernel of undamped
    frequencies."""
    own, undamped = modes.decay_rates.tolist(), modes.undamped_frequencies
    return lambda rate: kernel.set_modes(undamped, array_of([a + rate for a in own]))


MODAL_EXPLICIT: ModalScheme[ModalExplicit] = ModalScheme(
    name=NAME,
    doc="modes and contact forces of explicit steps; modes above 0.31 of the rate are left out",
    variants=tuple(VARIANTS),
    network=explicit_network,
    highest=HIGHEST,
    simulated_frequency=explicit_frequency,
    no_statics="computes the forces of a step before its motion, which a compliance without mass "
               "would make unstable",
    played_modes=explicit_modes,
    added_decay=undamped_decay,
)
