"""The impact on a wall of Papetti, Avanzini & Rocchesso 2009: its closed forms and its runs by the
schemes."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

import pysitar
from pysitar.papers.finding import Curves, Numbers
from pysitar.papers.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILION
from pysitar.physics.checks import FloatArray

PAPER = "Papetti, Avanzini & Rocchesso 2009"
MASS, RATE = 1e-2, 44100.0      # kg, Hz: section 3.3
METHODS = ("am1", "verlet", "heun", "rk4")
SCHEMES = (*METHODS, "invariant")
NAMES = {
    "am1": "AM1", "verlet": "Verlet", "heun": "Heun", "rk4": "RK4", "invariant": "invariant",
    "energy": "energy", "exact": "exact"
}
LINES: dict[str, dict[str, Any]] = {
    "exact": {"color": BLACK, "linestyle": "-", "linewidth": 0.7},
    "am1": {"color": BLUE, "linestyle": "--", "marker": "o"},
    "verlet": {"color": VERMILION, "linestyle": "-.", "marker": "^"},
    "heun": {"color": GREEN, "linestyle": ":", "marker": "s"},
    "rk4": {"color": PURPLE, "linestyle": (0, (5, 1.5)), "marker": "D"},
    "invariant": {"color": ORANGE, "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "x"},
}
UM, MJ = 1e6, 1e3               # micrometres in a metre, millijoules in a joule


class ImpactArguments(TypedDict):
    """The arguments of a closed form."""

    mass: float
    stiffness: float
    exponent: float
    hysteresis: float
    velocity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """One impact.  Parameters: stiffness (N/m^exponent); exponent; hysteresis (s/m); velocity
    (m/s)."""

    stiffness: float
    exponent: float
    hysteresis: float
    velocity: float

    @property
    def arguments(self) -> ImpactArguments:
        """The arguments of its closed forms and runs."""
        return {
            "mass": MASS, "stiffness": self.stiffness, "exponent": self.exponent,
            "hysteresis": self.hysteresis, "velocity": self.velocity
        }

    @property
    def depth(self) -> float:
        """The greatest compression (m)."""
        return pysitar.analytic.max_compression(**self.arguments)

    @property
    def output_velocity(self) -> float:
        """The output velocity (m/s), below 0."""
        return pysitar.analytic.output_velocity(hysteresis=self.hysteresis, velocity=self.velocity)

    @property
    def fitted_output_velocity(self) -> float:
        """The output velocity (m/s) by the fit of the paper."""
        return pysitar.analytic.fitted_output_velocity(hysteresis=self.hysteresis,
                                                       velocity=self.velocity)

    @property
    def contact_samples(self) -> float:
        """The duration of the contact, in samples."""
        return RATE * pysitar.analytic.contact_time(**self.arguments)

    def run(self, scheme: str, *, corrected: bool = False) -> pysitar.WallRun:
        """Return a run from the first touch until the mass has left the wall."""
        return pysitar.wall_impact(**self.arguments, sample_rate=RATE,
                                   steps=math.ceil(1.25 * self.contact_samples) + 4, scheme=scheme,
                                   corrected=corrected)

    def energy(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return kinetic plus elastic energy (J) at compressions (m) and velocities (m/s)."""
        return 0.5 * MASS * v * v + self.elastic(x)

    def elastic(self, x: FloatArray) -> FloatArray:
        """Return the elastic energy (J) at compressions (m)."""
        power = self.exponent + 1.0
        return self.stiffness / power * np.power(np.maximum(x, 0.0), power)

    def exact(self, samples: float, points: int = 600) -> dict[str, FloatArray]:
        """Return the exact motion as curves, from the first touch over a number of samples."""
        motion = pysitar.analytic.trajectory(**self.arguments,
                                             time=np.linspace(0.0, samples / RATE, points))
        x, v = motion.compression, motion.velocity
        return {
            "exact time_s": motion.time, "exact x_m": x, "exact v_m_per_s": v,
            "exact f_N": motion.force, "exact H_J": self.energy(x, v)
        }


# figure 4, whose stiffness cannot be read
SOFT = Impact(stiffness=1e8, exponent=1.6, hysteresis=0.5, velocity=0.3)
CASE_1 = Impact(stiffness=1e7, exponent=1.1, hysteresis=0.1, velocity=0.3)          # figure 5
CASE_2 = Impact(stiffness=1e9, exponent=1.5, hysteresis=0.5, velocity=1.0)  # figures 1, 2 and 6


def curves_of(impact: Impact, schemes: tuple[str, ...], *,
              corrected: bool = False) -> dict[str, FloatArray]:
    """Return the runs of schemes as curves: compression, velocity, force and energy."""
    name = " corrected" if corrected else ""
    curves: dict[str, FloatArray] = {}
    for scheme in schemes:
        run = impact.run(scheme, corrected=corrected)
        curves |= {
            f"{scheme}{name} x_m": run.compression, f"{scheme}{name} v_m_per_s": run.velocity,
            f"{scheme}{name} f_N": run.force, f"{scheme}{name} H_J": run.energy
        }
    return curves


def measure_run(impact: Impact, curves: dict[str, FloatArray], name: str) -> Numbers:
    """Return the numbers of a run.

    Parameters: curves, from `curves_of`; name, of the scheme in them.
    """
    x, v, energy = (curves[f"{name} {key}"] for key in ("x_m", "v_m_per_s", "H_J"))
    after = first_sample_after(x)
    rises = np.diff(energy[:after + 1])
    # H at the greatest compression: interpolated by the velocities of the two samples around it
    turn = int(np.flatnonzero(v > 0.0)[-1])
    part = float(v[turn] / (v[turn] - v[turn + 1]))
    turning = float(energy[turn] + part * (energy[turn + 1] - energy[turn]))
    return {
        "samples_in_contact": int(np.count_nonzero(x > 0.0)),
        "x_max_m": float(x.max()),
        "v_out_m_per_s": float(v[after]),
        "H_end_J": float(energy[after]),
        "rises_of_H": int(np.count_nonzero(rises > 1e-12 * energy[0])),
        "greatest_rise_of_H_over_H0": float(max(rises.max(), 0.0) / energy[0]),
        "H_at_the_turn_over_exact": turning / float(impact.elastic(np.array([impact.depth]))[0]),
        "x_max_error_percent": percent(float(x.max()), impact.depth),
        "v_out_error_percent": percent(float(v[after]), impact.output_velocity),
        "H_end_error_percent": percent(float(v[after])**2, impact.output_velocity**2),
    }


def part_of(curves: Curves, name: str) -> dict[str, FloatArray]:
    """Return the curves whose keys begin with a name, without that name in their keys."""
    return {
        key.removeprefix(f"{name} "): curve
        for key, curve in curves.items() if key.startswith(f"{name} ")
    }


def first_sample_after(x: FloatArray) -> int:
    """Return the index of the first sample after the contact."""
    return int(np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))[0]) + 1


def percent(value: float, reference: float) -> float:
    """Return the relative difference of a value from a reference, in per cent."""
    return 100.0 * (value / reference - 1.0)
