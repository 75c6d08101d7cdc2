"""Presets beside recordings: python benchmarks/recordings.py [INSTRUMENT ...]

Each default stroke is rendered and measured as `pysitar measure` does. A table in Markdown shows
what recordings have, the range in which another recording or note of them lies, what the preset
has, and whether that is in the range. docs/recordings.md holds it. It takes some minutes for all
instruments.
"""
import math
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

import pysitar
from pysitar.fitting.measures import StrokeMeasures
from pysitar.models.definitions.loader import parse_instrument, preset_text

RATE = 48000
GUITAR = ("e2", "a2", "d3", "g3", "b3", "e4")
SITAR = ("baj", "baj:G3", "baj:C4", "baj:E4", "baj:F#4", "baj:C5")
SANTOOR = ("sa_*", "ga_*", "pa_*", "ni_*")


@dataclass(frozen=True)
class Stroke:
    """A default stroke: its sound (n,) from the onset on, and its measures."""

    sound: np.ndarray
    measures: StrokeMeasures
    values: dict


@cache
def stroke(preset, note, seconds, seed=0):
    """Return the measures of a note, `string` or `string:pitch`, of a preset; the noise of its
    plectrum is drawn from the seed."""
    part, _, pitch = note.partition(":")
    spec = parse_instrument(preset_text(preset), name=preset, shown=preset)
    hammered = spec.model == "impact" or preset == "santoor"
    audio = pysitar.render(pysitar.load_score(text=(
        f"use {preset} as o\n"
        f"render rate={RATE} oversample=2 channels=1 tail={seconds}s seed={seed}\n"
        f"0 o.{part} {'strike' if hammered else 'pluck'} {pitch}\n"))).audio[:, 0]
    found = StrokeMeasures(audio, float(RATE))
    return Stroke(audio[found.onset:], found, found.as_dict())


@cache
def modes(preset, part):
    """Return frequencies (Hz) and T60 (s) of the modes of an object."""
    [found] = [each for each in parse_instrument(preset_text(preset), name=preset,
                                                 shown=preset).parts if each.name == part]
    spec = found.part() if hasattr(found, "part") else found
    return np.array(spec.frequencies), 3.0 * math.log(10.0) / np.array(spec.decay_rates)


def mean(preset, notes, seconds, value: Callable, seeds=(0,)):
    """Return the mean over notes and seeds of a value of each stroke; None where no note has it."""
    found = [value(stroke(preset, note, seconds, seed)) for note in notes for seed in seeds]
    known = [each for each in found if each is not None]
    return statistics.fmean(known) if known else None


def median(preset, notes, seconds, value: Callable):
    """Return the median over notes of a value of each stroke; None where no note has it."""
    found = [value(stroke(preset, note, seconds)) for note in notes]
    known = [each for each in found if each is not None]
    return statistics.median(known) if known else None


def centroid(ms):
    return lambda one: one.values["amplitude_centroid"][f"{ms} ms"]


def energy(kilohertz, ms):
    return lambda one: one.values["energy_over"][f"{kilohertz} kHz, {ms} ms"]


def t60(band):
    return lambda one: one.values["t60"][band]


def first_t60(one):
    return next((row["t60"] for row in one.values["partials"] if row["order"] == 1), None)


def scatter(one):
    """The standard deviation of ln T60, as a factor."""
    return math.exp(statistics.pstdev(math.log(decay.t60) for decay in one.measures.strongest()))


def fall(time):
    """Return the level (dB) of 40 ms at a time, under the loudest of the first 0.2 s."""

    def level(sound, at):
        middle, half = round(at * RATE), round(0.02 * RATE)
        return 10.0 * math.log10(float((sound[middle - half:middle + half] ** 2).mean()))

    return lambda one: level(one.sound, time) - max(level(one.sound, 0.01 * k)
                                                    for k in range(2, 20))


def under_250(one):
    """The energy under 250 Hz (dB of all) in the first half second."""
    power = np.abs(np.fft.rfft(one.sound[:RATE // 2])) ** 2
    edge = round(250.0 * (RATE // 2) / RATE)
    return 10.0 * math.log10(power[:edge].sum() / power.sum())


def between(one):
    """The level between the partials from 2 to 5 kHz in the first 60 ms, over the rms of 0.3 s."""
    size = round(0.06 * RATE)
    window = np.hanning(size)
    power = np.abs(np.fft.rfft(one.sound[:size] * window)) ** 2
    f = np.fft.rfftfreq(size, 1.0 / RATE)
    band = (f >= 2000.0) & (f < 5000.0)
    if one.values["string"] is None:
        return None
    f0 = one.values["string"]["f0"]
    off = band & (np.abs(f / f0 - np.round(f / f0)) * f0 > max(0.2 * f0, 50.0))
    noise = 2.0 * power[off].mean() * band.sum() / size / (window ** 2).sum()
    return 10.0 * math.log10(noise / float((one.sound[:round(0.3 * RATE)] ** 2).mean()))


def early_t60(note, band="0-1000 Hz"):
    """The median T60 in the first 0.7 s of a note of the sitar, as long as the recordings."""
    one = stroke("sitar", note, 2)
    found = StrokeMeasures(one.sound[:round(0.7 * RATE)], float(RATE))
    return found.as_dict()["t60"][band]


@dataclass(frozen=True)
class Target:
    """A row: what recordings have, the range around it, and the value of the preset."""

    feature: str
    recorded: str
    low: float
    high: float
    value: Callable[[], float | None]
    unit: str = ""


def within(feature, recorded, factor, value, unit):
    """A target with a range by a factor."""
    return Target(feature, f"{recorded:g}", recorded / factor, recorded * factor, value, unit)


def near(feature, recorded, distance, value, unit):
    """A target with a range by a distance."""
    return Target(feature, f"{recorded:g}", recorded - distance, recorded + distance, value, unit)


def centroids(preset, notes, seconds, recorded, part):
    return [Target(f"centroid of amplitudes at {ms} ms", f"{hz:g}", hz * (1.0 - part),
                   hz * (1.0 + part),
                   lambda ms=ms: mean(preset, notes, seconds, centroid(ms)), "Hz")
            for ms, hz in zip((20, 100, 500), recorded, strict=True)]


def energies(preset, notes, seconds, rows):
    return [near(f"over {edge} kHz in the first {ms} ms", level, tolerance,
                 lambda edge=edge, ms=ms: mean(preset, notes, seconds, energy(edge, ms)), "dB")
            for edge, ms, level, tolerance in rows]


def decays(preset, notes, seconds, recorded, factor):
    names = ("0-1000 Hz", "1000-2500 Hz", "2500-6000 Hz")
    rows = [within("T60 of partial 1", recorded[0], factor,
                   lambda: median(preset, notes, seconds, first_t60), "s")]
    return rows + [within(f"T60, {name}", value, factor,
                          lambda name=name: median(preset, notes, seconds, t60(name)), "s")
                   for name, value in zip(names, recorded[1:], strict=True)]


def ratios(preset, parts, recorded, tolerance):
    """The ratios of modes, by their index: the one farthest from the recorded of some parts."""
    rows = []
    for index, (low, high) in recorded.items():
        def value(index=index, middle=0.5 * (low + high)):
            found = [modes(preset, part)[0][index] / modes(preset, part)[0][0] for part in parts]
            return max(found, key=lambda each: abs(each - middle))

        rows.append(Target(f"ratio of mode {index + 1}",
                           f"{low:g}" if low == high else f"{low:g} to {high:g}",
                           low * (1.0 - tolerance), high * (1.0 + tolerance), value))
    return rows


def mode_t60(preset, rows, factor):
    return [Target(f"T60 of mode {index + 1}, {part}",
                   f"{low:g}" if low == high else f"{low:g} to {high:g}", low / factor,
                   high * factor, lambda part=part, index=index: modes(preset, part)[1][index], "s")
            for part, index, low, high in rows]


def targets():
    """Return the targets by instrument, with the preset."""
    glass = ("glass",)
    pairs = {0: 1.0, 2: 4.0, 4: 3.0}
    inharmonicity = (1.1e-4, 4.3e-5, 3.5e-5, 2.7e-5, 6.5e-5, 2.0e-5)
    return {
        "steel guitar (`guitar`)": [
            *centroids("guitar", GUITAR, 6, (2400.0, 1810.0, 1050.0), 0.25),
            *energies("guitar", GUITAR, 6, ((2, 10, -7.6, 3.0), (2, 50, -9.8, 3.0),
                                            (5, 10, -11.8, 4.0), (5, 50, -14.4, 4.0))),
            Target("between the partials, 2 to 5 kHz, g3, b3, e4", "-25 to -30", -35.0, -20.0,
                   lambda: mean("guitar", GUITAR[3:], 6, between), "dB"),
            *decays("guitar", GUITAR, 6, (8.8, 6.9, 3.7, 1.7), 1.5),
            Target("scatter of T60 over 15 partials", "1.7", 1.5, 1.9,
                   lambda: median("guitar", GUITAR, 6, scatter), "times"),
            Target("waves of the decays", "2", 1.0, 3.0,
                   lambda: median("guitar", GUITAR, 6,
                                  lambda one: one.values["decay_residual"]), "dB"),
            Target("late over early T60", "1.16", 1.0, 1.4,
                   lambda: median("guitar", GUITAR, 6,
                                  lambda one: one.values["late_over_early"])),
            *[within(f"B of {note}", b, 2.0,
                     lambda note=note: stroke("guitar", note, 6).values["string"]["b"], "")
              for note, b in zip(GUITAR, inharmonicity, strict=True)]],
        "nylon guitar (`guitar_nylon`)": [
            *centroids("guitar_nylon", GUITAR, 6, (1261.0, 903.0, 548.0), 0.3),
            *energies("guitar_nylon", GUITAR, 6, ((2, 50, -20.0, 4.0), (5, 50, -31.0, 4.0))),
            *decays("guitar_nylon", GUITAR, 6, (10.9, 5.7, 2.2, 0.8), 1.5)],
        "sitar (`sitar`)": [
            *centroids("sitar", SITAR, 2, (1768.0, 2854.0, 2331.0), 0.2),
            near("under 250 Hz, baj and G3", -30.0, 6.0,
                 lambda: mean("sitar", SITAR[:2], 2, under_250), "dB"),
            near("over 5 kHz in the first 10 ms, six draws", -23.0, 5.0,
                 lambda: mean("sitar", SITAR, 0.3, energy(5, 10), range(6)), "dB"),
            near("level after 0.5 s", -13.6, 4.0, lambda: mean("sitar", SITAR, 2, fall(0.5)), "dB"),
            near("level after 1 s", -24.0, 4.0, lambda: mean("sitar", SITAR, 2, fall(1.0)), "dB"),
            *[within(f"T60 under 1 kHz in 0.7 s, {note[4:]}", seconds, 2.0,
                     lambda note=note: early_t60(note), "s")
              for note, seconds in zip(SITAR[1:5], (6.0, 2.0, 1.2, 2.7), strict=True)],
            Target("waves of the decays", "3.2", 2.0, 5.0,
                   lambda: median("sitar", SITAR, 2,
                                  lambda one: one.values["decay_residual"]), "dB")],
        "santoor (`santoor`; recorded: a dulcimer)": [
            *centroids("santoor", SANTOOR, 4, (3673.0, 3552.0, 1890.0), 0.25),
            *energies("santoor", SANTOOR, 4, ((2, 50, -4.3, 4.0), (5, 50, -7.5, 4.0))),
            *decays("santoor", SANTOOR, 4, (4.6, 4.4, 3.4, 1.6), 1.4),
            near("level after 0.5 s", -14.5, 4.0,
                 lambda: mean("santoor", SANTOOR, 4, fall(0.5)), "dB"),
            near("level after 1 s", -22.6, 4.0,
                 lambda: mean("santoor", SANTOOR, 4, fall(1.0)), "dB"),
            Target("late over early T60", "1.6", 1.0, 2.0,
                   lambda: median("santoor", SANTOOR, 4,
                                  lambda one: one.values["late_over_early"])),
            Target("between the partials, 2 to 5 kHz", "-28 to -8", -28.0, -8.0,
                   lambda: mean("santoor", SANTOOR, 4, between), "dB")],
        "bass, slapped (`bass`)": [
            within(f"centroid of amplitudes at {ms} ms, e", hz, 1.25,
                   lambda ms=ms: mean("bass", ("e",), 2, centroid(ms)), "Hz")
            for ms, hz in ((100, 926.0), (500, 429.0))],
        "bass, fingers (`bass_finger`)": [
            Target("T60 of partial 1", "6 to 22", 6.0, 22.0,
                   lambda: median("bass_finger", ("e", "a", "d", "g"), 5, first_t60), "s"),
            Target("scatter of T60 over 15 partials", "1.7 to 2.3", 1.7, 2.3,
                   lambda: median("bass_finger", ("e", "a", "d", "g"), 5, scatter), "times")],
        "marimba (`marimba`)": [
            *ratios("marimba", ("C3", "C4", "C5"), {1: (4.0, 4.0), 2: (9.5, 9.5)}, 0.01),
            *mode_t60("marimba", (("C3", 0, 2.1, 2.1), ("C4", 0, 1.5, 1.5), ("C5", 0, 1.15, 1.15),
                                  ("C4", 1, 0.35, 1.2), ("C4", 2, 0.2, 0.2)), 1.4)],
        "xylophone (`xylophone`)": [
            *ratios("xylophone", ("F4", "C5", "C6"), {1: (3.0, 3.0), 2: (5.8, 6.3)}, 0.03),
            *mode_t60("xylophone", (("F4", 0, 1.07, 1.07), ("C5", 0, 0.46, 0.76),
                                    ("C6", 0, 0.16, 0.16), ("F4", 1, 0.55, 0.55),
                                    ("C5", 1, 0.29, 0.29), ("F4", 2, 0.37, 0.37),
                                    ("C5", 2, 0.19, 0.19)), 1.5)],
        "glockenspiel (`glockenspiel`)": [
            *ratios("glockenspiel", ("Gs5", "C6", "A6"),
                    {1: (2.71, 2.76), 2: (5.15, 5.25)}, 0.02),
            *ratios("glockenspiel", ("Gs5", "C6"), {3: (8.6, 8.6), 4: (12.6, 12.6)}, 0.02),
            *mode_t60("glockenspiel", (("Gs5", 0, 8.4, 8.4), ("C6", 0, 7.4, 7.4),
                                       ("A6", 0, 4.2, 4.2), ("Gs5", 1, 2.7, 2.7),
                                       ("C6", 1, 0.6, 0.6), ("A6", 1, 0.7, 0.7),
                                       ("Gs5", 2, 1.1, 1.1), ("C6", 2, 0.8, 0.8),
                                       ("A6", 2, 0.4, 0.4)), 1.5)],
        "glass (`glass`)": [
            *ratios("glass", glass, {2: (2.2, 2.2), 4: (4.07, 4.07)}, 0.01),
            *[within(f"difference of the pair of mode {k // 2 + 1}", hz, 3.0,
                     lambda k=k: float(np.diff(modes("glass", "glass")[0][k:k + 2])[0]), "Hz")
              for k, hz in pairs.items()],
            *mode_t60("glass", (("glass", 0, 1.8, 2.7), ("glass", 2, 0.6, 0.9),
                                ("glass", 4, 0.3, 0.4), ("glass", 6, 0.1, 0.1)), 1.4),
            Target("centroid of amplitudes at 5 ms", "8300 to 9100", 8300.0 / 1.25, 9100.0 * 1.25,
                   lambda: mean("glass", glass, 3, centroid(5)), "Hz"),
            within("centroid of amplitudes at 100 ms", 2800.0, 1.25,
                   lambda: mean("glass", glass, 3, centroid(100)), "Hz")],
        "steel drum (`steel_drum`)": [
            *ratios("steel_drum", ("note",), {1: (2.0, 2.0), 2: (2.5, 2.5), 3: (3.0, 3.0),
                                              4: (4.0, 4.0), 5: (6.0, 6.0)}, 0.006)],
    }


def shown(value):
    return "-" if value is None else f"{value:.3g}" if abs(value) < 1000.0 else f"{value:.0f}"


def main():
    chosen = sys.argv[1:]
    for instrument, rows in targets().items():
        if chosen and not any(name in instrument for name in chosen):
            continue
        print(f"\n## {instrument[0].upper()}{instrument[1:]}\n\n"
              "| feature | recorded | range | preset | within |\n|---|---|---|---|---|")
        for row in rows:
            value = row.value()
            right = "not found" if value is None else (
                "yes" if row.low <= value <= row.high else "**no**")
            unit = f" {row.unit}" if row.unit else ""
            print(f"| {row.feature} | {row.recorded}{unit} | {shown(row.low)} to {shown(row.high)} "
                  f"| {shown(value)} | {right} |", flush=True)


if __name__ == "__main__":
    main()
