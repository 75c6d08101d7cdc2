"""The files of samplers that map sounds to keys and velocities: SFZ, and Decent Sampler's."""
from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from pysitar.app.sampling.plan import Sample
from pysitar.app.sampling.strokes import strength_factor
from pysitar.kernels.core import elementary

LEVEL = -1.0                    # dB re full scale, of the largest sample as it is played
MOST_GAIN = 6.0                 # dB, the most of SFZ players
DECIBELS = 20.0
FIRST_VERSION = "1.0.0"         # of Decent Sampler


def level_gain(peak: float) -> float:
    """Return the gain (dB) that brings a peak (full scale 1) to -1 dB, at most 6 dB.

    >>> level_gain(1.0)
    -1.0
    """
    if peak <= 0.0:
        return 0.0
    return min(MOST_GAIN, LEVEL - DECIBELS * elementary.log(peak) / elementary.log(10.0))


def sfz_text(title: str, samples: Sequence[Sample], *, folder: str, gain: float,
             release: float | None, repetitions: int) -> str:
    """Return the SFZ file of some samples.

    Parameters: title, of its first line; folder, of the sounds; gain (dB); release, the fade after
    a key is let go (s; None: the sounds play to their ends); repetitions, of round robin.
    """
    lines = [f"// {title}", "<control>", f"default_path={folder}/", "<global>",
             f"volume={gain:.3f} amp_veltrack=100"]
    lines.append("loop_mode=one_shot" if release is None
                 else f"loop_mode=no_loop ampeg_release={release:g}")
    before = None
    for sample in samples:
        group = (sample.stroke.key, sample.low)
        if group != before:
            before = group
            # within a layer the level follows the velocity as that of the layers does
            softest = strength_factor(127.0 + sample.low - sample.high)
            lines += [
                "", f"<group> lokey={sample.stroke.low} hikey={sample.stroke.high} "
                f"pitch_keycenter={sample.stroke.key} lovel={sample.low} hivel={sample.high}",
                f"amp_velcurve_{sample.low}={softest:.6f} amp_velcurve_{sample.high}=1"]
        robin = (f"seq_length={repetitions} seq_position={sample.repetition} "
                 if repetitions > 1 else "")
        lines.append(f"<region> {robin}sample={sample.file}")
    return "\n".join(lines) + "\n"


def decent_sampler_text(samples: Sequence[Sample], *, folder: str, gain: float,
                        release: float | None, repetitions: int) -> str:
    """Return the Decent Sampler file of some samples; parameters as in `sfz_text`."""
    root = ET.Element("DecentSampler", minVersion=FIRST_VERSION)
    groups = ET.SubElement(root, "groups", volume=f"{gain:.3f}dB", attack="0.0")
    # a sound that plays to its end has a release as long as the longest sound
    groups.set("release", f"{60.0 if release is None else release:g}")
    common = {"ampVelTrack": "0", "loopEnabled": "false"}
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
        ET.SubElement(group, "sample", {name: str(value) for name, value in values.items()})
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
