"""`pysitar fit` of an object: its instrument file, and how near that is to the recordings as it
plays."""
from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysitar.app.analysis.fit_picture import draw_fit
from pysitar.app.analysis.played_fit import PlayedFit, compare_fit, play_fit
from pysitar.app.analysis.recording_warnings import warn_of_file
from pysitar.app.cli.fit_checks import check_response, response_name
from pysitar.app.messages import DONE, list_first, one_line, report
from pysitar.errors import counted, printable
from pysitar.fitting.blow_response import BlowResponse, refit_blow_response
from pysitar.fitting.modes import Modes
from pysitar.fitting.object_file import (
    ObjectModes,
    fit_object_response,
    join_strikes,
    object_text,
    onset_modes,
)
from pysitar.fitting.object_report import (
    contradictions,
    fit_quality,
    mode_rows,
    split_sound,
)
from pysitar.output.audio import write_audio
from pysitar.output.file_transaction import FileTransaction
from pysitar.physics.checks import FloatArray

OBJECT = "object"               # name of the object in the file
STRIKE: list[tuple[str, str, dict[str, str]]] = [(OBJECT, "strike", {})]        # the default one
RESPONSE = "_blow.wav"          # end of the name of the blow's impulse response
NEAR = 0.5                      # dB: a file as near as that needs no response
LESS = 0.8                      # of its distance, with a response that is worth a second file
SHOWN = 3                       # contradictions in a warning
UNEXPLAINED = -6.0              # dB: a greater residual is no fit
POOR = -30.0                    # dB: a residual over it may hold more modes


@dataclass(frozen=True, slots=True, eq=False)
class Strike:
    """A recording with its modes.  Parameters: file, sound (n,), rate (Hz), modes."""

    file: str
    sound: FloatArray
    rate: float
    modes: Modes


@dataclass(frozen=True, slots=True, eq=False)
class ObjectFile:
    """An instrument file that is not written yet.

    Parameters: text; played, how near it is to each recording; response, the name of the impulse
    response it needs ("": none), its values, and the distance (dB) without it.
    """

    text: str
    played: tuple[PlayedFit, ...]
    response: str = ""
    blow: BlowResponse | None = None
    without: float | None = None


def write_object(command: str, arguments: argparse.Namespace, strikes: Sequence[Strike],
                 positions: Sequence[str]) -> int:
    """Write the object of some strikes, and the report; return the exit code.

    Parameters: positions, of the strikes ("": not named).
    Errors: UsageError, ScoreError, RenderError, OSError.
    """
    response = response_name(arguments.output, RESPONSE)
    file = _plain_file(strikes, positions)
    if len(strikes) == 1 and not arguments.no_response and file.played[0].distance > NEAR:
        file = _file_with_response(file, strikes[0], Path(response).name)
    if file.blow is not None:
        check_response(command, arguments, response, "the impulse response of the blow",
                       "expected another name after -o, or --no-response")
    _write(arguments, file, strikes[0], response)
    found = _report(strikes, file, None if file.blow is None else response)
    print(json.dumps(found, indent=2) if arguments.json else "\n".join(_table(found)))
    _warn(found)
    if not arguments.quiet:
        report(one_line(_summary(arguments, found, file)))
    return DONE


def _plain_file(strikes: Sequence[Strike], positions: Sequence[str]) -> ObjectFile:
    """Return the file of some strikes without an impulse response."""
    first = strikes[0]
    several = len(strikes) > 1
    modes = (join_strikes([strike.modes for strike in strikes]) if several else
             onset_modes(first.modes, first.sound, first.rate))
    places = [f"p{index}" for index in range(1, len(strikes) + 1)] if several else []
    names = [printable(strike.file, "?") for strike in strikes]
    text = object_text(
        modes, comment=_comment(strikes, modes), places=places,
        descriptions=[f"{position}: {name}" if position else name
                      for position, name in zip(positions, names, strict=True)])
    events = [{"place": place} for place in places] if several else [{}]
    return ObjectFile(text, tuple(
        compare_fit(text, [(OBJECT, "strike", values)], strike.sound, strike.rate)
        for strike, values in zip(strikes, events, strict=True)))


def _file_with_response(plain: ObjectFile, strike: Strike, name: str) -> ObjectFile:
    """Return the file of a strike with the impulse response of its blow, or the plain one where
    that is not much farther from the recording.  Parameters: name, of the response's file."""
    found = fit_object_response(strike.modes, strike.sound, strike.rate)
    if found is None or found[1].distance > LESS * plain.played[0].distance:
        return plain
    modes, blow = found
    alone = object_text(modes)
    seconds = (strike.sound.size / strike.rate) - strike.modes.onset
    blow = refit_blow_response(blow, play_fit(alone, STRIKE, seconds, strike.rate), strike.sound,
                               onset=strike.modes.onset)
    text = object_text(modes, comment=_comment([strike], modes), response=name)
    played = compare_fit(text, STRIKE, strike.sound, strike.rate,
                         response=(name, blow.values))
    if played.distance > LESS * plain.played[0].distance:
        return plain
    return ObjectFile(text, (played,), name, blow, plain.played[0].distance)


def _comment(strikes: Sequence[Strike], modes: ObjectModes) -> str:
    files = ", ".join(printable(strike.file, "?") for strike in strikes)
    return f"Fitted to {files} by pysitar fit: {counted(modes.frequencies.size, 'mode')}."


def _write(arguments: argparse.Namespace, file: ObjectFile, strike: Strike,
           response: str) -> None:
    """Write the instrument, its response, and residual and picture where they are named: all or
    none."""
    fitted, residual = split_sound(strike.sound, strike.rate, strike.modes)
    with FileTransaction() as transaction:
        transaction.place(arguments.output).write_text(file.text, encoding="utf-8")
        if file.blow is not None:
            write_audio(transaction.place(response), file.blow.values, strike.rate,
                        subtype="FLOAT")
        if arguments.residual is not None:
            write_audio(transaction.place(arguments.residual), residual, strike.rate,
                        subtype="FLOAT")
        if arguments.picture is not None:
            panels = [(printable(strike.file, "?"), strike.sound),
                      (counted(strike.modes.count, "mode"), fitted), ("residual", residual)]
            transaction.place(arguments.picture).write_bytes(draw_fit(panels, strike.rate))


def _report(strikes: Sequence[Strike], file: ObjectFile, response: str | None) -> dict[str, Any]:
    """Return the report of the strikes.  Parameters: response, the file of the blow's."""
    return {"response": response, "response_length": (
        None if file.blow is None else file.blow.values.size / file.blow.rate),
        "distance_without_response": file.without, "strikes": [
        {"file": strike.file, **fit_quality(strike.sound, strike.rate, strike.modes),
         "played_distance": played.distance, "played_level": played.level,
         "modes": mode_rows(strike.sound, strike.rate, strike.modes)}
        for strike, played in zip(strikes, file.played, strict=True)]}


def _warn(found: dict[str, Any]) -> None:
    """Report modes whose decays are not those of their bands, and a fit that explains little."""
    for strike in found["strikes"]:
        texts = contradictions(strike["modes"])
        if texts:
            warn_of_file(strike["file"], (
                f"the T60 of {counted(len(texts), 'mode')} is not that of the "
                f"line through the level of the band, by more than three standard errors: "
                f"{list_first(texts, SHOWN, '; ')}; expected one decay and no other mode near it"))
        if strike["residual"] > UNEXPLAINED:
            warn_of_file(strike["file"], (
                f"the modes leave {strike['residual']:.1f} dB of the sound; "
                f"expected {UNEXPLAINED:g} dB or less: a stroke of an object that rings"))


def _summary(arguments: argparse.Namespace, found: dict[str, Any], file: ObjectFile) -> str:
    """Return the line for standard error."""
    first = found["strikes"][0]
    modes = file.text.partition(" by pysitar fit: ")[2].partition(".\n")[0]
    distances = ", ".join(f"{strike['played_distance']:.2f}" for strike in found["strikes"])
    text = (f"{arguments.output}: {modes}; as it plays it is {distances} dB (log-spectral "
            f"distance) from the recording, its level {first['played_level']:+.1f} dB; the modes "
            f"alone leave a residual at {first['residual']:.1f} dB")
    if file.blow is not None:
        text += (f"; {found['response']}: what the blow adds, "
                 f"{1000.0 * found['response_length']:.0f} ms, which the instrument needs beside "
                 "it")
    if len(first["modes"]) == arguments.modes and first["residual"] > POOR:
        text += f"; there may be more modes than {arguments.modes}: see --modes"
    return text


def _table(found: dict[str, Any]) -> list[str]:
    """Return the lines of the table of the modes."""
    lines = []
    for strike in found["strikes"]:
        if len(found["strikes"]) > 1:
            lines.append(printable(strike["file"], "?"))
        lines.append("        Hz  error, Hz     T60, s   error, s  band T60, s   amplitude      "
                     "error")
        for row in strike["modes"]:
            band = "-" if row["t60_band"] is None else f"{row['t60_band']:.4g}"
            lines.append(
                f"{row['frequency']:10.3f} {row['frequency_error']:10.2g} {row['t60']:10.4g} "
                f"{row['t60_error']:10.2g} {band:>12} {row['amplitude']:11.4g} "
                f"{row['amplitude_error']:10.2g}")
    return lines
