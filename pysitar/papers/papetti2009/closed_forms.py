"""The results of closed forms: the phase portrait, the force against the compression, and the error
of the fit of the output velocity."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import pysitar
from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.papetti2009.impact import (
    CASE_1,
    CASE_2,
    METHODS,
    PAPER,
    RATE,
    UM,
    Impact,
    curves_of,
    measure_run,
    part_of,
    percent,
)
from pysitar.papers.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    VERMILION,
    legend_below,
    sheet,
)
from pysitar.physics.trapezoids import trapezoid_area

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

VELOCITIES = (1.0, 2.0, 3.0, 4.0)                         # m/s
COLOURS = (BLUE, VERMILION, GREEN, PURPLE)
STYLES = ("-", "--", "-.", ":")
BEFORE, AFTER = 12e-6, 45e-6    # m of free flight that figure 1 shows
PRODUCTS = (0.03, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)  # mu v_in at which the error of the fit is listed
CASES = (0.03, 0.5)             # of Table 1
FAST, NEAR_LIMIT = 50.0, 1e-3   # m/s; relative difference from the limit
ROUNDING = 1e-12                # relative
TRAPEZOIDS = 1e-4               # relative error of an area
SCALE = 2.5                     # %, the greatest label of figure 3
LOWER, GENERALLY = 0.1, 7       # of the error of a simulation; of eight entries of Table 1


def impacts() -> tuple[Impact, ...]:
    """Return the impacts of figures 1 and 2."""
    return tuple(
        Impact(stiffness=CASE_2.stiffness, exponent=CASE_2.exponent, hysteresis=CASE_2.hysteresis,
               velocity=velocity) for velocity in VELOCITIES)


def _impacts_exact() -> tuple[Numbers, dict[str, FloatArray]]:
    numbers: Numbers = {
        "v_in_m_per_s": list(VELOCITIES), "v_lim_m_per_s": -1.0 / CASE_2.hysteresis,
        "v_out_m_per_s": [], "x_max_um": [], "contact_time_us": [], "x_invariant_over_x_max": [],
        "v_invariant_over_v_out": []
    }
    curves: dict[str, FloatArray] = {}
    for impact in impacts():
        name = f"{impact.velocity:g} m_per_s"
        exact = impact.exact(impact.contact_samples)
        curves |= {f"{name} {key}": curve for key, curve in exact.items()}
        run = impact.run("invariant")
        curves |= {
            f"{name} invariant x_m": run.compression, f"{name} invariant v_m_per_s": run.velocity,
            f"{name} invariant f_N": run.force
        }
        numbers["v_out_m_per_s"].append(impact.output_velocity)
        numbers["x_max_um"].append(UM * impact.depth)
        numbers["contact_time_us"].append(UM * impact.contact_samples / RATE)
        numbers["x_invariant_over_x_max"].append(float(run.compression.max() / impact.depth))
        numbers["v_invariant_over_v_out"].append(float(run.velocity[-1] / impact.output_velocity))
    return numbers, curves


def _fig1() -> Finding:
    numbers, curves = _impacts_exact()
    numbers["v_out_from_50_m_per_s"] = pysitar.analytic.output_velocity(
        hysteresis=CASE_2.hysteresis, velocity=FAST)
    return Finding(
        key="papetti2009:fig1", title="Phase portrait of impacts", source=f"{PAPER}, Fig. 1",
        caption=
        "Velocity against compression, mass 10 g, stiffness 1e9 N/m^1.5, exponent 1.5, hysteresis "
        "0.5 s/m, for impacts at 1, 2, 3 and 4 m/s. Lines: exact in contact; dashed grey: free "
        "flight; dots: the invariant scheme at 44.1 kHz. Dotted black: -1 / hysteresis.",
        numbers=numbers, curves=curves, statements=_fig1_statements(numbers))


def _fig1_statements(numbers: Numbers) -> tuple[Statement, ...]:
    parts = [-out / come for out, come in zip(numbers["v_out_m_per_s"], VELOCITIES, strict=True)]
    far, limit = numbers["v_out_from_50_m_per_s"], numbers["v_lim_m_per_s"]
    kept = max(abs(one - 1.0) for one in numbers["v_invariant_over_v_out"])
    return (
        judge(paper="The output velocity is lower than the input velocity.",
              computed="v_out / v_in for 1, 2, 3 and 4 m/s: "
              + ", ".join(f"{part:.3f}" for part in parts),
              holds=max(parts) < 1.0, condition="v_out / v_in is below 1 for each",
              reason="closed forms, exact to rounding"),
        judge(
            paper="For faster impacts the output velocity tends to -1 / hysteresis.",
            holds=abs(far / limit - 1.0) < NEAR_LIMIT and parts == sorted(parts, reverse=True),
            computed=
            f"{numbers['v_out_m_per_s'][-1]:.4f} m/s from 4 m/s, {far:.6f} m/s from {FAST:g} m/s; "
            f"the limit is {limit:g} m/s",
            condition=f"it is within {NEAR_LIMIT:g} of the limit from {FAST:g} m/s, and v_out / "
            "v_in falls", reason="the rest falls as e^(-mu v_in), here e^-25"),
        judge(
            paper=
            "No law of the motion over time is known, so wrong values within a contact cannot "
            "easily be mended.",
            verdict="beyond the paper", otherwise="cannot be compared", computed=
            "there is one, in Jacobi polynomials (pysitar.analytic.trajectory), and an exact "
            "invariant; the output velocity of the scheme that keeps this invariant is exact "
            f"to {kept:.0e} of it", holds=kept < ROUNDING,
            condition=f"the output velocity of the invariant scheme is exact to {ROUNDING:g}",
            reason="some ten steps with roundings of 1e-16; the paper says what was known"),
    )


def _draw_fig1(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=3.0)
    for velocity, colour, style in zip(VELOCITIES, COLOURS, STYLES, strict=True):
        own = part_of(finding.curves, f"{velocity:g} m_per_s")
        x, v = UM * own["exact x_m"], own["exact v_m_per_s"]
        axes.plot([-UM * BEFORE, 0.0], [v[0], v[0]], color=GREY, linestyle="--", linewidth=0.8)
        axes.plot([-UM * BEFORE, 0.0], [v[-1], v[-1]], color=GREY, linestyle="--", linewidth=0.8)
        axes.plot(x, v, color=colour, linestyle=style, label=f"{velocity:g} m/s")
        inside = own["invariant x_m"] > 0.0
        axes.plot(UM * own["invariant x_m"][inside], own["invariant v_m_per_s"][inside],
                  linestyle="none", marker="o", color=colour)
    axes.axhline(finding.numbers["v_lim_m_per_s"], color=BLACK, linestyle=":", linewidth=0.9)
    axes.text(62.0, finding.numbers["v_lim_m_per_s"] + 0.08, "$v_{lim}$", fontsize=8)
    axes.axvline(0.0, color=BLACK, linewidth=0.5)
    axes.set(xlim=(-UM * BEFORE, 105.0), ylim=(-2.4, 4.4), xlabel="compression (µm)",
             ylabel="velocity (m/s)")
    legend_below(drawing, axes, columns=4)
    return drawing


def _fig2() -> Finding:
    numbers, curves = _impacts_exact()
    x = np.linspace(0.0, impacts()[-1].depth, 200)
    curves |= {"lossless x_m": x, "lossless f_N": CASE_2.stiffness * np.power(x, CASE_2.exponent)}
    areas, losses = [], []
    for impact in impacts():
        own = {
            key: curves[f"{impact.velocity:g} m_per_s exact {key}"]
            for key in ("x_m", "f_N", "H_J")
        }
        areas.append(trapezoid_area(own["f_N"], own["x_m"]))
        losses.append(float(own["H_J"][0] - own["H_J"][-1]))
    numbers |= {"area_of_loop_J": areas, "energy_lost_J": losses, "peak_force_N": [
        float(curves[f"{velocity:g} m_per_s exact f_N"].max()) for velocity in VELOCITIES]}
    return Finding(
        key="papetti2009:fig2", title="Force against compression", source=f"{PAPER}, Fig. 2",
        caption=
        "The impacts of Fig. 1, exact; dots: the mean force over each step of the invariant "
        "scheme at 44.1 kHz, at the mean of the compressions before and after the step. Dashed "
        "black: without hysteresis.", numbers=numbers, curves=curves,
        statements=_fig2_statements(numbers))


def _fig2_statements(numbers: Numbers) -> tuple[Statement, ...]:
    areas, losses = numbers["area_of_loop_J"], numbers["energy_lost_J"]
    off = max(abs(area / loss - 1.0) for area, loss in zip(areas, losses, strict=True))
    return (
        judge(
            paper="The dissipation makes a loop around the lossless curve.",
            holds=min(areas) > 0.0,
            computed="areas " + ", ".join(f"{1e3 * area:.2f}" for area in areas)
            + " mJ, peak forces " + ", ".join(f"{force:.0f}" for force in numbers["peak_force_N"])
            + " N", condition="the area of each loop is over 0 J",
            reason="a sign has no threshold"),
        judge(
            paper="The area of a loop is the energy that is lost.", holds=off < TRAPEZOIDS,
            computed=f"the same to {off:.0e} of it, by the trapezoidal rule over 600 points",
            condition=f"they are the same to {TRAPEZOIDS:g}",
            reason="the rule errs by the square of a 600th, some 1e-6"),
    )


def _draw_fig2(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.8)
    for velocity, colour, style in zip(VELOCITIES, COLOURS, STYLES, strict=True):
        own = part_of(finding.curves, f"{velocity:g} m_per_s")
        axes.plot(UM * own["exact x_m"], own["exact f_N"] / 1e3, color=colour, linestyle=style,
                  label=f"{velocity:g} m/s")
        steps, force = own["invariant x_m"], own["invariant f_N"]
        inside = force[:-1] > 0.0
        middles = 0.5 * (steps[:-1] + steps[1:])[inside]
        axes.plot(UM * middles, force[:-1][inside] / 1e3, linestyle="none", marker="o",
                  color=colour)
    axes.plot(UM * finding.curves["lossless x_m"], finding.curves["lossless f_N"] / 1e3,
              color=BLACK, linestyle=(0, (5, 3)), linewidth=0.8, label="no loss")
    axes.set(xlim=(0.0, 100.0), ylim=(0.0, None), xlabel="compression (µm)", ylabel="force (kN)")
    legend_below(drawing, axes, columns=3)
    return drawing


def fit_error(product: float) -> float:
    """Return the error (%) of the fit of the paper, at a product of hysteresis and velocity."""
    arguments = {"hysteresis": product, "velocity": 1.0}
    return percent(pysitar.analytic.fitted_output_velocity(**arguments),
                   pysitar.analytic.output_velocity(**arguments))


def _fig3() -> Finding:
    products = np.geomspace(1e-2, 1e2, 401)
    errors = np.array([fit_error(product) for product in products.tolist()])
    fine = np.linspace(2.9, 3.1, 201)
    around = [fit_error(product) for product in fine.tolist()]
    worst = int(np.argmax(around))
    numbers: Numbers = {
        "mu_v_in": list(PRODUCTS), "error_percent": [fit_error(product) for product in PRODUCTS],
        "greatest_percent": around[worst], "greatest_at_mu_v_in": float(fine[worst]),
        "error_at_0.188_percent": fit_error(0.188), "closed_form_off": _closed_form_off()
    }
    numbers["fit_error_in_cases_percent"] = [fit_error(product) for product in CASES]
    numbers["simulation_errors_in_cases_percent"] = [
        [measure_run(impact, curves_of(impact, (method, )), method)["v_out_error_percent"]
         for method in METHODS] for impact in (CASE_1, CASE_2)
    ]
    return Finding(
        key="papetti2009:fig3", title="Error of the fit of the output velocity",
        source=f"{PAPER}, Fig. 3", caption=
        "The difference of the output velocity of eqs. (7) and (8) from the root of (6), in per "
        "cent, against hysteresis times velocity; squares: the two cases of Table 1.",
        numbers=numbers,
        curves={"mu v_in": products, "error_percent": errors},
        statements=_fig3_statements(numbers))


def _closed_form_off() -> float:
    """Return the greatest residual of (6) for the closed form, over mu v_in."""
    return max(
        abs(_energy_of(product * pysitar.analytic.output_velocity(hysteresis=product, velocity=1.0))
            - _energy_of(product)) / product for product in PRODUCTS)


def _energy_of(product: float) -> float:
    """Return mu v - log |1 + mu v|, a side of (6)."""
    return product - math.log1p(product)


def _fig3_statements(numbers: Numbers) -> tuple[Statement, ...]:
    fits, residual = numbers["fit_error_in_cases_percent"], numbers["closed_form_off"]
    runs = numbers["simulation_errors_in_cases_percent"]
    pairs = [(fit, run) for fit, own in zip(fits, runs, strict=True) for run in own]
    lower = sum(abs(fit) < LOWER * abs(run) for fit, run in pairs)
    return (
        judge(
            paper=
            "The fit's error stays within the figure's scale, which seems to end at 2.5 %.",
            computed=
            (f"at most {numbers['greatest_percent']:.3f} %, at mu v_in = "
             f"{numbers['greatest_at_mu_v_in']:.3f}"),
            holds=numbers["greatest_percent"] < SCALE,
            condition=f"it is below {SCALE:g} %", reason="the greatest label of the figure"),
        judge(
            paper="The paper finds the exact output velocity numerically, as a zero of (6).",
            verdict="beyond the paper", otherwise="cannot be compared", computed=
            "it has a closed form by the Lambert W function: mu v_out = -1 - W(-(1 + a) e^(-1 "
            "- a)), a = mu v_in; pysitar.analytic.output_velocity satisfies (6) to "
            f"{residual:.0e}", holds=residual < ROUNDING,
            condition=f"the closed form satisfies (6) to {ROUNDING:g} of mu v_in, from 0.03 to 10",
            reason="rounding; the paper does not say that there is none"),
        judge(
            paper="The error of the fit is generally of a lower order than that of the "
            "simulations.",
            computed=f"in the two cases of Table 1 its errors are {fits[0]:.2e} % and "
            f"{fits[1]:.2e} %, less than a tenth of {lower} of the {len(pairs)} errors of v_out",
            holds=lower >= GENERALLY,
            condition=f"it is less than {LOWER:g} of {GENERALLY} of the {len(pairs)} errors or "
            "more", reason="an order is a factor 10; generally allows for one exception"),
    )


def _draw_fig3(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.3)
    axes.plot(finding.curves["mu v_in"], finding.curves["error_percent"], color=BLUE)
    numbers = dict(zip(finding.numbers["mu_v_in"], finding.numbers["error_percent"], strict=True))
    axes.plot(CASES, [numbers[product] for product in CASES], linestyle="none", marker="s",
              color=ORANGE, label="Table 1 (a), (b)")
    axes.set(xscale="log", xlim=(1e-2, 1e2), ylim=(-0.1, 2.5), xlabel=r"$\mu\, v_{in}$",
             ylabel="error (%)")
    axes.legend(loc="upper left")
    return drawing


FIGURES = (
    Figure(key="papetti2009:fig1", title="Phase portrait of impacts", source=f"{PAPER}, Fig. 1",
           compute=_fig1, judge=_fig1_statements,
           draw=_draw_fig1),
    Figure(key="papetti2009:fig2", title="Force against compression", source=f"{PAPER}, Fig. 2",
           compute=_fig2, judge=_fig2_statements,
           draw=_draw_fig2),
    Figure(key="papetti2009:fig3", title="Error of the fit of the output velocity",
           source=f"{PAPER}, Fig. 3", compute=_fig3, judge=_fig3_statements,
           draw=_draw_fig3),
)
