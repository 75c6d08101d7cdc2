"""The four methods compared with the exact motion and the invariant scheme, for a soft impact and
the two hard ones."""
from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

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
SAMPLES = 8                     # samples in contact that the paper counts in case 1
# samples in contact at which a verdict on a hard impact is tried, by the stiffness
DURATIONS = tuple(4.5 + 0.5 * place for place in range(10))
MOST_OF_THEM, OFTEN = 8, 6      # of ten durations
LONG, OVERLAP = 20.0, 1.0       # samples of a soft impact; % of v_in
EXACT = 1e-10                   # of an exponent
NEARER, RIGHT = 0.5, 1.0        # of the other methods' errors; %


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
    for stiffness in STIFFNESSES:
        impact = replace(SOFT, stiffness=stiffness)
        numbers[f"{stiffness:.0e}"], own = compare_schemes(impact)
        numbers[f"{stiffness:.0e}"]["greatest_difference_percent"] = max(
            _distance(own, impact, scheme) for scheme in METHODS)
        if stiffness == SOFT.stiffness:
            curves = own
    lasting = [numbers[f"{stiffness:.0e}"]["contact_samples"] for stiffness in STIFFNESSES]
    numbers["exponent_of_the_contact_time"] = math.log(
        lasting[0] / lasting[-1]) / math.log(STIFFNESSES[-1] / STIFFNESSES[0])
    return Finding(
        key="papetti2009:fig4", title="A soft impact", source=f"{PAPER}, Fig. 4", caption=
        "Phase portrait (top), and kinetic, elastic and total energy (bottom), mass 10 g, "
        "exponent 1.6, hysteresis 0.5 s/m, 0.3 m/s, 44.1 kHz, stiffness 1e8 N/m^1.6 (the stiffness "
        "in the caption of the paper is illegible). Dotted: greatest compression and output "
        "velocity; first and last energy.", numbers=numbers, curves=curves,
        statements=_fig4_statements(numbers))


def _fig4_statements(numbers: Numbers) -> tuple[Statement, ...]:
    cases = [numbers[f"{stiffness:.0e}"] for stiffness in STIFFNESSES]
    lasting = [one["contact_samples"] for one in cases]
    off = [one["greatest_difference_percent"] for one in cases]
    soft = [one for one in cases if one["contact_samples"] > LONG]
    rises = [[one[scheme]["rises_of_H"] for scheme in METHODS] for one in soft]
    drawn = numbers[f"{SOFT.stiffness:.0e}"]
    most = 100.0 * max(one[scheme]["greatest_rise_of_H_over_H0"] for one in soft
                       for scheme in METHODS)
    slope = numbers["exponent_of_the_contact_time"]
    return (
        cannot_compare(
            paper="The stiffness is a power of ten, whose exponent is lost in the paper's text.",
            computed="contacts of " + ", ".join(f"{one:.1f}" for one in lasting)
            + " samples for 1e6, 1e7, 1e8 and 1e9", reason="a digit is lost"),
        judge(
            paper="The plots of all methods nearly overlap.",
            holds=max(one["greatest_difference_percent"] for one in soft) < OVERLAP, computed=
            "the greatest difference of velocity from the exact phase portrait, relative to "
            "v_in, is " + ", ".join(f"{one:.2g} %" for one in off) + " for these",
            condition=f"it is less than {OVERLAP:g} % for each stiffness with over {LONG:g} "
            "samples in contact",
            reason="the width of a line; a soft impact has tens of samples, whichever the "
            "stiffness is"),
        judge(
            paper="The energy falls until the contact ends, to that of the output velocity.",
            holds=not any(map(any, rises)),
            computed="not on every step: steps on which it grows, at 1e8: "
            + list_values(drawn, "rises_of_H", "d") + f"; over all of these with over {LONG:g} "
            f"samples in contact, by at most {most:.2g} % of the first, which no figure shows",
            condition="it grows on no step of any of the four methods, for each stiffness with "
            f"over {LONG:g} samples in contact",
            reason="the paper's own condition (24), for all n; 1e-12 of H is allowed for rounding"),
        judge(paper="The contact time goes as (m / k)^(1 / (exponent + 1)).",
              computed=f"its exponent is {slope:.12f}; 1 / 2.6 is {1 / 2.6:.12f}",
              holds=abs(slope - 1.0 / 2.6) < EXACT, condition=f"they are the same to {EXACT:g}",
              reason="closed forms and a quadrature, right to 1e-12"),
    )


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


def try_durations(impact: Impact) -> Numbers:
    """Return the numbers of each scheme for an impact whose stiffness makes it last DURATIONS."""
    numbers: Numbers = {"contact_samples": list(DURATIONS)}
    for scheme in SCHEMES:
        rows = []
        for samples in DURATIONS:
            factor = math.pow(impact.contact_samples / samples, impact.exponent + 1.0)
            one = replace(impact, stiffness=impact.stiffness * factor)
            rows.append(measure_run(one, curves_of(one, (scheme, )), scheme))
        numbers[scheme] = {key: [row[key] for row in rows] for key in (
            "rises_of_H", "x_max_error_percent", "H_end_error_percent",
            "H_at_the_turn_over_exact")}
    return numbers


def _fig5() -> Finding:
    numbers, curves = compare_schemes(CASE_1)
    numbers["tried"] = try_durations(CASE_1)
    return Finding(
        key="papetti2009:fig5", title="A hard impact with little loss (case 1)",
        source=f"{PAPER}, Fig. 5", caption=_caption(CASE_1), numbers=numbers, curves=curves,
        statements=_fig5_statements(numbers))


def _fig5_statements(numbers: Numbers) -> tuple[Statement, ...]:
    inside = sorted({numbers[scheme]["samples_in_contact"] for scheme in METHODS})
    exact = numbers["contact_samples"]
    return (
        judge(paper=f"The contact lasts {SAMPLES} samples.", computed=
              f"{exact:.5f} samples by eq. (9); samples inside the wall in a run: "
              f"{' or '.join(map(str, inside))}", holds=round(exact) == SAMPLES,
              condition=f"eq. (9) rounds to {SAMPLES}", reason="a whole number of samples"),
        *_verlet_and_heun(numbers), *_am1_and_rk4(numbers))


def _verlet_and_heun(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on Verlet and Heun in case 1."""
    pair, tried = ("verlet", "heun"), numbers["tried"]
    count = len(tried["contact_samples"])
    over = [numbers[scheme]["x_max_error_percent"] for scheme in pair]
    often = [sum(error > 0.0 for error in tried[scheme]["x_max_error_percent"]) for scheme in pair]
    ends = [min(tried[scheme]["H_end_error_percent"]) for scheme in pair]
    rises = [min(tried[scheme]["rises_of_H"]) for scheme in pair]
    return (
        judge(paper="Verlet and Heun often exceed the greatest compression.",
              holds=min(over) > 0.0 and min(often) >= OFTEN,
              computed=f"by {over[0]:.3f} % and {over[1]:.3f} %; at {count} durations from "
              f"{DURATIONS[0]:g} to {DURATIONS[-1]:g} samples {often[0]} and {often[1]} times",
              condition=f"both exceed it here, and at {OFTEN} of {count} durations or more",
              reason="often is more than half"),
        judge(
            paper="The energy of Verlet and Heun oscillates, and ends too high.",
            computed="steps on which it grows: " + list_values(numbers, "rises_of_H", "d", pair)
            + "; at the end " + list_values(numbers, "H_end_error_percent", "+.3f", pair)
            + f" %; at {count} durations on at least {min(rises)} steps, and {min(ends):+.2f} % "
            "at the end",
            holds=min(*rises, *(numbers[scheme]["rises_of_H"] for scheme in pair)) > 1
            and min(*ends, *(numbers[scheme]["H_end_error_percent"] for scheme in pair)) > 0.0,
            condition="it grows on more than one step, and the error at the end is over 0, at each "
            "duration", reason="one step may be that of the end"),
    )


def _am1_and_rk4(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on AM1 and RK4 in case 1."""
    am1, rk4, tried = numbers["am1"], numbers["rk4"], numbers["tried"]
    count = len(tried["contact_samples"])
    turns, ends = (tried["am1"][key] for key in ("H_at_the_turn_over_exact", "H_end_error_percent"))
    nearer = sum(
        abs(own) < NEARER * min(abs(error) for error in others) for own, *others in zip(
            *(tried[scheme]["H_end_error_percent"] for scheme in ("rk4", *METHODS[:3])),
            strict=True))
    return (
        judge(
            paper=
            "AM1 loses too much energy during the compression, and gains some in the release.",
            holds=max(am1["H_at_the_turn_over_exact"], *turns) < 1.0
            and min(am1["H_end_error_percent"], *ends) > 0.0, computed=
            f"at the greatest compression its energy is {am1['H_at_the_turn_over_exact']:.4f} "
            f"of the exact one; the error at the end is {am1['H_end_error_percent']:+.3f} %; at "
            f"{count} durations at most {max(turns):.4f}, and at least {min(ends):+.2f} %",
            condition="its energy is too low at the greatest compression and too high at the end, "
            "at each duration", reason="signs have no threshold"),
        judge(
            paper="RK4 is nearly right.", computed=list_values(
                numbers, "H_end_error_percent", "+.3f", ("rk4", )) + " % of the last energy, at "
            f"{count} durations up to {max(map(abs, tried['rk4']['H_end_error_percent'])):.2f} %, "
            f"which is less than half the error of each other method {nearer} times; that of the "
            "invariant scheme is right to rounding",
            holds=abs(rk4["H_end_error_percent"]) < RIGHT and nearer >= MOST_OF_THEM,
            condition=f"its error is less than {RIGHT:g} % here, and less than {NEARER:g} of those "
            f"of the others at {MOST_OF_THEM} of {count} durations",
            reason="a line's width in the figure; the paper compares the methods"),
    )


def _fig6() -> Finding:
    numbers, curves = compare_schemes(CASE_2)
    numbers["tried"] = try_durations(CASE_2)
    return Finding(
        key="papetti2009:fig6", title="A hard impact with much loss (case 2)",
        source=f"{PAPER}, Fig. 6", caption=_caption(CASE_2), numbers=numbers, curves=curves,
        statements=_fig6_statements(numbers))


def _fig6_statements(numbers: Numbers) -> tuple[Statement, ...]:
    tried = numbers["tried"]
    count = len(tried["contact_samples"])
    ends = {scheme: [numbers[scheme]["H_end_error_percent"],
                     *tried[scheme]["H_end_error_percent"]] for scheme in METHODS}
    rises = max(max(numbers[scheme]["rises_of_H"], *tried[scheme]["rises_of_H"])
                for scheme in METHODS)
    deep = [max(numbers[scheme]["x_max_error_percent"], *tried[scheme]["x_max_error_percent"])
            for scheme in SCHEMES]
    gains = [sum(error > 0.0 for error in ends[scheme][1:]) for scheme in ("verlet", "heun")]
    small = sum(abs(error) < RIGHT for error in ends["rk4"][1:])
    return (
        cannot_compare(
            paper="The number of samples that the contact lasts is lost in the paper's text.",
            computed=f"{numbers['contact_samples']:.5f} samples by eq. (9); samples inside the "
            f"wall in a run: {numbers['rk4']['samples_in_contact']}", reason="a digit is lost"),
        judge(
            paper="The energy falls on nearly every step, except at the end of the contact.",
            computed="steps on which it grows: " + list_values(numbers, "rises_of_H", "d")
            + f"; at {count} durations on at most {rises}", holds=rises <= 1,
            condition="it grows on at most one step, at each duration",
            reason="the step that ends the contact"),
        judge(
            paper="Verlet and Heun tend to gain energy at the end.",
            holds=min(ends["verlet"][0], ends["heun"][0]) > 0.0 and min(gains) >= OFTEN, computed=
            f"the error of Verlet at the end is {ends['verlet'][0]:+.2f} %, but that of Heun "
            f"{ends['heun'][0]:+.2f} %, as also in Table 1 (b) of the paper; it is over 0 at "
            f"{gains[0]} and {gains[1]} of {count} durations",
            condition=f"the error of both is over 0 here, and at {OFTEN} of {count} durations",
            reason="to tend is more than half"),
        judge(paper="AM1 can end with too much energy; RK4 differs little from exact.",
              computed=list_values(numbers, "H_end_error_percent", "+.2f", ("am1", "rk4"))
              + f" %; RK4 is within {RIGHT:g} % at {small} of {count} durations",
              holds=max(ends["am1"]) > 0.0 and abs(ends["rk4"][0]) < RIGHT
              and small >= MOST_OF_THEM,
              condition=f"the error of AM1 is over 0 at some duration, that of RK4 less than "
              f"{RIGHT:g} % here and at {MOST_OF_THEM} of {count} durations",
              reason="a line's width in the figure"),
        judge(paper="No method exceeds the greatest compression here.",
              computed=list_values(numbers, "x_max_error_percent", "+.2f")
              + f" %; at {count} durations at most {max(deep):+.2f} %",
              holds=max(deep) < 0.0, condition="each error is below 0, at each duration",
              reason="a sign has no threshold"),
    )


FIGURES = (
    Figure(key="papetti2009:fig4", title="A soft impact", source=f"{PAPER}, Fig. 4", compute=_fig4,
           judge=_fig4_statements, draw=_draw_fig4),
    Figure(key="papetti2009:fig5", title="A hard impact with little loss (case 1)",
           source=f"{PAPER}, Fig. 5", compute=_fig5, judge=_fig5_statements,
           draw=_draw_hard),
    Figure(key="papetti2009:fig6", title="A hard impact with much loss (case 2)",
           source=f"{PAPER}, Fig. 6", compute=_fig6, judge=_fig6_statements,
           draw=_draw_hard),
)
