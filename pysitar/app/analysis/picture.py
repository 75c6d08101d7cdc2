"""Draw a measured sound: waveforms above their spectrogram; each pixel shows its greatest value."""
from __future__ import annotations

import io
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from pysitar.app.analysis.spectrogram import Sound
from pysitar.output.extremes import COLUMNS, ROWS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

DOTS = 100                      # pixels an inch
# pixels around the axes, and under each waveform
LEFT, RIGHT, TOP, BOTTOM, GAP, SPACE = 110, 150, 80, 60, 16, 14
MOST_PANELS = 8                 # more channels are drawn as one
PANEL, ALL_PANELS = 60, 240     # pixels, of one waveform at least, and of all at least
SOFTEST = 1e-9                  # a sound under -180 dBFS is drawn as a line
LONGEST_NAME = 100
COLOUR = "#20639b"
DARKEST = 0.16                  # of the scale of colours: what is just within the range


def draw_sound(sound: Sound) -> bytes:
    """Return a picture of a sound, a PNG 1860 pixels wide.

    Errors: ImportError without matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        # a file's name in a script that the font lacks
        warnings.filterwarnings("ignore", message="Glyph")
        panels = 1 if sound.peak.size > MOST_PANELS else sound.peak.size
        waves = max(ALL_PANELS, PANEL * panels)
        width, height = LEFT + COLUMNS + RIGHT, TOP + waves + GAP + ROWS + BOTTOM
        figure = Figure(figsize=(width / DOTS, height / DOTS), dpi=DOTS, facecolor="white")
        canvas = FigureCanvasAgg(figure)

        def axes(left: int, top: float, wide: int, high: float) -> Axes:
            return figure.add_axes((left / width, 1.0 -
                                    (top + high) / height, wide / width, high / height))

        for index in range(panels):
            _draw_wave(axes(LEFT, TOP + index * waves / panels, COLUMNS, waves / panels - SPACE),
                       sound, index, panels)
        below = TOP + waves + GAP
        _draw_spectrogram(figure, axes(LEFT, below, COLUMNS, ROWS),
                          axes(LEFT + COLUMNS + 20, below, 20, ROWS), sound)
        name = sound.name if len(
            sound.name) <= LONGEST_NAME else "..." + sound.name[3 - LONGEST_NAME:]
        figure.text(LEFT / width, 1.0 - 30 / height, name, fontsize=13, fontweight="bold",
                    parse_math=False)
        figure.text(LEFT / width, 1.0 - 60 / height, caption(sound), fontsize=11, parse_math=False)
        file = io.BytesIO()
        canvas.print_png(file)  # type: ignore[no-untyped-call]
        return file.getvalue()


def caption(sound: Sound) -> str:
    """One line on a sound: what it is, how loud, and which part of it is shown."""
    count = f"{sound.channels} channel{'' if sound.channels == 1 else 's'}"
    what = f"{sound.rate} Hz, {count}, {sound.encoding}, {seconds(sound.frames / sound.rate)}"
    if sound.last - sound.first < sound.frames:
        what += f", of which {seconds(sound.first / sound.rate)} to {seconds(sound.last / sound.rate)}"
    if sound.view.channel is not None:
        what += f", channel {sound.view.channel}"
    offset = sound.mean[np.argmax(np.abs(sound.mean))]
    rms = math.sqrt(float(np.mean(np.square(sound.rms))))
    return f"{what}: peak {decibels(float(sound.peak.max()))}, DC {decibels(abs(float(offset)))}, RMS {decibels(rms)}"


def seconds(time: float) -> str:
    """A time, to the hundredth of a second, or in milliseconds when it is short."""
    return f"{time:.2f} s" if time >= 1.0 or time == 0.0 else f"{1000.0 * time:.4g} ms"


def decibels(level: float) -> str:
    """A level (full scale 1) in dB."""
    # + 0.0: no -0.0
    return f"{round(20.0 * math.log10(level), 1) + 0.0:.1f} dBFS" if level > 0.0 else "none"


def _draw_wave(axes: Axes, sound: Sound, index: int, panels: int) -> None:
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
        times = (sound.first +
                 (places + 0.5) * sound.extremes.frames / sound.extremes.columns) / sound.rate
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
    spectrogram, view = sound.spectrogram, sound.view
    magnitudes = spectrogram.magnitudes()
    loudest = float(magnitudes.max())
    top = max(0.0, 10.0 * math.ceil(2.0 * math.log10(loudest))) if loudest > 0.0 else 0.0
    bottom = top - view.dynamic_range
    levels = 20.0 * np.log10(np.maximum(magnitudes, 10.0 ** (bottom / 20.0 - 1.0)))
    # rows of a logarithmic picture are drawn on a linear axis 0 to 1: an image is never stretched,
    # so that no line is lost
    span = (0.0, 1.0) if spectrogram.logarithmic else (0.0, spectrogram.highest)
    image = axes.imshow(levels, origin="lower", aspect="auto", interpolation="nearest",
                        cmap=spectrum_colours(), vmin=bottom, vmax=top,
                        extent=(sound.first / sound.rate, sound.last / sound.rate, *span))
    if spectrogram.logarithmic:
        ticks = _log_ticks(spectrogram.lowest, spectrogram.highest)
        axes.set_yticks([
            math.log(tick / spectrogram.lowest) / math.log(spectrogram.highest / spectrogram.lowest)
            for tick in ticks
        ], labels=[f"{tick:g}" for tick in ticks])
    mixed = sound.view.channel is None and sound.channels > 1
    source = f"mean of {sound.channels} channels; " if mixed else ""
    axes.set(
        xlabel=
        f"time (s)      spectrogram: {source}window {seconds(spectrogram.window / sound.rate)}, "
        "Kaiser",
        ylabel="frequency (Hz)")
    figure.colorbar(image, cax=bar, label="dB re a sine of full scale")


def spectrum_colours() -> Colormap:
    """Black under the range, and plainly not black from its lowest level on: a faint click is
    seen."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["inferno"](np.linspace(DARKEST, 1.0,
                                                           256))).with_extremes(under="black")


def _log_ticks(lowest: float, highest: float) -> list[float]:
    """1, 2 and 5 times the powers of ten between two frequencies."""
    powers = range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest)) + 1)
    ticks: list[Any] = [step * 10.0**power for power in powers for step in (1.0, 2.0, 5.0)]
    return [tick for tick in ticks if lowest <= tick <= highest]
