"""Clicks: python benchmarks/clicks.py [PRESET ... | SOUND.npy ...]

A click is a place where the fourth difference of a sound stands out: over -110 dBFS (an impulse of
that height), and 16 dB over its rms 0.5 to 4 ms before and 4 to 8 ms after. Short scores play each
preset: strokes that a damp or a staccato ends, that wake a string or an object after silence, that
fall on one that rings; bends, presses, the ends of a bow and of a roll, cut tails. Clicks from 4 ms
before to 40 ms after the beginning of a stroke or press, where it ends, and while a bow or a ball
is on, are its own and not listed. `in contact` marks a score whose strings or objects touch
something for a tenth of the time or more, such as a jawari or snares: its clicks may be contacts.
Sounds that benchmarks/score_levels.py has kept are searched whole.
"""
import math
import sys
from pathlib import Path

import numpy as np

import pysitar
from pysitar.models.definitions.loader import parse_instrument, preset_names, preset_text

RATE = 48000
LEVEL, CONTRAST = -110.0, 16.0              # dBFS; dB
INNER, OUTER = 24, 192                      # samples: half a click at most, and its surroundings
OWN = (0.004, 0.040)                        # s before and after the beginning of a stroke
SHOWN = 8


def clicks(audio):
    """Return sample, level (dBFS) and contrast (dB) of the clicks of a sound (n,)."""
    residual = np.abs(np.diff(np.pad(np.asarray(audio, dtype=np.float64), 2), 4)) / 6.0
    sums = np.concatenate([[0.0], np.cumsum(residual ** 2)])
    at = np.arange(residual.size)

    def rms(low, high):
        first, last = np.clip(at + low, 0, at.size), np.clip(at + high, 0, at.size)
        return np.sqrt(np.maximum(sums[last] - sums[first], 0.0) / np.maximum(last - first, 1))

    # a body answers a click for some ms
    floor = np.maximum(rms(-OUTER, -INNER), rms(OUTER, 2 * OUTER)) + 1e-13
    high = np.flatnonzero((residual > 10.0 ** (LEVEL / 20.0))
                          & (residual > floor * 10.0 ** (CONTRAST / 20.0)))
    if not high.size:
        return []
    tops = [part[residual[part].argmax()]
            for part in np.split(high, np.flatnonzero(np.diff(high) > OUTER) + 1)]
    return [(int(top), 20.0 * math.log10(residual[top]),
             20.0 * math.log10(residual[top] / floor[top])) for top in tops]


def string_rows(spec):
    """Yield title, rows and tail of scores for the strings of a preset."""
    parts = [part for part in spec.parts if part.role != "sympathetic"]
    verb = "strike" if parts[0].strike is not None else "pluck"
    for part in (parts[0], parts[-1]):
        name = part.name
        yield "damp, wake, cut", [f"0 i.{name} {verb}", f"0.3 i.{name} damp t60=50ms",
                                  f"1.2 i.{name} {verb}", f"1.5 i.{name} damp"], "0.3s"
        yield "on a ringing string", [f"0 i.{name} {verb}", f"0.4 i.{name} {verb}"], "0.3s"
        yield "to silence", [f"0 i.{name} {verb} dur=0.4 staccato=50%"], "auto"
        yield "bend", [f"0 i.{name} {verb}", f"0.3 i.{name} bend (0:+0st 0.3:+2st)",
                       f"0.9 i.{name} fret +0st"], "0.2s"
        if part.frets is not None:
            yield "press", [f"0 i.{name} {verb}", f"0.3 i.{name} press fret=5 dur=0.3"], "0.4s"
        if part.bow is not None:
            yield "bow", [f"0 i.{name} bow dur=0.5", f"0.9 i.{name} bow dur=0.3"], "0.5s"


def object_rows(spec):
    """Yield title, rows and tail of scores for the objects of a preset."""
    for part in dict.fromkeys((spec.parts[0].name, spec.parts[-1].name)):
        yield "strikes", [f"0 i.{part} strike", f"0.6 i.{part} strike"], "0.3s"
        yield "to silence", [f"0 i.{part} strike"], "auto"
        yield "roll", [f"0 i.{part} roll dur=0.5"], "0.4s"
        yield "bow", [f"0 i.{part} bow dur=0.5"], "0.4s"


def own_times(rows):
    """Return the times (s) in which the rows of a score may click: begin and end of each."""
    found = []
    for time, _, verb, *rest in map(str.split, rows):
        begin = float(time)
        duration = next((float(word[4:]) for word in rest if word.startswith("dur=")), 0.0)
        if verb in {"bow", "roll"}:
            found.append((begin - OWN[0], begin + duration))
        elif verb not in {"damp", "bend", "fret"}:
            found += [(at - OWN[0], at + OWN[1])
                      for at in {begin, begin + (duration if verb == "press" else 0.0)}]
    return found


def show(title, found):
    shown = ", ".join(f"{at / RATE:.4f} s {level:.0f} dBFS ({contrast:.0f} dB)"
                      for at, level, contrast in sorted(found, key=lambda click: -click[2])[:SHOWN])
    print(f"{'!' if found else ' '} {title:44s} {len(found):4d}  {shown}", flush=True)


def play(name):
    spec = parse_instrument(preset_text(name), name=name, shown=name)
    total = 0
    for title, rows, tail in (string_rows if spec.model == "string" else object_rows)(spec):
        done = pysitar.render(pysitar.load_score(text="\n".join(
            [f"use {name} as i", f"render rate={RATE} channels=1 tail={tail}", *rows])))
        own = own_times(rows)
        found = [click for click in clicks(done.audio[:, 0])
                 if not any(begin < click[0] / RATE < end for begin, end in own)]
        contact = done.report["voices"]["i"]["contact_steps"]
        often = contact > 0.1 * done.report["frames"] * done.report["oversample"]
        show(f"{rows[0].split()[1].replace('i.', name + '.')} {title}"
             f"{' (in contact)' if often else ''}", found)
        total += len(found)
    return total


def main():
    total = 0
    for name in sys.argv[1:] or preset_names():
        if name.endswith(".npy"):
            found = [click for channel in np.load(name).T for click in clicks(channel)]
            show(Path(name).stem, found)
            total += len(found)
        else:
            total += play(name)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
