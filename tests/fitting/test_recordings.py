"""A recording of the Debian package sonic-pi-samples (CC0), where it is installed; nothing is
fetched."""
from pathlib import Path

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
    # two partials of a stroke on this drum, from peaks of a spectrum, within a semitone; a residual
    # of -15 dB is a fifth of the amplitude
    for hz in (312.0, 552.0):
        assert abs(modes.frequencies / hz - 1.0).min() < 0.06
    assert fit_quality(sound, rate, modes)["residual"] < -15.0
