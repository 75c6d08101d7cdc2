"""How loud the shipped scores are: python benchmarks/score_levels.py [--keep FOLDER] [SCORE ...]

The rule: an integrated loudness (ITU-R BS.1770) of -20 to -16 LUFS, or a true peak of -1 dBTP where
that comes first; scores of papers/ are exempt, those of batch/ many sounds each and left out. Each
score is rendered once, by its own options. Shown: loudness, true peak, range of `mix` gains, the
change of gain (dB) that brings the score to -18 LUFS or to a true peak of -1 dBTP, and the speed
(times real time); `!` where the rule does not hold. --keep writes the sounds, as NAME.npy, for
benchmarks/clicks.py.
"""
import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np

import pysitar
from pysitar.physics.loudness import Loudness, TruePeak

ROOT = Path(__file__).resolve().parents[1]
SOFTEST, LOUDEST, MIDDLE = -20.0, -16.0, -18.0          # LUFS
PEAK, TOLERANCE = -1.0, 0.3                             # dBTP; dB under it that counts as there


def scores():
    """Return the shipped scores, those of batch/ left out."""
    return [path for path in sorted((ROOT / "scores").rglob("*.score"))
            if path.parent.name != "batch"]


def levels(audio, rate):
    """Return the integrated loudness (LUFS) and the true peak (dBTP) of a sound (n, channels)."""
    loudness, peak = Loudness(rate, audio.shape[1]), TruePeak(rate, audio.shape[1])
    loudness.add(audio)
    peak.add(audio)
    return loudness.integrated, 20.0 * math.log10(peak.peak)


def fault(loudness, peak):
    """Return what is wrong with the levels of a score, or nothing."""
    if peak > PEAK + 0.05:
        return "peak"
    if loudness > LOUDEST + 0.05:
        return "loud"
    return "soft" if loudness < SOFTEST - 0.05 and peak < PEAK - TOLERANCE else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=Path)
    parser.add_argument("scores", nargs="*", type=Path)
    args = parser.parse_args()
    wrong = 0
    for path in args.scores or scores():
        begin = time.process_time()
        found = pysitar.render(pysitar.load_score(path))
        spent = time.process_time() - begin
        rate = found.report["rate"]
        loudness, peak = levels(found.audio, rate)
        name = path.resolve().relative_to(ROOT / "scores").as_posix()
        problem = "" if name.startswith("papers/") else fault(loudness, peak)
        wrong += bool(problem)
        change = min(MIDDLE - loudness, PEAK - 0.1 - peak)
        print(f"{'!' if problem else ' '} {name:36s} {loudness:6.1f} LUFS {peak:6.2f} dBTP "
              f"{change:+5.1f} dB {found.audio.shape[0] / rate / spent:5.1f} x {problem}",
              flush=True)
        if args.keep:
            np.save(args.keep / f"{path.stem}.npy", found.audio.astype(np.float32))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
