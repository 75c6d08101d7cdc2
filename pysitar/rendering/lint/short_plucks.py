"""Plucks whose force lasts only a few internal steps."""
from __future__ import annotations

import math
from collections.abc import Iterable

from pysitar.errors import Place, Problem
from pysitar.kernels.core import elementary
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.physics.excitation import ramp_release
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.table import RESOLVED_STEPS, CheckedVoice
from pysitar.rendering.options import Options
from pysitar.rendering.plan import BoundEvent

LARGEST_ERROR = 0.5      # dB, of an impulse
FEWEST_STEPS = 2.0
SUFFICIENT_STEPS = 17.0         # steps of a ramp: half a step is then 0.5 dB of the impulse


def silent_plucks(checked: CheckedVoice) -> list[Problem]:
    """Return a problem for each row of a voice whose force falls between the internal steps."""
    voice, options, _ = checked
    found: dict[Place, str] = {}
    for ramp, release, event in _short_forces(voice.events, 1.0 / options.internal_rate):
        if event.place not in found and _impulse(ramp, release, options.internal_rate,
                                                 voice.spec.scheme) == 0.0:
            found[event.place] = (
                f"{voice.name}.{event.part}: "
                f"{_duration_text(ramp, release, options.internal_rate)}, and would be silent; "
                f"{_remedy(ramp, release, options)}")
    return [Problem(place, message) for place, message in found.items()]


def short_plucks(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for the first pluck of each ramp and release whose impulse is wrong."""
    voice, options, _ = checked
    found: dict[tuple[float, float], Problem | None] = {}
    for ramp, release, event in _short_forces(voice.events, RESOLVED_STEPS / options.internal_rate):
        if (ramp, release) in found:
            continue
        error = _impulse_error(ramp, release, options.internal_rate, voice.spec.scheme)
        message = (f"{voice.name}.{event.part}: "
                   f"{_duration_text(ramp, release, options.internal_rate)}: its impulse is "
                   f"{error:+.1f} dB off; {_remedy(ramp, release, options)}")
        # of few steps, the impulse is correct only by chance
        few = options.internal_rate * (ramp + release) < FEWEST_STEPS
        wrong = few or abs(error) > LARGEST_ERROR
        found[ramp, release] = Problem(event.place, message) if wrong else None
    return [problem for problem in found.values() if problem is not None]


def _short_forces(events: Iterable[BoundEvent],
                  longest: float) -> Iterable[tuple[float, float, BoundEvent]]:
    """Yield the plucks whose force is not longer than a time (s): ramp (s), release (s), event."""
    for event in events:
        if "ramp" in event.values and event.values["ramp"] + event.values["release"] <= longest:
            yield event.values["ramp"], event.values["release"], event


def _impulse(ramp: float, release: float, rate: float, scheme: str) -> float:
    """Return the impulse (N s) of a force of 1 N in the steps of a scheme at a rate (Hz)."""
    force = ramp_release(force=1.0, ramp=ramp, release=release, time_step=1.0 / rate,
                         at=STRING_SCHEMES[scheme].force_time_offset)
    return math.fsum(force.tolist()) / rate


def _impulse_error(ramp: float, release: float, rate: float, scheme: str) -> float:
    """Return the error (dB) of that impulse against the exact one."""
    impulse = _impulse(ramp, release, rate, scheme)
    return -math.inf if impulse == 0.0 else 20.0 * elementary.log10(2.0 * impulse /
                                                                    (ramp + release))


def _duration_text(ramp: float, release: float, rate: float) -> str:
    lasting = ramp + release
    return (f"the pluck's force (ramp and release) lasts {format_quantity(lasting, 's')}, "
            f"{rate * lasting:.2g} internal steps")


def _remedy(ramp: float, release: float, options: Options) -> str:
    """Return the ramp, or the oversample, that keeps the impulse."""
    enough = f"a ramp of {format_quantity(SUFFICIENT_STEPS / options.internal_rate, 's', 2)}"
    most = options.highest_oversample
    if options.rate * most * (ramp + release) < SUFFICIENT_STEPS:
        return f"expected {enough}"
    needed = math.ceil(SUFFICIENT_STEPS / (options.rate * (ramp + release)))
    return f"expected {enough}, or oversample={needed}"
