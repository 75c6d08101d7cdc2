"""`pysitar fit --string`: an instrument file of a string from the recording of a pluck, or of
several with their body."""
from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pysitar.app.analysis.played_fit import compare_fit
from pysitar.app.analysis.recording_warnings import warn_of_recording
from pysitar.app.analysis.recordings import named_errors, read_recording
from pysitar.app.cli.fit_checks import check_response, refuse_options, response_name
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.app.progress import bar_enabled, count_bar
from pysitar.errors import counted, printable
from pysitar.fitting.body_division import divide_body
from pysitar.fitting.partials import MOST_ORDER
from pysitar.fitting.string_file import (
    NAME,
    SECOND,
    linear_density,
    notes_text,
    polarisations,
    string_text,
)
from pysitar.fitting.string_fit import LENGTH, StringFit, fit_string
from pysitar.models.definitions.loader import InstrumentError
from pysitar.output.audio import write_audio
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.files import write_atomically
from pysitar.physics.checks import FloatArray

SHOWN = (200.0, 1000.0, 4000.0)         # Hz: T60 of the fitted losses in the table
# of the table: key, format and width
COLUMNS = (("frequency", ".2f", 11), ("level", ".1f", 12), ("t60", ".4g", 12),
           ("t60_error", ".2g", 11), ("late_over_early", ".2f", 12), ("early_t60", ".4g", 12),
           ("early_t60_error", ".2g", 11), ("late_t60", ".4g", 12), ("late_t60_error", ".2g", 11),
           ("late_level", ".1f", 12))
MOST_NOTES = 64
RESPONSE = "_body.wav"          # end of the name of the body's impulse response
OBJECT_ONLY = ("positions", "modes", "settled", "no_response", "residual", "picture")


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """A recording with its string.  Parameters: file; sound (n,) and rate (Hz); fit; density
    (kg/m)."""

    file: str
    sound: FloatArray
    rate: float
    fit: StringFit
    density: float


def run_string(command: str, arguments: argparse.Namespace) -> int:
    """Fit one string, or one for each of several notes and their body; return the exit code.

    Errors: UsageError, SoundFileError, OSError.
    """
    _check(command, arguments)
    if len(arguments.recordings) > 1:
        check_response(command, arguments, response_name(arguments.output, RESPONSE),
                       "the impulse response of the body", "expected another name after -o")
    sounds = [read_recording(file, arguments.channel) for file in arguments.recordings]
    with count_bar(len(sounds) * MOST_ORDER, "partials",
                   shown=bar_enabled(arguments.quiet)) as show:
        notes = [_fit_note(command, arguments, file, sound, rate,
                           None if show is None else partial(show, file))
                 for file, (sound, rate) in zip(arguments.recordings, sounds, strict=True)]
    for note in notes:
        warn_of_recording(note.file, note.sound, note.rate)
    if len(notes) > 1:
        return _write_notes(command, arguments, notes)
    [note] = notes
    comment = f"Fitted to {printable(note.file, '?')} by pysitar fit --string."
    with named_errors(command, note.file):
        text = string_text(note.fit, density=note.density, sound=note.sound, rate=note.rate,
                           comment=comment)
    laws = polarisations(note.fit)
    played = compare_fit(text, [(f"{NAME}{law.suffix}", "pluck", {}) for law in laws], note.sound,
                         note.rate)
    write_atomically(arguments.output, text)
    found = string_report(note.fit, note.density) | {
        "played_distance": played.distance, "played_level": played.level}
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(_table(found)))
    if not arguments.quiet:
        two = int(np.count_nonzero(~np.isnan(note.fit.late_t60s)))
        both = "" if len(found["strings"]) == 1 else (
            f"; play {NAME} and {NAME}{SECOND} together")
        report(one_line(f"{arguments.output}: a string of {note.fit.f0:.2f} Hz, "
                        f"{counted(note.fit.orders.size, 'partial')}, {two} with two decays{both}; "
                        f"as it plays it is {played.distance:.1f} dB (log-spectral distance) from "
                        "the recording: one note shows no body, which several notes do"))
    return DONE


def _fit_note(command: str, arguments: argparse.Namespace, file: str, sound: FloatArray,
              rate: float, step: Callable[[], object] | None) -> Note:
    """Return one recording with its string.  Errors: UsageError."""
    length = LENGTH if arguments.length is None else arguments.length

    def show() -> None:
        if step is not None:
            step()

    with named_errors(command, file):
        fit = fit_string(sound, rate, length=length, pitch=arguments.pitch, step=show)
        density = linear_density(fit, tension=arguments.tension, density=arguments.density)
    return Note(file, sound, rate, fit, density)


def _write_notes(command: str, arguments: argparse.Namespace, notes: list[Note]) -> int:
    """Write the strings of several notes and the impulse response of their body; return the exit
    code.  Errors: UsageError, OSError."""
    body = divide_body([note.fit for note in notes])
    rate = max(note.rate for note in notes)
    response = Path(response_name(arguments.output, RESPONSE))
    files = [printable(note.file, "?") for note in notes]
    try:
        text = notes_text(
            body, densities=[note.density for note in notes], response=response.name,
            comments=[f"Fitted to {counted(len(notes), 'note')} by pysitar fit --string.", *files])
    except InstrumentError as error:
        raise UsageError(f"pysitar {command}: {error}") from None
    with FileTransaction() as transaction:
        transaction.place(arguments.output).write_text(text, encoding="utf-8")
        write_audio(transaction.place(str(response)), body.response(rate), rate, subtype="FLOAT")
    found = {
        "body": {"response": str(response), "deviation": body.deviation,
                 "points": [{"frequency": hz, "level": level} for hz, level in zip(
                     body.frequencies.tolist(), body.levels.tolist(), strict=True)]},
        "notes": [{"file": note.file, "strength": strength, **string_report(fit, note.density)}
                  for note, fit, strength in zip(notes, body.strings, body.strengths.tolist(),
                                                 strict=True)]}
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(_notes_table(found)))
    if not arguments.quiet:
        report(one_line(
            f"{arguments.output}: {counted(len(notes), 'string')}; {response}: their body; the "
            f"partials of a note are {body.deviation:.1f} dB (rms) from the body of the others"))
    return DONE


def _notes_table(found: dict[str, Any]) -> list[str]:
    """Return the lines of the table of several notes and of their body."""
    lines = ["string         f0, Hz          B  plucked, mm  strength, dB  partials  file"]
    for index, note in enumerate(found["notes"], 1):
        lines.append(f"{NAME}_{index:<3d} {note['f0']:13.3f} {note['b']:10.3g} "
                     f"{1000.0 * note['position']:12.0f} {note['strength']:13.1f} "
                     f"{len(note['partials']):9d}  {printable(note['file'], '?')}")
    lines += ["", "    body, Hz   level, dB of full scale for 1 N"]
    return lines + [f"{point['frequency']:12.1f} {point['level']:11.1f}"
                    for point in found["body"]["points"]]


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
        "t60_range": [float(fit.frequencies.min()), float(fit.frequencies.max())],
        "t60": {f"{hz:g} Hz": fit.t60(hz) if math.isfinite(fit.t60(hz)) else None for hz in SHOWN},
        "strings": [{"name": law.suffix, "sigma0": law.sigmas[0], "sigma1": law.sigmas[1],
                     "sigma3": law.sigmas[2], "cents": law.cents, "force": law.force}
                    for law in laws],
        "partials": [{key: None if math.isnan(value) else value
                      for key, value in zip(columns, row, strict=True)} for row in rows]}


def _check(command: str, arguments: argparse.Namespace) -> None:
    """Raise a UsageError unless the options are those of one string."""
    refuse_options(command, arguments, OBJECT_ONLY, "of an object", "with --string")
    if len(arguments.recordings) > MOST_NOTES:
        raise UsageError(f"pysitar {command}: there are {len(arguments.recordings)} recordings; "
                         f"expected at most {MOST_NOTES}")
    if arguments.pitch is not None and len(arguments.recordings) > 1:
        raise UsageError(f"pysitar {command}: --pitch is of one recording, and there are "
                         f"{len(arguments.recordings)}; expected one, or no --pitch")
    if (arguments.tension is None) == (arguments.density is None):
        what = ("neither of --tension and --density is" if arguments.tension is None else
                "both of --tension and --density are")
        raise UsageError(
            f"pysitar {command}: {what} named; expected one of "
            "them: a sound shows only their quotient, (2 length f0)^2")


def _table(found: dict[str, Any]) -> list[str]:
    """Return the lines of the table of a string."""
    error = "-" if found["b_error"] is None else f"{found['b_error']:.1g}"
    low, high = found["t60_range"]
    outside = [not low <= hz <= high for hz in SHOWN]
    t60s = ", ".join("-" if value is None else f"{value:.3g}{'*' * far}" for value, far in zip(
        found["t60"].values(), outside, strict=True))
    lines = [
        f"{'f0':28} {found['f0']:.3f} +- {found['f0_error']:.1g} Hz",
        f"{'B':28} {found['b']:.3g} +- {error}",
        f"{'T60 at 200, 1000, 4000 Hz':28} {t60s} s",
        *([f"{'':28} * by the law: the partials are from {low:.0f} to {high:.0f} Hz"]
          if any(outside) else []),
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
