"""The solution of the nonlinear equation: numbers of iterations, failures of Newton's method, and
misprinted equations."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import pysitar
from pysitar.papers.finding import (
    Curves,
    Figure,
    Finding,
    Numbers,
    Statement,
    cannot_compare,
    judge,
)
from pysitar.papers.style import BLACK, BLUE, ORANGE, VERMILION, legend_below, sheet
from pysitar.papers.walstijn2016.newton import MOST, NewtonString
from pysitar.papers.walstijn2016.strings import (
    CUT,
    MS,
    PAPER,
    PLUCKED,
    RATE,
    SITAR,
    bridge,
    sitar,
    triangle,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

STIFFNESSES = (1e8, 1e9, 1e10, 1e11, 1e12, 1e13)          # N/m^2
SCHEMES = ("two-point", "three-point")
STEPS = 1000
FREE_STEPS = 1000
# m, positions of the triangle from which Newton's method is tried
STARTS = (*(0.05 * place for place in range(1, 10)), 0.475)
SAFE, UNSAFE = 1e9, 1e10        # N/m^2: the paper's own, and from where it may fail
TRIED_STEPS = {SAFE: 300, UNSAFE: 1000}
DAMPED_STEPS = 500
PRINTED_OFF, MENDED_OFF, MODES_OFF = 1e-5, 1e-10, 1e-15   # relative errors, and m
MATRIX_STEPS = 1000
MORE_WORK = 1.5                 # iterations of the damped method, over those of the plain one
# least over greatest eigenvalue of W, in 60 digits; a test computes it
W_RATIO = 4.959326e-21
METHODS = {"plain": "plain Newton", "damped": "damped Newton", "pysitar": "pysitar's solver"}


def newton_string(stiffness: float, scheme: str, *, damped: bool = False,
                  missing_factor: bool = False, free: bool = False,
                  plucked: float = PLUCKED) -> NewtonString:
    """Return the string of the sitar at its start.

    Parameters: free, whether its barrier is far below; plucked, the position of its triangle (m);
    others as in `NewtonString`.
    """
    modes = pysitar.StringSimulation(string=SITAR, sample_rate=RATE, max_frequency=CUT).modes
    barrier = bridge(stiffness)
    if free:
        barrier = pysitar.Barrier.at(positions=barrier.positions, heights=barrier.heights - 1.0,
                                     weights=barrier.weights, law=barrier.law)
    string = NewtonString(modes, barrier, RATE, three_point=scheme == "three-point", damped=damped,
                          missing_factor=missing_factor)
    string.begin(triangle(modes.wave_numbers, plucked))
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


def try_starts(starts: tuple[float, ...] = STARTS) -> Numbers:
    """Return the step at which Newton's method first fails from each start (None: it does not), and
    its most and mean numbers of iterations, by scheme, method and stiffness (N/m^2)."""
    numbers: Numbers = {"starts_m": list(starts)}
    for scheme in SCHEMES:
        for name, stiffness, steps in (("plain", SAFE, TRIED_STEPS[SAFE]),
                                       ("plain", UNSAFE, TRIED_STEPS[UNSAFE]),
                                       ("damped", UNSAFE, DAMPED_STEPS)):
            runs = [
                newton_string(stiffness, scheme, damped=name == "damped",
                              plucked=start).run(steps, to_failure=True) for start in starts
            ]
            numbers[f"{scheme} {name} {_power_text(stiffness)}"] = {
                "steps": steps,
                "fails_at_step": [len(run.iterations) - 1 if run.failed else None for run in runs],
                "most": [max(run.iterations[:-1] if run.failed else run.iterations)
                         for run in runs],
                "mean_in_contact": [run.mean for run in runs]
            }
    return numbers


def _iterations() -> Finding:
    numbers = iterations() | {"tried": try_starts()}
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
    """Return the statements on iterations.  Parameters: numbers, from `iterations`, with those of
    `try_starts` as tried."""
    tried = numbers["tried"]
    count = len(tried["starts_m"])
    rows = {
        name: [tried[f"{scheme} {name}"] for scheme in SCHEMES]
        for name in ("plain 1e09", "plain 1e10", "damped 1e10")
    }
    most = [row["most"] for row in rows["plain 1e09"]]
    fails = {name: [[step for step in row["fails_at_step"] if step is not None] for row in own]
             for name, own in rows.items()}
    plain, damped = (np.mean([row["mean_in_contact"] for row in rows[name]])
                     for name in ("plain 1e10", "damped 1e10"))
    residual = max(row["energy_residual"] for scheme in SCHEMES
                   for row in numbers[f"{scheme} pysitar"])
    unsafe = [kb for scheme in SCHEMES for kb, row in zip(
        numbers["stiffness_N_per_m2"], numbers[f"{scheme} damped"], strict=True) if row["failed"]]
    where = (f"from {_power_text(min(unsafe))} N/m^2 on, where its stopping rule is below the "
             "rounding," if unsafe else "at no greater stiffness")
    return (
        cannot_compare(
            paper=
            "At most about 9 iterations (two-point) and 12 (three-point) reach machine precision.",
            computed=f"from {count} starts at most {min(most[0])} to {max(most[0])} and "
            f"{min(most[1])} to {max(most[1])}, with the one that confirms the result",
            reason="the paper does not give its start, its stopping rule, and which iterations it "
            "counts"),
        judge(
            paper="From 1e10 N/m^2 on both schemes may not converge.",
            computed="; ".join(_failures_text(scheme, own, tried[f"{scheme} plain 1e10"]["steps"],
                                              count)
                               for scheme, own in zip(SCHEMES, fails["plain 1e10"], strict=True))
            + f"; at 1e9 from {sum(map(len, fails['plain 1e09']))}",
            holds=all(fails["plain 1e10"]) and not any(fails["plain 1e09"]),
            condition=f"plain Newton fails from one of {count} starts or more in each scheme at "
            "1e10, and from none at 1e9",
            reason="the paper says may; no start proves that it converges"),
        judge(
            paper="A damped Newton method can then be used, with slightly more computation.",
            computed=f"at 1e10 it fails from {sum(map(len, fails['damped 1e10']))} of {count} "
            f"starts in {DAMPED_STEPS} steps, with {damped / plain:.2f} times the iterations; it "
            f"fails {where} but pysitar's solver converges in every step, with an energy balance "
            f"within {residual:.0e}",
            holds=not any(fails["damped 1e10"]) and bool(damped < MORE_WORK * plain),
            condition="it fails from no start at 1e10, and takes less than "
            f"{MORE_WORK:g} times the iterations", reason="all starts; slightly more is not half "
            "as much again"),
    )


def _failures_text(scheme: str, failed: list[int], steps: int, count: int) -> str:
    """Return from how many starts a scheme fails, and at which step first."""
    first = f", first at step {min(failed)}" if failed else ""
    return (f"{scheme}: plain Newton fails from {len(failed)} of {count} starts within {steps} "
            f"steps{first}")


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
    string = newton_string(1e9, "two-point")
    compression = np.array([1e-6])
    numbers["force_density_at_1_um_N_per_m"] = {
        "(3), (4)": float(string.force(compression, compression)[0][0]),
        "(2) as printed": -string.stiffness * float(compression[0])
    }
    numbers["rows_and_columns_of_V"] = list(string.v.shape)
    numbers["points_and_modes"] = [string.heights.size, string.y.size]
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
    """Return eigenvalues of W, of WD and of the symmetric part of I + WD over some steps, and the
    asymmetry of WD."""
    string = newton_string(1e9, "two-point")
    least, at, asymmetry, least_product, greatest_product = math.inf, 0, 0.0, math.inf, 0.0
    for step in range(MATRIX_STEPS):
        before = string.heights - string.v @ string.y
        string.step()
        product = string.w * string.force(before, string.heights - string.v @ string.y)[1]
        jacobian = np.eye(len(product)) + product
        value = float(np.linalg.eigvalsh(0.5 * (jacobian + jacobian.T))[0])
        if value < least:
            least, at = value, step
        if product.any():
            asymmetry = max(asymmetry,
                            float(np.abs(product - product.T).max() / np.abs(product).max()))
            values = np.linalg.eigvals(product).real
            least_product = min(least_product, float(values.min()))
            greatest_product = max(greatest_product, float(values.max()))
    w = np.linalg.eigvalsh(string.w)
    return {
        "W_least_over_greatest_eigenvalue_in_60_digits": W_RATIO,
        "W_least_over_greatest_eigenvalue_in_16_digits": float(w[0] / w[-1]),
        "steps": MATRIX_STEPS,
        "WD_asymmetry": asymmetry,
        "WD_least_eigenvalue": least_product,
        "WD_greatest_eigenvalue": greatest_product,
        "symmetric_part_of_I_plus_WD_least_eigenvalue": least,
        "symmetric_part_least_at_step": at
    }


def _equation_statements(numbers: Numbers) -> tuple[Statement, ...]:
    return (*_sign_statements(numbers), *_step_statements(numbers), *_matrix_statements(numbers))


def _sign_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on signs and shapes, which no threshold decides."""
    growth, force = numbers["growth_in_0.1_s_as_printed"], numbers["force_density_at_1_um_N_per_m"]
    points, modes = numbers["points_and_modes"]
    return (
        judge(
            paper="(1): the loss term has a plus sign on the right.", verdict="paper is wrong",
            otherwise="agrees", computed=
            f"it would be a gain: the first mode would grow by a factor {growth:.3f} in 0.1 s",
            holds=growth > 1.0, condition="the first mode grows as printed",
            reason="a loss does not"),
        judge(paper="(2): the contact force has a minus sign.", verdict="paper is wrong",
              otherwise="agrees",
              computed=f"it would pull: (3) and (4) give {force['(3), (4)']:+.0f} N/m at a "
              "compression of 1 µm",
              holds=force["(3), (4)"] * force["(2) as printed"] < 0.0,
              condition="(2) and (3) with (4) have opposite signs",
              reason="they are given as the same force"),
        judge(
            paper="(22), (26), (27): V is an M x K matrix.", verdict="paper is wrong",
            otherwise="agrees", computed=f"y = V ȳ and Vᵀ F need K x M, here {points} x {modes}: "
            "a row for each point, a column for each mode",
            holds=numbers["rows_and_columns_of_V"] == [points, modes] and points != modes,
            condition="the products of (22) exist for K x M alone",
            reason="shapes have no threshold"),
    )


def _step_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on the free step, the loss, and the modal parameters."""
    balance = numbers["three-point balance"]
    modes_off = numbers["all_modes_error_after_1000_steps_m"]
    condition = f"the error is over {PRINTED_OFF:g} as printed, and under {MENDED_OFF:g} as mended"
    return (
        judge(
            paper="(26): the free step is C (q - A y).", verdict="paper is wrong",
            otherwise="cannot be compared", computed=
            f"a factor 2 is missing: as printed the error of the first mode is "
            f"{numbers['printed error']:.2g} of its amplitude within {FREE_STEPS} steps; with "
            f"2 C (q - A y) it is {numbers['mended error']:.0e}",
            holds=numbers["printed error"] > PRINTED_OFF and numbers["mended error"] < MENDED_OFF,
            condition=condition, reason=
            f"{FREE_STEPS} steps with roundings of 1e-16, which add up in a cosine"),
        judge(
            paper="(42): the loss of the three-point scheme is taken of the second difference.",
            verdict="paper is wrong", otherwise="cannot be compared", computed=
            f"the error of the balance is then {balance['printed']:.0e} of H in a step; with "
            f"y(n+1) - y(n-1) it is {balance['mended']:.0e}",
            holds=balance["printed"] > PRINTED_OFF and balance["mended"] < MENDED_OFF,
            condition=condition, reason="a balance holds to rounding"),
        judge(
            paper="(21): modal frequencies and decay rates are kept exactly.",
            computed=f"all {numbers['points_and_modes'][1]} modes agree with the closed form after "
            f"{FREE_STEPS} steps to {modes_off:.0e} m", holds=modes_off < MODES_OFF,
            condition=f"each mode is right to {MODES_OFF:g} m",
            reason=f"{FREE_STEPS} roundings of 1e-16 of 3 mm"),
    )


def _matrix_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on the matrices of (28) and (34)."""
    matrices = numbers["matrices"]
    ratio = matrices["W_least_over_greatest_eigenvalue_in_60_digits"]
    least = matrices["symmetric_part_of_I_plus_WD_least_eigenvalue"]
    return (
        judge(
            paper="(34): W is positive definite.", computed=
            f"it is: its least eigenvalue is {ratio:.1e} of the greatest, in 60 digits; in double "
            "precision it is lost in rounding "
            f"({matrices['W_least_over_greatest_eigenvalue_in_16_digits']:.0e})", holds=ratio > 0.0,
            condition="its least eigenvalue, in 60 digits, is over 0",
            reason="a sign, in more digits than the ratio takes"),
        judge(
            paper="WD is symmetric, so that the Jacobian I + WD is positive definite, and the "
            "solution unique.", verdict="paper is wrong", otherwise="agrees", computed=
            f"WD is not symmetric (by up to {100 * matrices['WD_asymmetry']:.0f} %), and the least "
            f"eigenvalue of the symmetric part of I + WD falls to {least:.1f} (at step "
            f"{matrices['symmetric_part_least_at_step']} of {matrices['steps']}); the solution is "
            "still unique, because WD has the eigenvalues of D^½ W D^½, none below 0 (least: "
            f"{matrices['WD_least_eigenvalue']:.0e}, greatest: "
            f"{matrices['WD_greatest_eigenvalue']:.0e})", holds=least < 0.0,
            condition="z (I + WD) z is below 0 for some z at some step of the string",
            reason="the paper concludes that it is above 0 for every z"),
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
           source=f"{PAPER}, section V", compute=_iterations, judge=iteration_statements,
           draw=_draw_iterations),
    Figure(key="walstijn2016:equations", title="The equations as they are printed",
           source=f"{PAPER}, eqs. (1), (2), (22), (26), (34), (42)", compute=_equations,
           judge=_equation_statements, draw=_draw_equations),
)
