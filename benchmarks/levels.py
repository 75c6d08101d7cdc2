"""How loud the presets are: python benchmarks/levels.py [PRESET ...]

The rule: a default stroke of each verb has a greatest momentary loudness (ITU-R BS.1770, 400 ms) of
-23 LUFS, in the median over the strings or notes of the preset, within 2 LU, unless its peak would
be over -3 dBFS. Shown for each preset and verb: the change of gain by the rule, median and range of
the loudness, the highest peak, and the speed (times real time, one core) of its slowest note; `!`
where the rule does not hold; last the parts that differ from the median by more than 4 LU. Needs
SciPy.
"""
import math
import sys
import time
import tomllib

import numpy as np
from scipy.signal import lfilter

import pysitar
from pysitar.models.definitions.loader import parse_instrument, preset_names, preset_text

LOUDNESS, PEAK, TOLERANCE, SPREAD = -23.0, -3.0, 2.0, 4.0           # LUFS, dBFS, LU, LU
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
    """Return the targets of rows by verb: courses as wholes, and of many notes some. Objects are
    struck, dropped and rolled on; they are bowed if their file has values for that."""
    spec = parse_instrument(preset_text(name), name=name, shown=name)
    if spec.model == "impact":
        names = [part.name for part in spec.parts]
        names = names[::math.ceil(len(names) / MOST_PARTS)]
        tables = tomllib.loads(preset_text(name))["objects"].values()
        bowed = any("bow" in table for table in tables)
        return dict.fromkeys(("strike", "drop", "roll", *(["bow"] if bowed else [])), names)
    parts = [part for part in spec.parts if part.role != "sympathetic"]
    if name == "santoor":
        return {verb: [part.name[:-1] + "*" for part in parts if part.name.endswith("_1")]
                      for verb in ("strike", "pluck")}
    return {verb: names for verb, names in (
        ("pluck", [part.name for part in parts]),
        ("strike", [part.name for part in parts if part.strike is not None]),
        ("bow", [part.name for part in parts if part.bow is not None])) if names}


def stroke(name, part, verb):
    """Return loudness (LUFS), peak (dBFS) and speed of a default stroke and 2 s after it; that of a
    bow or a roll takes 2 s."""
    score = pysitar.load_score(
        text=f"use {name} as i\nrender rate={RATE} channels=1 tail=2s fade=0\n"
             f"0 i.{part} {verb} dur={2 if verb in {'bow', 'roll'} else 0}\n")
    begin = time.process_time()
    audio = pysitar.render(score).audio[:, 0]
    spent = time.process_time() - begin
    return momentary(audio), 20.0 * math.log10(np.abs(audio).max()), audio.size / RATE / spent


def main():
    wrong = 0
    for name in sys.argv[1:] or preset_names():
        for verb, parts in played_parts(name).items():
            loudness, peaks, speeds = np.array([stroke(name, part, verb) for part in parts]).T
            median, peak = float(np.median(loudness)), float(peaks.max())
            change = min(LOUDNESS - median, PEAK - peak)
            right = abs(change) <= TOLERANCE and peak <= PEAK + 0.1
            wrong += not right
            outside = [f"{part} {level - median:+.1f}" for part, level in
                       zip(parts, loudness, strict=True) if abs(level - median) > SPREAD]
            print(f"{name:12s} {verb:6s}{' ' if right else '!'} {change:+5.1f} dB by the rule, "
                  f"{median:6.1f} LUFS ({loudness.min():.1f} to {loudness.max():.1f}), peak "
                  f"{peak:5.1f} dBFS, {speeds.min():5.1f} x  {', '.join(outside)}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
