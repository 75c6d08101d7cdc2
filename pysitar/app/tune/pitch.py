"""Measure the pitch of a string: how far its first partials are from the multiples of a pitch,
weighted by their amplitudes."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.gestures.catalogue import find_gesture
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec
from pysitar.models.strings.instrument import StringInstrument
from pysitar.physics.checks import FloatArray

PARTIALS = 4
WIDTH = 0.06                    # relative distance in which a partial is searched: a semitone
START, STOP = 0.25, 1.6         # s after the pluck: the measured part
EARLY_START = 0.05              # s: the start for a string that has decayed before START
SHORTEST = 0.3                  # s: least length of the measured part
DECAYED = 0.01                  # 40 dB below the greatest level before START
FADED = 0.01                    # 40 dB below the level at the start: the end of the measured part
BLOCK = 0.01                    # s over which a level is computed
REST = 0.02                     # s of silence before the plucking finger touches the string
FAINT = 1e-3                    # fraction of the highest peak: a lower peak is no partial
PADDING = 4                     # FFT length over window length: a parabola finds peaks to 0.001 bin


@dataclass(frozen=True, slots=True)
class MeasuredPitch:
    """The deviation of a note from a pitch.

    Parameters: cents, weighted mean over the nominal pitch; partials, of each (cents); weights, of
    sum 1.
    """

    cents: float
    partials: tuple[float, ...]
    weights: tuple[float, ...]


def measure_pitch(sound: FloatArray, *, rate: float, hz: float) -> MeasuredPitch:
    """Return the deviation of a sound from a pitch.

    Parameters: sound (n,), from the pluck on; rate, sample rate (Hz); hz, nominal pitch (Hz).
    Returns: the deviation of each partial k from k hz (cents), found at the peak of the spectrum of
    a Hann window, and their mean weighted by the heights of the peaks. The window extends from
    0.25 s to 1.6 s after the pluck, or to the time at which the sound is 40 dB down.
    Errors: ParameterError, if no partial is within a semitone of its place.
    """
    start, stop = _window(sound, rate)
    part = sound[start:stop]
    size = 1 << math.ceil(math.log2(PADDING * part.size))
    spectrum = np.abs(np.fft.rfft((part - part.mean()) * np.hanning(part.size), size))
    loudest = float(spectrum.max())
    found, heights = [], []
    for k in range(1, PARTIALS + 1):
        low, high = (round(bound * k * hz * size / rate) for bound in (1.0 - WIDTH, 1.0 + WIDTH))
        if high + 1 >= spectrum.size:
            break
        top = low + int(spectrum[low:high + 1].argmax())
        left, middle, right = spectrum[top - 1:top + 2].tolist()
        is_peak = left <= middle >= right and min(left, right) > 0.0
        if not is_peak or middle <= FAINT * loudest:
            continue
        left, middle, right = (math.log(height) for height in (left, middle, right))
        curve = left - 2.0 * middle + right
        place = top + (0.5 * (left - right) / curve if curve < 0.0 else 0.0)
        found.append(1200.0 * math.log2(place * rate / size / (k * hz)))
        heights.append(math.exp(middle))
    if not found:
        raise ParameterError(
            "hz", hz,
            f"no partial is within a semitone of this pitch (Hz) from {start / rate:.2f} s to "
            f"{stop / rate:.2f} s after the pluck; expected at least one")
    weights = [height / math.fsum(heights) for height in heights]
    mean = math.fsum(weight * cents for weight, cents in zip(weights, found, strict=True))
    return MeasuredPitch(mean, tuple(found), tuple(weights))


def render_note(
    instrument: InstrumentSpec,
    string: StringSpec,
    *,
    hz: float,
    semitones: float,
    highest: float,
    rate: float,
    force: float | None = None,
) -> FloatArray:
    """Return the force on a string's far end, N (at a pickup the velocity, m/s), for 1.6 s after
    the pluck; only a coupled body is kept.

    Parameters: hz, of the open string (Hz); semitones, of the note over it; highest, of the score's
    highest note over it; rate, internal (Hz); force, of the pluck (N; None: the string's default).
    Errors: ParameterError, RenderError.
    """
    body = instrument.body if instrument.body is not None and instrument.body.coupled else None
    if instrument.body is not None and string.pick is not None:     # its noise is the body's alone
        string = replace(string, pick=replace(string.pick, noise=0.0))
    alone = replace(instrument, parts=(string,), body=body, gain=1.0)
    name = string.name
    played = StringInstrument(alone, pitches={name: hz},
                              highest={name: hz * math.pow(2.0, highest / 12.0)}, sample_rate=rate,
                              floor=-100.0, name=instrument.name,
                              traced=(name, ) if body is not None else ())
    start = round((REST + string.pluck.lead) * rate)
    note = hz * math.pow(2.0, semitones / 12.0) if semitones else None
    verb = find_gesture("string", lambda gesture: gesture.draws).name
    played.play(name, verb, start, {} if force is None else {"force": force}, note)
    sound = np.empty(start + round(STOP * rate))
    [part] = played.parts
    part.advance(sound)
    return played.traces()[name]["force_end"][start:] if body is not None else sound[start:]


def _window(sound: FloatArray, rate: float) -> tuple[int, int]:
    """Return the first and the last sample (excluded) of the measured part of a sound."""
    step = max(1, round(BLOCK * rate))
    blocks = sound[:sound.size // step * step].reshape(-1, step)
    levels = blocks.std(axis=1)
    first = min(round(START / BLOCK), levels.size - 1)
    if levels[first] < DECAYED * levels[:first + 1].max():
        first = min(round(EARLY_START / BLOCK), first)
    faded = np.flatnonzero(levels[first:] < FADED * levels[first])
    last = first + max(int(faded[0]), round(SHORTEST / BLOCK)) if faded.size else levels.size
    return first * step, min(last * step, sound.size, round(STOP * rate))
