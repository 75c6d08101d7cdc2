"""Plucks whose force comes and goes within a few steps of the simulation."""
from __future__ import annotations

import math
from collections.abc import Iterable

from pysitar.errors import Place, Problem
from pysitar.kernels.core import elementary
from pysitar.models.network.agenda import force_time_offset
from pysitar.physics.excitation import ramp_release
from pysitar.rendering.options import Options
from pysitar.rendering.plan import BoundEvent, VoicePlan

RESOLVED = 40.0          # steps; the impulse of a longer force is right within 2.5 %: a half step of its peak at each sharp end
LARGEST_ERROR = 0.5      # dB, of an impulse
FEWEST = 2.0             # steps
ENOUGH = 17.0            # steps of a ramp: a half step is 0.5 dB of the impulse that a shorter one has


def silent_plucks(name: str, scheme: str, events: Iterable[BoundEvent], options: Options) -> list[Problem]:
    """An error for each row of an instrument whose force is over before the steps of its scheme see any."""
    found: dict[Place, str] = {}
    for ramp, release, event in _short(events, 1.0 / options.internal_rate):
        if event.place not in found and _impulse(ramp, release, options.internal_rate, scheme) == 0.0:
            found[event.place] = (f"{name}.{event.part}: {_told(ramp, release, options.internal_rate)}, and would be silent; "
                                  f"{_cure(ramp, release, options)}")
    return [Problem(place, message) for place, message in found.items()]


def short_plucks(voice: VoicePlan, options: Options) -> list[Problem]:
    """A warning where a pluck of a voice first has a force whose impulse the steps of the simulation do not keep."""
    found: dict[tuple[float, float], Problem | None] = {}
    for ramp, release, event in _short(voice.events, RESOLVED / options.internal_rate):
        if (ramp, release) in found:
            continue
        error = _error(ramp, release, options.internal_rate, voice.spec.scheme)
        message = (f"{voice.name}.{event.part}: {_told(ramp, release, options.internal_rate)}: its impulse is {error:+.1f} dB off; "
                   f"{_cure(ramp, release, options)}")
        wrong = abs(error) > LARGEST_ERROR or options.internal_rate * (ramp + release) < FEWEST          # fewer may be right by chance
        found[ramp, release] = Problem(event.place, message) if wrong else None
    return [problem for problem in found.values() if problem is not None]


def _short(events: Iterable[BoundEvent], longest: float) -> Iterable[tuple[float, float, BoundEvent]]:
    """The plucks by a force that lasts no longer (s): ramp (s), release (s), event."""
    for event in events:
        if event.verb == "pluck" and "ramp" in event.values and event.values["ramp"] + event.values["release"] <= longest:
            yield event.values["ramp"], event.values["release"], event


def _impulse(ramp: float, release: float, rate: float, scheme: str) -> float:
    """What the steps of a scheme at a rate (Hz) make of the impulse of a force of 1 N (N s)."""
    force = ramp_release(force=1.0, ramp=ramp, release=release, time_step=1.0 / rate, at=force_time_offset(scheme))
    return math.fsum(force.tolist()) / rate


def _error(ramp: float, release: float, rate: float, scheme: str) -> float:
    """How far (dB) it is from the impulse of the force itself."""
    made = _impulse(ramp, release, rate, scheme)
    return -math.inf if made == 0.0 else 20.0 * elementary.log10(2.0 * made / (ramp + release))


def _told(ramp: float, release: float, rate: float) -> str:
    lasting = ramp + release
    return f"the pluck's force, ramp and release, lasts {1e3 * lasting:.3g} ms, {rate * lasting:.2g} steps of the simulation"


def _cure(ramp: float, release: float, options: Options) -> str:
    """What would keep the impulse."""
    enough = f"a ramp of {1e3 * ENOUGH / options.internal_rate:.2g} ms"
    most = options.most_oversample
    if options.rate * most * (ramp + release) < ENOUGH:
        return f"{enough} would be right"
    return f"{enough}, or oversample={math.ceil(ENOUGH / (options.rate * (ramp + release)))}, would be right"
