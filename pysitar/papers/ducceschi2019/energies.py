"""The energies of the string with a point barrier (figures 5 and 6), and its output (figure 7)."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.ducceschi2019.plucked import (
    MJ,
    MM,
    MS,
    OUTPUT_POSITION,
    PAPER,
    PRINTED,
    RATE,
    SCHEMES,
    record_run,
    relative_difference,
)
from pysitar.papers.finding import Figure, Finding, Numbers, Statement
from pysitar.papers.style import legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

FINER = 5
TIMES_MS = (2, 5, 10, 15, 20, 30)   # ms
PARTS = {"Hk": "kinetic", "Hp": "potential", "Hc": "contact", "H": "energy"}
THIN = 3                        # at the higher rate every third step is drawn
FASTER = f"{FINER} x 44.1 kHz"


def energies(rate: float) -> tuple[Numbers, dict[str, FloatArray]]:
    """Return the energies of each scheme: numbers at some instants, and curves."""
    numbers: Numbers = {"times_ms": list(TIMES_MS)}
    curves: dict[str, FloatArray] = {}
    thin = slice(None, None, 1 if rate == RATE else THIN)
    kinetic: dict[str, FloatArray] = {}
    for name in SCHEMES:
        run, numbers[name] = record_run(name, "point", rate)
        kinetic[name] = run.kinetic
        for part, attribute in PARTS.items():
            values = getattr(run, attribute)
            # H(n + 1/2) at t = n / rate
            numbers[name][f"{part}_J"] = [
                float(values[round(ms * rate / 1e3) + 1]) for ms in TIMES_MS
            ]
            curves[f"{name} {part}_J"] = values[thin]
        curves["time_s"] = run.time[thin]
    for name in ("explicit", "explicit, mended"):
        numbers[name]["kinetic_energy_off_over_H"] = float(
            np.sqrt(np.mean(
                (kinetic[name] - kinetic["iterative"])**2)) / numbers["iterative"]["last_energy_J"])
    return numbers, curves


def _energy_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on both rates."""
    kept = max(numbers[name]["change_of_energy_after_pluck"] for name in PRINTED)
    grid, modal = numbers["iterative"]["last_energy_J"], numbers["modal"]["last_energy_J"]
    return (
        Statement(
            paper="The whole energy is kept once the force has ended.",
            verdict="agrees" if kept < 1e-12 else "disagrees",
            computed=f"to {kept:.0e} of it in the schemes of the paper; the mended modal scheme "
            f"loses {100 * numbers['modal, mended']['change_of_energy_after_pluck']:.2g} % by "
            "design"
        ),
        Statement(
            paper="The three schemes have the same energy.",
            verdict="agrees" if abs(modal / grid - 1.0) < 0.01 else "disagrees", computed=
            f"{MJ * grid:.5f} mJ on the grid and {MJ * modal:.5f} mJ in modes, which respond "
            "differently to the highest frequencies of the pluck"),
    )


def _contact_energy_left(numbers: Numbers) -> str:
    left = ", ".join(f"{1e6 * numbers[name]['Hc_J'][TIMES_MS.index(30)]:.3g} µJ ({name})"
                     for name in SCHEMES)
    return f"contact energy at 30 ms, when the string is free: {left}"


def _fig5() -> Finding:
    numbers, curves = energies(RATE)
    plain, modal = (numbers[name]["Hc_J"][TIMES_MS.index(30)] for name in ("explicit", "modal"))
    return Finding(
        key="ducceschi2019:fig5", title="Energies of the string, at audio rate",
        source=f"{PAPER}, Fig. 5",
        caption="Kinetic, potential, contact and whole energy of the string of Fig. 4, at 44.1 "
                "kHz.",
        numbers=numbers, curves=curves, statements=(
            *_energy_statements(numbers),
            Statement(
                paper="The schemes without iteration turn kinetic energy into contact energy.",
                verdict="agrees" if plain > 0.0 else "disagrees", computed=
                f"{_contact_energy_left(numbers)}: the schemes as printed keep it for good, the "
                "mended ones return or dissipate it"
            ),
            Statement(paper="The modal scheme behaves somewhat better in this.",
                      verdict="agrees" if modal < plain else "disagrees",
                      computed=f"it keeps {modal / plain:.2f} of what the explicit scheme keeps"),
        ))


def _fig6() -> Finding:
    numbers, curves = energies(FINER * RATE)
    before = energies(RATE)[0]
    off = {
        name: (before[name]["kinetic_energy_off_over_H"],
               numbers[name]["kinetic_energy_off_over_H"])
        for name in ("explicit", "explicit, mended")
    }
    plain = off["explicit"]
    left = [numbers[name]["Hc_J"][TIMES_MS.index(30)] for name in ("explicit", "modal")]
    return Finding(
        key="ducceschi2019:fig6", title="Energies of the string, oversampled",
        source=f"{PAPER}, Fig. 6", caption="As in Fig. 5, at 5 x 44.1 kHz.",
        numbers=numbers | {"kinetic_energy_off_over_H_at_both_rates": off}, curves=curves,
        statements=(
            *_energy_statements(numbers),
            Statement(
                paper="The energies agree far better than at audio rate.",
                computed="root mean square difference of the kinetic energy from that of the "
                f"iterative scheme, over H: explicit {100 * plain[0]:.2g} % at 44.1 kHz, "
                f"{100 * plain[1]:.2g} % at {FASTER}; mended "
                f"{100 * off['explicit, mended'][0]:.1g} % and "
                f"{100 * off['explicit, mended'][1]:.1g} %",
                verdict="agrees" if plain[1] < 0.5 * plain[0] else "disagrees"),
            Statement(
                paper=
                "The modal scheme behaves somewhat better than the explicit one (said of audio "
                "rate).",
                verdict="agrees" if left[1] < left[0] else "disagrees", computed=
                (f"not at this rate: its contact energy at 30 ms is {1e6 * left[1]:.1e} µJ, that "
                 f"of the explicit scheme {1e6 * left[0]:.1e} µJ")),
        ))


def _draw_energies(finding: Finding) -> Drawing:
    drawing, axes = sheet(4, 1, height=5.4, sharex=True)
    for one, part in zip(axes, PARTS, strict=True):
        for name, scheme in SCHEMES.items():
            one.plot(MS * finding.curves["time_s"], MJ * finding.curves[f"{name} {part}_J"],
                     label=name, **scheme.look)
        one.set_ylabel(f"${part[0]}_{part[1]}$ (mJ)" if part[1:] else "$H$ (mJ)")
    for one in axes[:2]:
        one.set_ylim(-0.1, 3.4)
    axes[2].set(yscale="log", ylim=(1e-8, 1.0))
    axes[3].set(xlim=(0.0, 40.0), ylim=(3.19, 3.23), xlabel="time (ms)")
    legend_below(drawing, axes[0])
    return drawing


def _fig7() -> Finding:
    numbers: Numbers = {}
    curves: dict[str, FloatArray] = {}
    apart: dict[float, list[float]] = {}
    for rate in (RATE, FINER * RATE):
        runs = {name: record_run(name, "point", rate) for name in SCHEMES}
        out = {name: run.outputs[:, 0] for name, (run, _) in runs.items()}
        numbers[f"{rate:.0f}_Hz"] = {name: found for name, (_, found) in runs.items()}
        curves[f"{rate:.0f} Hz time_s"] = runs["iterative"][0].time
        curves |= {f"{rate:.0f} Hz {name} u_m": values for name, values in out.items()}
        apart[rate] = [
            100.0 * relative_difference(out[name], out["iterative"])
            for name in ("explicit", "modal", "explicit, mended")
        ]
        numbers[f"{rate:.0f}_Hz"]["explicit_modal_mended_off_percent"] = apart[rate]
    slow, fast = apart[RATE], apart[FINER * RATE]
    return Finding(
        key="ducceschi2019:fig7", title="Recorded output of the string", source=f"{PAPER}, Fig. 7",
        caption=
        f"Displacement at {OUTPUT_POSITION:g} m of the string of Fig. 4, at 44.1 kHz (top) and "
        "5 x 44.1 kHz (bottom).",
        numbers=numbers, curves=curves, statements=(Statement(
            paper="At the higher rate the outputs have converged.",
            computed="differences from the iterative scheme at the same rate: explicit "
            f"{slow[0]:.2g} %, then {fast[0]:.2g} %; modal {slow[1]:.2g} %, then {fast[1]:.2g} %; "
            f"explicit, mended {slow[2]:.1g} %, then {fast[2]:.0e} %",
            verdict="agrees" if fast[0] < slow[0] and fast[1] < slow[1] else "disagrees"), ))


def _draw_fig7(finding: Finding) -> Drawing:
    drawing, axes = sheet(2, 1, height=3.6, sharex=True, sharey=True)
    for one, rate, letter in zip(axes, (RATE, FINER * RATE), "ab", strict=True):
        for name, scheme in SCHEMES.items():
            one.plot(MS * finding.curves[f"{rate:.0f} Hz time_s"],
                     MM * finding.curves[f"{rate:.0f} Hz {name} u_m"], label=name, **scheme.look)
        one.set_ylabel("u (mm)")
        one.set_title(f"({letter}) {rate / 1e3:g} kHz", loc="left", pad=2.0)
    axes[1].set(xlim=(0.0, 40.0), ylim=(-0.65, 0.65), xlabel="time (ms)")
    legend_below(drawing, axes[0])
    return drawing


def _figure(number: int, title: str, compute: Callable[[], Finding],
            draw: Callable[[Finding], Drawing]) -> Figure:
    return Figure(key=f"ducceschi2019:fig{number}", title=title, source=f"{PAPER}, Fig. {number}",
                  compute=compute, draw=draw)


FIGURES = (
    _figure(5, "Energies of the string, at audio rate", _fig5, _draw_energies),
    _figure(6, "Energies of the string, oversampled", _fig6, _draw_energies),
    _figure(7, "Recorded output of the string", _fig7, _draw_fig7),
)
