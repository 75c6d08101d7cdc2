"""Every kind of sound file: its exact contents and size, and what it refuses before and during
writing."""
import inspect
import os
import signal
import struct
import subprocess
import sys
import warnings
import wave
from dataclasses import replace

import numpy as np
import pytest
import soundfile
from scipy.io import wavfile

from pysitar.errors import ParameterError, RenderError
from pysitar.output.audio import AudioWriter, write_audio
from pysitar.output.encodings import ENCODINGS, check_format, check_length, encoding_of

KINDS = [f"{ending[1:]} {subtype}" for ending, subtype in ENCODINGS]
PCM = [kind for kind in KINDS if "PCM" in kind]
WAV = [kind for kind in KINDS if "wav" in kind]
FLAC = [kind for kind in KINDS if "flac" in kind]
BITS = {"PCM_24": 24, "PCM_16": 16}


def split(kind):
    """The file name and the subtype of a kind."""
    ending, subtype = kind.split()
    return f"a.{ending}", subtype


def noise(*shape):
    return np.random.default_rng(7).uniform(-1.0, 1.0, shape)


def codes_of(path, bits):
    """The whole numbers in a PCM file."""
    codes, _ = soundfile.read(path, dtype="int32", always_2d=True)
    assert not np.any(codes & (2**(32 - bits) - 1))
    return codes >> (32 - bits)


@pytest.fixture
def short(monkeypatch):
    """WAV files that hold 644 bytes: past them they are RF64."""
    for key, kinds in ENCODINGS.items():
        if key[0] == ".wav":
            monkeypatch.setitem(ENCODINGS, key, (replace(kinds[0], limit=644), *kinds[1:]))


@pytest.mark.parametrize("kind", PCM)
@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (1001, 1), (4096, 2), (4097, 3), (70001, 2)])
def test_pcm_holds_the_nearest_steps(tmp_path, kind, shape):
    name, subtype = split(kind)
    sound = noise(*shape)
    write_audio(tmp_path / name, sound, 44100, subtype=subtype)
    info = soundfile.info(tmp_path / name)
    assert (info.samplerate, info.frames, info.channels, info.subtype) == (44100, *shape, subtype)
    full = 2 ** (BITS[subtype] - 1)
    assert np.array_equal(codes_of(tmp_path / name, BITS[subtype]),
                          np.clip(np.rint(sound * full), -full, full - 1))


@pytest.mark.parametrize("kind", PCM)
@pytest.mark.parametrize("pattern", [[[1, 1]], [[-1, -1]], [[1, -1]], [[1, -1], [-1, 1]],
                                     [[1, 1], [-1, -1]], [[0, 0]], [[1, 0], [0, -1]]])
def test_pcm_holds_the_extremes(tmp_path, kind, pattern):
    name, subtype = split(kind)
    sound = np.tile(np.array(pattern, dtype=float), (5000, 1))
    write_audio(tmp_path / name, sound, 48000, subtype=subtype)
    full = 2 ** (BITS[subtype] - 1)
    assert np.array_equal(codes_of(tmp_path / name, BITS[subtype]),
                          np.minimum(sound * full, full - 1))


def test_float_holds_float32_beyond_full_scale_too(tmp_path):
    sound = 4.0 * noise(70001, 2)
    sound[:6, 0] = [0.0, -0.0, 1e-45, 3.4e38, -3.4e38, 1e-300]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_audio(tmp_path / "a.wav", sound, 48000, subtype="FLOAT")
    back, rate = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert rate == 48000
    assert back.tobytes() == sound.astype(np.float32).tobytes()
    with AudioWriter(tmp_path / "a.wav", rate=48000, channels=2, subtype="FLOAT") as writer:
        writer.write(sound)
    assert (writer.clipped, writer.peak) == (0, 3.4e38)


def test_16_bits_count_what_they_clip(tmp_path):
    step = 2.0**-15
    with AudioWriter(tmp_path / "a.wav", rate=48000, channels=1, subtype="PCM_16") as writer:
        writer.write(np.array([1.0, 1.0 + 0.4 * step, 1.0 + 0.6 * step, -1.0, -1.0 - 0.6 * step,
                               2.0, 0.4 * step, 0.6 * step]))
    assert (writer.clipped, writer.peak, writer.frames) == (3, 2.0, 8)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getsampwidth(), file.getnframes()) == (2, 8)
        assert np.frombuffer(file.readframes(8),
                             "<i2").tolist() == [32767, 32767, 32767, -32768, -32768, 32767, 0, 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_no_kind_of_file_holds_what_is_not_finite(tmp_path, kind, bad):
    name, subtype = split(kind)
    sound = noise(300, 2)
    sound[200, 1] = bad
    with pytest.raises(RenderError, match="not finite") as caught:
        write_audio(tmp_path / name, sound, 100, subtype=subtype)
    assert caught.value.time == 2.0
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("large", [3.41e38, -3.41e38, 1e308])
def test_float_refuses_what_float32_cannot_hold(tmp_path, large):
    sound = noise(300, 2)
    sound[250, 0] = large
    with pytest.raises(RenderError, match=r"over 3.4e38") as caught:
        write_audio(tmp_path / "a.wav", sound, 100, subtype="FLOAT")
    assert (caught.value.voice, caught.value.time) == ("output", 2.5)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_sound_makes_the_same_bytes(tmp_path, kind):
    name, subtype = split(kind)
    sound, files = noise(20001, 2), set()
    for block in (20001, 4096, 999):
        with AudioWriter(tmp_path / name, rate=48000, channels=2, subtype=subtype,
                         frames=20001) as writer:
            for start in range(0, len(sound), block):
                writer.write(sound[start:start + block])
        files.add((tmp_path / name).read_bytes())
    assert len(files) == 1


@pytest.mark.parametrize("channels", [1, 2, 8, 1024])
def test_a_float_file_does_not_tell_when_it_was_made(tmp_path, channels):
    sound = np.linspace(-0.5, 0.25, 5 * channels).reshape(5, channels)
    soundfile.write(tmp_path / "raw.wav", sound.astype(np.float32), 48000, subtype="FLOAT")
    with AudioWriter(tmp_path / "a.wav", rate=48000, channels=channels, subtype="FLOAT") as writer:
        writer.write(sound)
    raw, own = (tmp_path / "raw.wav").read_bytes(), (tmp_path / "a.wav").read_bytes()
    assert raw[48:52] == b"PEAK"
    assert struct.unpack_from("<I", raw, 60)[0] > 1.7e9  # the time stamp of libsndfile's own file
    assert own == raw[:60] + bytes(4) + raw[64:]


@pytest.mark.parametrize("kind", WAV)
@pytest.mark.parametrize("channels", [1, 2, 3, 8])
def test_the_size_of_a_wav_file_is_known(tmp_path, kind, channels):
    name, subtype = split(kind)
    for frames in (0, 1, 7):
        write_audio(tmp_path / name, noise(frames, channels), 48000, subtype=subtype)
        assert os.path.getsize(tmp_path / name) == check_length(frames, channels, subtype)


@pytest.mark.parametrize("kind", FLAC)
@pytest.mark.parametrize("channels", [1, 2, 8])
def test_the_size_of_a_flac_file_is_bounded(tmp_path, kind, channels):
    name, subtype = split(kind)
    # white noise at full scale: nothing can be made smaller
    for frames in (1, 1000, 20001, 200001 // channels**2):
        write_audio(tmp_path / name, noise(frames, channels), 655350, subtype=subtype)
        plain = frames * channels * BITS[subtype] // 8
        assert plain < os.path.getsize(tmp_path / name) <= check_length(
            frames, channels, subtype, ending=".flac") < 1.03 * plain + 600


@pytest.mark.parametrize(("kind", "code", "bits"), [("wav PCM_24", 1, 24), ("wav PCM_16", 1, 16),
                                                    ("wav FLOAT", 3, 32)])
@pytest.mark.parametrize("channels", [1, 2, 3])
def test_an_rf64_file_byte_for_byte(tmp_path, short, kind, code, bits, channels):
    _, subtype = split(kind)
    sound = noise(333, channels)
    write_audio(tmp_path / "a.wav", sound, 48000, subtype=subtype)
    data = (tmp_path / "a.wav").read_bytes()
    width = bits // 8 * channels
    size = 333 * width
    assert len(data) == 104 + size + size % 2 == check_length(333, channels, subtype)
    assert data[:4] + data[8:16] == b"RF64WAVEds64"
    assert struct.unpack_from("<IIIQQQI", data, 4)[0] == 2**32 - 1
    # EBU Tech 3306: riff, data, frames
    assert struct.unpack_from("<IQQQI", data, 16) == (28, len(data) - 8, size, 333, 0)
    assert struct.unpack_from("<4sIHHIIHH", data, 48) == (b"fmt ", 40, 0xFFFE, channels, 48000,
                                                          48000 * width, width, bits)
    assert struct.unpack_from("<HHIH", data, 72) == (22, bits,
                                                     struct.unpack_from("<I", data, 76)[0], code)
    assert struct.unpack_from("<4sI", data, 96) == (b"data", 2**32 - 1)
    info = soundfile.info(tmp_path / "a.wav")
    assert (info.format, info.frames, info.channels, info.samplerate,
            info.subtype) == ("RF64", 333, channels, 48000, subtype)
    if subtype == "FLOAT":
        expected = sound.astype(np.float32)
    else:
        full = 2.0 ** (bits - 1)
        expected = np.clip(np.rint(sound * full), -full, full - 1) / full
    back, _ = soundfile.read(tmp_path / "a.wav", always_2d=True)
    assert np.array_equal(back, expected)
    if "RF64" in inspect.getsource(wavfile):  # scipy reads it from some version on
        rate, read = wavfile.read(tmp_path / "a.wav")
        scale = 1.0 if subtype == "FLOAT" else 2.0 ** (31 if bits == 24 else 15)
        assert rate == 48000
        assert np.array_equal(read.reshape(333, channels) / scale, expected)


def test_rf64_is_taken_when_the_bound_asks_for_it(tmp_path, short):
    path, sound = tmp_path / "a.wav", noise(100, 2)
    for bound, wanted in ((100, "WAV"), (101, "RF64"), (10**12, "RF64"), (None, "WAV"), (0, "WAV")):
        with AudioWriter(path, rate=48000, channels=2, frames=bound) as writer:
            writer.write(sound)
        info = soundfile.info(path)
        assert (info.format, info.frames) == (wanted, 100)
    os.remove(path)
    with pytest.raises(RenderError, match="WAV files hold at most 100 frames"), AudioWriter(
            path, rate=100, channels=2) as writer:
        writer.write(sound)
        writer.write(sound[:1])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("subtype", "header", "width"), [("PCM_24", 44, 6), ("PCM_16", 44, 4),
                                                          ("FLOAT", 88, 8)])
def test_past_4_gib_a_wav_file_is_rf64(subtype, header, width):
    most = (2**32 - 1 - header) // width
    given = {"rate": 48000, "channels": 2, "subtype": subtype}
    assert check_format("a.wav", **given, frames=most).format == "WAV"
    assert check_format("a.wav", **given, frames=most + 1).format == "RF64"
    assert check_length(most, 2, subtype) == header + most * width
    assert check_length(most + 1, 2, subtype) == 104 + (most + 1) * width
    with pytest.raises(ParameterError, match=rf"expected at most {(2**63 - 1 - 104) // 3072} in a "
                       rf"RF64 PCM_24 file"):
        check_format("a.wav", rate=48000, channels=1024, subtype="PCM_24", frames=2**63)


def test_a_flac_file_counts_frames_in_36_bits():
    assert check_format("a.flac", rate=48000, channels=2, frames=2**36 - 1).format == "FLAC"
    with pytest.raises(ParameterError, match=f"expected at most {2**36 - 1} in a FLAC PCM_24 file"):
        check_format("a.flac", rate=48000, channels=2, frames=2**36)


def opens(path, rate):
    """Whether libsndfile writes a FLAC file of that rate and reads the same back."""
    codes = np.arange(-5, 5, dtype=np.int32) << 8
    try:
        soundfile.write(path, codes, rate, subtype="PCM_24")
        back, read = soundfile.read(path, dtype="int32")
    except (AssertionError, soundfile.SoundFileError):
        return False
    return read == rate and np.array_equal(back, codes)


def test_the_rates_of_flac_are_those_that_can_be_read_back(tmp_path):
    rates = [1, 2, 7, 999, 8000, 11025, 44100, 65534, 65535, 65536, 65537, 65539, 65540, 65541,
             88200, 96000, 176400, 176401, 192000, 254999, 255000, 255001, 255010, 352800, 384000,
             655340, 655349, 655350, 655351, 655360, 705600, 768000, 1048575, 1048576]
    rates += [int(rate) for rate in np.random.default_rng(3).integers(60000, 660000, 60)]
    for rate in rates:
        try:
            check_format("a.flac", rate=rate, channels=1)
            allowed = True
        except ParameterError as error:
            assert error.name == "rate"
            allowed = False
        assert allowed == opens(tmp_path / "a.flac", rate), rate


@pytest.mark.parametrize(("arguments", "name"), [
    ({"rate": 65536}, "rate"),
    ({"rate": 176401}, "rate"),
    ({"rate": 655360}, "rate"),
    ({"rate": 705600}, "rate"),
    ({"rate": 0}, "rate"),
    ({"rate": 48000.5}, "rate"),
    ({"rate": np.float64(65537)}, "rate"),
    ({"channels": 9}, "channels"),
    ({"channels": 0}, "channels"),
    ({"channels": 1.5}, "channels"),
    ({"channels": True}, "channels"),
    ({"subtype": "FLOAT"}, "subtype"),
    ({"subtype": "PCM_S8"}, "subtype"),
])
def test_what_flac_cannot_be_is_refused_before_it_begins(tmp_path, arguments, name):
    given = {"rate": 48000, "channels": 2} | arguments
    for call in (check_format, AudioWriter):
        with pytest.raises(ParameterError) as caught:
            call(tmp_path / "a.flac", **given)
        assert caught.value.name == name
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("subtype", "most"), [("PCM_24", (2**32 - 1) // 3), ("PCM_16", 2**31 - 1),
                                               ("FLOAT", 2**30 - 1)])
def test_the_highest_rate_of_a_wav_file(tmp_path, subtype, most):
    write_audio(tmp_path / "a.wav", noise(3), most, subtype=subtype)
    assert soundfile.info(tmp_path / "a.wav").samplerate == most
    with pytest.raises(ParameterError, match=f"from 1 to {most}$"):
        check_format("a.wav", rate=most + 1, channels=1, subtype=subtype)


def test_what_can_be_written_is_reported_with_its_encoding():
    assert encoding_of("x/A.FLAC").subtype == "PCM_24"
    encoding = check_format("x/A.WAV", rate=np.int64(96000), channels=np.int64(2), subtype="FLOAT")
    assert (encoding.format, encoding.bits) == ("WAV", 32)
    with pytest.raises(ParameterError, match=r"expected a name that ends in .flac or .wav"):
        check_format("a.aiff", rate=48000, channels=1)
    with pytest.raises(ParameterError,
                       match=r"expected one of PCM_24, PCM_16, FLOAT in a .wav file$"):
        check_format("a.wav", rate=48000, channels=1, subtype="DOUBLE")
    with pytest.raises(ParameterError,
                       match=r"expected a whole number from 1 to 8; a WAV file holds more$"):
        check_format("a.flac", rate=48000, channels=9)


@pytest.mark.parametrize("kind", FLAC)
def test_a_flac_file_of_no_frames_is_refused(tmp_path, kind):
    name, subtype = split(kind)
    with soundfile.SoundFile(tmp_path / "raw.flac", "w", samplerate=48000, channels=1,
                             subtype=subtype):
        pass
    with pytest.raises(soundfile.SoundFileError):
        soundfile.info(tmp_path / "raw.flac")  # the trap: an empty file, which nothing opens
    os.remove(tmp_path / "raw.flac")
    with pytest.raises(RenderError, match="or a WAV file"):
        write_audio(tmp_path / name, np.zeros((0, 2)), 48000, subtype=subtype)
    assert os.listdir(tmp_path) == []


FULL_DISK = """
import os, resource, signal, sys, numpy
from pysitar.output.audio import write_audio
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sound = numpy.random.default_rng(1).uniform(-1.0, 1.0, (10000, 2))
sound[-20:] = 0.0
for name, subtype in (("a.wav", "PCM_24"), ("a.wav", "FLOAT"), ("a.flac", "PCM_24")):
    path = os.path.join(sys.argv[1], name)
    write_audio(path, sound, 48000, subtype=subtype)
    size = os.path.getsize(path)
    os.remove(path)
    for room in (0, 3, 20, 44, 50, 86, 100, 1000, size // 2,
                 size - 12000, size - 1000, size - 2, size - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        try:
            write_audio(path, sound, 48000, subtype=subtype)
        except OSError as error:
            assert error.filename, error
        else:
            sys.exit(f"{room} bytes were enough for {size}, {name} {subtype}")
        assert os.listdir(sys.argv[1]) == [], room
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    write_audio(path, sound, 48000, subtype=subtype)
    os.remove(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
sys.exit(7)
"""


def test_a_disk_that_fills_at_any_byte_is_reported(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], check=False, timeout=60,
                          capture_output=True)
    assert done.returncode == 7, done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_a_flac_or_wav_file_cut_short_is_noticed(tmp_path, kind, monkeypatch):
    name, subtype = split(kind)
    real = soundfile.SoundFile.close

    def close_and_lose_a_byte(sound):
        written = sound.mode == "w" and not sound.closed
        real(sound)
        if written:
            os.ftruncate(sound.name, os.fstat(sound.name).st_size - 1)

    monkeypatch.setattr(soundfile.SoundFile, "close", close_and_lose_a_byte)
    with pytest.raises(OSError,
                       match=r"were written instead of|cannot be written|can be read of") as caught:
        write_audio(tmp_path / name, np.zeros((5000, 2)), 48000, subtype=subtype)
    assert caught.value.filename == str(tmp_path / name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("loss", [lambda codes: codes // 512 * 256, lambda codes: codes[1:]])
def test_a_flac_file_of_another_end_or_length_is_noticed(tmp_path, monkeypatch, loss):
    real = soundfile.SoundFile.write
    monkeypatch.setattr(soundfile.SoundFile, "write", lambda sound, codes: real(sound, loss(codes)))
    with pytest.raises(OSError, match="the last one differs"):
        write_audio(tmp_path / "a.flac", noise(5000, 2), 48000)
    assert os.listdir(tmp_path) == []


KILLED = """
import os, signal, sys, numpy
from pysitar.output.audio import AudioWriter
with AudioWriter(sys.argv[1], rate=48000, channels=2) as writer:
    for _ in range(20):
        writer.write(numpy.zeros((5000, 2)))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_write_leaves_no_file_that_looks_whole(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"before")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "a.wav")], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "a.wav").read_bytes() == b"before"
    assert all(name.startswith(".pysitar-") and name.endswith(".part")
               for name in os.listdir(tmp_path) if name != "a.wav")


def test_numbers_of_other_widths(tmp_path):
    write_audio(tmp_path / "a.wav", np.array([0.5, -0.25], dtype=np.float16), 48000,
                subtype="FLOAT")
    assert soundfile.read(tmp_path / "a.wav")[0].tolist() == [0.5, -0.25]
    if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
        with pytest.raises(RenderError, match="not finite"):
            write_audio(tmp_path / "a.wav", np.array([np.finfo(np.longdouble).max]), 48000)
