"""The corrections of the paper, for single impacts and for a mass that bounces."""
from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import pysitar
from pysitar.papers.finding import (
    Figure,
    Finding,
    Numbers,
    Statement,
    cannot_compare,
    judge,
)
from pysitar.papers.papetti2009.impact import (
    CASE_1,
    CASE_2,
    LINES,
    MJ,
    NAMES,
    PAPER,
    RATE,
    UM,
    curves_of,
    measure_run,
    part_of,
)
from pysitar.papers.style import BLACK, BLUE, ORANGE, VERMILION, legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

WORST = {"case 1": (CASE_1, "verlet"), "case 2": (CASE_2, "heun")}  # by the last energy, in Table 1
GRAVITY, LAST = 9.81, 0.56      # m/s^2, s
FINER = 16  # factor of the rate of the reference, the invariant scheme: its error is 250 times less
BOUNCES = 10
THIN = 4                        # every fourth sample is drawn
CALM = 4                        # bounces after which the plain methods depend on rounding
# m/s, with which the mass is thrown: the errors of the bounces depend on it
SPEEDS = tuple(0.291 + 0.002 * place for place in range(10))
TRIED_FINER = 4  # factor of the rate of their references, whose error is 16 times less
ROUNDING, FIT = 1e-9, 0.05      # %: of the compression; of the energy
GROWN, BETTER = 2.0, 0.5        # factors of errors of bounces
BALLS = (("am1", False), ("rk4", False), ("am1", True), ("rk4", True), ("invariant", False))


def _fig7() -> Finding:
    numbers: Numbers = {}
    curves: dict[str, FloatArray] = {}
    for name, (impact, scheme) in WORST.items():
        own = curves_of(impact, (scheme, "invariant")) | curves_of(impact,
                                                                   (scheme, ), corrected=True)
        numbers[name] = {
            "scheme": scheme, "plain": measure_run(impact, own, scheme),
            "invariant": measure_run(impact, own, "invariant"),
            "corrected": measure_run(impact, own, f"{scheme} corrected"),
            "fitted_v_out_m_per_s": impact.fitted_output_velocity
        }
        curves |= {
            f"{name} {key}": curve
            for key, curve in (own | impact.exact(1.15 * impact.contact_samples)).items()
        }
    return Finding(
        key="papetti2009:fig7", title="Corrected simulations", source=f"{PAPER}, Fig. 7", caption=
        "Phase portraits (top) and energies (bottom) of the method with the greatest error in "
        "Table 1: Verlet in case 1, Heun in case 2; plain, and with the compression clipped and "
        "the fitted output velocity forced.",
        numbers=numbers, curves=curves, statements=_fig7_statements(numbers))


def _fig7_statements(numbers: Numbers) -> tuple[Statement, ...]:
    first, second = numbers["case 1"], numbers["case 2"]
    ends = [
        numbers[name][run]["H_end_error_percent"] for name in WORST
        for run in ("plain", "corrected")
    ]
    rises = {run: [one[run]["rises_of_H"] for one in (first, second)]
             for run in ("corrected", "invariant")}
    return (
        judge(
            paper="With the compression clipped, its bound is no longer exceeded.",
            holds=max(one["corrected"]["x_max_error_percent"] for one in (first, second))
            < ROUNDING < first["plain"]["x_max_error_percent"],
            computed=f"case 1, Verlet: {first['plain']['x_max_error_percent']:+.3f} % without, "
            f"{first['corrected']['x_max_error_percent']:+.3f} % with; in case 2 Heun never "
            f"reaches the bound ({second['plain']['x_max_error_percent']:+.2f} %)",
            condition="it is exceeded in case 1 without, and with it by less than "
            f"{ROUNDING:g} % in both cases", reason="rounding of the bound"),
        judge(
            paper=
            "With the output velocity forced, the energy after the contact is the right one.",
            holds=max(abs(ends[1]), abs(ends[3])) < FIT,
            computed=
            f"{ends[0]:+.3f} % becomes {ends[1]:+.1e} %, and {ends[2]:+.3f} % becomes "
            f"{ends[3]:+.3f} %: the rest is the error of the fit",
            condition=f"it is right to {FIT:g} % in both cases",
            reason="twice the error of the fit of the velocity, 0.0125 %, and a margin of two"),
        judge(
            paper="The corrections cannot easily mend wrong values within the contact.",
            holds=min(rises["corrected"]) > 0,
            computed="steps on which the energy grows, corrected: "
            f"{rises['corrected'][0]} and {rises['corrected'][1]}; "
            f"invariant scheme: {rises['invariant'][0]} and {rises['invariant'][1]}",
            condition="the energy of the corrected runs grows on some step in both cases",
            reason="the paper's own condition (24)"),
    )


def _draw_fig7(finding: Finding) -> Drawing:
    drawing, axes = sheet(2, 2, height=4.4)
    for column, (name, (_, scheme)) in enumerate(WORST.items()):
        own = part_of(finding.curves, name)
        top, bottom = axes[column], axes[2 + column]
        looks = {
            "exact": LINES["exact"] | {"label": "exact"},
            scheme: {"color": VERMILION, "linestyle": "--", "marker": "^",
                     "label": "plain"}, f"{scheme} corrected": {
                         "color": BLUE, "linestyle": "-.", "marker": "o", "label": "corrected"
                     },
            "invariant": {"color": ORANGE, "linestyle": ":", "marker": "x", "label": "invariant"}
        }
        for one, look in looks.items():
            x = own[f"{one} x_m"]
            samples = RATE * own["exact time_s"] if one == "exact" else np.arange(x.size)
            top.plot(UM * x, own[f"{one} v_m_per_s"], **look)
            bottom.plot(samples, MJ * own[f"{one} H_J"], **look)
        deepest = UM * float(own["exact x_m"].max())
        top.set(xlim=(-0.3 * deepest, 1.15 * deepest), xlabel="compression (µm)",
                title=f"{name}, {NAMES[scheme]}")
        bottom.set(xlabel="time (samples)", xlim=(0.0, 9.0 if name == "case 1" else 7.0))
    axes[0].set_ylabel("velocity (m/s)")
    axes[2].set_ylabel("energy (mJ)")
    legend_below(drawing, axes[0], columns=4)
    return drawing


def run_bounces(scheme: str, *, corrected: bool = False, finer: int = 1,
                velocity: float = CASE_1.velocity) -> pysitar.WallRun:
    """Run the mass of case 1 under gravity, thrown at the wall.  Parameters: velocity (m/s)."""
    rate = finer * RATE
    return pysitar.wall_impact(**replace(CASE_1, velocity=velocity).arguments, sample_rate=rate,
                               steps=round(LAST * rate) + finer, scheme=scheme,
                               corrected=corrected, gravity=GRAVITY)


def onsets(run: pysitar.WallRun) -> list[float]:
    """Return the times (s) at which the mass touches the wall again: the roots of the flights that
    begin at the last samples outside."""
    x, v = run.compression, run.velocity
    last = np.flatnonzero((x[:-1] <= 0.0) & (x[1:] > 0.0))[1:]
    times = run.time[last] + (np.sqrt(v[last] ** 2 - 2.0 * GRAVITY * x[last]) - v[last]) / GRAVITY
    return [float(time) for time in times[:BOUNCES]]


def apexes(run: pysitar.WallRun) -> list[float]:
    """Return the heights (mm) of the flights, from the first sample outside of each."""
    x, v = run.compression, run.velocity
    first = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0)) + 1
    return [float(height) for height in 1e3 * (v[first]**2 / (2.0 * GRAVITY) - x[first])[:BOUNCES]]


def _fig8() -> Finding:
    reference = run_bounces("invariant", finer=FINER)
    numbers: Numbers = {"reference": {"onset_s": onsets(reference), "apex_mm": apexes(reference)}}
    thin = slice(None, None, THIN * FINER)
    curves: dict[str, FloatArray] = {
        "reference time_s": reference.time[thin], "reference height_m": -reference.compression[thin]
    }
    for scheme, corrected in BALLS:
        name = f"{scheme} corrected" if corrected else scheme
        run = run_bounces(scheme, corrected=corrected)
        numbers[name] = {"onset_s": onsets(run), "apex_mm": apexes(run)}
        curves |= {"time_s": run.time[::THIN], f"{name} height_m": -run.compression[::THIN]}
    late = {
        name: [
            1e3 * (own - true) for own, true in zip(numbers[name]["onset_s"], numbers["reference"]
                                                    ["onset_s"], strict=True)
        ]
        for name in numbers if name != "reference"
    }
    for name, errors in late.items():
        numbers[name]["onset_error_ms"] = errors
    numbers["tried"] = try_speeds()
    return Finding(
        key="papetti2009:fig8", title="A bouncing mass", source=f"{PAPER}, Fig. 8", caption=
        "Height of the mass of case 1 under a gravity of 9.81 m/s^2 (assumed: the paper does not "
        "give it), at 44.1 kHz. Top: AM1 and RK4, plain; middle: corrected; bottom: the delay of "
        "each bounce. Black: the invariant scheme at 16 times the rate, within 0.2 µs of an "
        "event-driven solution.", numbers=numbers, curves=curves,
        statements=_bounce_statements(numbers))


def try_speeds() -> Numbers:
    """Return the root mean square, over SPEEDS, of the errors of the first CALM bounces (ms), by
    method."""
    references = [onsets(run_bounces("invariant", finer=TRIED_FINER, velocity=speed))
                  for speed in SPEEDS]
    numbers: Numbers = {"speeds_m_per_s": list(SPEEDS)}
    for scheme, corrected in BALLS:
        errors = [[
            1e3 * (own - true) for own, true in zip(
                onsets(run_bounces(scheme, corrected=corrected, velocity=speed))[:CALM],
                reference[:CALM], strict=True)
        ] for speed, reference in zip(SPEEDS, references, strict=True)]
        numbers[f"{scheme} corrected" if corrected else scheme] = [
            math.sqrt(math.fsum(error * error for error in bounce) / len(SPEEDS))
            for bounce in zip(*errors, strict=True)
        ]
    return numbers


def _bounce_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on figure 8."""
    late = {
        name: own["onset_error_ms"] for name, own in numbers.items() if name not in
        ("reference", "tried")}
    fourth = {name: errors[CALM - 1] for name, errors in late.items()}
    tenth = {name: errors[BOUNCES - 1] for name, errors in late.items()}
    tried = numbers["tried"]
    growth = min(tried[scheme][CALM - 1] / tried[scheme][0] for scheme in ("am1", "rk4"))
    left = max(tried[f"{scheme} corrected"][CALM - 1] / tried[scheme][CALM - 1]
               for scheme in ("am1", "rk4"))
    return (
        judge(
            paper="Small errors of the velocity shift the times of the bounces, and add up.",
            holds=growth > GROWN, computed=
            f"the first bounce of AM1 is {late['am1'][0]:+.2f} ms late, the fourth "
            f"{fourth['am1']:+.2f} ms; those of RK4 are {late['rk4'][0]:+.2f} ms and "
            f"{fourth['rk4']:+.2f} ms late; thrown with {len(SPEEDS)} speeds, the root mean square "
            f"error of the fourth bounce is at least {growth:.1f} times that of the first",
            condition=f"it is over {GROWN:g} times as great, of both methods",
            reason="a single speed may bring a bounce back to its time; four equal errors would "
            "give 4"),
        judge(
            paper="Corrections are needed even where errors are small, and improve the simulation.",
            computed=
            f"corrected, the fourth bounce is {fourth['am1 corrected']:+.2f} ms (AM1) and "
            f"{fourth['rk4 corrected']:+.2f} ms (RK4) late, over {len(SPEEDS)} speeds at most "
            f"{left:.2f} of what it is without; "
            f"the tenth still {tenth['am1 corrected']:+.2f} ms and {tenth['rk4 corrected']:+.2f} "
            f"ms, because the velocity is forced at a sample up to a step after the release; the "
            f"tenth bounce of the invariant scheme is {tenth['invariant']:+.3f} ms late",
            holds=left < BETTER,
            condition=f"the root mean square error of the fourth bounce is less than {BETTER:g} of "
            "that without corrections, of both methods",
            reason="all speeds; half is more than a trend"),
        cannot_compare(
            paper="The plain methods are shown over ten bounces.",
            computed=
            "they are chaotic: a rounding error grows about a hundredfold per bounce, so that "
            "after the fourth bounce the times depend on the machine",
            reason="the paper's rounding is not known"),
    )


def _draw_fig8(finding: Finding) -> Drawing:
    drawing, [plain, mended, errors] = sheet(3, 1, height=5.2)
    curves = finding.curves
    for axes, names in ((plain, ("am1", "rk4")), (mended, ("am1 corrected", "rk4 corrected",
                                                           "invariant"))):
        axes.plot(curves["reference time_s"], 1e3 * curves["reference height_m"], color=BLACK,
                  linewidth=0.7, label="exact")
        for name in names:
            look = LINES[name.partition(" ")[0]] | {"marker": ""}
            axes.plot(curves["time_s"], 1e3 * curves[f"{name} height_m"], **look)
        axes.set(xlim=(0.0, 0.55), ylim=(-0.1, 4.8), ylabel="height (mm)")
    plain.set_title("plain", loc="left")
    mended.set(xlabel="time (s)")
    mended.set_title("corrected; invariant", loc="left")
    for name, filled in (("am1", True), ("rk4", True), ("am1 corrected", False),
                         ("rk4 corrected", False), ("invariant", True)):
        scheme = name.partition(" ")[0]
        late = finding.numbers[name]["onset_error_ms"]
        errors.plot(
            range(1, 1 + len(late)), late, label=NAMES[scheme] + name.removeprefix(scheme),
            **LINES[scheme] | {"markerfacecolor": LINES[scheme]["color"] if filled else "white"})
    errors.axhline(0.0, color=BLACK, linewidth=0.6)
    errors.set(xlabel="bounce", ylabel="late (ms)", xlim=(0.5, BOUNCES + 0.5))
    legend_below(drawing, errors)
    return drawing


FIGURES = (
    Figure(key="papetti2009:fig7", title="Corrected simulations", source=f"{PAPER}, Fig. 7",
           compute=_fig7, judge=_fig7_statements, draw=_draw_fig7),
    Figure(key="papetti2009:fig8", title="A bouncing mass", source=f"{PAPER}, Fig. 8",
           compute=_fig8, judge=_bounce_statements, draw=_draw_fig8),
)
