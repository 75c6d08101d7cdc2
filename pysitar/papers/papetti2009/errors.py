"""Table 1, entry by entry."""
from __future__ import annotations

from collections.abc import Mapping
from functools import partial
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
RIGHT = 1e-10                   # %
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


def _entry(row: str, scheme: str, printed: float | None, error: float) -> Statement:
    """Return the statement on one entry of the table."""
    name = f"{NAMES[scheme]}, {row.replace('_', ' ')}"
    if printed is None:
        return judge(paper=f"{name}: not exceeded.", computed=f"{error:+.4f} %",
                     holds=error <= 0.0, condition="the error is not over 0",
                     reason="a sign has no threshold")
    same = f"{error:+.3f}" == f"{printed:+.3f}"
    note = "" if same else f", which rounds to {error:+.3f}"
    return judge(paper=f"{name}: {printed:+.3f} %.", computed=f"{error:+.5f} %{note}",
                 holds=abs(error - printed) < LAST_DIGIT,
                 condition=f"printed and computed error differ by less than {LAST_DIGIT:g} %",
                 reason="a unit of the last digit, which may be rounded or cut")


def _table(letter: str, impact: Impact, printed: Printed, *, fitted: bool) -> Finding:
    numbers = _errors(impact, fitted=fitted)
    if fitted:
        numbers["against_the_exact_velocity"] = _errors(impact, fitted=False)
    numbers |= {
        "printed": {row: list(entries) for row, entries in printed.items()},
        "fit_percent": percent(impact.fitted_output_velocity, impact.output_velocity),
        "invariant_against_the_exact_velocity_percent": _errors(impact, fitted=False)["invariant"]
        ["v_out"], "invariant_rises_of_H": measure_run(
            impact, curves_of(impact, ("invariant", )), "invariant")["rises_of_H"]
    }
    return Finding(
        key=f"papetti2009:table1{letter}",
        title=f"Errors of the hard impact of case {1 if letter == 'a' else 2}",
        source=f"{PAPER}, Table 1 ({letter})", caption=
        "Errors of greatest compression, output velocity and last energy, in per cent, against "
        f"the {'fitted' if fitted else 'exact'} output velocity; squares: as printed (\"not "
        "exceeded\" has no number); dots: computed, also with the invariant scheme and the one "
        "that balances energy.",
        numbers=numbers, curves={}, statements=_table_statements(numbers, printed=printed))


def _table_statements(numbers: Numbers, *, printed: Printed) -> tuple[Statement, ...]:
    """Return the statements on a table.  Parameters: printed, its entries."""
    entries = (_entry(row, scheme, entry, numbers[scheme][row]) for row, own in printed.items()
               for scheme, entry in zip(METHODS, own, strict=True))
    own = numbers.get("against_the_exact_velocity")
    right = abs(numbers["invariant_against_the_exact_velocity_percent"])
    return (
        *entries,
        cannot_compare(
            paper="Numerical resolution: a small error, whose exponent is lost in the paper's "
                  "text.",
            computed=f"the error of the fitted output velocity is {numbers['fit_percent']:+.3e} %",
            reason="a digit is lost"),
        *((_reference_statement(numbers, own, printed), ) if own else ()),
        judge(
            paper="A method that keeps the energy right throughout the contact is still needed.",
            verdict="beyond the paper", otherwise="cannot be compared", computed=
            f"the invariant scheme is one: here its compression stays "
            f"{-numbers['invariant']['x_max']:.2f} % below the greatest, its energy grows on "
            f"{numbers['invariant_rises_of_H']} steps, and its output velocity is exact to "
            f"{right:.0e} %",
            holds=right < RIGHT and numbers["invariant_rises_of_H"] == 0
            and numbers["invariant"]["x_max"] <= 0.0,
            condition=f"the compression is not exceeded, the energy grows on no step, and the "
            f"output velocity is exact to {RIGHT:g} %",
            reason="the paper's own indicators, (24) to (26), to rounding"),
    )


def _reference_statement(numbers: Numbers, own: Numbers, printed: Printed) -> Statement:
    """Return the statement on the reference of the errors.  Parameters: own, the errors against the
    exact velocity."""
    digits = [
        (numbers[scheme][row], own[scheme][row], entry) for row in ("v_out", "H_end")
        for scheme, entry in zip(METHODS, printed[row], strict=True) if entry is not None
    ]
    fits = sum(abs(error - entry) < LAST_DIGIT for error, _, entry in digits)
    exact = sum(abs(error - entry) < LAST_DIGIT for _, error, entry in digits)
    return judge(
        paper="The errors of Table 1 are those against the fitted output velocity, as its caption "
        "hints.", computed=
        f"{fits} of {len(digits)} printed errors are those against the fit, {exact} those against "
        "the exact velocity, which are, of v out, "
        + ", ".join(f"{NAMES[scheme]} {own[scheme]['v_out']:+.3f}" for scheme in METHODS) + " %",
        holds=fits == len(digits) and exact == 0,
        condition=f"all agree against the fit to {LAST_DIGIT:g} %, and none against the exact "
        "velocity", reason="a unit of the last digit; the two differ by 0.013 %")


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
           source=f"{PAPER}, Table 1 (a)", compute=_table_a,
           judge=partial(_table_statements, printed=TABLE_A), draw=_draw),
    Figure(key="papetti2009:table1b", title="Errors of the hard impact of case 2",
           source=f"{PAPER}, Table 1 (b)", compute=_table_b,
           judge=partial(_table_statements, printed=TABLE_B), draw=_draw),
)
