"""Modes of objects and strings that the rate of the simulation leaves out."""
from __future__ import annotations

import math

from pysitar.errors import ParameterError, Place, Problem
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.network.explicit_modes import HIGHEST as HIGHEST_EXPLICIT
from pysitar.models.network.explicit_modes import MODAL_EXPLICIT, highest_explicit_frequency
from pysitar.models.network.network import AUDIBLE, HIGHEST
from pysitar.physics.modes import string_modes
from pysitar.rendering.options import Options
from pysitar.rendering.plan import PartPlan, StringPlan, VoicePlan


def left_out_modes(voice: VoicePlan, options: Options) -> list[Problem]:
    """A warning for each object, and each string by the scheme modal-explicit, that is played with fewer modes than it has."""
    first: dict[str, Place] = {}
    for event in voice.events:
        first.setdefault(event.part, event.place)
    found = []
    for part in voice.parts:
        if part.name in first:
            message = _of_object(part.spec, options) if isinstance(part.spec, ObjectSpec) else _of_string(voice, part, options)
            found += [Problem(first[part.name], f"{voice.name}.{part.name} {message}")] if message else []
    return found


def _of_object(spec: ObjectSpec, options: Options) -> str:
    """What is to be told of an object ("": nothing)."""
    lost = spec.frequencies_from(HIGHEST * options.internal_rate)
    return _message(len(lost), len(spec.frequencies), min(lost), max(lost), HIGHEST, options) if lost else ""


def _of_string(voice: VoicePlan, part: PartPlan, options: Options) -> str:
    """What is to be told of a string ("": nothing): by the other schemes it has all modes that the file can hold."""
    if voice.spec.scheme != MODAL_EXPLICIT or not isinstance(part, StringPlan):
        return ""
    wanted = min(AUDIBLE, HIGHEST * options.rate)
    kept = highest_explicit_frequency(options.internal_rate)
    if kept >= wanted:
        return ""
    try:
        frequencies = string_modes(part.spec.string(part.hz), max_frequency=wanted).frequencies.tolist()
    except ParameterError:          # reported when the instrument is built
        return ""
    lost = [frequency for frequency in frequencies if not frequency < kept]
    return _message(len(lost), len(frequencies), lost[0], lost[-1], HIGHEST_EXPLICIT, options) if lost else ""


def _message(lost: int, count: int, lowest: float, highest: float, part: float, options: Options) -> str:
    """How many of the modes are left out, from the lowest of them to the highest (Hz), and what keeps them.

    Parameters: part, of the internal rate, under which modes are kept.
    """
    rate = options.internal_rate
    lie = f"at {lowest:.6g} Hz" if lost == 1 else f"from {lowest:.6g} to {highest:.6g} Hz"
    return (f"loses {lost} of its {count} mode{'' if count == 1 else 's'}, {lie}: expected modes under {part * rate:.6g} Hz, {part:g} of "
            f"the internal rate, {rate} Hz; {_cure(highest, part, options)}")


def _cure(highest: float, part: float, options: Options) -> str:
    """The least oversample, or the internal rate, that keeps a frequency (Hz)."""
    needed = math.floor(highest / (part * options.rate)) + 1
    needed += not highest < part * (needed * options.rate)          # rounding
    if needed <= options.most_oversample:
        return f"oversample={needed} keeps them all"
    return f"rate x oversample over {math.ceil(highest / part)} Hz keeps them all"
