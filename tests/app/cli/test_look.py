"""`pysitar look`: what a picture shows is what is in the sound, a click of one sample too; what is
no sound is reported."""
import importlib
import io
import math
import os
import resource
import socket
import sys

import matplotlib as mpl
import numpy as np
import pytest
import soundfile
from app.commands import refused
from matplotlib.image import imread

from pysitar.__main__ import main
from pysitar.app.analysis import picture, spectrogram
from pysitar.app.analysis.spectrogram import View, measure_view
from pysitar.app.cli import look
from pysitar.output.extremes import COLUMNS, OVERLAP, ROWS, Extremes, Spectrogram

RATE = 8000
PNG = b"\x89PNG\r\n\x1a\n"


def sine(frequency, frames, rate=RATE, amplitude=1.0):
    return amplitude * np.sin(2.0 * math.pi * frequency * np.arange(frames) / rate)


def write(name, samples, rate=RATE, subtype="DOUBLE"):
    soundfile.write(name, samples, rate, subtype=subtype)


def spectrogram_of(samples, *, highest=RATE / 2, logarithmic=False, dynamic_range=120.0):
    made = Spectrogram(samples.size, RATE, highest=highest, logarithmic=logarithmic,
                       dynamic_range=dynamic_range)
    half = np.zeros(made.window // 2)
    for part in np.array_split(np.concatenate((half, samples, half)), 3):
        made.add(part)
    return made


def manifest_row(frequency, made):
    """The row of a picture that a frequency falls into."""
    if made.logarithmic:
        return int(ROWS * math.log(frequency / made.lowest) / math.log(made.highest / made.lowest))
    return int(ROWS * frequency / made.highest)


def looked(capsys, *words):
    """The line that is printed of a picture."""
    assert main(["look", *words]) == 0
    out, printed = capsys.readouterr()
    assert out == ""
    return printed


@pytest.mark.parametrize(("frames", "columns"), [(1, 1600), (5, 3), (1600, 1600), (1601, 1600),
                                                 (9999, 64), (3000, 1600)])
def test_extremes_hold_every_sample_of_their_column(frames, columns):
    samples = np.random.default_rng(frames).normal(size=(frames, 2))
    made = Extremes(frames, 2, columns)
    for part in np.array_split(samples, min(frames, 7)):
        made.add(part)
    place = np.arange(frames) * made.columns // frames
    assert made.columns == min(frames, columns)
    for column in range(made.columns):
        inside = samples[place == column]
        assert np.array_equal(made.lows[column], inside.min(axis=0))
        assert np.array_equal(made.highs[column], inside.max(axis=0))


@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize("frequency", [100.0, 1000.0, 1234.5, 3600.0])
def test_a_sine_of_full_scale_is_0_db_in_its_row(frequency, logarithmic):
    """The tone falls between two bins at worst: a Kaiser window of shape 15.7 loses 0.55 dB there,
    one sample of its main lobe."""
    made = spectrogram_of(sine(frequency, 40000), logarithmic=logarithmic)
    column = made.magnitudes()[:, COLUMNS // 2]
    assert 0.93 < column.max() < 1.001
    bin_width = RATE / made.window
    reached = {manifest_row(f, made) for f in np.linspace(
        frequency - bin_width, frequency + bin_width, 50) if f > made.lowest}
    assert int(column.argmax()) in reached


@pytest.mark.parametrize(("highest", "logarithmic"), [(4000.0, False), (1500.0, False),
                                                      (4000.0, True)])
def test_what_sounds_stands_where_it_belongs(highest, logarithmic):
    """The rows and columns that show the greatest magnitude lie around the bin of a tone, and
    around the window in whose middle a click is; each to half a pixel, or to one where a bin or a
    window ends within a pixel."""
    made = spectrogram_of(sine(62.5 * 13, 3000), highest=highest, logarithmic=logarithmic)
    tone = made.magnitudes()[:, COLUMNS // 2]
    rows = np.flatnonzero(tone > 0.9999 * tone.max()) + 0.5
    bins = np.array([62.5 * 13 - 0.5 * RATE / made.window, 62.5 * 13 + 0.5 * RATE / made.window])
    edges = ROWS * (np.log(bins / made.lowest) / math.log(1000.0) if logarithmic else bins
                    / highest)
    assert rows.mean() == pytest.approx(edges.mean(), abs=1.0)
    samples = np.zeros(3000)
    samples[20 * made.hop] = 1.0
    click = spectrogram_of(samples, highest=highest,
                           logarithmic=logarithmic).magnitudes()[ROWS // 2]
    columns = np.flatnonzero(click > 0.9999 * click.max()) + 0.5
    assert columns.mean() == pytest.approx(20 * made.hop * COLUMNS / 3000, abs=1.0)


@pytest.mark.parametrize("dynamic_range", [80.0, 120.0, 160.0])
def test_a_window_leaks_less_than_the_range(dynamic_range):
    """Beyond the main lobe, whose half width is sqrt(1 + (shape / pi)^2) bins, there is nothing of
    a tone within the range; double precision ends at 300 dB. Kaiser & Schafer's fit of the shape is
    good to 1 dB."""
    made = spectrogram_of(sine(1003.0, 40000), dynamic_range=dynamic_range)
    shape = 0.12438 * (dynamic_range + 6.3)
    lobe = (math.sqrt(1.0 + (shape / math.pi) ** 2) + 1.0) * RATE / made.window
    column = made.magnitudes()[:, COLUMNS // 2]
    away = np.abs((np.arange(ROWS) + 0.5) * made.highest / ROWS
                  - 1003.0) > lobe + made.highest / ROWS
    assert away.sum() > ROWS // 2
    assert 20.0 * math.log10(column[away].max()) < 1.0 - dynamic_range


@pytest.mark.parametrize("frames", [3000, 150000])          # fewer windows than columns, and more
def test_no_click_is_missed(frames):
    """A click of one sample has the same magnitude at every frequency: 2 / (sum of the window) in
    its middle. A window's middle is at most half a hop away, where the window is at I0(b sqrt(1 -
    1/8^2)) / I0(b) = 0.884 of it (b = 15.7)."""
    for place in np.random.default_rng(1).integers(frames, size=12).tolist():
        samples = np.zeros(frames)
        samples[place] = 1.0
        made = spectrogram_of(samples)
        windows = (frames - 1) // made.hop + 1
        assert (windows < COLUMNS) == (frames == 3000)
        taper = np.kaiser(made.window + 1, 0.12438 * 126.3)[:-1]
        # the nearest window may stand in the next column, and with few windows each is as wide as
        # several
        reach = max(1, -(-COLUMNS // windows))
        at = place * COLUMNS // frames
        column = made.magnitudes()[:, max(0, at - reach):at + reach + 1].max(axis=1)
        assert column.min() > 0.88 * 2.0 / taper.sum(), place
        assert column.max() < 1.0001 * 2.0 / taper.sum()


def test_windows_overlap_and_follow_the_view():
    whole, low, log = (Spectrogram(10**6, 48000, highest=highest, logarithmic=logarithmic,
                                   dynamic_range=120.0) for highest,
                       logarithmic in ((24000.0, False), (6000.0, False), (24000.0, True)))
    assert (whole.window, low.window, log.window) == (4096, 8192, 16384)
    assert whole.hop * OVERLAP == whole.window
    assert Spectrogram(1, 1, highest=0.5, logarithmic=False, dynamic_range=120.0).window == 16
    assert Spectrogram(10**9, 10**9, highest=5e8, logarithmic=False,
                       dynamic_range=120.0).window == 65536


@pytest.mark.parametrize("view", [View(), View(start=0.3, stop=0.9), View(channel=2)], ids=repr)
def test_the_same_picture_from_blocks_of_any_size(view, here, monkeypatch):
    # so long that every column has several windows
    write("a.wav", np.random.default_rng(2).normal(size=(26 * RATE, 3)))
    whole = measure_view("a.wav", view)
    monkeypatch.setattr(spectrogram, "BLOCK", 1000)
    parts = measure_view("a.wav", view)
    assert np.array_equal(whole.extremes.lows, parts.extremes.lows)
    assert np.array_equal(whole.extremes.highs, parts.extremes.highs)
    # the transform of a batch is the same whatever stands beside it
    assert np.array_equal(whole.spectrogram.magnitudes(), parts.spectrogram.magnitudes())


def test_peak_offset_and_rms(here):
    """-0.25 - 0.5 sin over whole periods: peak 0.75, mean -0.25, mean square 0.25^2 + 0.5^2 / 2."""
    samples = np.stack((-0.25 - sine(1000.0, RATE, amplitude=0.5), np.zeros(RATE)), axis=1)
    write("a.wav", samples)
    found = measure_view("a.wav", View())
    assert found.peak == pytest.approx([0.75, 0.0], abs=1e-12)
    assert found.mean == pytest.approx([-0.25, 0.0], abs=1e-12)
    assert found.rms == pytest.approx([math.sqrt(0.1875), 0.0], abs=1e-12)
    second = measure_view("a.wav", View(channel=2))
    assert second.peak.tolist() == [0.0] and not second.spectrogram.magnitudes().any()
    # the spectrogram is of the mean of the channels: half the tone
    assert measure_view("a.wav",
                        View()).spectrogram.magnitudes().max() == pytest.approx(0.25, rel=0.07)


def test_a_part_shows_what_stands_around_it(here):
    """In the middle of a steady tone a part begins without the splash that a tone has where its
    file begins."""
    write("a.wav", sine(1000.0, 2 * RATE))
    part = measure_view("a.wav", View(start=1.0, stop=1.25))
    assert (part.first, part.last) == (RATE, RATE + RATE // 4)
    row = manifest_row(3000.0, part.spectrogram)
    assert part.spectrogram.magnitudes()[row].max() < 1e-6
    whole = measure_view("a.wav", View())
    assert whole.spectrogram.magnitudes()[row, 0] > 1e-4


def test_a_click_of_one_sample_in_a_minute_is_seen(here, capsys):
    """A faint one, -118 dB in every bin. In the PNG: a dark column in the waveform, a column in
    every row of the spectrogram, within a pixel of where they belong."""
    samples = np.zeros(60 * RATE)
    samples[37 * RATE + 5] = 1e-4
    write("click.wav", samples, subtype="FLOAT")
    looked(capsys, "click.wav")
    pixels = (imread("click.png")[:, :, :3] * 255.0).round()
    assert pixels.shape[1] == picture.LEFT + COLUMNS + picture.RIGHT
    expected = picture.LEFT + (37 * RATE + 5) * COLUMNS // samples.size
    top = picture.TOP + picture.ALL_PANELS + picture.GAP
    rows = pixels[top + 2:top + ROWS - 2, picture.LEFT + 2:picture.LEFT + COLUMNS - 2]
    lit = np.flatnonzero((rows.sum(axis=2) > 100.0).all(axis=0)) + picture.LEFT + 2
    assert lit.size in {1, 2, 3} and np.abs(lit - expected).max() <= 1
    assert (rows.sum(axis=2) > 0.0).any(axis=0).sum() == lit.size          # and nothing else is
    # between the middle line and the top of the waveform there is paper, but for the click
    wave = pixels[picture.TOP + 40:picture.TOP + 100,
                  picture.LEFT + 2:picture.LEFT + COLUMNS - 2].sum(axis=2)
    dark = np.flatnonzero((wave < 500.0).all(axis=0)) + picture.LEFT + 2
    assert dark.size in {1, 2, 3} and np.abs(dark - expected).max() <= 1


def test_a_picture_in_the_current_folder(here, capsys):
    (here / "sub").mkdir()
    write("sub/a.wav", np.tile([0.5, -0.5], RATE // 2), subtype="PCM_24")
    printed = looked(capsys, "sub/a.wav")
    assert (printed == "a.png: 8000 Hz, 1 channel, WAV PCM_24, 1.00 s: peak -6.0 dBFS, DC none, "
            "RMS -6.0 dBFS\n")
    assert (here / "a.png").read_bytes().startswith(PNG)
    (here / "b.PNG").write_bytes(b"before")
    printed = looked(capsys, "sub/a.wav", "-o", "b.PNG", "--from", "250ms", "--to", "9s", "--log",
                  "--max-frequency", "2e3", "--range", "60")
    assert ", of which 250 ms to 1.00 s: " in printed
    assert (here / "b.PNG").read_bytes().startswith(PNG)
    assert sorted(os.listdir(here)) == ["a.png", "b.PNG", "sub"]


STRANGE_SOUNDS = {"silence": (np.zeros((RATE, 2)), RATE),
                  "one loud frame at 1 Hz": (np.full(1, 1e29), 1),
                  "64 channels, faint and fast": (np.full((2000, 64), 1e-300), 10**9)}


@pytest.mark.parametrize(("samples", "rate"), STRANGE_SOUNDS.values(), ids=STRANGE_SOUNDS)
def test_strange_sounds_are_drawn(samples, rate, here):
    write("a.wav", samples, rate)
    data = picture.draw_sound(measure_view("a.wav", View(logarithmic=rate == 1)))
    assert data.startswith(PNG) and np.isfinite(imread(io.BytesIO(data))).all()


def test_a_users_own_settings_of_matplotlib(here):
    """They change no picture (LaTeX would fail here), and no picture changes them."""
    write("a.wav", np.zeros(100))
    with mpl.rc_context({"text.usetex": True, "savefig.dpi": 30.0, "font.size": 30.0}):
        pixels = imread(io.BytesIO(picture.draw_sound(measure_view("a.wav", View()))))
        assert mpl.rcParams["text.usetex"] and mpl.rcParams["font.size"] == 30.0
    assert pixels.shape[1] == picture.LEFT + COLUMNS + picture.RIGHT


def test_odd_names_are_just_names(here, capsys):
    name = "a" * 100 + "ünï ☃ 音 $x^$ %s{0}\\ a\nb\x1b[31m\udcff"
    buffer = io.BytesIO()
    soundfile.write(buffer, np.zeros(10), RATE, format="WAV")
    (here / f"{name}.wav").write_bytes(buffer.getvalue())
    printed = looked(capsys, f"./{name}.wav")
    assert printed.count("\n") == 1 and "\x1b" not in printed
    assert (here / f"{name}.png").read_bytes().startswith(PNG)


def bad(place, value):
    samples = np.zeros((20, 2))
    samples[place, 1] = value
    return samples


FILES = {
    "missing": "No such file",
    "folder": "is a folder",
    "fifo": "no regular file",
    "socket": "no regular file",
    "zero": "no regular file",
    "loop": "symbolic links",
    "text": "cannot be read as a sound file",
    "empty": "cannot be read as a sound file",
    "nothing": "no frames",
    "short": "cannot be read as a sound file",
    "nan": "(frame 7, channel 2) is nan",
    "infinite": "(frame 3, channel 2) is -inf",
    "huge": "(frame 0, channel 2) is 1e+300",
    "half": "cannot be read from 0 s on",
}


def furnish(here):
    """What could stand where a sound is wanted."""
    (here / "folder.wav").mkdir()
    os.mkfifo("fifo.wav")
    (here / "zero.wav").symlink_to("/dev/zero")
    (here / "loop.wav").symlink_to("loop.wav")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.wav")
    (here / "text.wav").write_text("use tanpura as t\n")
    (here / "empty.wav").touch()
    write("nothing.wav", np.zeros(0))
    write("good.wav", np.zeros(2 * RATE))
    (here / "short.wav").write_bytes((here / "good.wav").read_bytes()[:30])
    write("nan.wav", bad(7, math.nan))
    write("infinite.wav", bad(3, -math.inf))
    write("huge.wav", bad(0, 1e300))
    write("whole.flac", np.random.default_rng(0).normal(size=RATE) * 0.1, subtype="PCM_16")
    (here / "half.wav").write_bytes((here / "whole.flac").read_bytes()[:6000])


@pytest.mark.parametrize(("kind", "said"), FILES.items(), ids=FILES)
def test_what_is_no_sound(kind, said, here, capsys):
    furnish(here)
    refused("look", capsys, here, 2, said, f"{kind}.wav")


WORDS = {
    "from beyond the end": ("--from 2", 2,
                            "--from is 2.0; expected a finite number (s), at least 0 and below 2"),
    "from before the start": ("--from -1", 2, "--from is -1.0"),
    "from nan": ("--from nan", 2, "nan is not a time"),
    "to before from": ("--from 1 --to 0.5", 2,
                       "--to is 0.5; expected a finite number (s), above 1"),
    "to 0": ("--to 0", 2, "--to is 0.0"),
    "to in beats": ("--to 3:2", 2,
                    "3:2 is not a time; expected seconds, such as 1.5, 1.5s or 300ms"),
    "range with a unit": ("--range 3s", 2, "3s is not a number"),
    "to 1e999": ("--to 1e999", 2, "--to is inf"),
    "channel 0": ("--channel 0", 2, "--channel is 0; expected a whole number from 1 to 1"),
    "channel 2": ("--channel 2", 2, "--channel is 2"),
    "frequency": (
        "--max-frequency 4001", 2,
        "--max-frequency is 4001.0; expected a finite number (Hz), above 0 and at most 4000"),
    "frequency 0": ("--max-frequency 0", 2, "--max-frequency is 0.0"),
    "range 0": ("--range 0", 2, "--range is 0.0"),
    "range 1000": ("--range 1000", 2,
                   "--range is 1000.0; expected a finite number (dB), at least 10 and at most 200"),
    "another ending": ("-o a.jpg", 2, "does not end in .png"),
    "no name": ("-o ", 2, "does not end in .png"),
    "standard output": ("-o -", 2, "does not end in .png"),
    "a folder": ("-o folder.png", 1, "folder.png: a directory"),
    "no such folder": ("-o no/a.png", 1, "the folder does not exist"),
    "two sounds": ("other.wav", 2, "other.wav"),
}


@pytest.mark.parametrize(("words", "code", "said"), WORDS.values(), ids=WORDS)
def test_words_that_are_wrong(words, code, said, here, capsys):
    write("good.wav", np.zeros(2 * RATE))
    (here / "folder.png").mkdir()
    refused("look", capsys, here, code, said, "good.wav", *words.split(" "))


def test_where_a_picture_cannot_stand_is_reported_before_the_sound_is_read(
        here, capsys, monkeypatch):
    monkeypatch.setattr(look, "measure_view", None)
    refused("look", capsys, here, 1, "the folder does not exist", "good.wav", "-o", "no/a.png")


def test_the_sound_itself_is_not_replaced(here, capsys):
    write("good.wav", np.zeros(20))
    os.rename("good.wav", "good.png")
    refused("look", capsys, here, 2, "is the sound itself", "good.png")


def test_without_matplotlib(here, capsys, monkeypatch):
    """Told before the sound is read, which may take long."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    importlib.reload(picture)          # only drawing needs it
    monkeypatch.setattr(look, "measure_view", None)
    write("good.wav", np.zeros(20))
    refused("look", capsys, here, 2, "pip install 'pysitar[figures]' adds it", "good.wav")


def test_a_picture_is_whole_or_not_there(here, capsys, monkeypatch):
    write("good.wav", np.zeros(20))
    (here / "good.png").write_bytes(b"before")
    monkeypatch.setattr(look, "draw_sound", lambda _: b"x" * 10**6)
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, most[1]))
    try:
        refused("look", capsys, here, 1, "File too large", "good.wav")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)


@pytest.mark.parametrize("name", [".", "..", "./"])
def test_a_folder_whose_name_is_dots_is_a_folder(name, here, capsys):
    refused("look", capsys, here, 2, "is a folder", name)
