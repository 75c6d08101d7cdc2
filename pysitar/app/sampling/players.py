"""The files of samplers that map sounds to keys and velocities: SFZ, and Decent Sampler's."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

from pysitar.app.sampling.plan import Sample
from pysitar.app.sampling.strokes import strength_factor
from pysitar.kernels.core import elementary

LEVEL = -1.0                    # dB re full scale, of the largest sample as it is played
MOST_GAIN = 6.0                 # dB, the most of SFZ players
DECIBELS = 20.0
FIRST_VERSION = "1.0.0"         # of Decent Sampler
CURVE_STEP = 8                  # velocities between two points of a curve, straight between them


def level_gain(peak: float) -> float:
    """Return the gain (dB) that brings a peak (full scale 1) to -1 dB, at most 6 dB.

    >>> level_gain(1.0)
    -1.0
    """
    if peak <= 0.0:
        return 0.0
    return min(MOST_GAIN, LEVEL - DECIBELS * elementary.log(peak) / elementary.log(10.0))


def sfz_text(title: str, samples: Sequence[Sample], *, peaks: Sequence[float], folder: str,
             gain: float, release: float | None, repetitions: int) -> str:
    """Return the SFZ file of some samples.

    Parameters: title, of its first line; peaks, of the samples (full scale 1); folder, of the
    sounds; gain (dB); release, the fade after a key is let go (s; None: the sounds play to their
    ends); repetitions, of round robin.
    """
    levels = _layer_levels(samples, peaks)
    lines = [f"// {title}", "<control>", f"default_path={folder}/", "<global>",
             f"volume={gain:.3f} amp_veltrack=100"]
    lines.append("loop_mode=one_shot" if release is None
                 else f"loop_mode=no_loop ampeg_release={release:g}")
    before = None
    for sample in samples:
        group = (sample.stroke.key, sample.low)
        if group != before:
            before = group
            lines += [
                "", f"<group> lokey={sample.stroke.low} hikey={sample.stroke.high} "
                f"pitch_keycenter={sample.stroke.key} lovel={sample.low} hivel={sample.high}",
                _velocity_curve(sample, levels)]
        robin = (f"seq_length={repetitions} seq_position={sample.repetition} "
                 if repetitions > 1 else "")
        lines.append(f"<region> {robin}sample={sample.file}")
    return "\n".join(lines) + "\n"


def decent_sampler_text(samples: Sequence[Sample], *, folder: str, gain: float,
                        release: float | None, repetitions: int) -> str:
    """Return the Decent Sampler file of some samples; parameters as in `sfz_text`."""
    root = ET.Element("DecentSampler", minVersion=FIRST_VERSION)
    groups = ET.SubElement(root, "groups", volume=f"{gain:.3f}dB")
    # each sample has its own: the format does not say that groups have these two
    own = {"loopEnabled": "false"}
    if release is None:
        own["ampEnvEnabled"] = "false"      # a release, however long, would fade from the note off
    else:
        groups.set("attack", "0.0")
        groups.set("release", f"{release:g}")
    common = {"ampVelTrack": "0"}
    if repetitions > 1:
        common |= {"seqMode": "round_robin", "seqLength": str(repetitions)}
    group = ET.SubElement(groups, "group", common)
    for sample in samples:
        stroke = sample.stroke
        values = {
            "path": f"{folder}/{sample.file}", "rootNote": stroke.key, "loNote": stroke.low,
            "hiNote": stroke.high, "loVel": sample.low, "hiVel": sample.high}
        if repetitions > 1:
            values["seqPosition"] = sample.repetition
        ET.SubElement(group, "sample",
                      {name: str(value) for name, value in values.items()} | own)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _layer_levels(samples: Sequence[Sample],
                  peaks: Sequence[float]) -> dict[tuple[int, int], float]:
    """Return the mean peak of the repetitions for each key and highest velocity of a layer."""
    found: dict[tuple[int, int], list[float]] = {}
    for sample, peak in zip(samples, peaks, strict=True):
        found.setdefault((sample.stroke.key, sample.high), []).append(peak)
    return {layer: math.fsum(layer_peaks) / len(layer_peaks)
            for layer, layer_peaks in found.items()}


def _velocity_curve(sample: Sample, levels: Mapping[tuple[int, int], float]) -> str:
    """Return the gains of a layer: exponential in the velocity, 1 at its hardest, and such that
    the layer below continues it; the softest layer falls as its force or speed would."""
    low, high = sample.low, sample.high
    span = high - low + 1
    own, below = levels[sample.stroke.key, high], levels.get((sample.stroke.key, low - 1))
    ratio = strength_factor(127.0 - span)
    if below is not None and min(own, below) > 0.0:
        ratio = min(1.0, below / own)
    velocities = [*range(low, high, CURVE_STEP), high]
    return " ".join(f"amp_velcurve_{velocity}={math.pow(ratio, (high - velocity) / span):.6f}"
                    for velocity in velocities)
