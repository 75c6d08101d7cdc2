"""Impulse responses of bodies and rooms, read from sound files for a render."""
from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped]

from pysitar.errors import ParameterError, Place, quoted
from pysitar.physics.checks import FloatArray
from pysitar.physics.resampling import resample_response
from pysitar.rendering.plan import BodyResponse
from pysitar.score.source_files import Source, read_data
from pysitar.score.tokens import score_error
from pysitar.system.wav_header import missing_frames

LONGEST = 4.0                   # s
ENDING = ".wav"
LOUDEST = 1e6                   # of a value, full scale 1


def read_body_response(file: str, folder: Path, *, rate: int, place: Place,
                       sources: list[Source] | None, beside_modes: bool) -> BodyResponse:
    """Return the impulse response of a body at a rate.

    Parameters: as in `read_response`; beside_modes, whether it is added to the sound of modes.
    Errors: ScoreError.
    """
    found, own = _read(file, folder, channels=1, place=place, sources=sources)
    values, delay = found[0], None
    if beside_modes and own != rate:
        delay = _resampled(np.ones(1), own, rate, _shown(file, folder), place)
    return BodyResponse(_resampled(values, own, rate, _shown(file, folder), place), delay)


def read_response(file: str, folder: Path, *, rate: int, channels: int, place: Place,
                  sources: list[Source] | None) -> FloatArray:
    """Return an impulse response at a rate, as (n, channels) values.

    Parameters: file, its name; folder, to which it is relative; rate, of the render (Hz); channels,
    the most that are expected; place, of errors; sources, to which the file is appended.
    Errors: ScoreError.
    """
    found, own = _read(file, folder, channels=channels, place=place, sources=sources)
    shown = _shown(file, folder)
    return np.stack([_resampled(one, own, rate, shown, place) for one in found], axis=1)


def _read(file: str, folder: Path, *, channels: int, place: Place,
          sources: list[Source] | None) -> tuple[FloatArray, int]:
    """Return the channels of a file, (channels, n), without the silence at their end, and its rate
    (Hz).  Errors: ScoreError."""
    shown = _shown(file, folder)
    data = read_data(folder / file, shown, ENDING, place, sources)
    name = quoted(shown)
    try:
        values, own = soundfile.read(io.BytesIO(data), dtype="float64", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError, TypeError) as error:
        raise score_error(place, f"{name} cannot be read as a sound ({_why(error)}); expected a "
                                 ".wav file") from None
    missing = missing_frames(io.BytesIO(data))
    if missing is not None:
        raise score_error(place, f"{missing[0]} of {missing[1]} frames of {name} are missing; "
                                 "expected the whole file")
    found = np.ascontiguousarray(values.T)
    if len(found) > channels:
        limit = "one channel" if channels == 1 else f"at most {channels} channels"
        raise score_error(place, f"{name} has {len(found)} channels; expected {limit}")
    seconds = found.shape[1] / own
    if seconds > LONGEST:
        raise score_error(place, f"{name} lasts {seconds:.3g} s; expected at most {LONGEST:g} s: "
                                 "cut it where it has died away")
    if not np.isfinite(found).all() or np.abs(found).max(initial=0.0) > LOUDEST:
        raise score_error(place, f"{name} has values that are not finite or over {LOUDEST:g}; "
                                 "expected an impulse response")
    if not found.any():
        raise score_error(place, f"{name} is silent; expected an impulse response")
    last = int(np.flatnonzero(found.any(axis=0))[-1]) + 1
    return np.ascontiguousarray(found[:, :last]), int(own)


def _resampled(values: FloatArray, own: int, rate: int, shown: str, place: Place) -> FloatArray:
    """Return a channel at another rate.  Errors: ScoreError."""
    try:
        return resample_response(values, own, rate)
    except ParameterError as error:
        raise score_error(place, f"{quoted(shown)}: {error}") from None


def _shown(file: str, folder: Path) -> str:
    return os.path.normpath(os.path.join(str(folder), file))


def _why(error: Exception) -> str:
    return str(error).rpartition(": ")[2].rstrip(".") or type(error).__name__
