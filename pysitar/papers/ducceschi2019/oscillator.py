"""A mass on a spring that strikes a barrier (figures 1, 2 and 3)."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import pysitar
from pysitar.papers.ducceschi2019.plucked import PAPER, RATE
from pysitar.papers.finding import Figure, Finding, Numbers, Statement
from pysitar.papers.style import BLACK, BLUE, ORANGE, VERMILION, legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

# kg, Hz, m, -, m, m/s
MASS, FREQUENCY, BARRIER, EXPONENT, START, SPEED = 0.01, 10.0, 0.2, 1.1, -0.5, 1.0
SOFT, HARD = 5e4, 7e7           # N/m^1.1
DURATION = 1.0                  # s
FINER = 5
SCHEMES: dict[str, tuple[str, str | None]] = {
    "iterative": ("iterative", None),
    "explicit": ("explicit", "paper"),
    "explicit, mended": ("explicit", "release"),
}
LOOKS: dict[str, dict[str, Any]] = {
    "iterative": {"color": VERMILION, "linestyle": "-"},
    "explicit": {"color": BLUE, "linestyle": "--"},
    "explicit, mended": {"color": ORANGE, "linestyle": ":", "linewidth": 1.4},
}
WINDOWS = {"early": (0.0, 0.2), "late": (0.8, 1.0)}       # s; the paper does not give its own
SETTLED = 5e-3                  # s after a contact, from which every variant is constant
OMEGA = 2.0 * math.pi * FREQUENCY


def run_oscillator(
    name: str,
    stiffness: float,
    rate: float,
    *,
    duration: float = DURATION,
    start: float = START,
    variant: str | None = None,
) -> pysitar.MassRun:
    """Return a run of a scheme, or of a further variant of the explicit one."""
    scheme, own = SCHEMES[name]
    return pysitar.mass_barrier(mass=MASS, stiffness=stiffness, exponent=EXPONENT,
                                frequency=FREQUENCY, barrier=BARRIER, sample_rate=rate,
                                steps=round(duration * rate) + 1, position=start, velocity=SPEED,
                                scheme=scheme, variant=variant or own)


def orbit(stiffness: float) -> pysitar.analytic.OscillatorOrbit:
    """Return the exact, periodic motion."""
    return pysitar.analytic.oscillator_orbit(mass=MASS, stiffness=stiffness, exponent=EXPONENT,
                                             frequency=FREQUENCY, position=START, velocity=SPEED,
                                             barrier=BARRIER)


def barrier_energy(run: pysitar.MassRun) -> FloatArray:
    """Return the energy in the barrier (J): the total less that of the mass and of its spring."""
    u = run.position
    spring = np.empty_like(u)
    spring[1:] = 0.5 * MASS * OMEGA**2 * u[1:] * u[:-1]
    spring[0] = run.energy[0] - 0.5 * MASS * run.velocity[0] ** 2
    return np.asarray(run.energy - 0.5 * MASS * run.velocity**2 - spring)


def impacts(run: pysitar.MassRun, rate: float) -> tuple[list[float], list[float]]:
    """Return the speed (m/s) with which the mass passes the barrier after each contact, and the
    fraction of the energy that is still in the barrier."""
    inside = run.position > BARRIER
    out = np.flatnonzero(inside[:-1] & ~inside[1:]) + 1 + round(SETTLED * rate)
    held, speeds, parts = barrier_energy(run), [], []
    for n in out[out < run.position.size].tolist():
        squared = 2.0 * float(run.energy[n] - held[n]) / MASS - (OMEGA * BARRIER) ** 2
        speeds.append(math.sqrt(max(squared, 0.0)))
        parts.append(float(held[n] / run.energy[n]))
    return speeds, parts


def compare_schemes(stiffness: float, rate: float) -> tuple[Numbers, dict[str, FloatArray]]:
    """Return the numbers and curves of all schemes."""
    exact = orbit(stiffness)
    numbers: Numbers = {
        "exact": {
            "energy_J": exact.energy, "speed_m_per_s": exact.impact_speed, "period_s": exact.period,
            "compression_m": exact.compression, "contact_time_s": exact.contact_time
        }
    }
    curves: dict[str, FloatArray] = {}
    for name in SCHEMES:
        run = run_oscillator(name, stiffness, rate)
        speeds, parts = impacts(run, rate)
        first = int(np.flatnonzero(run.position > BARRIER)[0])
        numbers[name] = {
            "contacts": run.contacts,
            "speeds_after_m_per_s": speeds,
            "energy_left_in_barrier": parts,
            "first_inside": first,
            "positions_from_there_m": run.position[first:first + 4].tolist(),
            "greatest_position_m": float(run.position.max()),
            "first_energy_J": float(run.energy[0]),
            "drift_of_energy": float(np.abs(run.energy / run.energy[0] - 1.0).max()),
        }
        kept = np.logical_or.reduce([(run.time >= begin) & (run.time <= end)
                                     for begin, end in WINDOWS.values()])
        values = {
            f"{name} u_m": run.position, f"{name} phi_J": barrier_energy(run),
            f"{name} dH": run.energy / run.energy[0] - 1.0
        }
        curves |= {key: curve[kept] for key, curve in ({"time_s": run.time} | values).items()}
    return numbers, curves


def format_values(values: list[float], count: int = 4) -> str:
    """Return the first `count` values as text."""
    return ", ".join(f"{value:.4f}" for value in values[:count])


def _speeds(numbers: Numbers) -> str:
    return "; ".join(
        f"{name} {format_values(numbers[name]['speeds_after_m_per_s'])}" for name in SCHEMES) + (
            f" m/s after the first four impacts; exact {numbers['exact']['speed_m_per_s']:.4f} m/s")


def _energy_statement(numbers: Numbers) -> Statement:
    drift = max(numbers[name]["drift_of_energy"] for name in SCHEMES)
    return Statement(paper="The total energy is conserved to rounding.",
                     computed=f"to {drift:.0e} of it over 1 s, in every scheme",
                     verdict="agrees" if drift < 1e-12 else "disagrees")


def _caption(stiffness: float, rate: str) -> str:
    return (
        f"Mass of 10 g on a spring of 10 Hz, from -0.5 m with 1 m/s, barrier at 0.2 m, exponent "
        f"1.1, stiffness {stiffness:.0e} N/m^1.1, at {rate}. Displacement, energy in the barrier "
        "(in the explicit scheme psi^2 / 2) and change of the total energy, over 0.2 s at the "
        "beginning and at the end of 1 s.")


def _fig1() -> Finding:
    numbers, curves = compare_schemes(SOFT, RATE)
    off = max(
        abs(one / numbers["exact"]["speed_m_per_s"] - 1.0)
        for one in numbers["explicit"]["speeds_after_m_per_s"])
    return Finding(
        key="ducceschi2019:fig1", title="An oscillator and a soft barrier",
        source=f"{PAPER}, Fig. 1", caption=_caption(SOFT, "44.1 kHz"),
        numbers=numbers | {"speed_off_explicit": off}, curves=curves, statements=(
            Statement(paper="Both schemes agree for a long time.", computed=_speeds(numbers),
                      verdict="agrees" if off < 1e-3 else "disagrees"),
            _energy_statement(numbers),
            Statement(
                paper="In (23) a is the height of the barrier less the displacement before.",
                verdict="paper is wrong", computed=
                "expected the displacement less the height, as eta in (11): otherwise a mass at "
                f"rest, 0.2 m before the barrier, would be {BARRIER:g} m inside the barrier"),
        ))


def _fig2() -> Finding:
    numbers, curves = compare_schemes(HARD, RATE)
    plain, mended = numbers["explicit"], numbers["explicit, mended"]
    true = max(
        abs(one / numbers["exact"]["speed_m_per_s"] - 1.0)
        for one in mended["speeds_after_m_per_s"])
    return Finding(
        key="ducceschi2019:fig2", title="An oscillator and a hard barrier",
        source=f"{PAPER}, Fig. 2", caption=_caption(HARD, "44.1 kHz"),
        numbers=numbers | {"speed_off_mended": true}, curves=curves, statements=(
            Statement(
                paper=
                "The explicit scheme has another solution than the iterative one, with too low "
                "velocities after impacts.",
                computed=_speeds(numbers),
                verdict="agrees" if plain["speeds_after_m_per_s"][0] < 20.0 else "disagrees"),
            Statement(
                paper=
                "The excess of kinetic energy becomes potential energy, so that the whole is kept.",
                verdict="agrees" if plain["energy_left_in_barrier"][0] > 0.01 else "disagrees",
                computed=
                ("fractions of the energy left in the barrier after the first impacts: "
                 f"{format_values(plain['energy_left_in_barrier'], 2)}; later ones depend on "
                 "rounding")),
            Statement(
                paper="Wrong velocities are the price of a scheme without iteration at such a "
                      "rate.",
                verdict="disagrees" if true < 1e-4 else "agrees", computed=
                (f"with the variable set to 0 when the mass leaves the barrier, the speed of the "
                 f"explicit scheme is exact to {true:.0e} after all "
                 f"{len(mended['speeds_after_m_per_s'])} impacts, at the same cost")),
            _energy_statement(numbers),
        ))


def _fig3() -> Finding:
    numbers, curves = compare_schemes(HARD, FINER * RATE)
    parts = [
        abs(one / numbers["exact"]["speed_m_per_s"] - 1.0)
        for one in numbers["explicit"]["speeds_after_m_per_s"]
    ]
    early, off = max(parts[:5]), max(parts)
    return Finding(
        key="ducceschi2019:fig3", title="An oscillator and a hard barrier, oversampled",
        source=f"{PAPER}, Fig. 3", caption=_caption(HARD, "5 x 44.1 kHz"),
        numbers=numbers | {"speed_off_explicit": off}, curves=curves, statements=(
            Statement(
                paper="At the higher rate the schemes agree.",
                verdict="agrees" if off < 5e-3 else "disagrees", computed=
                f"over the first five impacts to {100 * early:.2g} %, over 1 s only to "
                f"{100 * off:.2g} %: {_speeds(numbers)}"),
            _energy_statement(numbers),
        ))


def _draw(finding: Finding) -> Drawing:
    drawing, axes = sheet(3, 2, height=4.6, sharex="col", sharey="row")
    curves = finding.curves
    for column, (first, last) in enumerate(WINDOWS.values()):
        there = (curves["time_s"] >= first) & (curves["time_s"] <= last)
        for name, look in LOOKS.items():
            for row, (key, scale) in enumerate((("u_m", 1.0), ("phi_J", 1.0), ("dH", 1e13))):
                axes[2 * row + column].plot(curves["time_s"][there],
                                            scale * curves[f"{name} {key}"][there], label=name,
                                            **look)
        axes[column].axhline(BARRIER, color=BLACK, linewidth=0.6)
        axes[4 + column].set(xlabel="time (s)", xlim=(first, last))
    for one, letters in zip(axes, "abcdef", strict=True):
        one.set_title(f"({letters})", loc="left", pad=2.0)
    axes[0].set(ylabel="u (m)", ylim=(-0.55, 0.28))
    axes[2].set(ylabel=r"$\phi$ (J)", ylim=(-0.3, 5.4))
    axes[4].set_ylabel(r"$\Delta H$ ($10^{-13}$)")
    legend_below(drawing, axes[0])
    return drawing


def _figure(number: int, title: str, compute: Callable[[], Finding]) -> Figure:
    return Figure(key=f"ducceschi2019:fig{number}", title=title, source=f"{PAPER}, Fig. {number}",
                  compute=compute, draw=_draw)


FIGURES = (
    _figure(1, "An oscillator and a soft barrier", _fig1),
    _figure(2, "An oscillator and a hard barrier", _fig2),
    _figure(3, "An oscillator and a hard barrier, oversampled", _fig3),
)
