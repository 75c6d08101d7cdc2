"""A fitted instrument as it plays, beside the recording that it is of."""
from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pysitar.api.render_memory import render
from pysitar.fitting.distance import compared_samples, log_spectral_distance
from pysitar.fitting.recording import find_onset
from pysitar.output.audio import write_audio
from pysitar.physics.checks import FloatArray
from pysitar.score.document import Score

FILE = "fitted.toml"
Events: TypeAlias = Sequence[tuple[str, str, Mapping[str, str]]]
LONGER = 0.1                    # s that is played beyond what is compared


@dataclass(frozen=True, slots=True)
class PlayedFit:
    """How near a fitted instrument is to its recording, both from their onsets on.

    Parameters: distance, log-spectral (dB); level, of the instrument over the recording (dB).
    """

    distance: float
    level: float


def play_fit(text: str, events: Events, seconds: float, rate: float, *,
             response: tuple[str, FloatArray] | None = None) -> FloatArray:
    """Return the sound of events of an instrument at one time, from then on, in one channel.

    Parameters: text, of the instrument's file; events, part, verb and values of each; seconds, of
    the sound; rate (Hz); response, name and values of the impulse response that the file names.
    Errors: ScoreError, RenderError, OSError.
    """
    with tempfile.TemporaryDirectory(prefix="pysitar-fit-") as folder:
        Path(folder, FILE).write_text(text, encoding="utf-8")
        if response is not None:
            write_audio(Path(folder, response[0]), response[1], rate, subtype="FLOAT")
        score = Score.from_events(
            [(0.0, f"t.{part}", verb, values) for part, verb, values in events],
            use={"t": FILE}, render={"channels": 1}, folder=Path(folder))
        return render(score, rate=round(rate), fade=0.0, stop=seconds).audio[:, 0]


def compare_fit(text: str, events: Events, sound: FloatArray, rate: float, *,
                response: tuple[str, FloatArray] | None = None) -> PlayedFit:
    """Return how near events of an instrument are to a recording.

    Parameters: sound (n,), the recording, and its rate (Hz); the others as in `play_fit`.
    Errors: ScoreError, RenderError, OSError.
    """
    stroke = sound[find_onset(sound, rate):]
    stroke = stroke[:compared_samples(stroke, rate)]
    played = play_fit(text, events, stroke.size / rate + LONGER, rate, response=response)
    played = played[find_onset(played, rate):][:stroke.size]
    energies = [float(part @ part) for part in (stroke, played)]
    return PlayedFit(log_spectral_distance(stroke, played, rate),
                     10.0 * math.log10(max(energies[1], 1e-300) / max(energies[0], 1e-300)))
