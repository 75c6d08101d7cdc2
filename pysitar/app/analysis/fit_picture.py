"""Draw the spectrograms of a recording, of the fitted sound, and of what is left."""
from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from pysitar.output.extremes import COLUMNS, Spectrogram
from pysitar.physics.checks import FloatArray

DOTS_PER_INCH = 100
WIDTH, HEIGHT = 16.0, 15.0      # inches
RANGE = 100.0                   # dB of the colours
HIGHEST = 16000.0               # Hz


def draw_fit(panels: Sequence[tuple[str, FloatArray]], rate: float) -> bytes:
    """Return a PNG with the spectrogram of each sound under its title, on one scale of colours.

    Errors: ImportError without matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    highest = min(HIGHEST, 0.5 * rate)
    pictures = [_magnitudes(sound, rate, highest) for _, sound in panels]
    loudest = max(float(picture.max()) for picture in pictures)
    with mpl.rc_context():
        mpl.rcdefaults()
        figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DOTS_PER_INCH, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (title, sound), picture in zip(axes, panels, pictures, strict=True):
            levels = 20.0 * np.log10(np.maximum(picture, 1e-12 * loudest) / loudest)
            image = axis.imshow(levels, origin="lower", aspect="auto", vmin=-RANGE, vmax=0.0,
                                cmap="magma", extent=(0.0, sound.size / rate, 0.0, highest / 1e3))
            axis.set_title(title, loc="left", parse_math=False)
            axis.set_ylabel("kHz")
        axes[-1].set_xlabel("s")
        figure.colorbar(image, ax=list(axes), label="dB", pad=0.01)
        file = io.BytesIO()
        canvas.print_png(file)  # type: ignore[no-untyped-call]
        return file.getvalue()


def _magnitudes(sound: FloatArray, rate: float, highest: float) -> FloatArray:
    spectrogram = Spectrogram(sound.size, rate, highest=highest, logarithmic=False,
                              dynamic_range=RANGE)
    half = np.zeros(spectrogram.window // 2)
    spectrogram.add(np.concatenate((half, sound, half)))
    return spectrogram.magnitudes()[:, :COLUMNS]
