"""`pysitar fit --string`: an instrument file of one string from the recording of a pluck."""
from __future__ import annotations

import argparse
import json
import math
from typing import Any

import numpy as np

from pysitar.app.analysis.recordings import read_recording
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.app.progress import bar_enabled, count_bar
from pysitar.errors import ParameterError, counted, printable, quoted
from pysitar.fitting.partials import MOST_ORDER
from pysitar.fitting.string_file import NAME, linear_density, polarisations, string_text
from pysitar.fitting.string_fit import LENGTH, StringFit, fit_string
from pysitar.output.files import write_atomically

SHOWN = (200.0, 1000.0, 4000.0)         # Hz: T60 of the fitted losses in the table
# of the table: key, format and width
COLUMNS = (("frequency", ".2f", 11), ("level", ".1f", 12), ("t60", ".4g", 12),
           ("t60_error", ".2g", 11), ("late_over_early", ".2f", 12), ("early_t60", ".4g", 12),
           ("early_t60_error", ".2g", 11), ("late_t60", ".4g", 12), ("late_t60_error", ".2g", 11),
           ("late_level", ".1f", 12))
OBJECT_ONLY = ("positions", "settled", "residual", "picture")


def run_string(command: str, arguments: argparse.Namespace) -> int:
    """Fit one string; return the exit code.

    Errors: UsageError, SoundFileError, OSError.
    """
    _check(command, arguments)
    [file] = arguments.recordings
    length = LENGTH if arguments.length is None else arguments.length
    sound, rate = read_recording(file, arguments.channel)
    with count_bar(MOST_ORDER, "partials", shown=bar_enabled(arguments.quiet)) as show:
        def step() -> None:
            if show is not None:
                show(file)

        try:
            fit = fit_string(sound, rate, length=length, pitch=arguments.pitch, step=step)
            density = linear_density(fit, tension=arguments.tension, density=arguments.density)
            comment = f"Fitted to {printable(file, '?')} by pysitar fit --string."
            text = string_text(fit, density=density, sound=sound, rate=rate, comment=comment)
        except ParameterError as error:
            if error.name == "audio":
                raise UsageError(f"pysitar {command}: {quoted(file)} is {error.value}; "
                                 f"{error.expected}") from None
            raise UsageError(f"pysitar {command}: {error}") from None
    write_atomically(arguments.output, text)
    found = string_report(fit, density)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(_table(found)))
    if not arguments.quiet:
        two = int(np.count_nonzero(~np.isnan(fit.late_t60s)))
        both = "" if len(found["strings"]) == 1 else (
            f"; play {NAME} and {NAME}{found['strings'][1]['name']} together")
        report(one_line(f"{arguments.output}: a string of {fit.f0:.2f} Hz, "
                        f"{counted(fit.orders.size, 'partial')}, {two} with two decays{both}"))
    return DONE


def string_report(fit: StringFit, density: float) -> dict[str, Any]:
    """Return the values of a fitted string by name; None where there is none."""
    columns = {"order": fit.orders.astype(int), "frequency": fit.frequencies, "level": fit.levels,
               "t60": fit.t60s, "t60_error": fit.t60_errors,
               "late_over_early": fit.late_over_early, "early_t60": fit.early_t60s,
               "early_t60_error": fit.early_t60_errors, "late_t60": fit.late_t60s,
               "late_t60_error": fit.late_t60_errors, "late_level": fit.late_levels,
               "late_level_error": fit.late_level_errors, "detuning": fit.detunings,
               "detuning_error": fit.detuning_errors}
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    laws = polarisations(fit)
    return {
        "f0": fit.f0, "f0_error": fit.f0_error, "b": fit.b,
        "b_error": fit.b_error if math.isfinite(fit.b_error) else None, "length": fit.length,
        "linear_density": density, "tension": density * (2.0 * fit.length * fit.f0)**2,
        "sigma0": fit.sigma0, "sigma1": fit.sigma1, "sigma3": fit.sigma3,
        "position": fit.position, "release": fit.release, "onset": fit.onset,
        "t60": {f"{hz:g} Hz": fit.t60(hz) if math.isfinite(fit.t60(hz)) else None for hz in SHOWN},
        "strings": [{"name": law.suffix, "sigma0": law.sigmas[0], "sigma1": law.sigmas[1],
                     "sigma3": law.sigmas[2], "cents": law.cents, "force": law.force}
                    for law in laws],
        "partials": [{key: None if math.isnan(value) else value
                      for key, value in zip(columns, row, strict=True)} for row in rows]}


def _check(command: str, arguments: argparse.Namespace) -> None:
    """Raise a UsageError unless the options are those of one string."""
    for option in OBJECT_ONLY:
        if getattr(arguments, option) is not None:
            raise UsageError(f"pysitar {command}: --{option} is of an object; expected no "
                             f"--{option} with --string")
    if len(arguments.recordings) != 1:
        raise UsageError(f"pysitar {command}: there are {len(arguments.recordings)} recordings; "
                         "expected one with --string")
    if (arguments.tension is None) == (arguments.density is None):
        what = "neither" if arguments.tension is None else "both"
        raise UsageError(
            f"pysitar {command}: {what} of --tension and --density are named; expected one of "
            "them: a sound shows only their quotient, (2 length f0)^2")


def _table(found: dict[str, Any]) -> list[str]:
    """Return the lines of the table of a string."""
    error = "-" if found["b_error"] is None else f"{found['b_error']:.1g}"
    t60s = ", ".join("-" if value is None else f"{value:.3g}" for value in found["t60"].values())
    lines = [
        f"{'f0':28} {found['f0']:.3f} +- {found['f0_error']:.1g} Hz",
        f"{'B':28} {found['b']:.3g} +- {error}",
        f"{'T60 at 200, 1000, 4000 Hz':28} {t60s} s",
        f"{'sigma0, sigma1, sigma3':28} {found['sigma0']:.3g}, {found['sigma1']:.3g}, "
        f"{found['sigma3']:.3g}",
        f"{'plucked at':28} {1000.0 * found['position']:.0f} mm of {found['length']:g} m",
        f"{'tension, density':28} {found['tension']:.4g} N, {found['linear_density']:.4g} kg/m",
        "", "order         Hz   level, dB      T60, s   error, s  late/early    early, s   error, s"
        "     late, s   error, s   level, dB"]
    for row in found["partials"]:
        numbers = "".join(f"{'-' if row[key] is None else format(row[key], form):>{width}}"
                          for key, form, width in COLUMNS)
        lines.append(f"{row['order']:5d}{numbers}")
    return lines
