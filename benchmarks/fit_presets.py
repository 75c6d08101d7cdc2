"""Render every object preset, fit the sound, render the fitted file, and print how far it is from
the first: python benchmarks/fit_presets.py [PRESET ...]"""
import math
import os
import sys
import tempfile
import time

import numpy as np

import pysitar
from pysitar.fitting.distance import log_spectral_distance
from pysitar.fitting.object_file import object_text, onset_modes
from pysitar.fitting.recording import find_onset
from pysitar.models.definitions.loader import parse_instrument, preset_names, preset_text

RATE = 48000.0
MODES = 100
EARLY = 0.5                     # s in which levels are compared


def strike(use, part):
    """The sound of a default strike, one channel as loud as the two that share its power."""
    score = pysitar.Score.from_events([(0.0, f"t.{part}", "strike", {})], use={"t": use})
    sound = pysitar.render(score, rate=int(RATE)).audio[:, 0] * math.sqrt(2.0)
    return sound, find_onset(sound, RATE)


def round_trip(preset, folder):
    """Modes found, CPU seconds of the fit, distance (dB) and difference of level (dB)."""
    parts = parse_instrument(preset_text(preset), name=preset, shown=preset).parts
    sound, onset = strike(preset, parts[len(parts) // 2].name)
    begun = time.process_time()
    modes = pysitar.fit_modes(sound, RATE, count=MODES)
    seconds = time.process_time() - begun
    if not modes.count:
        return 0, seconds, math.nan, math.nan
    path = os.path.join(folder, "fitted.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(object_text(onset_modes(modes, sound, RATE)))
    again, start = strike(path, "object")
    size = min(sound.size - onset, again.size - start)
    first, second = sound[onset:onset + size], again[start:start + size]
    early = round(EARLY * RATE)
    level = 10.0 * math.log10(np.sum(second[:early]**2) / np.sum(first[:early]**2))
    return modes.count, seconds, log_spectral_distance(first, second, RATE), level


def main():
    chosen = sys.argv[1:] or [
        name for name in preset_names()
        if parse_instrument(preset_text(name), name=name, shown=name).model == "impact"]
    print(f"{'preset':14} modes  CPU, s  distance, dB  level, dB")
    with tempfile.TemporaryDirectory() as folder:
        for preset in chosen:
            count, seconds, distance, level = round_trip(preset, folder)
            print(f"{preset:14} {count:5d} {seconds:7.1f} {distance:13.2f} {level:10.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
