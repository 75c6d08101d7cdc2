"""`pysitar fit --body`: a modal body from the recorded response to a tap."""
from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import numpy as np

from pysitar.app.analysis.played_fit import play_fit
from pysitar.app.analysis.recording_warnings import warn_of_file
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.errors import ParameterError, counted, printable, quoted
from pysitar.fitting.body_file import BodyFit, body_text, cancelling_pairs, weigh_body
from pysitar.fitting.modes import Modes
from pysitar.fitting.recording import find_onset, find_second_onset, is_growing
from pysitar.models.definitions.loader import InstrumentError
from pysitar.output.audio import write_audio
from pysitar.output.file_transaction import FileTransaction
from pysitar.physics.checks import FloatArray

MODES = 200
PLUCK: list[tuple[str, str, dict[str, str]]] = [("string", "pluck", {})]        # the default one
PLAYED = 1.0                    # s of it
PEAK, LEAST_PEAK = 0.708, 1e-9  # full scale: of the default pluck, -3 dB
POOR = 0.3                      # of the energy: the sound is no response to one tap


def check_tap(command: str, file: str, sound: FloatArray, rate: float) -> None:
    """Raise a UsageError for a recording that is no tap: its search would take minutes."""
    second = find_second_onset(sound, rate, find_onset(sound, rate))
    if second is not None:
        raise UsageError(f"pysitar {command}: {quoted(file)} has a second stroke at "
                         f"{second / rate:.3f} s; expected one tap: cut it there")
    if is_growing(sound, rate):
        raise UsageError(f"pysitar {command}: {quoted(file)} does not die away; expected a tap at "
                         "the bridge, or an impulse response")


def write_body(command: str, arguments: argparse.Namespace, file: str, sound: FloatArray,
               rate: float, modes: Modes) -> int:
    """Write the body of a recording; return the exit code.

    Errors: UsageError, OSError.
    """
    name = "" if arguments.residual is None else Path(arguments.residual).name
    comment = (f"Fitted to {printable(file, '?')} by pysitar fit --body: "
               f"{counted(modes.count, 'mode')}.")
    try:
        body = weigh_body(modes, sound, rate)
        text = body_text(body, comment, name)
    except (ParameterError, InstrumentError) as error:
        raise UsageError(f"pysitar {command}: {quoted(file)}: {error}") from None
    if body.residual > POOR:
        raise UsageError(
            f"pysitar {command}: {quoted(file)} is not the response of modes to one tap: "
            f"{100.0 * body.residual:.0f} % of its energy is left; expected the recording of a tap "
            "at the bridge, or an impulse response")
    remainder = body.remainder(sound, rate)
    played = play_fit(text, PLUCK, PLAYED, rate, response=(name, remainder) if name else None)
    gain = PEAK / max(float(np.abs(played).max()), LEAST_PEAK)
    text = body_text(body, comment, name, gain)
    with FileTransaction() as transaction:
        transaction.place(arguments.output).write_text(text, encoding="utf-8")
        if arguments.residual is not None:
            write_audio(transaction.place(arguments.residual), remainder, rate, subtype="FLOAT")
    level = 10.0 * math.log10(max(body.residual, 1e-30))
    if arguments.json:
        print(json.dumps({"residual": level, "modes": _rows(body)}, indent=2))
    else:
        print("\n".join(_table(body)))
    _warn(file, body)
    if not arguments.quiet:
        report(one_line(f"{arguments.output}: a body of {counted(modes.count, 'mode')}; the "
                        f"residual is at {level:.1f} dB; its gain is such that the default pluck "
                        "peaks at -3 dB"))
    return DONE


def _warn(file: str, body: BodyFit) -> None:
    """Report modes whose weights are large because they cancel each other."""
    pairs = cancelling_pairs(body)
    if not pairs:
        return
    count = counted(len({mode for pair in pairs for mode in pair}), "mode")
    one, other = pairs[0]
    first, second = (f"{body.frequencies[index]:.3f} Hz" for index in (one, other))
    warn_of_file(file, (
        f"{count} nearly cancel each other, most of all those at {first} and {second}, whose "
        f"weights are {body.weights[one]:.4g} and {body.weights[other]:.4g}; expected the response "
        "of a body, whose modes lie apart, or fewer modes: see --modes"))


def _rows(body: BodyFit) -> list[dict[str, float]]:
    """Return the values of each mode."""
    return [{"frequency": hz, "q": q, "weight": weight} for hz, q, weight in zip(
        body.frequencies.tolist(), body.q.tolist(), body.weights.tolist(), strict=True)]


def _table(body: BodyFit) -> list[str]:
    """Return the lines of the table of the modes."""
    return ["        Hz          Q      weight", *(
        f"{row['frequency']:10.3f} {row['q']:10.4g} {row['weight']:11.4g}" for row in _rows(body))]
