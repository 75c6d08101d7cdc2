"""The four methods compared with the exact motion and the invariant scheme, for a soft impact and
the two hard ones."""
from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.finding import Figure, Finding, Numbers, Statement
from pysitar.papers.papetti2009.impact import (
    CASE_1,
    CASE_2,
    LINES,
    METHODS,
    MJ,
    NAMES,
    PAPER,
    RATE,
    SCHEMES,
    SOFT,
    UM,
    Impact,
    curves_of,
    measure_run,
)
from pysitar.papers.style import BLACK, legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

STIFFNESSES = (1e6, 1e7, 1e8, 1e9)  # N/m^1.6, of the numbers of figure 4; 1e8 is drawn
SAMPLES = 8                     # samples in contact that the paper counts in both hard cases


def compare_schemes(impact: Impact) -> tuple[Numbers, dict[str, FloatArray]]:
    """Return the numbers and curves of each scheme and of the exact motion."""
    curves = curves_of(impact, SCHEMES)
    numbers: Numbers = {
        "contact_samples": impact.contact_samples, "x_max_m": impact.depth,
        "v_out_m_per_s": impact.output_velocity,
        "fitted_v_out_m_per_s": impact.fitted_output_velocity,
        **{scheme: measure_run(impact, curves, scheme) for scheme in SCHEMES},
    }
    return numbers, curves | impact.exact(1.15 * impact.contact_samples)


def list_values(numbers: Numbers, key: str, form: str, schemes: tuple[str, ...] = SCHEMES) -> str:
    """Return one number of each scheme as text."""
    return ", ".join(f"{NAMES[scheme]} {numbers[scheme][key]:{form}}" for scheme in schemes)


def _fig4() -> Finding:
    numbers: Numbers = {"drawn_stiffness": SOFT.stiffness}
    curves: dict[str, FloatArray] = {}
    off: dict[float, float] = {}
    for stiffness in STIFFNESSES:
        impact = replace(SOFT, stiffness=stiffness)
        numbers[f"{stiffness:.0e}"], own = compare_schemes(impact)
        off[stiffness] = max(_distance(own, impact, scheme) for scheme in METHODS)
        numbers[f"{stiffness:.0e}"]["greatest_difference_percent"] = off[stiffness]
        if stiffness == SOFT.stiffness:
            curves = own
    lasting = [numbers[f"{stiffness:.0e}"]["contact_samples"] for stiffness in STIFFNESSES]
    slope = math.log(lasting[0] / lasting[-1]) / math.log(STIFFNESSES[-1] / STIFFNESSES[0])
    drawn, most = numbers[f"{SOFT.stiffness:.0e}"], [
        100.0 * max(numbers[f"{stiffness:.0e}"][scheme]["greatest_rise_of_H_over_H0"]
                    for scheme in METHODS) for stiffness in (1e8, 1e6)
    ]
    return Finding(
        key="papetti2009:fig4", title="A soft impact", source=f"{PAPER}, Fig. 4", caption=
        "Phase portrait (top), and kinetic, elastic and total energy (bottom), mass 10 g, "
        "exponent 1.6, hysteresis 0.5 s/m, 0.3 m/s, 44.1 kHz, stiffness 1e8 N/m^1.6 (the stiffness "
        "in the caption of the paper is illegible). Dotted: greatest compression and output "
        "velocity; first and last energy.", numbers=numbers, curves=curves,
        statements=(
            Statement(
                paper="The stiffness is a power of ten, whose exponent is lost in the paper's "
                      "text.",
                verdict="cannot be compared", computed="contacts of "
                + ", ".join(f"{one:.1f}"
                            for one in lasting) + " samples for 1e6, 1e7, 1e8 and 1e9"),
            Statement(
                paper="All methods nearly coincide.",
                verdict="agrees" if off[SOFT.stiffness] < 2.0 else "disagrees", computed=
                "the greatest difference of velocity from the exact phase portrait, relative to "
                "v_in, is " + ", ".join(f"{off[one]:.2g} %" for one in STIFFNESSES)
                + " for these"),
            Statement(
                paper="The energy falls until the contact ends, to that of the output velocity.",
                verdict="agrees" if most[0] < 0.1 else "disagrees",
                computed="steps on which it grows, at 1e8: " + list_values(drawn, "rises_of_H", "d")
                + f"; by at most {most[0]:.2g} % "
                f"of the first (at 1e6: {most[1]:.2g} %)"),
            Statement(paper="The contact time goes as (m / k)^(1 / (exponent + 1)).",
                      computed=f"its exponent is {slope:.12f}; 1 / 2.6 is "
                      f"{1 / 2.6:.12f}",
                      verdict="agrees" if abs(slope - 1.0 / 2.6) < 1e-10 else "disagrees"),
        ))


def _distance(curves: dict[str, FloatArray], impact: Impact, scheme: str) -> float:
    """Return the greatest difference, in % of v_in, between the velocity of a scheme and the exact
    velocity at the same compression."""
    x, v = curves[f"{scheme} x_m"], curves[f"{scheme} v_m_per_s"]
    exact_x, exact_v = curves["exact x_m"], curves["exact v_m_per_s"]
    worst = 0.0
    for rising in (True, False):
        exact = exact_x > 0.0
        exact &= exact_v > 0.0 if rising else exact_v <= 0.0
        own = (x > 0.0) & (x < 0.9 * impact.depth) & ((v > 0.0) if rising else (v <= 0.0))
        order = np.argsort(exact_x[exact])
        worst = max(
            worst,
            float(np.abs(v[own] - np.interp(x[own], exact_x[exact][order],
                                            exact_v[exact][order])).max(initial=0.0)))
    return 100.0 * worst / impact.velocity


def _draw_fig4(finding: Finding) -> Drawing:
    drawing, [top, bottom] = sheet(2, 1, height=4.6)
    curves, numbers = dict(finding.curves), finding.numbers[f"{SOFT.stiffness:.0e}"]
    draw_portrait(top, curves)
    top.axvline(UM * numbers["x_max_m"], color=BLACK, linestyle=":", linewidth=0.8)
    top.axhline(numbers["v_out_m_per_s"], color=BLACK, linestyle=":", linewidth=0.8)
    top.set(xlim=(-5.0, 65.0), ylim=(-0.33, 0.34))
    for scheme in ("exact", *SCHEMES):
        x, v, energy = (curves[f"{scheme} {key}"] for key in ("x_m", "v_m_per_s", "H_J"))
        samples = RATE * curves["exact time_s"] if scheme == "exact" else np.arange(x.size)
        kinetic = 0.5 * SOFT.arguments["mass"] * v * v
        for part in (kinetic, energy - kinetic, energy):
            bottom.plot(samples, MJ * part, markevery=3, **LINES[scheme])
    for energy in (curves["exact H_J"][0], curves["exact H_J"][-1]):
        bottom.axhline(MJ * energy, color=BLACK, linestyle=":", linewidth=0.8)
    for text, at in (("$H$", (8.0, 0.455)), ("$T$", (2.5, 0.375)), ("$V$", (1.0, 0.06))):
        bottom.text(*at, text, fontsize=8)
    bottom.set(xlabel="time (samples)", ylabel="energy (mJ)", xlim=(0.0, 30.0), ylim=(0.0, 0.5))
    legend_below(drawing, top)
    return drawing


def draw_portrait(axes: Axes, curves: dict[str, FloatArray]) -> None:
    """Draw velocity against compression, of all schemes and of the exact motion."""
    for scheme in ("exact", *SCHEMES):
        axes.plot(UM * curves[f"{scheme} x_m"], curves[f"{scheme} v_m_per_s"], label=NAMES[scheme],
                  **LINES[scheme])
    axes.set(xlabel="compression (µm)", ylabel="velocity (m/s)")


def _draw_hard(finding: Finding) -> Drawing:
    """Draw the four views of figures 5 and 6."""
    drawing, [portrait, loop, force, energy] = sheet(2, 2, height=4.4)
    curves, numbers = dict(finding.curves), finding.numbers
    draw_portrait(portrait, curves)
    portrait.axvline(UM * numbers["x_max_m"], color=BLACK, linestyle=":", linewidth=0.8)
    portrait.axhline(numbers["v_out_m_per_s"], color=BLACK, linestyle=":", linewidth=0.8)
    for scheme in ("exact", *SCHEMES):
        x, f, total = (curves[f"{scheme} {key}"] for key in ("x_m", "f_N", "H_J"))
        samples = RATE * curves["exact time_s"] if scheme == "exact" else np.arange(
            x.size, dtype=np.float64)
        energy.plot(samples, MJ * total, **LINES[scheme])
        if scheme == "invariant":               # means over steps
            x, f, samples = 0.5 * (x[:-1] + x[1:]), f[:-1], samples[:-1] + 0.5
        inside = x >= 0.0
        loop.plot(UM * x[inside], f[inside], **LINES[scheme])
        force.plot(samples, f, **LINES[scheme])
    deepest = UM * max(float(curves[f"{scheme} x_m"].max()) for scheme in SCHEMES)
    last = math.ceil(numbers["contact_samples"]) + 1
    portrait.set(xlim=(-0.25 * deepest, 1.08 * deepest))
    loop.set(xlabel="compression (µm)", ylabel="force (N)", xlim=(0.0, 1.08 * deepest))
    force.set(xlabel="time (samples)", ylabel="force (N)", xlim=(0.0, last))
    energy.set(xlabel="time (samples)", ylabel="energy (mJ)", xlim=(0.0, last))
    for level in (curves["exact H_J"][0], curves["exact H_J"][-1]):
        energy.axhline(MJ * level, color=BLACK, linestyle=":", linewidth=0.8)
    legend_below(drawing, portrait)
    return drawing


def _caption(impact: Impact) -> str:
    return (
        f"Mass 10 g, stiffness {impact.stiffness:.0e} N/m^{impact.exponent:g}, exponent "
        f"{impact.exponent:g}, hysteresis {impact.hysteresis:g} s/m, {impact.velocity:g} m/s, "
        "44.1 kHz: phase portrait, force against compression, force and energy over time. Dotted: "
        "exact greatest compression, output velocity, first and last energy. Forces are the values "
        "that the schemes store; those of the invariant scheme are means over steps.")


def _fig5() -> Finding:
    numbers, curves = compare_schemes(CASE_1)
    over = [numbers[scheme]["x_max_error_percent"] for scheme in ("verlet", "heun")]
    am1 = numbers["am1"]
    return Finding(
        key="papetti2009:fig5", title="A hard impact with little loss (case 1)",
        source=f"{PAPER}, Fig. 5", caption=_caption(CASE_1), numbers=numbers, curves=curves,
        statements=(
            _length_statement(numbers),
            Statement(paper="Verlet and Heun often exceed the greatest compression.",
                      verdict="agrees" if min(over) > 0.0 else "disagrees",
                      computed=f"by {over[0]:.3f} % and {over[1]:.3f} %"),
            Statement(
                paper="The energy of Verlet and Heun oscillates, and ends too high.",
                computed="steps on which it grows: " + list_values(numbers, "rises_of_H", "d",
                                                            ("verlet", "heun")) + "; at the end "
                + list_values(numbers, "H_end_error_percent", "+.3f", ("verlet", "heun")) + " %",
                verdict="agrees" if all(numbers[scheme]["rises_of_H"] > 1
                                        and numbers[scheme]["H_end_error_percent"] > 0.0
                                        for scheme in ("verlet", "heun")) else "disagrees"),
            Statement(
                paper=
                "AM1 loses too much energy during the compression, and gains some in the release.",
                verdict="agrees" if
                (am1["H_at_the_turn_over_exact"] < 1.0 < 1.0 + am1["H_end_error_percent"]) else
                "disagrees", computed=
                (f"at the greatest compression its energy is {am1['H_at_the_turn_over_exact']:.4f} "
                 f"of the exact one; the error at the end is {am1['H_end_error_percent']:+.3f} %")),
            Statement(
                paper="RK4 is nearly right.", computed=list_values(
                    numbers, "H_end_error_percent", "+.3f", ("rk4", )) + " % of the last "
                "energy; that of the invariant scheme is right to rounding", verdict="agrees"
                if abs(numbers["rk4"]["H_end_error_percent"]) < 0.5 else "disagrees"),
        ))


def _length_statement(numbers: Numbers) -> Statement:
    """Return the statement on the duration of a contact."""
    inside = sorted({numbers[scheme]["samples_in_contact"] for scheme in METHODS})
    exact = numbers["contact_samples"]
    return Statement(
        paper=f"The contact lasts {SAMPLES} samples.",
        verdict="agrees" if round(exact) == SAMPLES else "paper is wrong", computed=
        f"{exact:.5f} samples by eq. (9); samples inside the wall in a run: "
        f"{' or '.join(map(str, inside))}"
    )


def _fig6() -> Finding:
    numbers, curves = compare_schemes(CASE_2)
    heun = numbers["heun"]["H_end_error_percent"]
    high = [numbers[scheme]["H_end_error_percent"] for scheme in METHODS]
    deep = [numbers[scheme]["x_max_error_percent"] for scheme in SCHEMES]
    return Finding(
        key="papetti2009:fig6", title="A hard impact with much loss (case 2)",
        source=f"{PAPER}, Fig. 6", caption=_caption(CASE_2), numbers=numbers, curves=curves,
        statements=(
            _length_statement(numbers),
            Statement(
                paper="The energy falls on nearly every step, except at the end of the contact.",
                verdict="agrees" if max(numbers[scheme]["rises_of_H"]
                                        for scheme in METHODS) <= 1 else "disagrees",
                computed="steps on which it grows: " + list_values(numbers, "rises_of_H", "d")),
            Statement(
                paper="Verlet and Heun tend to gain energy at the end.",
                verdict="agrees" if heun > 0.0 else "disagrees", computed=
                f"the error of Verlet at the end is {high[1]:+.2f} %, but that of Heun "
                f"{heun:+.2f} %, as also in Table 1 (b) of the paper"
            ),
            Statement(paper="AM1 can end with too much energy; RK4 differs little from exact.",
                      computed=list_values(numbers, "H_end_error_percent", "+.2f",
                                           ("am1", "rk4")) + " %",
                      verdict="agrees" if high[0] > 1.0 > abs(high[3]) else "disagrees"),
            Statement(paper="No method exceeds the greatest compression here.",
                      computed=list_values(numbers, "x_max_error_percent", "+.2f") + " %",
                      verdict="agrees" if max(deep) < 0.0 else "disagrees"),
        ))


FIGURES = (
    Figure(key="papetti2009:fig4", title="A soft impact", source=f"{PAPER}, Fig. 4", compute=_fig4,
           draw=_draw_fig4),
    Figure(key="papetti2009:fig5", title="A hard impact with little loss (case 1)",
           source=f"{PAPER}, Fig. 5", compute=_fig5, draw=_draw_hard),
    Figure(key="papetti2009:fig6", title="A hard impact with much loss (case 2)",
           source=f"{PAPER}, Fig. 6", compute=_fig6, draw=_draw_hard),
)
