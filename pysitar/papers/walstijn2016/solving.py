"""The solution of the nonlinear equation: numbers of iterations, failures of Newton's method, and
misprinted equations."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import pysitar
from pysitar.papers.finding import Curves, Figure, Finding, Numbers, Statement, Verdict
from pysitar.papers.style import BLACK, BLUE, ORANGE, VERMILION, legend_below, sheet
from pysitar.papers.walstijn2016.newton import MOST, NewtonString
from pysitar.papers.walstijn2016.strings import CUT, MS, PAPER, RATE, SITAR, bridge, sitar, triangle

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

STIFFNESSES = (1e8, 1e9, 1e10, 1e11, 1e12, 1e13)          # N/m^2
SCHEMES = ("two-point", "three-point")
STEPS = 1000
FREE_STEPS = 1000
METHODS = {"plain": "plain Newton", "damped": "damped Newton", "pysitar": "pysitar's solver"}


def newton_string(stiffness: float, scheme: str, *, damped: bool = False,
                  missing_factor: bool = False, free: bool = False) -> NewtonString:
    """Return the string of the sitar at its start.

    Parameters: free, whether its barrier is far below; others as in `NewtonString`.
    """
    modes = pysitar.StringSimulation(string=SITAR, sample_rate=RATE, max_frequency=CUT).modes
    barrier = bridge(stiffness)
    if free:
        barrier = pysitar.Barrier.at(positions=barrier.positions, heights=barrier.heights - 1.0,
                                     weights=barrier.weights, law=barrier.law)
    string = NewtonString(modes, barrier, RATE, three_point=scheme == "three-point", damped=damped,
                          missing_factor=missing_factor)
    string.begin(triangle(modes.wave_numbers))
    return string


def iterations(stiffnesses: tuple[float, ...] = STIFFNESSES, steps: int = STEPS) -> Numbers:
    """Return iterations per step, failures, and the rise of the energy, by scheme, method and
    stiffness (N/m^2)."""
    numbers: Numbers = {
        "steps": steps, "stiffness_N_per_m2": list(stiffnesses), "most_allowed": MOST
    }
    for scheme in SCHEMES:
        for name in ("plain", "damped"):
            rows = []
            for stiffness in stiffnesses:
                string = newton_string(stiffness, scheme, damped=name == "damped")
                start = string.energy()
                done = string.run(steps)
                finite = done.energy[np.isfinite(done.energy)]
                rows.append({
                    "most": done.most, "mean_in_contact": done.mean, "failed": done.failed,
                    "steps_done": len(done.iterations),
                    "energy_rise": float(finite.max()) / start - 1.0 if finite.size else None
                })
            numbers[f"{scheme} {name}"] = rows
        rows = []
        for stiffness in stiffnesses:
            run = sitar(scheme, stiffness=stiffness).run(steps)
            rows.append({
                "most": run.most_iterations,
                "mean_in_contact": run.iterations / max(1, run.contact_steps), "failed": 0,
                "steps_done": steps, "energy_residual": run.residual
            })
        numbers[f"{scheme} pysitar"] = rows
    return numbers


def _iterations() -> Finding:
    numbers = iterations()
    curves: dict[str, FloatArray] = {"stiffness_N_per_m2": np.array(STIFFNESSES)}
    for scheme in SCHEMES:
        for name in METHODS:
            for column in ("most", "failed"):
                curves[f"{scheme} {name} {column}"] = np.array(
                    [float(row[column]) for row in numbers[f"{scheme} {name}"]])
    return Finding(
        key="walstijn2016:iterations", title="Iterations, and where Newton's method fails",
        source=f"{PAPER}, section V", caption=
        f"Most iterations in one of the first {STEPS} steps of the string of the sitar at 44.1 "
        f"kHz, against the stiffness of the barrier. Newton's method begins at the last s and ends "
        f"when s changes by 1e-15 m or less; after {MOST} iterations it counts as failed "
        "(crosses). pysitar's solver stops at its rounding floor. Top: two-point; bottom: "
        "three-point.",
        numbers=numbers, curves=curves, statements=iteration_statements(numbers))


def iteration_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on iterations.  Parameters: numbers, from `iterations`."""
    at = numbers["stiffness_N_per_m2"].index(1e9)
    most = [numbers[f"{scheme} plain"][at]["most"] for scheme in SCHEMES]
    mean = [numbers[f"{scheme} plain"][at]["mean_in_contact"] for scheme in SCHEMES]
    fails = [
        next((kb for kb, row in zip(numbers["stiffness_N_per_m2"], numbers[f"{scheme} plain"],
                                    strict=True) if row["failed"]), None) for scheme in SCHEMES
    ]
    failures = " and ".join(
        f"{scheme} from {_power_text(kb)} N/m^2 on" if kb else f"{scheme} nowhere"
        for scheme, kb in zip(SCHEMES, fails, strict=True))
    damped = [
        kb for scheme in SCHEMES
        for kb, row in zip(numbers["stiffness_N_per_m2"], numbers[f"{scheme} damped"], strict=True)
        if row["failed"]
    ]
    where = (f"from {_power_text(min(damped))} N/m^2 on, where its stopping rule is below the "
             "rounding" if damped else "nowhere")
    residual = max(row["energy_residual"] for scheme in SCHEMES
                   for row in numbers[f"{scheme} pysitar"])
    return (
        Statement(
            paper=
            "At most about 9 iterations (two-point) and 12 (three-point) reach machine precision.",
            computed=
            f"at most {most[0]} and {most[1]}, on average in contact {mean[0]:.1f} and "
            f"{mean[1]:.1f}; the paper does not give its start and stopping rule",
            verdict="cannot be compared"),
        Statement(paper="From 1e10 N/m^2 on both schemes may not converge.",
                  computed=f"plain Newton fails: {failures}",
                  verdict="agrees" if all(kb == 1e10 for kb in fails) else "disagrees"),
        Statement(
            paper="A damped Newton method can then be used.", computed=
            f"it fails {where}; pysitar's solver converges in every step, with an energy balance "
            f"within {residual:.0e}",
            verdict="agrees" if not any(kb < 1e13 for kb in damped) else "disagrees"),
    )


def _power_text(stiffness: float) -> str:
    return f"{stiffness:.0e}".replace("e+", "e")


def _draw_iterations(finding: Finding) -> Drawing:
    drawing, axes = sheet(2, 1, height=4.0, sharex=True)
    stiffness = finding.curves["stiffness_N_per_m2"]
    styles = dict(
        zip(METHODS, ((VERMILION, "--", "s"), (ORANGE, "-.", "^"), (BLUE, "-", "o")), strict=True))
    for one, scheme in zip(axes, SCHEMES, strict=True):
        for name, (color, line, marker) in styles.items():
            most, failed = (finding.curves[f"{scheme} {name} {column}"]
                            for column in ("most", "failed"))
            one.plot(stiffness, most, color=color, linestyle=line, marker=marker,
                     label=METHODS[name])
            lost = failed > 0.0
            one.plot(stiffness[lost], most[lost], linestyle="none", marker="x", markersize=8.0,
                     color=BLACK)
        one.set(xscale="log", ylabel="most iterations", title=scheme, ylim=(0.0, 75.0))
    axes[0].plot([], [], linestyle="none", marker="x", markersize=6.0, color=BLACK, label="fails")
    axes[1].set_xlabel("stiffness of the barrier (N/m²)")
    legend_below(drawing, axes[0], columns=2)
    return drawing


def _equations() -> Finding:
    numbers, curves = _free_motion()
    numbers |= {"three-point balance": _balance(), "matrices": _matrices()}
    decay = 0.1 * numbers["decay_rate_1_per_s"]
    numbers["growth_in_0.1_s_as_printed"] = math.exp(decay)
    numbers["force_density_at_1_um_N_per_m"] = {"(3), (4)": 1e3, "(2) as printed": -1e3}
    return Finding(
        key="walstijn2016:equations", title="The equations as they are printed",
        source=f"{PAPER}, eqs. (1), (2), (22), (26), (34), (42)", caption=
        "The first mode of the free string of the sitar at 44.1 kHz: the exact decaying cosine, "
        "the two-point scheme with the free step of (26) as printed, and with the factor 2 that is "
        "missing there.", numbers=numbers,
        curves=curves, statements=_equation_statements(numbers))


def _free_motion() -> tuple[Numbers, dict[str, FloatArray]]:
    """Return the first mode of the free string, by its closed form and by both free steps, and the
    error of pysitar for all modes."""
    mended, printed = (newton_string(1e9, "two-point", missing_factor=missing, free=True)
                       for missing in (False, True))
    modes = pysitar.StringSimulation(string=SITAR, sample_rate=RATE, max_frequency=CUT).modes
    start = triangle(modes.wave_numbers)
    paths: dict[str, list[float]] = {"mended": [], "printed": []}
    for _ in range(FREE_STEPS):
        for name, string in (("mended", mended), ("printed", printed)):
            paths[name].append(float(string.y[0]))
            string.step()
    exact = _decaying(float(modes.angular_frequencies[0]), float(modes.decay_rates[0]),
                      np.arange(FREE_STEPS)) * start[0]
    curves = {"time_s": np.arange(FREE_STEPS) / RATE, "exact y_m": exact
              } | {f"{name} y_m": np.array(path)
                   for name, path in paths.items()}
    sim = pysitar.StringSimulation(string=SITAR, sample_rate=RATE, max_frequency=CUT)
    sim.set_displacement(modal=start)
    last = sim.run(FREE_STEPS + 1,
                   outputs=[("mode", i + 1) for i in range(modes.count)]).outputs[FREE_STEPS]
    closed = np.array([
        _decaying(omega, alpha, np.array([FREE_STEPS]))[0] for omega, alpha in zip(
            modes.angular_frequencies.tolist(), modes.decay_rates.tolist(), strict=True)
    ]) * start
    numbers: Numbers = {
        "decay_rate_1_per_s": float(modes.decay_rates[0]),
        "all_modes_error_after_1000_steps_m": float(np.abs(last - closed).max()),
        "mode_1_after_1000_steps_m": float(last[0]),
        **{
            f"{name} error": float(np.abs(curves[f"{name} y_m"] - exact).max() / abs(start[0]))
            for name in paths
        },
    }
    return numbers, curves


def _decaying(omega: float, alpha: float, steps: npt.NDArray[Any]) -> FloatArray:
    """Return the closed form of a mode of the two-point scheme that is released at 1, at steps."""
    r, theta = math.exp(-alpha / RATE), omega / RATE
    return np.asarray(r**steps * (np.cos(steps * theta) + (1.0 - r * r) /
                                  (2.0 * r * math.sin(theta)) * np.sin(steps * theta)))


def _balance() -> Numbers:
    """Return the greatest error of the energy balance of the three-point scheme in a step, over H,
    with the loss (42) as printed and as mended."""
    string = newton_string(1e9, "three-point")
    r = np.exp(-pysitar.StringSimulation(string=SITAR, sample_rate=RATE,
                                         max_frequency=CUT).modes.decay_rates / RATE)
    loss = (1.0 - r * r) / (1.0 + r * r)
    worst = {"printed": 0.0, "mended": 0.0}
    start = string.energy()
    for _ in range(300):
        before, y, last = string.energy(), string.y.copy(), string.other.copy()
        string.step()
        change = string.energy() - before
        for name, d in (("printed", string.y - 2.0 * y + last), ("mended", string.y - last)):
            worst[name] = max(worst[name],
                              abs(change + float(d @ (loss * d)) / (4.0 * string.xi)) / start)
    return worst


def _matrices() -> Numbers:
    """Return the eigenvalues of W and WD at a step in contact, and the asymmetry of WD."""
    string = newton_string(1e9, "two-point")
    slopes = np.zeros(10)
    for _ in range(200):
        string.step()
        p = string.heights - string.v @ string.y
        found = string.force(p + string.s, p)[1]
        if np.count_nonzero(found) > np.count_nonzero(slopes):
            slopes = found
    product = string.w * slopes
    values = np.linalg.eigvals(product)
    w = np.linalg.eigvalsh(string.w)
    return {
        "W_least_over_greatest_eigenvalue": float(w[0] / w[-1]),
        "points_in_contact": int(np.count_nonzero(slopes)),
        "WD_asymmetry": float(np.abs(product - product.T).max() / np.abs(product).max()),
        "WD_least_eigenvalue": float(values.real.min()),
        "WD_greatest_eigenvalue": float(values.real.max())
    }


def _verdict(printed: float, mended: float) -> Verdict:
    """Return the verdict on an equation, from its error as printed and as mended."""
    return "paper is wrong" if printed > 1e-5 and mended < 1e-10 else "cannot be compared"


def _equation_statements(numbers: Numbers) -> tuple[Statement, ...]:
    balance, matrices = numbers["three-point balance"], numbers["matrices"]
    return (
        Statement(
            paper="(1): the loss term has a plus sign on the right.", verdict="paper is wrong",
            computed=
            f"it would be a gain: the first mode would grow by a factor "
            f"{numbers['growth_in_0.1_s_as_printed']:.3f} in 0.1 s"),
        Statement(paper="(2): the contact force has a minus sign.", verdict="paper is wrong",
                  computed="it would pull: (3) and (4) give +1000 N/m at a compression of 1 µm"),
        Statement(
            paper="(22), (26), (27): V is an M x K matrix.", verdict="paper is wrong",
            computed="y = V ȳ and Vᵀ F need K x M: a row for each point, a column for each mode"
        ),
        Statement(
            paper="(26): the free step is C (q - A y).", computed=
            f"a factor 2 is missing: as printed the error of the first mode is "
            f"{numbers['printed error']:.2g} of its amplitude within {FREE_STEPS} steps; with "
            f"2 C (q - A y) it is {numbers['mended error']:.0e}",
            verdict=_verdict(numbers["printed error"], numbers["mended error"])),
        Statement(
            paper="(42): the loss of the three-point scheme is taken of the second difference.",
            computed=
            f"the error of the balance is then {balance['printed']:.0e} of H in a step; with "
            f"y(n+1) - y(n-1) it is {balance['mended']:.0e}",
            verdict=_verdict(balance["printed"], balance["mended"])),
        Statement(
            paper="(21): modal frequencies and decay rates are kept exactly.", verdict="agrees",
            computed=f"all 60 modes agree with the closed form after {FREE_STEPS} steps to "
            f"{numbers['all_modes_error_after_1000_steps_m']:.0e} m"),
        Statement(
            paper="W is positive definite, and WD is symmetric, so that the solution is unique.",
            verdict="paper is wrong",
            computed=f"W is only semidefinite to rounding (least over greatest eigenvalue "
            f"{matrices['W_least_over_greatest_eigenvalue']:.0e}), and WD is not symmetric (by "
            f"{100 * matrices['WD_asymmetry']:.0f} %); the solution is still unique, because WD "
            f"has the eigenvalues of D^½ W D^½, none below 0 (least: "
            f"{matrices['WD_least_eigenvalue']:.0e})"),
    )


def _draw_equations(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.6)
    curves: Curves = finding.curves
    shown = slice(0, 441)
    for name, label, color, line in (("exact", "exact", BLACK, "-"), ("mended", "with the factor 2",
                                                                      BLUE, (0, (4, 2))),
                                     ("printed", "(26) as printed", VERMILION, ":")):
        axes.plot(MS * curves["time_s"][shown], MS * curves[f"{name} y_m"][shown], color=color,
                  linestyle=line, label=label)
    axes.set(xlabel="time (ms)", ylabel="first mode (mm)", xlim=(0.0, 10.0))
    legend_below(drawing, axes)
    return drawing


FIGURES = (
    Figure(key="walstijn2016:iterations", title="Iterations, and where Newton's method fails",
           source=f"{PAPER}, section V", compute=_iterations, draw=_draw_iterations),
    Figure(key="walstijn2016:equations", title="The equations as they are printed",
           source=f"{PAPER}, eqs. (1), (2), (22), (26), (34), (42)", compute=_equations,
           draw=_draw_equations),
)
