"""The plucked string of Ducceschi & Bilbao 2019 over a point or a bent board, by the schemes of the
paper and the mended ones."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import pysitar
from pysitar.models.network.schemes.base import MODES
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.papers.finding import Numbers
from pysitar.papers.style import BLUE, GREEN, ORANGE, PURPLE, VERMILION
from pysitar.physics.checks import FloatArray

PAPER = "Ducceschi & Bilbao 2019"
RATE = 44100.0                  # Hz
DENSITY, RADIUS, YOUNG = 0.063, 5e-4, 2e11                # kg/m, m, Pa
STRING = pysitar.String(length=1.0, tension=500.0, linear_density=DENSITY,
                        bending_stiffness=YOUNG * math.pi * RADIUS**4 / 4.0)
LAW = pysitar.ContactLaw(stiffness=5e6, exponent=1.4)
MIDDLE, BELOW = 0.5, -1e-4      # m, of the point
PLUCKED, FORCE, WITHIN = 0.3, 10.0, 1e-3                  # m (the paper does not say), N, s
OUTPUT_POSITION = 0.9                     # m
DURATION = 0.04                 # s
MOST_POINTS = 511               # of a board under modes; a grid has a point under each node
MM, MJ, MS = 1e3, 1e3, 1e3
# m: the paper does not say where it plucks, so verdicts are tried at ten positions
PLUCKS = (0.06, 0.11, 0.16, 0.21, 0.26, PLUCKED, 0.31, 0.36, 0.41, 0.46)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A scheme.  Parameters: name and variant, as StringSimulation takes them; look, the style of
    its line."""

    name: str
    variant: str | None
    look: dict[str, Any]

    @property
    def modal(self) -> bool:
        """Whether the scheme has modes."""
        return STRING_SCHEMES[self.name].space == MODES


SCHEMES = {
    "iterative": Scheme(name="fd-iterative", variant=None,
                        look={"color": VERMILION, "linestyle": "-"}),
    "explicit": Scheme(name="fd-explicit", variant="paper", look={"color": BLUE,
                                                                  "linestyle": "--"}),
    "modal": Scheme(name="modal-explicit", variant="paper",
                    look={"color": GREEN, "linestyle": "-."}),
    "explicit, mended": Scheme(name="fd-explicit", variant="tracking",
                               look={"color": ORANGE, "linestyle": (0, (3, 1, 1, 1))}),
    "modal, mended": Scheme(name="modal-explicit", variant="reset",
                            look={"color": PURPLE, "linestyle": ":"}),
}
PRINTED = ("iterative", "explicit", "modal")              # the paper's own
TWO_POINT = Scheme(name="two-point", variant=None, look={})


def board(x: float) -> float:
    """Return the height (m) of the bent board of figure 8 at x (m)."""
    return -1e-4 - 1e-4 * x - 1e-3 * x * x


def intervals(rate: float) -> int:
    """Return the number of intervals of the grid at a sample rate (Hz)."""
    return pysitar.StringSimulation(string=STRING, sample_rate=rate,
                                    scheme="fd-iterative").nodes.size - 1


def stable_modes(rate: float) -> int:
    """Return the number of modes with an angular frequency below 2 rate, eq. (61)."""
    count = 0
    while _angular_frequency(count + 1) < 2.0 * rate:
        count += 1
    return count


def _angular_frequency(mode: int) -> float:
    wave = (mode * math.pi / STRING.length) ** 2
    return math.sqrt(wave * (STRING.tension + STRING.bending_stiffness * wave) / DENSITY)


def pluck_string(
    scheme: Scheme,
    barrier: str,
    rate: float = RATE,
    *,
    modes: int | None = None,
    between: bool = False,
    plucked: float = PLUCKED,
    law: pysitar.ContactLaw = LAW,
) -> pysitar.StringSimulation:
    """Return the simulation of a string with its pluck, before the first step.

    Parameters: barrier, point, board or none; rate (Hz); modes, number of modes (None: all that are
    stable); between, whether point and pluck lie at their exact positions between two nodes,
    instead of on the nearest node; plucked, the position of the pluck (m); law, of the barrier.
    """
    options: dict[str, Any] = {
        "string": STRING, "sample_rate": rate, "scheme": scheme.name, "variant": scheme.variant
    }
    if scheme.modal:
        options["modes"] = modes or stable_modes(rate)
    sim = pysitar.StringSimulation(
        barriers=_barriers(scheme, barrier, rate, law, between=between), **options)
    late = STRING_SCHEMES[scheme.name].force_time_offset
    count = math.floor(WITHIN * rate - late) + 1
    force = [
        0.5 * FORCE * (1.0 - math.cos(2.0 * math.pi * (n + late) / (WITHIN * rate)))
        for n in range(count)
    ]
    sim.drive(position=plucked, force=force,
              spread=None if scheme.modal or not between else "linear")
    return sim


def _barriers(scheme: Scheme, barrier: str, rate: float, law: pysitar.ContactLaw, *,
              between: bool) -> list[pysitar.Barrier]:
    if barrier == "none":
        return []
    count = intervals(rate)
    if barrier == "point":
        place = MIDDLE if scheme.modal or between else math.floor(MIDDLE * count + 0.5) / count
        return [pysitar.Barrier.point(position=place, height=BELOW, law=law)]
    if not scheme.modal:
        return [pysitar.Barrier(profile=board, start=0.0, end=STRING.length, points=count, law=law)]
    cells = min(count, MOST_POINTS + 1)
    places = [m / cells for m in range(1, cells)]
    return [
        pysitar.Barrier.at(positions=places, heights=[board(x) for x in places],
                           weights=[1.0 / cells] * (cells - 1), law=law)
    ]


def record_run(
    name: str, barrier: str, rate: float, *, along: FloatArray | None = None,
) -> tuple[pysitar.Run, Numbers]:
    """Run a scheme over 40 ms; return the run and its numbers.

    The outputs are the displacement at 0.9 m, the contact force, and the displacements at the
    positions `along` (m).
    """
    steps = round(DURATION * rate)
    places = [] if along is None else along.tolist()
    outputs: list[str | tuple[str, float]] = [
        ("displacement", OUTPUT_POSITION), "contact_force",
        *(("displacement", x) for x in places)
    ]
    run = pluck_string(SCHEMES[name], barrier, rate).run(steps + 1, outputs)
    out, force = run.outputs[:, 0], run.outputs[:, 1]
    at = [round(ms * rate / 1e3) for ms in (10, 20, 30, 40)]
    after = run.energy[round(WITHIN * rate) + 2:]
    return run, {
        "displacement_at_10_20_30_40_ms_m": out[at].tolist(),
        "greatest_displacement_m": float(np.abs(out).max()),
        "greatest_contact_energy_J": float(run.contact.max()),
        "last_contact_energy_J": float(run.contact[-1]),
        "last_energy_J": float(run.energy[-1]),
        "change_of_energy_after_pluck": float(np.ptp(after) / after[0]),
        "greatest_force_N": float(force.max()),
        "least_force_N": float(force.min()),
        "contact_steps": run.contact_steps,
        "balance_residual": run.residual,
    }


def try_plucks(barrier: str, rate: float, plucks: Sequence[float] = PLUCKS,
               names: Sequence[str] = ("explicit", "modal")) -> Numbers:
    """Return, for each position of the pluck, differences from the iterative scheme: of the output,
    of the output without a barrier, of the kinetic energy over the whole, and of the whole; and the
    energy left in the barrier."""
    numbers: Numbers = {"plucks_m": list(plucks)}
    for name in names:
        numbers[name] = {key: [] for key in (
            "output_off", "free_output_off", "kinetic_energy_off", "energy_off",
            "last_contact_energy_J")}
    steps = round(DURATION * rate) + 1
    for plucked in plucks:
        runs, free = ({
            name: pluck_string(SCHEMES[name], kind, rate, plucked=plucked).run(
                steps, [("displacement", OUTPUT_POSITION)])
            for name in ("iterative", *names)
        } for kind in (barrier, "none"))
        whole = float(runs["iterative"].energy[-1])
        for name in names:
            kinetic = runs[name].kinetic - runs["iterative"].kinetic
            own = {
                "output_off": relative_difference(runs[name].outputs, runs["iterative"].outputs),
                "free_output_off": relative_difference(free[name].outputs,
                                                       free["iterative"].outputs),
                "kinetic_energy_off": float(np.sqrt(np.mean(kinetic * kinetic))) / whole,
                "energy_off": float(runs[name].energy[-1]) / whole - 1.0,
                "last_contact_energy_J": float(runs[name].contact[-1])
            }
            for key, value in own.items():
                numbers[name][key].append(value)
    return numbers


def relative_difference(one: FloatArray, other: FloatArray) -> float:
    """Return the relative difference of two curves, by their sums of squares."""
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))
