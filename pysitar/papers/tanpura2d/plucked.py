"""The jora string of a tanpura, plucked: its fundamental in both directions, and the centroid of
the force on its far end."""
from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

import pysitar
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.strings.played import PlayedString
from pysitar.physics.checks import FloatArray

PAPER = ("J. Bridges and M. van Walstijn, Vienna Talk on Music Acoustics (2015), of which the "
         "abstract alone was read")
RATE = 96000.0                  # Hz
PITCH = 138.59                  # Hz, C#3
BLOCK = 960                     # steps between two readings of the fundamental, 10 ms
RAMP, RELEASE = 0.03, 0.0015    # s, of the pluck
RELEASED = RAMP + RELEASE       # s
FRAME = 4096                    # steps of a spectrum
WINDOW = (0.1, 0.5)             # s after the release, of the centroid
OVER_BRIDGE = 23.7e-6           # m, of the thread over the bridge at its place


@dataclass(frozen=True, slots=True, kw_only=True)
class Pluck:
    """What a plucked string did.

    Parameters: times (n,), s after the release; across, along (n,), amplitudes of the fundamental
    in the middle of the string (m; along is 0 in one direction); force (N), on the far end, one
    value a step from the release on; heat (J), of the friction; residual, of the energy balance.
    """

    times: FloatArray
    across: FloatArray
    along: FloatArray
    force: FloatArray
    heat: float
    residual: float


def jora(*, directions: int, **changes: Any) -> StringSpec:
    """Return the jora string of the preset tanpura; changes, of its tables: `thread`, its place
    (m), with the height over the bridge, or keys of string and barrier."""
    tanpura = parse_instrument(preset_text("tanpura"), name="tanpura", shown="tanpura",
                               changes=[(("polarisation",), directions)])
    spec = next(string for string in tanpura.strings if string.name == "sa1")
    assert spec.barrier is not None and spec.thread is not None
    bridge = {name: changes.pop(name) for name in ("tilt", "friction") if name in changes}
    place = changes.pop("thread", None)
    if place is not None:
        profile = pysitar.parabola(start=spec.barrier.start, extent=spec.barrier.extent,
                                   height=spec.barrier.height)
        changes["thread"] = replace(spec.thread, position=place,
                                    height=profile(place) + OVER_BRIDGE)
    return replace(spec, barrier=replace(spec.barrier, **bridge), **changes)


def pluck_string(spec: StringSpec, *, force: float, angle: float = 90.0,
                 seconds: float) -> Pluck:
    """Pluck a string with a force (N) at an angle (degrees); return its motion for some seconds
    after the release."""
    string = PlayedString(spec, hz=PITCH, sample_rate=RATE, floor=-200.0, name="jora", traced=True)
    network, kernel, count = string.sounding, string.kernel, string.modes.count
    assert isinstance(network, AuditedNetwork)
    rest = kernel.displacement()
    values = asdict(spec.pluck) | {"force": force, "angle": angle, "lead": 0.0, "ramp": RAMP,
                                   "release": RELEASE}
    for action in ("touch", "push"):
        string.schedule(action, 0, values)
    string.advance(np.empty(round(RELEASED * RATE)))
    string.traces()
    blocks, out = round(seconds * RATE / BLOCK), np.empty(BLOCK)
    found, forces = np.zeros((blocks, 2)), []
    omegas = string.modes.angular_frequencies[0]
    for block in range(blocks):
        string.advance(out)
        forces.append(string.traces()["force_end"])
        y, v = kernel.displacement() - rest, kernel.velocity()
        for column, mode in enumerate((0, count) if spec.polarisation == 2 else (0,)):
            found[block, column] = math.hypot(y[mode], v[mode] / omegas)
    return Pluck(times=(np.arange(blocks) + 1) * BLOCK / RATE, across=found[:, 0],
                 along=found[:, 1], force=np.concatenate(forces), heat=kernel.friction_heat,
                 residual=network.residual)


def centroid(force: FloatArray) -> float:
    """Return the mean spectral centroid (Hz) of the derivative of a force (one value a step), over
    WINDOW."""
    first, last = (round(time * RATE) for time in WINDOW)
    motion = np.diff(force[first:last]) * RATE
    window = np.hanning(FRAME)
    frequencies = np.fft.rfftfreq(FRAME, 1.0 / RATE)
    found = []
    for start in range(0, motion.size - FRAME, FRAME // 2):
        power = np.abs(np.fft.rfft(window * motion[start:start + FRAME])) ** 2
        found.append(float(np.sum(frequencies * power) / np.sum(power)))
    return float(np.mean(found))


def decibels(amplitude: FloatArray) -> FloatArray:
    """Return amplitudes (m) in dB re 1 m."""
    return 20.0 * np.log10(np.maximum(amplitude, 1e-12))


def decay_rate(times: FloatArray, level: FloatArray, start: float, stop: float) -> float:
    """Return the rate (dB/s) at which a level falls between two times (s), by least squares."""
    part = (times >= start) & (times <= stop)
    x, y = times[part] - times[part].mean(), level[part] - level[part].mean()
    return float(-np.sum(x * y) / np.sum(x * x))


def beat_depth(times: FloatArray, level: FloatArray, start: float, stop: float) -> float:
    """Return how far (dB) a level swings about its mean decay between two times (s)."""
    part = (times >= start) & (times <= stop)
    rate = decay_rate(times, level, start, stop)
    rest = level[part] + rate * times[part]
    return float(rest.max() - rest.min())
