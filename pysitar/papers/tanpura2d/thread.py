"""The spectral centroid by the place of the thread, in one and in two directions."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import BLUE, ORANGE, VERMILION, legend_below, sheet
from pysitar.papers.tanpura2d.plucked import PAPER, centroid, jora, pluck_string

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

KEY = "tanpura2d:thread"
TITLE = "Place of the thread"
SOURCE = f"{PAPER}: what depends on where the thread is"
PLACES = (0.004, 0.006, 0.008, 0.010, 0.012, 0.014, 0.016, 0.020)       # m
FORCE, ANGLE = 0.8, 60.0        # N, degrees
SECONDS = 0.5
LEAST = 3.0                     # times: a strong dependence
WITHIN = 0.3                    # of the centroid; a pluck 0.05 % stronger moves it by 2 %
BALANCE = 1e-11


def find_centroids(places: Sequence[float] = PLACES) -> Finding:
    """Compute the centroids for some places (m) of the thread."""
    across = FORCE * math.sin(math.radians(ANGLE))
    single = [pluck_string(jora(directions=1, statics=False, thread=x), force=across,
                           seconds=SECONDS) for x in places]
    double, smooth = (
        [pluck_string(jora(directions=2, statics=False, thread=x, nut_coupling=0.0, friction=mu),
                      force=FORCE, angle=ANGLE, seconds=SECONDS) for x in places]
        for mu in (0.2, 0.0))
    numbers: Numbers = {
        "place_m": list(places),
        "centroid_in_one_direction_Hz": [centroid(one.force) for one in single],
        "centroid_in_two_directions_Hz": [centroid(one.force) for one in double],
        "centroid_in_two_directions_without_friction_Hz": [centroid(one.force) for one in smooth],
        "heat_of_friction_J": [one.heat for one in double],
        "energy_residual": max(one.residual for one in (*single, *double, *smooth)),
    }
    return Finding(
        key=KEY, title=TITLE, source=SOURCE, caption=
        "A jora string, plucked at 42 cm with 0.8 N at 60 degrees to the bridge, or across it with "
        "the part of that force; thread 23.7 um over the bridge at its place. Centroid of the "
        "derivative of the force on the far end, 0.1 to 0.5 s after the release. Two directions: "
        "tilt of 3 degrees, friction 0.2.", numbers=numbers, curves={
            "place_mm": 1e3 * np.array(places),
            "one direction_Hz": np.array(numbers["centroid_in_one_direction_Hz"]),
            "two directions_Hz": np.array(numbers["centroid_in_two_directions_Hz"]),
            "two directions without friction_Hz":
                np.array(numbers["centroid_in_two_directions_without_friction_Hz"])},
        statements=_judge(numbers))


def _judge(numbers: Numbers) -> tuple[Statement, ...]:
    places = numbers["place_m"]
    single, double, smooth = (numbers[f"centroid_in_{name}_Hz"] for name in (
        "one_direction", "two_directions", "two_directions_without_friction"))
    apart = max(abs(a / b - 1.0) for a, b in zip(double, smooth, strict=True))
    return (
        judge(
            paper="A string in one direction does not show how the sound depends on the place of "
            "the thread.",
            computed=f"in one direction the centroid falls from {single[0]:.0f} Hz at "
            f"{1e3 * places[0]:g} mm to {single[-1]:.0f} Hz at {1e3 * places[-1]:g} mm",
            holds=single[0] <= LEAST * single[-1],
            condition=f"the first is at most {LEAST:g} times the last",
            reason="the string of the paper ends at the thread; here it goes on behind it, and the "
            "height of the thread over the bridge decides how long the bridge is touched"),
        judge(
            paper="A string in two directions shows it.",
            computed=f"in two directions the centroid falls from {double[0]:.0f} to "
            f"{double[-1]:.0f} Hz",
            holds=double[0] > LEAST * double[-1],
            condition=f"the first is over {LEAST:g} times the last",
            reason="the same measure for one and two directions"),
        judge(
            paper="The friction of the bridge changes the sound.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=f"friction changes the centroid by at most {apart:.1%}",
            holds=apart <= WITHIN, condition=f"by at most {WITHIN:.0%}",
            reason="the contact is chaotic, where the centroid is low a change of the force by "
            "0.05 % moves it as far"),
        judge(
            paper="The abstract has no energy balance.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=f"each run closes to {numbers['energy_residual']:.0e} of its greatest energy",
            holds=numbers["energy_residual"] < BALANCE, condition=f"it closes to {BALANCE:g}",
            reason="rounding of 5e4 steps, 1e-16 each, adds up to 5e-12 if all of it has one sign"),
    )


def _draw(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.6)
    place = finding.curves["place_mm"]
    for name, color, marker in (("one direction", BLUE, "o"), ("two directions", VERMILION, "s"),
                                ("two directions without friction", ORANGE, "^")):
        axes.plot(place, finding.curves[f"{name}_Hz"], color=color, marker=marker, label=name)
    axes.set(xlabel="place of the thread (mm)", ylabel="centroid (Hz)", ylim=(0.0, None))
    legend_below(drawing, axes, columns=1)
    return drawing


FIGURES = (Figure(key=KEY, title=TITLE, source=SOURCE, compute=find_centroids, judge=_judge,
                  draw=_draw), )
