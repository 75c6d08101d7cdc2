"""How loud the presets are: python benchmarks/levels.py [PRESET ...]

The rule: a default stroke has a greatest momentary loudness (ITU-R BS.1770, 400 ms) of -23 LUFS, in
the median over the strings or notes of the preset, within 2 LU, unless its peak would be over
-3 dBFS. Shown for each preset: its gain, the gain by the rule, median and range of the loudness,
the highest peak, and the speed (times real time, one core) of its slowest note; `!` where the rule
does not hold. Needs SciPy.
"""
import math
import sys
import time

import numpy as np
from scipy.signal import lfilter

import pysitar
from pysitar.models.definitions.loader import parse_instrument, preset_names, preset_text

LOUDNESS, PEAK, TOLERANCE = -23.0, -3.0, 2.0            # LUFS, dBFS, LU
RATE = 48000
MOST_PARTS = 12
# the two filters of BS.1770 at 48 kHz
SHELF = ([1.53512485958697, -2.69169618940638, 1.19839281085285],
         [1.0, -1.69065929318241, 0.73248077421585])
HIGH_PASS = ([1.0, -2.0, 1.0], [1.0, -1.99004745483398, 0.99007225036621])


def momentary(audio):
    """Return the greatest loudness of 400 ms (LUFS) of a mono sound, as one channel."""
    squares = lfilter(*HIGH_PASS, lfilter(*SHELF, audio)) ** 2
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    size = min(round(0.4 * RATE), audio.size)
    loudest = float((sums[size:] - sums[:-size]).max()) / round(0.4 * RATE)
    return -0.691 + 10.0 * math.log10(loudest)


def played_parts(name):
    """Return the instrument, the targets of rows and their verb: courses as wholes, and of many
    notes some."""
    spec = parse_instrument(preset_text(name), name=name, shown=name)
    names = [part.name for part in spec.parts]
    if name == "santoor":
        names = [part[:-1] + "*" for part in names if part.endswith("_1")]
    if name == "sitar_tarafs":
        names = [part for part in names if not part.startswith("taraf")]
    verb = "strike" if spec.model == "impact" or name == "santoor" else "pluck"
    melody = [part for part in spec.parts if spec.model == "string" and part.role == "melody"]
    if melody and all(part.bow is not None for part in melody):
        verb = "bow"
        names = [part.name for part in spec.parts if part.bow is not None]
    return spec, names[::math.ceil(len(names) / MOST_PARTS)], verb


def stroke(name, part, verb):
    """Return loudness (LUFS), peak (dBFS) and speed of a default stroke and 2 s after it; that of a
    bow takes 2 s."""
    score = pysitar.load_score(
        text=f"use {name} as i\nrender rate={RATE} channels=1 tail=2s fade=0\n"
             f"0 i.{part} {verb} dur={2 if verb == 'bow' else 0}\n")
    begin = time.process_time()
    audio = pysitar.render(score).audio[:, 0]
    spent = time.process_time() - begin
    return momentary(audio), 20.0 * math.log10(np.abs(audio).max()), audio.size / RATE / spent


def main():
    wrong = 0
    for name in sys.argv[1:] or preset_names():
        spec, parts, verb = played_parts(name)
        loudness, peaks, speeds = np.array([stroke(name, part, verb) for part in parts]).T
        median, peak = float(np.median(loudness)), float(peaks.max())
        change = min(LOUDNESS - median, PEAK - peak)
        right = abs(change) <= TOLERANCE and peak <= PEAK + 0.1
        wrong += not right
        print(f"{name:14s}{' ' if right else '!'} gain {spec.gain:8.4g}, by the rule "
              f"{spec.gain * 10.0 ** (change / 20.0):8.4g} ({change:+5.1f} dB) {median:6.1f} LUFS "
              f"({loudness.min():.1f} to {loudness.max():.1f}), peak {peak:5.1f} dBFS, "
              f"{speeds.min():5.1f} x real time", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
