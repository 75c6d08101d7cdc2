"""`pysitar measure`: the levels, loudness, brightness and partials of a sound."""
from __future__ import annotations

import argparse
import json
import os
from typing import Any

from pysitar.app.analysis.recording_warnings import missing_frames_warnings, warn_of_file
from pysitar.app.analysis.sound_files import read_file_header
from pysitar.app.analysis.stroke_file import block_size, measure_stroke_file
from pysitar.app.cli.options import add_quiet
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, UsageError
from pysitar.app.progress import bar_enabled, count_bar
from pysitar.errors import quoted
from pysitar.fitting.measures import CENTROID_TIMES, DECAY_BANDS, EARLY, EDGES

NAME = "measure"
LEAST_MEAN = -20.0              # dB under the channels, of their mean
DESCRIPTION = """\
Measure a sound file that holds one stroke of a string or an object. Standard output is
a table: levels and loudness (ITU-R BS.1770), spectral centroids, energy at high
frequencies, and frequency, level and T60 of the partials, each T60 with its standard
error. If the partials are those of a stiff string, f0 and the inharmonicity B are
measured too: f_k = k f0 sqrt(1 + B k^2).

T60 is from a line through the level of each partial's band, to 10 dB over the noise and
at most 50 dB down. late/early is the T60 of the later half of that decay over the T60
of the earlier half: 1 for a straight decay, above 1 for a double one."""
EPILOG = """\
examples:
  pysitar measure first.wav
  pysitar measure first.wav --json > first.json

Loudness and peaks are of all channels and of the whole sound; all else is of the mean
of the channels, in the first 4,194,304 frames (87 s at 48 kHz)."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("sound", metavar="FILE", help="a sound file")
    options.add_argument("--json", action="store_true", help="print JSON, in place of a table; "
                         "null where there is no such value")
    add_quiet(options, "no progress bar")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Measure one sound; return the exit code.  Errors: UsageError, SoundFileError, OSError."""
    if os.path.isdir(arguments.sound):
        raise UsageError(
            f"pysitar {NAME}: {quoted(arguments.sound)} is a folder; expected a sound file")
    header = read_file_header(arguments.sound)
    blocks = -(-header.frames // block_size(header.channels))
    with count_bar(blocks, "blocks", shown=bar_enabled(arguments.quiet)) as step:
        measures = measure_stroke_file(arguments.sound, step=step)
    _warn(arguments.sound, measures)
    if arguments.json:
        print(json.dumps(measures, indent=2))
    else:
        print("\n".join(table(measures)))
    return DONE


def _warn(file: str, measures: dict[str, Any]) -> None:
    """Report what is odd about a sound that can be measured all the same."""
    for text in missing_frames_warnings(file, measures["seconds"]):
        warn_of_file(file, text)
    level = measures["mean_of_channels"]
    if measures["peak"] is not None and (level is None or level < LEAST_MEAN):
        under = "0" if level is None else f"{-level:.0f} dB under them"
        warn_of_file(file, f"the channels cancel each other: their mean is {under}, and all but "
                     "levels and loudness is of the mean; expected channels in phase, or one")


def table(measures: dict[str, Any]) -> list[str]:
    """Return the lines of the table of some measures."""
    lines = _levels(measures)
    times = ", ".join(f"{time * 1000:g}" for time in CENTROID_TIMES)
    for name, key in (("", "centroid"), (" by amplitude", "amplitude_centroid")):
        centroids = [_shown(value, "{:.0f}") for value in measures[key].values()]
        lines.append(f"{f'centroid{name} at {times} ms':44} {', '.join(centroids)} Hz")
    early = " and ".join(f"{time * 1000:g}" for time in EARLY)
    for edge in EDGES:
        values = [_shown(measures["energy_over"][f"{edge / 1000:g} kHz, {time * 1000:g} ms"],
                         "{:.1f}") for time in EARLY]
        name = f"over {edge / 1000:g} kHz in {early} ms"
        lines.append(f"{name:30} {', '.join(values)} dB of all")
    for low, high in DECAY_BANDS:
        name = f"median T60, {low:g} to {high:g} Hz"
        lines.append(f"{name:30} {_shown(measures['t60'][f'{low:g}-{high:g} Hz'], '{:.3g} s')}")
    lines.append(f"{'late/early T60, median':30} {_shown(measures['late_over_early'], '{:.2f}')}")
    lines.append(f"{'waves of the decays, median':30} "
                 f"{_shown(measures['decay_residual'], '{:.1f} dB rms')}")
    string = measures["string"]
    if string is not None:
        lines.append(f"{'f0':30} {string['f0']:.3f} +- {string['f0_error']:.1g} Hz")
        lines.append(f"{'B':30} {string['b']:.3g} +- {string['b_error']:.1g}")
    lines.append("")
    if not measures["partials"]:
        return [*lines, "no partial is over the noise"]
    lines.append("order         Hz   level, dB      T60, s   error, s  late/early")
    lines += [
        f"{_shown(row['order'], '{:d}'):>5} {row['frequency']:10.2f} {row['level']:11.1f} "
        f"{row['t60']:11.4g} {row['t60_error']:10.2g} "
        f"{_shown(row['late_over_early'], '{:.2f}'):>11}" for row in measures["partials"]]
    return lines


def _levels(measures: dict[str, Any]) -> list[str]:
    """Return the lines of format, levels and loudness."""
    rows = (("peak", "peak", "dBFS"), ("true_peak", "true peak", "dBTP"),
            ("integrated", "loudness, integrated", "LUFS"),
            ("greatest_momentary", "loudness, greatest momentary", "LUFS"),
            ("noise_floor", "noise floor", "dBFS"))
    first = (f"{'sound':30} {measures['seconds']:.3f} s, {measures['channels']} channel"
             f"{'s' * (measures['channels'] > 1)}, {measures['rate']} Hz; "
             f"onset at {measures['onset']:.4f} s")
    return [first, *(f"{name:30} {_shown(measures[key], '{:.1f} ' + unit)}"
                     for key, name, unit in rows)]


def _shown(value: Any, form: str) -> str:
    return "-" if value is None else form.format(value)
