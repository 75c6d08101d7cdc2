"""Draw a measured sound: waveforms above a spectrogram, with the greatest value in each pixel."""
from __future__ import annotations

import io
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from pysitar.app.analysis.spectrogram import Sound
from pysitar.errors import counted
from pysitar.output.extremes import COLUMNS, ROWS
from pysitar.physics.units import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

DOTS_PER_INCH = 100
LEFT, RIGHT, TOP, BOTTOM = 110, 150, 80, 60     # pixels: margins of the picture
GAP, SPACE = 16, 14             # pixels: above the spectrogram, and below each waveform
MOST_PANELS = 8                 # waveforms; more channels share one
PANEL, ALL_PANELS = 60, 240     # pixels: least height of a waveform, and of all together
SOFTEST = 1e-9                  # full scale: a sound below -180 dBFS is drawn as a line
LONGEST_NAME = 100              # characters
COLOUR = "#20639b"
DARKEST = 0.16                  # place on the colour scale (0 to 1) of the lowest level shown


def draw_sound(sound: Sound) -> bytes:
    """Return a picture of a sound, a PNG 1860 pixels wide.

    Errors: ImportError without matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        warnings.filterwarnings("ignore", message="Glyph")  # a file name in an unusual script
        panels = 1 if sound.peak.size > MOST_PANELS else sound.peak.size
        waves = max(ALL_PANELS, PANEL * panels)
        width, height = LEFT + COLUMNS + RIGHT, TOP + waves + GAP + ROWS + BOTTOM
        size = width / DOTS_PER_INCH, height / DOTS_PER_INCH
        figure = Figure(figsize=size, dpi=DOTS_PER_INCH, facecolor="white")
        canvas = FigureCanvasAgg(figure)

        def add_axes(left: int, top: float, columns: int, rows: float) -> Axes:
            return figure.add_axes(
                (left / width, 1.0 - (top + rows) / height, columns / width, rows / height))

        for index in range(panels):
            top = TOP + index * waves / panels
            _draw_wave(add_axes(LEFT, top, COLUMNS, waves / panels - SPACE), sound, index, panels)
        below = TOP + waves + GAP
        _draw_spectrogram(figure, add_axes(LEFT, below, COLUMNS, ROWS),
                          add_axes(LEFT + COLUMNS + 20, below, 20, ROWS), sound)
        cut = len(sound.name) > LONGEST_NAME
        name = f"...{sound.name[3 - LONGEST_NAME:]}" if cut else sound.name
        figure.text(LEFT / width, 1.0 - 30 / height, name, fontsize=13, fontweight="bold",
                    parse_math=False)
        figure.text(LEFT / width, 1.0 - 60 / height, caption(sound), fontsize=11, parse_math=False)
        file = io.BytesIO()
        canvas.print_png(file)  # type: ignore[no-untyped-call]
        return file.getvalue()


def caption(sound: Sound) -> str:
    """Return one line on a sound: its format, the part shown, and its levels."""
    parts = [f"{sound.rate} Hz", counted(sound.channels, "channel"), sound.encoding,
             seconds(sound.frames / sound.rate)]
    if sound.last - sound.first < sound.frames:
        start, stop = (seconds(frame / sound.rate) for frame in (sound.first, sound.last))
        parts.append(f"of which {start} to {stop}")
    if sound.view.channel is not None:
        parts.append(f"channel {sound.view.channel}")
    peak, offset = float(sound.peak.max()), float(np.abs(sound.mean).max())
    rms = math.sqrt(float(np.mean(np.square(sound.rms))))
    levels = f"peak {decibels(peak)}, DC {decibels(offset)}, RMS {decibels(rms)}"
    return f"{', '.join(parts)}: {levels}"


def seconds(time: float) -> str:
    """Return a time (s) as text: to a hundredth of a second, below 1 s in a smaller unit."""
    return f"{time:.2f} s" if time >= 1.0 or time == 0.0 else format_quantity(time, "s", 4)


def decibels(level: float) -> str:
    """Return a level (full scale 1) as text, in dB; "none" for silence."""
    if level <= 0.0:
        return "none"
    return f"{round(20.0 * math.log10(level), 1) + 0.0:.1f} dBFS"       # + 0.0: not -0.0


def _draw_wave(axes: Axes, sound: Sound, index: int, panels: int) -> None:
    """Draw the waveform of a channel, or the extremes of all channels if they share one panel."""
    from matplotlib.ticker import MaxNLocator

    lows, highs = sound.extremes.lows, sound.extremes.highs
    if panels == lows.shape[1]:
        lows, highs = lows[:, index], highs[:, index]
        label = f"{'channel' if panels < 3 else 'ch'} {sound.view.channel or index + 1}"
    else:
        lows, highs = lows.min(axis=1), highs.max(axis=1)
        label = f"extremes of\n{sound.channels} channels"
    places = np.arange(sound.extremes.columns)
    if sound.extremes.columns == sound.extremes.frames:
        axes.plot((sound.first + places) / sound.rate, lows, color=COLOUR, linewidth=0.8,
                  marker="." if places.size <= 200 else "", clip_on=False)
    else:
        middles = (places + 0.5) * sound.extremes.frames / sound.extremes.columns
        times = (sound.first + middles) / sound.rate
        axes.fill_between(times, lows, highs, step="mid", color=COLOUR, linewidth=0.8)
    limit = float(sound.peak.max())
    limit = 1.05 * limit if limit > SOFTEST else 1.0
    axes.set(xlim=(sound.first / sound.rate, sound.last / sound.rate), ylim=(-limit, limit))
    axes.set_ylabel(label, rotation=0 if panels > 2 else 90, ha="right" if panels > 2 else "center",
                    va="center")
    axes.yaxis.set_major_locator(MaxNLocator(5 if panels < 3 else 3))
    axes.grid(alpha=0.3)
    axes.tick_params(labelbottom=False, labelsize=8 if panels > 2 else 10)


def _draw_spectrogram(figure: Figure, axes: Axes, bar: Axes, sound: Sound) -> None:
    """Draw the spectrogram, and in `bar` its scale of colours."""
    spectrogram, view = sound.spectrogram, sound.view
    magnitudes = spectrogram.magnitudes()
    loudest = float(magnitudes.max())
    top = max(0.0, 10.0 * math.ceil(2.0 * math.log10(loudest))) if loudest > 0.0 else 0.0
    bottom = top - view.dynamic_range
    levels = 20.0 * np.log10(np.maximum(magnitudes, 10.0 ** (bottom / 20.0 - 1.0)))
    # a logarithmic spectrogram has logarithmic rows: on an axis from 0 to 1 no row is stretched
    span = (0.0, 1.0) if spectrogram.logarithmic else (0.0, spectrogram.highest)
    image = axes.imshow(levels, origin="lower", aspect="auto", interpolation="nearest",
                        cmap=spectrum_colours(), vmin=bottom, vmax=top,
                        extent=(sound.first / sound.rate, sound.last / sound.rate, *span))
    if spectrogram.logarithmic:
        ticks = _log_ticks(spectrogram.lowest, spectrogram.highest)
        span_log = math.log(spectrogram.highest / spectrogram.lowest)
        axes.set_yticks([math.log(tick / spectrogram.lowest) / span_log for tick in ticks],
                        labels=[f"{tick:g}" for tick in ticks])
    mixed = sound.view.channel is None and sound.channels > 1
    source = f"mean of {sound.channels} channels; " if mixed else ""
    window = seconds(spectrogram.window / sound.rate)
    axes.set(xlabel=f"time (s)      spectrogram: {source}window {window}, Kaiser",
             ylabel="frequency (Hz)")
    figure.colorbar(image, cax=bar, label="dB re a sine of full scale")


def spectrum_colours() -> Colormap:
    """Return the colour map of spectrograms: black below the range, and distinctly brighter from
    its lowest level on, so that a faint click is visible."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    colours = colormaps["inferno"](np.linspace(DARKEST, 1.0, 256))
    return ListedColormap(colours).with_extremes(under="black")


def _log_ticks(lowest: float, highest: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten that are between two frequencies (Hz)."""
    powers = range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest)) + 1)
    ticks: list[Any] = [step * 10.0**power for power in powers for step in (1.0, 2.0, 5.0)]
    return [tick for tick in ticks if lowest <= tick <= highest]
