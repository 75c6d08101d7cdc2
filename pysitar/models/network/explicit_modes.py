"""Modal kernels of the explicit scheme, stable for modes below 1 / pi of the sample rate."""
from __future__ import annotations

import math
from collections.abc import Sequence

from pysitar.errors import ParameterError
from pysitar.kernels.modal.explicit import PAPER, RESET, ModalExplicit
from pysitar.models.network.network import AUDIBLE, Row, parts
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import String

MODAL_EXPLICIT = "modal-explicit"
MODAL_VARIANTS = {"reset": RESET, "paper": PAPER}
HIGHEST = 0.31                  # fraction of the sample rate: the scheme is stable below 1 / pi


def highest_explicit_frequency(sample_rate: float) -> float:
    """Return the default limit (Hz) of a string's modes at a sample rate (Hz)."""
    return min(AUDIBLE, HIGHEST * sample_rate)


def explicit_modes(string: String, sample_rate: float) -> StringModes:
    """Return the modes of a string whose undamped frequencies are stable in the explicit scheme at
    a sample rate (Hz).

    Errors: ParameterError, as `string_modes`.
    """
    highest = highest_explicit_frequency(sample_rate)
    modes = string_modes(string, max_frequency=highest)
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
            f"{MODAL_EXPLICIT} is stable above pi times the undamped frequency of the highest "
            f"mode, {highest / (2.0 * math.pi):g} Hz; expected a higher rate, or a lower "
            f"max_frequency"
        )
    given["angular_frequencies"] = modes.undamped_frequencies
    return ModalExplicit(**given, variant=MODAL_VARIANTS[variant or "reset"])
