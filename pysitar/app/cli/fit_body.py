"""`pysitar fit --body`: a modal body from the recorded response to a tap."""
from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.errors import ParameterError, counted, printable, quoted
from pysitar.fitting.body_file import BodyFit, body_text, weigh_body
from pysitar.fitting.modes import Modes
from pysitar.models.definitions.loader import InstrumentError
from pysitar.output.audio import write_audio
from pysitar.output.file_transaction import FileTransaction
from pysitar.physics.checks import FloatArray

MODES = 200
POOR = 0.3                      # of the energy: the sound is no response to one tap


def write_body(command: str, arguments: argparse.Namespace, file: str, sound: FloatArray,
               rate: float, modes: Modes) -> int:
    """Write the body of a recording; return the exit code.

    Errors: UsageError, OSError.
    """
    try:
        body = weigh_body(modes, sound, rate)
        text = body_text(body, f"Fitted to {printable(file, '?')} by pysitar fit --body: "
                               f"{counted(modes.count, 'mode')}.",
                         "" if arguments.residual is None else Path(arguments.residual).name)
    except (ParameterError, InstrumentError) as error:
        raise UsageError(f"pysitar {command}: {quoted(file)}: {error}") from None
    if body.residual > POOR:
        raise UsageError(
            f"pysitar {command}: {quoted(file)} is not the response of modes to one tap: "
            f"{100.0 * body.residual:.0f} % of its energy is left; expected the recording of a tap "
            "at the bridge, or an impulse response")
    with FileTransaction() as transaction:
        transaction.place(arguments.output).write_text(text, encoding="utf-8")
        if arguments.residual is not None:
            write_audio(transaction.place(arguments.residual), body.remainder(sound, rate), rate,
                        subtype="FLOAT")
    level = 10.0 * math.log10(max(body.residual, 1e-30))
    if arguments.json:
        print(json.dumps({"residual": level, "modes": _rows(body)}, indent=2))
    else:
        print("\n".join(_table(body)))
    if not arguments.quiet:
        report(one_line(f"{arguments.output}: a body of {counted(modes.count, 'mode')}; the "
                        f"residual is at {level:.1f} dB"))
    return DONE


def _rows(body: BodyFit) -> list[dict[str, float]]:
    """Return the values of each mode."""
    return [{"frequency": hz, "q": q, "weight": weight} for hz, q, weight in zip(
        body.frequencies.tolist(), body.q.tolist(), body.weights.tolist(), strict=True)]


def _table(body: BodyFit) -> list[str]:
    """Return the lines of the table of the modes."""
    return ["        Hz          Q      weight", *(
        f"{row['frequency']:10.3f} {row['q']:10.4g} {row['weight']:11.4g}" for row in _rows(body))]
