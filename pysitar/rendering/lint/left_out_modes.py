"""Modes of objects and strings that are left out at the internal rate."""
from __future__ import annotations

import math

from pysitar.errors import ParameterError, Place, Problem
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.network.network import HIGHEST, highest_frequency
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.physics.modes import string_modes
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.options import Options
from pysitar.rendering.plan import StringPlan


def left_out_modes(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each played part with fewer modes than its file has.

    Parameters: checked, a voice of objects, or of strings of a scheme with a low limit.
    """
    voice, options, _ = checked
    first: dict[str, Place] = {}
    for event in voice.events:
        first.setdefault(event.part, event.place)
    found = []
    for part in voice.parts:
        if part.name in first:
            message = ""
            if isinstance(part.spec, ObjectSpec):
                message = _object_message(part.spec, options)
            elif isinstance(part, StringPlan):
                message = _string_message(part, STRING_SCHEMES[voice.spec.scheme].highest,
                                          options)
            if message:
                found.append(Problem(first[part.name], f"{voice.name}.{part.name} {message}"))
    return found


def _object_message(spec: ObjectSpec, options: Options) -> str:
    """Return the warning about an object ("": none)."""
    lost = spec.frequencies_from(HIGHEST * options.internal_rate)
    if not lost:
        return ""
    return _message(len(lost), len(spec.frequencies), min(lost), max(lost), HIGHEST, options)


def _string_message(part: StringPlan, fraction: float, options: Options) -> str:
    """Return the warning about a string ("": none); fraction of the internal rate under which its
    scheme keeps modes."""
    limit = highest_frequency(options.rate)
    kept = highest_frequency(options.internal_rate, fraction)
    if kept >= limit:
        return ""
    try:
        modes = string_modes(part.spec.string(part.hz), max_frequency=limit)
    except ParameterError:          # reported when the instrument is built
        return ""
    frequencies = modes.frequencies.tolist()
    lost = [frequency for frequency in frequencies if not frequency < kept]
    if not lost:
        return ""
    return _message(len(lost), len(frequencies), lost[0], lost[-1], fraction, options)


def _message(
    lost: int, count: int, lowest: float, highest: float, fraction: float, options: Options,
) -> str:
    """Return the warning about modes left out.

    Parameters: lost, the number of modes left out of `count`; lowest and highest, their frequencies
    (Hz); fraction of the internal rate below which modes are kept.
    """
    rate = options.internal_rate
    span = f"at {lowest:.6g} Hz" if lost == 1 else f"from {lowest:.6g} to {highest:.6g} Hz"
    plural = "" if count == 1 else "s"
    return (f"loses {lost} of its {count} mode{plural}, {span}: expected modes under "
            f"{fraction * rate:.6g} Hz, {fraction:g} of the internal rate, {rate} Hz; "
            f"{_remedy(highest, fraction, options)}")


def _remedy(highest: float, fraction: float, options: Options) -> str:
    """Return the least oversample, or the internal rate, that keeps a frequency (Hz)."""
    needed = math.floor(highest / (fraction * options.rate)) + 1
    needed += not highest < fraction * (needed * options.rate)          # rounding
    if needed <= options.highest_oversample:
        return f"oversample={needed} keeps them all"
    return f"rate x oversample over {math.ceil(highest / fraction)} Hz keeps them all"
