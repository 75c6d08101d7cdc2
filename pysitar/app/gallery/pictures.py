"""Draw the pictures of a gallery: waveform, spectrogram and energies, without axes, which the page
adds."""
from __future__ import annotations

import io
import math
import warnings
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pysitar.app.analysis.picture import SOFTEST, spectrum_colours
from pysitar.app.analysis.spectrogram import Sound, View
from pysitar.app.gallery.energies import Energies

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, SPECTROGRAM_HEIGHT, WAVE_HEIGHT = 800, 300, 96  # pixels; the width of all pictures
HIGHEST = 16000.0                       # Hz: greatest upper limit of a spectrogram
RANGE = 100.0                           # dB below full scale: the range of a spectrogram
DECADES = 8                             # of energies
LEAST = 1e-290                          # J: less is drawn as zero
BLUE = (63, 136, 197)                   # visible on light and dark backgrounds
LINES = (("stored", "#3f88c5"), ("contact", "#e07a3f"), ("losses", "#5b9a68"), ("work", "#a06cc0"))
GREY = "#858a90"
STYLE = "3"                             # version of the pictures: a new one renews all of them


def view_of(rate: int) -> View:
    """Return the displayed frequency and level range of a sound with a sample rate (Hz)."""
    return View(highest=min(HIGHEST, 0.5 * rate), dynamic_range=RANGE)


def wave_png(sound: Sound) -> bytes:
    """Return a waveform (PNG, transparent) scaled to its peak: the extremes over all channels."""
    lows, highs = sound.extremes.lows.min(axis=1), sound.extremes.highs.max(axis=1)
    places = np.arange(WIDTH) * len(lows) // WIDTH
    if len(lows) >= WIDTH:
        lows, highs = np.minimum.reduceat(lows, places), np.maximum.reduceat(highs, places)
    else:
        lows, highs = lows[places], highs[places]
    scale = 0.5 * (WAVE_HEIGHT - 2) / max(float(sound.peak.max()), SOFTEST)
    top, bottom = 0.5 * WAVE_HEIGHT - 0.5 - highs * scale, 0.5 * WAVE_HEIGHT + 0.5 - lows * scale
    rows = np.arange(WAVE_HEIGHT)[:, np.newaxis]
    covered = np.clip(np.minimum(bottom, rows + 1) - np.maximum(top, rows), 0.0, 1.0)
    return _indexed(np.rint(255.0 * covered).astype(np.uint8), [*BLUE] * 256, bytes(range(256)))


def spectrogram_png(sound: Sound) -> bytes:
    """Return a spectrogram (PNG): the greatest magnitude in every pixel, 0 Hz at the bottom, full
    scale the brightest."""
    magnitudes = sound.spectrogram.magnitudes()
    rows, columns = magnitudes.shape
    magnitudes = magnitudes.reshape(SPECTROGRAM_HEIGHT, rows // SPECTROGRAM_HEIGHT,
                                    WIDTH, columns // WIDTH).max(axis=(1, 3))
    levels = 20.0 * np.log10(np.maximum(magnitudes, 10.0 ** (-RANGE / 20.0 - 1.0)))
    codes = np.clip(np.floor(1.0 + 255.0 * (levels + RANGE) / RANGE), 0, 255).astype(np.uint8)
    shades = np.rint(255.0 * spectrum_colours()(np.linspace(0.0, 1.0, 255))[:, :3])
    colours = np.vstack(([0, 0, 0], shades)).astype(int)
    return _indexed(codes[::-1], colours.ravel().tolist(), None)


def energies_png(energies: Energies, seconds: float) -> bytes:
    """Return the energies over time (PNG, transparent), on a logarithmic axis of eight decades."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        greatest = max(float(getattr(energies, name).max()) for name, _ in LINES)
        top = 10.0 ** math.ceil(math.log10(greatest)) if greatest > LEAST else 1.0
        figure = Figure(figsize=(WIDTH / 100, 2.6), dpi=100)
        figure.patch.set_alpha(0.0)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.patch.set_alpha(0.0)
        for name, colour in LINES:
            values = np.maximum(getattr(energies, name), 0.1 * top * 10.0**-DECADES)
            axes.plot(energies.times, values, color=colour, linewidth=2.0)
        axes.set(xlim=(0.0, seconds), ylim=(top * 10.0**-DECADES, top), yscale="log")
        axes.grid(color=GREY, alpha=0.3, which="major")
        for decade in range(2, DECADES, 2):
            axes.annotate(f"1e{round(math.log10(top)) - decade} J", (0.008, 1.0 - decade / DECADES),
                          xycoords="axes fraction", color=GREY, fontsize=14, va="top")
        for spine in axes.spines.values():
            spine.set_visible(False)
        file = io.BytesIO()
        FigureCanvasAgg(figure).print_png(file)  # type: ignore[no-untyped-call]
        return file.getvalue()


def _indexed(codes: npt.NDArray[np.uint8], colours: list[int], alphas: bytes | None) -> bytes:
    """Return a PNG of indices into 256 colours and alphas."""
    from PIL import Image as Pillow  # matplotlib brings it

    image: Image = Pillow.fromarray(np.ascontiguousarray(codes))
    image = image.convert("P") if image.mode != "P" else image
    image.putpalette(colours)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=False, **({} if alphas is None else {"transparency": alphas}))
    return file.getvalue()
