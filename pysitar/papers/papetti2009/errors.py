"""Table 1, entry by entry."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.finding import Figure, Finding, Numbers, Statement
from pysitar.papers.papetti2009.impact import (
    CASE_1,
    CASE_2,
    METHODS,
    NAMES,
    PAPER,
    SCHEMES,
    Impact,
    curves_of,
    measure_run,
    percent,
)
from pysitar.papers.style import BLACK, BLUE, ORANGE, legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Printed = Mapping[str, tuple[float | None, float | None, float | None, float | None]]
# per cent, in the order of METHODS; None: not exceeded
TABLE_A: Printed = {
    "x_max": (None, 1.122, 1.254, None), "v_out": (1.293, 1.660, 1.467, -0.125),
    "H_end": (2.603, 3.348, 2.955, -0.250)
}
TABLE_B: Printed = {
    "x_max": (None, None, None, None), "v_out": (2.551, 0.839, -4.692, -0.105),
    "H_end": (5.166, 1.685, -9.164, -0.211)
}
LAST_DIGIT = 1e-3               # %
SYMBOLS = {"x_max": "$x_{max}$", "v_out": "$v_{out}$", "H_end": "$H_{fin}$"}
ALL = (*SCHEMES, "energy")


def _errors(impact: Impact, *, fitted: bool) -> Numbers:
    """Return the errors (%) of each scheme.

    Parameters: fitted, whether the errors of velocity and energy are relative to the fitted output
    velocity instead of the exact one.
    """
    curves = curves_of(impact, ALL)
    reference = impact.fitted_output_velocity if fitted else impact.output_velocity
    numbers: Numbers = {}
    for scheme in ALL:
        run = measure_run(impact, curves, scheme)
        velocity = percent(run["v_out_m_per_s"], reference)
        numbers[scheme] = {"x_max": run["x_max_error_percent"], "v_out": velocity,
                           "H_end": percent(run["v_out_m_per_s"] ** 2, reference**2)}
    return numbers


def _invariant_output_velocity(impact: Impact) -> float:
    """Return the output velocity of the invariant scheme (m/s)."""
    curves = curves_of(impact, ("invariant",))
    return float(measure_run(impact, curves, "invariant")["v_out_m_per_s"])


def _entry(row: str, scheme: str, printed: float | None, error: float) -> Statement:
    """Return the statement on one entry of the table."""
    name = f"{NAMES[scheme]}, {row.replace('_', ' ')}"
    if printed is None:
        return Statement(paper=f"{name}: not exceeded.", computed=f"{error:+.4f} %",
                         verdict="agrees" if error <= 0.0 else "disagrees")
    same = f"{error:+.3f}" == f"{printed:+.3f}"
    note = "" if same else f", which rounds to {error:+.3f}"
    return Statement(paper=f"{name}: {printed:+.3f} %.", computed=f"{error:+.5f} %{note}",
                     verdict="agrees" if abs(error - printed) < LAST_DIGIT else "disagrees")


def _table(letter: str, impact: Impact, printed: Printed, *, fitted: bool) -> Finding:
    numbers = _errors(impact, fitted=fitted)
    statements = [
        _entry(row, scheme, entry, numbers[scheme][row]) for row, entries in printed.items()
        for scheme, entry in zip(METHODS, entries, strict=True)
    ]
    fit = percent(impact.fitted_output_velocity, impact.output_velocity)
    statements.append(
        Statement(
            paper="Numerical resolution: a small error, whose exponent is lost in the paper's "
                  "text.",
            computed=f"the error of the fitted output velocity is {fit:+.3e} %",
            verdict="cannot be compared"))
    if fitted:
        own = _errors(impact, fitted=False)
        numbers["against_the_exact_velocity"] = own
        statements.append(
            Statement(
                paper=
                "The errors of Table 1 are those against the fitted output velocity, as its "
                "caption hints.",
                verdict="agrees" if abs(numbers["am1"]["v_out"]
                                        - printed["v_out"][0]) < abs(own["am1"]["v_out"]
                                                                     - printed["v_out"][0]) else
                ("disagrees"), computed=
                "the printed digits are those against the fit; against the exact velocity they "
                "are, of v out, "
                + ", ".join(f"{NAMES[scheme]} {own[scheme]['v_out']:+.3f}"
                            for scheme in METHODS) + " %"))
    statements.append(
        Statement(
            paper="A method that keeps the energy right throughout the contact is still needed.",
            verdict="cannot be compared", computed=
            f"the invariant scheme is one: here its compression stays "
            f"{-numbers['invariant']['x_max']:.2f} % below the greatest, and its output velocity "
            f"is exact to "
            f"{abs(percent(_invariant_output_velocity(impact), impact.output_velocity)):.0e} %"
        ))
    digits = [list(entries) for entries in printed.values()]
    return Finding(
        key=f"papetti2009:table1{letter}",
        title=f"Errors of the hard impact of case {1 if letter == 'a' else 2}",
        source=f"{PAPER}, Table 1 ({letter})", caption=
        "Errors of greatest compression, output velocity and last energy, in per cent, against "
        f"the {'fitted' if fitted else 'exact'} output velocity; squares: as printed (\"not "
        "exceeded\" has no number); dots: computed, also with the invariant scheme and the one "
        "that balances energy.",
        numbers=numbers | {"printed": dict(zip(printed, digits, strict=True)), "fit_percent": fit},
        curves={}, statements=tuple(statements))


def _table_a() -> Finding:
    return _table("a", CASE_1, TABLE_A, fitted=False)


def _table_b() -> Finding:
    return _table("b", CASE_2, TABLE_B, fitted=True)


def _draw(finding: Finding) -> Drawing:
    drawing, axes = sheet(1, 3, height=2.4, sharex=False)
    places = np.arange(len(ALL))
    for one, row in zip(axes, SYMBOLS, strict=True):
        errors = [finding.numbers[scheme][row] for scheme in ALL]
        one.axvline(0.0, color=BLACK, linewidth=0.6)
        one.plot(errors, places, linestyle="none", marker="o", color=BLUE, label="computed")
        there = [(entry, place)
                 for entry, place in zip(finding.numbers["printed"][row], places, strict=False)
                 if entry is not None]
        one.plot([entry for entry, _ in there], [place for _, place in there], linestyle="none",
                 marker="s", markersize=6.5, markerfacecolor="none", markeredgewidth=1.0,
                 color=ORANGE, label="printed")
        reach = 1.35 * max(abs(error) for error in errors)
        one.set(xlim=(-reach, reach), ylim=(len(ALL) - 0.5, -0.5), title=SYMBOLS[row],
                xlabel="error (%)")
        one.set_yticks(places,
                       [NAMES[scheme] for scheme in ALL] if one is axes[0] else [""] * len(ALL))
    legend_below(drawing, axes[1])
    return drawing


FIGURES = (
    Figure(key="papetti2009:table1a", title="Errors of the hard impact of case 1",
           source=f"{PAPER}, Table 1 (a)", compute=_table_a, draw=_draw),
    Figure(key="papetti2009:table1b", title="Errors of the hard impact of case 2",
           source=f"{PAPER}, Table 1 (b)", compute=_table_b, draw=_draw),
)
