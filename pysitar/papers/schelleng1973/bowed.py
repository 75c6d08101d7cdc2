"""A bowed G string of a violin: its steady motion, by regime, pitch and slips."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import pysitar
from pysitar.physics.checks import FloatArray

PAPER = "J. C. Schelleng, J. Acoust. Soc. Am. 53, 26 (1973)"
RATE = 96000.0                  # Hz
PITCH = 196.0                   # Hz, of the free ideal string
STRING = pysitar.String(length=0.325, tension=45.0,
                        linear_density=45.0 / (2.0 * 0.325 * PITCH) ** 2, bending_stiffness=4e-5,
                        sigma0=1.2, sigma1=0.06, sigma3=3e-6)
IMPEDANCE = math.sqrt(STRING.tension * STRING.linear_density)       # kg/s
TORSION = pysitar.Torsion()
TORSION_IMPEDANCE = 2.6         # times that of the string
ROSIN = pysitar.Rosin()
SPEED = 0.1                     # m/s
RISE = 0.02                     # s, of the speed
STEADY = 0.2                    # s, at the end, that are looked at
SLIPPING = 0.25                 # of v / beta: slower slips are ripples of the sticking string
HELMHOLTZ, MULTIPLE, SURFACE, RAUCOUS = "Helmholtz", "multiple slip", "surface", "raucous"
FARTHEST = 70.0                 # cents of a note that is in tune; the flattest notes have 35
PERIODIC = 0.9                  # least correlation of a period with the next
ONCE = 0.1                      # of a slip in a period, more or less than one


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """The steady motion of a bowed string.

    Parameters: regime; cents, of its pitch from 196 Hz; slips, in a period of 196 Hz; fraction, of
    the time in which it slips; coherence, the correlation of a period of the force on the bridge
    with the next one; residual, of the energy balance.
    """

    regime: str
    cents: float
    slips: float
    fraction: float
    coherence: float
    residual: float


def bow_string(*, beta: float, force: float, speed: float = SPEED, seconds: float = 1.0) -> Motion:
    """Bow the string at beta of its length with a force (N), at a speed (m/s) that rises in 20 ms;
    return the motion of the last 0.2 s."""
    rise = round(RISE * RATE)
    position = beta * STRING.length
    bow = pysitar.Bow(position=position, force=force, rosin=ROSIN, torsion=TORSION,
                      speed=speed * np.minimum(np.arange(rise + 1) / rise, 1.0))
    simulation = pysitar.StringSimulation(string=STRING, sample_rate=RATE, bow=bow)
    simulation.run(round((seconds - STEADY) * RATE), [], energy_every=64)
    run = simulation.run(round(STEADY * RATE), ["surface_velocity", "bow_force", "force_start"],
                         energy_every=64)
    surface, friction, bridge = run.outputs.T
    slipping = slip_speeds(surface, friction, bow, speed) > SLIPPING * speed / beta
    starts = np.flatnonzero(slipping[1:] & ~slipping[:-1])
    slips = starts.size / (STEADY * PITCH)
    # of whole periods
    fraction = float(slipping[starts[0]:starts[-1]].mean()) if starts.size > 1 else 0.0
    period, coherence = _period(bridge)
    cents = 1200.0 * math.log2(RATE / (period * PITCH))
    return Motion(regime=_regime(slips, cents, coherence), cents=cents, slips=slips,
                  fraction=fraction, coherence=coherence, residual=run.residual)


def slip_speeds(surface: FloatArray, friction: FloatArray, bow: pysitar.Bow,
                speed: float) -> FloatArray:
    """Return the slip speeds (m/s) of the steps between the first and the last of an output.

    Parameters: surface, the velocity of the string's surface before each step (m/s); friction, the
    force of the bow over it (N); speed, of the bow (m/s).
    """
    hair = np.diff(friction)[:-1] * RATE / bow.stiffness    # m/s: its deflection is its force / K
    return speed - 0.5 * (surface[2:] + surface[1:-1]) - hair


def _regime(slips: float, cents: float, coherence: float) -> str:
    if slips < 1.0 - ONCE and coherence > PERIODIC:
        return SURFACE          # it slips, but never at the speed of a slip
    if coherence < PERIODIC or abs(cents) > FARTHEST:
        return RAUCOUS
    return HELMHOLTZ if abs(slips - 1.0) <= ONCE else MULTIPLE


def _period(signal: FloatArray) -> tuple[float, float]:
    """Return the period (steps) near that of the string, and the correlation at it."""
    signal = signal - signal.mean()
    middle = RATE / PITCH
    lags = np.arange(int(0.8 * middle), int(1.25 * middle))
    found = np.array([_correlation(signal, int(lag)) for lag in lags])
    best = min(max(int(np.argmax(found)), 1), lags.size - 2)
    low, at, high = found[best - 1:best + 2]
    bend = low - 2.0 * at + high
    shift = 0.5 * (low - high) / bend if bend < 0.0 else 0.0
    return float(lags[best] + shift), float(at)


def _correlation(signal: FloatArray, lag: int) -> float:
    first, second = signal[:-lag], signal[lag:]
    power = math.sqrt(float(np.sum(first * first)) * float(np.sum(second * second)))
    return float(np.sum(first * second)) / power if power > 0.0 else 0.0
