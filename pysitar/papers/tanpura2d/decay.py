"""Decay and beats of the fundamental of a tanpura string in two directions."""
from __future__ import annotations

from typing import TYPE_CHECKING

from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import BLUE, VERMILION, sheet
from pysitar.papers.tanpura2d.plucked import (
    PAPER,
    beat_depth,
    decay_rate,
    decibels,
    jora,
    pluck_string,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

KEY = "tanpura2d:decay"
TITLE = "Decay and beats in two directions"
SOURCE = f"{PAPER}: friction of the bridge, coupling of the directions"
FORCE, ANGLE = 0.8, 60.0        # N, degrees
SECONDS = 4.0
EARLY, LATE = (0.1, 0.3), (2.0, 4.0)    # s
BEATS = (1.0, 4.0)              # s
PLACE = 0.008                   # m, of the thread
EXPECTED_EARLY, EXPECTED_LATE = 12.0, 3.2       # dB/s, of another program
WITHIN = 0.25                   # of a rate
DEPTH = 10.0                    # dB
NO_DEPTH = 2.0                  # dB, of a level that only decays


def _find() -> Finding:
    runs = {
        name: pluck_string(jora(directions=2, statics=False, thread=PLACE, **changes), force=FORCE,
                           angle=ANGLE, seconds=SECONDS)
        for name, changes in (
            ("friction", {"nut_coupling": 0.0}),
            ("smooth", {"nut_coupling": 0.0, "friction": 0.0}),
            ("nut", {"nut_coupling": 3e3, "tilt": 0.0, "friction": 0.0}),
            ("rubbing nut", {"nut_coupling": 3e3, "tilt": 0.0}))
    }
    times = runs["nut"].times
    levels = {name: (decibels(run.across), decibels(run.along)) for name, run in runs.items()}
    numbers: Numbers = {
        "early_decay_along_dB_per_s": decay_rate(times, levels["friction"][1], *EARLY),
        "late_decay_along_dB_per_s": decay_rate(times, levels["friction"][1], *LATE),
        "early_decay_along_without_friction_dB_per_s":
            decay_rate(times, levels["smooth"][1], *EARLY),
        "late_decay_along_without_friction_dB_per_s":
            decay_rate(times, levels["smooth"][1], *LATE),
        "beats_across_dB": beat_depth(times, levels["nut"][0], *BEATS),
        "beats_along_dB": beat_depth(times, levels["nut"][1], *BEATS),
        "beats_across_with_friction_dB": beat_depth(times, levels["rubbing nut"][0], *BEATS),
        "beats_along_with_friction_dB": beat_depth(times, levels["rubbing nut"][1], *BEATS),
        "beats_across_without_coupling_dB": beat_depth(times, levels["friction"][0], *BEATS),
        "energy_residual": max(run.residual for run in runs.values()),
    }
    return Finding(
        key=KEY, title=TITLE, source=SOURCE, caption=
        "A jora string, plucked with 0.8 N at 60 degrees to the bridge: its fundamental in the "
        "middle; thread at 8 mm, 23.7 um over the bridge. Above, along the bridge, tilt of 3 "
        "degrees, with and without friction of 0.2. Below, across the bridge, with a spring of 3 "
        "kN/m 1 cm before the nut, at 45 degrees, without friction, and without the spring.",
        numbers=numbers, curves={
            "time_s": times, "along with friction_dB": levels["friction"][1],
            "along without friction_dB": levels["smooth"][1],
            "across with coupling_dB": levels["nut"][0],
            "across without coupling_dB": levels["friction"][0]},
        statements=_judge(numbers))


def _judge(numbers: Numbers) -> tuple[Statement, ...]:
    early, late = (numbers[f"{name}_decay_along_dB_per_s"] for name in ("early", "late"))
    without = [numbers[f"{name}_decay_along_without_friction_dB_per_s"]
               for name in ("early", "late")]
    deep = numbers["beats_across_dB"]
    return (
        judge(
            paper="The abstract names the friction of the bridge.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=f"along the bridge the fundamental falls by {early:.1f} dB/s at first and by "
            f"{late:.1f} dB/s later; without friction by {without[0]:.1f} and {without[1]:.1f}",
            holds=abs(early / EXPECTED_EARLY - 1.0) <= WITHIN
            and abs(late / EXPECTED_LATE - 1.0) <= WITHIN,
            condition=f"the rates are {EXPECTED_EARLY:g} and {EXPECTED_LATE:g} dB/s to "
            f"{WITHIN:.0%}", reason="the rates of another program of the same equations, read off "
            "two levels; the early one changes within the window"),
        judge(
            paper="The abstract names the coupling of both directions.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=f"with a spring at the nut the fundamental across the bridge beats by "
            f"{deep:.1f} dB, with friction of 0.2 as well by "
            f"{numbers['beats_across_with_friction_dB']:.1f} dB (along it "
            f"{numbers['beats_along_with_friction_dB']:.1f} dB), without it by "
            f"{numbers['beats_across_without_coupling_dB']:.1f} dB",
            holds=deep >= DEPTH and numbers["beats_across_without_coupling_dB"] < NO_DEPTH,
            condition=f"over {DEPTH:g} dB with the spring, under {NO_DEPTH:g} dB without it",
            reason=f"another program of the same equations has {DEPTH:g} dB, read off seven "
            "levels"),
    )


def _draw(finding: Finding) -> Drawing:
    drawing, [upper, lower] = sheet(2, height=3.6, sharex=True)
    times = finding.curves["time_s"]
    for axes, pair in ((upper, ("along with friction", "along without friction")),
                       (lower, ("across with coupling", "across without coupling"))):
        for name, color in zip(pair, (BLUE, VERMILION), strict=True):
            axes.plot(times, finding.curves[f"{name}_dB"], color=color, label=name)
        axes.set_ylabel("fundamental (dB re 1 m)")
        axes.legend(loc="upper right")
    lower.set_xlabel("time after the release (s)")
    return drawing


FIGURES = (Figure(key=KEY, title=TITLE, source=SOURCE, compute=_find, judge=_judge, draw=_draw), )
