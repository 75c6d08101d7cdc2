"""A recording of the Debian package sonic-pi-samples (CC0), where it is installed; nothing is
fetched."""
from pathlib import Path

import numpy as np
import pytest

import pysitar
from pysitar.app.analysis.recordings import MEAN, read_recording
from pysitar.fitting.object_report import fit_quality

FOLDER = Path("/usr/share/sonic-pi/samples")


def test_a_tabla_is_explained():
    file = FOLDER / "tabla_na.flac"
    if not file.is_file():
        pytest.skip("sonic-pi-samples is not installed")
    sound, rate = read_recording(str(file), MEAN)
    modes = pysitar.fit_modes(sound, rate, settled=0.002, count=30)
    # the spectrum's peak is a mode, to two bins; a residual of -15 dB is a fifth
    # of the amplitude
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(sound.size)))
    peak = float(spectrum.argmax()) * rate / sound.size
    assert np.abs(modes.frequencies - peak).min() < 2.0 * rate / sound.size
    assert fit_quality(sound, rate, modes)["residual"] < -15.0
