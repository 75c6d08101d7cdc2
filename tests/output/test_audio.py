"""Sound files: samples are read back unchanged, errors are reported, and no exception leaves a
file."""
import errno
import hashlib
import os
import signal
import socket
import wave
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import soundfile

from pysitar.errors import ParameterError, RenderError
from pysitar.output import audio
from pysitar.output.audio import (
    AudioWriter,
    atomic_replacement,
    check_length,
    check_space,
    check_target,
    quantise,
    write_audio,
)

STEP = 2.0**-23


def noise(*shape):
    return np.random.default_rng(5).uniform(-1.0, 1.0, shape)


@pytest.mark.parametrize("shape", [(1001, 1), (1001, 2), (1001, 5), (1001, ), (0, 2), (1, 1),
                                   (70000, 2)])
def test_round_trip(tmp_path, shape):
    sound = noise(*shape)
    write_audio(tmp_path / "a.wav", sound, 44100)
    back, rate = soundfile.read(tmp_path / "a.wav", always_2d=True)
    assert rate == 44100
    assert back.shape == (shape[0], 1 if len(shape) == 1 else shape[1])
    assert np.abs(back - sound.reshape(back.shape)).max(initial=0.0) <= 0.5 * STEP


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_the_standard_library_reads_it(tmp_path, channels):
    sound = noise(333, channels)
    write_audio(tmp_path / "a.wav", sound, 48000.0)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate(),
                file.getnframes()) == (channels, 3, 48000, 333)
        data = np.frombuffer(file.readframes(333), np.uint8).reshape(-1, 3)
    codes = (np.pad(data, ((0, 0), (1, 0))).view("<i4") >> 8).reshape(333, channels)
    assert np.array_equal(codes, np.rint(sound / STEP))
    assert os.path.getsize(tmp_path / "a.wav") == check_length(333, channels)


def test_an_odd_number_of_bytes_is_padded(tmp_path):
    write_audio(tmp_path / "a.wav", noise(1, 1), 48000)
    assert os.path.getsize(tmp_path / "a.wav") == 48 == check_length(1, 1)


def test_nearest_step():
    samples = np.array([0.0, 0.4, 0.6, -0.4, -0.6, 1.5, 2.5]) * STEP
    codes, clipped = quantise(samples, 24)
    assert (codes >> 8).tolist() == [0, 0, 1, 0, -1, 2, 2]
    assert clipped == 0
    assert np.array_equal(codes & 255, np.zeros(7))


def test_full_scale_and_beyond():
    samples = np.array(
        [1.0, -1.0, 1.0 + 0.4 * STEP, 1.0 + 0.6 * STEP, -1.0 - 0.6 * STEP, -7.0, 1e308, 1.0 - STEP])
    codes, clipped = quantise(samples, 24)
    top = 2**23 - 1
    assert (codes >> 8).tolist() == [top, -top - 1, top, top, -top - 1, -top - 1, top, top]
    assert clipped == 4


def test_clips_are_counted_and_reported(tmp_path):
    sound = np.array([[0.5, -1.5], [1.25, 1.0], [-1.0, 2.0]])
    with AudioWriter(tmp_path / "a.wav", rate=48000, channels=2) as writer:
        writer.write(sound[:1])
        assert (writer.clipped, writer.peak, writer.frames) == (1, 1.5, 1)
        writer.write(sound[1:])
    assert (writer.clipped, writer.peak, writer.frames) == (3, 2.0, 3)
    back, _ = soundfile.read(tmp_path / "a.wav")
    np.testing.assert_allclose(back, np.clip(sound, -1.0, 1.0), atol=STEP)
    with pytest.warns(RuntimeWarning, match="3 samples were clipped: the peak is 2"):
        write_audio(tmp_path / "a.wav", sound, 48000)


def test_blocks_make_the_same_bytes(tmp_path):
    sound = noise(140000, 2)
    digests = set()
    for block in (1000, 4096, 140000):
        with AudioWriter(tmp_path / f"{block}.wav", rate=48000, channels=2) as writer:
            for start in range(0, len(sound), block):
                writer.write(sound[start:start + block])
            writer.write(sound[:0])
        digests.add(hashlib.sha256((tmp_path / f"{block}.wav").read_bytes()).hexdigest())
    write_audio(tmp_path / "again.wav", sound, 48000)
    digests.add(hashlib.sha256((tmp_path / "again.wav").read_bytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_no_file_for_a_sound_that_is_not_finite(tmp_path, bad):
    sound = noise(100000, 2)
    sound[70000, 1] = bad
    (tmp_path / "old.wav").write_bytes(b"before")
    for name in ("new.wav", "old.wav"):
        with pytest.raises(RenderError, match="not finite") as caught:
            write_audio(tmp_path / name, sound, 1000)
        assert (caught.value.voice, caught.value.time) == ("output", 70.0)
    assert os.listdir(tmp_path) == ["old.wav"]
    assert (tmp_path / "old.wav").read_bytes() == b"before"


@pytest.mark.parametrize("what",
                         [ValueError("no"), SystemExit(1), KeyboardInterrupt(), GeneratorExit()])
def test_an_exception_in_the_middle_leaves_nothing(tmp_path, what):
    (tmp_path / "a.wav").write_bytes(b"before")
    with pytest.raises(type(what)), AudioWriter(tmp_path / "a.wav", rate=48000,
                                                channels=1) as writer:
        writer.write(noise(5000))
        assert len(os.listdir(tmp_path)) == 2
        raise what
    assert os.listdir(tmp_path) == ["a.wav"]
    assert (tmp_path / "a.wav").read_bytes() == b"before"


def test_an_interrupt_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), AudioWriter(tmp_path / "a.wav", rate=48000,
                                                       channels=1) as writer:
        writer.write(noise(5000))
        signal.raise_signal(signal.SIGINT)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["soundfile.SoundFile", "os.replace"])
def test_a_failure_of_the_last_step_leaves_nothing(tmp_path, monkeypatch, name):
    def fail(*_args, **_keywords):
        raise OSError(errno.EIO, "broken")

    (tmp_path / "a.wav").write_bytes(b"before")
    monkeypatch.setattr(f"pysitar.output.audio.{name}", fail)
    with pytest.raises(OSError, match="broken"):
        write_audio(tmp_path / "a.wav", noise(10), 48000)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["a.wav"]
    assert (tmp_path / "a.wav").read_bytes() == b"before"


def test_an_existing_file_is_replaced_and_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    real = tmp_path / "there" / "real.wav"
    real.write_bytes(b"before")
    (tmp_path / "link.wav").symlink_to(real)
    (tmp_path / "dangling.wav").symlink_to(tmp_path / "there" / "new.wav")
    for name in ("link.wav", "dangling.wav"):
        write_audio(tmp_path / name, noise(10), 48000)
        assert (tmp_path / name).is_symlink()
        assert soundfile.info(tmp_path / name).frames == 10
    assert sorted(os.listdir(tmp_path / "there")) == ["new.wav", "real.wav"]


def test_the_file_has_the_permissions_of_any_new_file(tmp_path):
    write_audio(tmp_path / "a.wav", noise(10), 48000)
    (tmp_path / "plain").touch()
    assert (tmp_path / "a.wav").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.fixture
def targets(tmp_path):
    """Names that no sound can be written to, and the error for each."""
    os.mkfifo(tmp_path / "fifo.wav")
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop.wav").symlink_to(tmp_path / "loop.wav")
    (tmp_path / "device.wav").symlink_to("/dev/null")
    (tmp_path / "a.score").write_text("a score")
    (tmp_path / "score.wav").symlink_to("a.score")
    (tmp_path / "chain.wav").symlink_to("score.wav")
    (tmp_path / "dangles.wav").symlink_to("new.score")
    (tmp_path / "bare.wav").symlink_to("file")
    (tmp_path / "to_fifo.wav").symlink_to(tmp_path / "fifo.wav")
    return {
        tmp_path / "fifo.wav": (FileExistsError, "a FIFO"),
        tmp_path / "to_fifo.wav": (FileExistsError, "a FIFO"),
        tmp_path / "folder.wav": (IsADirectoryError, "a directory"),
        f"{tmp_path}/new.wav/": (IsADirectoryError, "a directory"),
        tmp_path / "device.wav": (FileExistsError, "a device"),
        "": (IsADirectoryError, "an empty file name"),
        **{
            tmp_path / f"{name}.wav": (FileExistsError, r"a link to .*, whose ending is not .wav")
            for name in ("score", "chain", "dangles", "bare")
        },
        tmp_path / "missing" / "a.wav": (FileNotFoundError, "folder does not exist"),
        tmp_path / "file" / "a.wav": (NotADirectoryError, "Not a directory"),
        tmp_path / "loop.wav": (OSError, "symbolic links"),
        tmp_path / f"{'n' * 300}.wav": (OSError, "too long"),
        "/proc/a.wav": (OSError, "no file can be made in this folder"),
        "a\0b.wav": (OSError, "not a file name"),
    }


def test_targets_that_cannot_be_written(targets, tmp_path):
    before = sorted(os.listdir(tmp_path))
    for path, (kind, words) in targets.items():
        for call in (check_target, partial(AudioWriter, rate=48000, channels=1),
                     partial(write_audio, audio=noise(10), rate=48000)):
            with pytest.raises(kind, match=words):
                call(path)
    assert (tmp_path / "a.score").read_text() == "a score"
    assert sorted(os.listdir(tmp_path)) == before


def test_a_socket_is_no_target(tmp_path):
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(tmp_path / "s.wav"))
        with pytest.raises(FileExistsError, match="a socket"):
            check_target(tmp_path / "s.wav")


@pytest.mark.parametrize(("number", "kind"), [(errno.EACCES, PermissionError),
                                              (errno.EROFS, OSError), (errno.ENOSPC, OSError)])
def test_a_folder_that_takes_no_file(tmp_path, monkeypatch, number, kind):
    def refuse(*_args, **_keywords):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(audio.os, "open", refuse)
    with pytest.raises(kind, match="no file can be made in this folder") as caught:
        check_target(tmp_path / "a.wav")
    assert caught.value.errno == number


def test_a_good_target_is_left_as_it_was(tmp_path):
    (tmp_path / "old.wav").write_bytes(b"before")
    assert check_target(tmp_path / "new.wav") == (tmp_path / "new.wav").resolve()
    assert check_target(str(tmp_path / "old.wav")).read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["old.wav"]


def test_a_relative_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_audio("a.WAV", noise(10), 48000)
    assert os.listdir() == ["a.WAV"]


def test_no_longer_than_the_format_holds(tmp_path, monkeypatch):
    assert check_length(10, 2) == 44 + 60
    key = (".wav", "PCM_24")
    monkeypatch.setitem(audio.ENCODINGS, key, (replace(audio.ENCODINGS[key][0], limit=44 + 600),))
    write_audio(tmp_path / "a.wav", noise(100, 2), 48000)
    with pytest.raises(ParameterError, match="at most 100 in a WAV PCM_24 file"):
        write_audio(tmp_path / "b.wav", noise(101, 2), 48000)
    with pytest.raises(RenderError, match="hold at most 100 frames"), AudioWriter(
            tmp_path / "c.wav", rate=100, channels=2) as writer:
        writer.write(noise(100, 2))
        writer.write(noise(1, 2))
    assert os.listdir(tmp_path) == ["a.wav"]


def test_space_on_the_disk(tmp_path, monkeypatch):
    check_space(tmp_path / "a.wav", 1)
    with pytest.raises(OSError, match="bytes are needed") as caught:
        check_space(tmp_path / "a.wav", 2**62)
    assert caught.value.errno == errno.ENOSPC
    check_space("/proc/a.wav", 1)
    monkeypatch.setattr(audio, "check_length", lambda *_args, **_keywords: 2**62)
    with pytest.raises(OSError, match="bytes are needed"):
        write_audio(tmp_path / "a.wav", noise(10), 48000)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("arguments", "name"), [
    ({"rate": 0}, "rate"),
    ({"rate": 44100.5}, "rate"),
    ({"rate": float("nan")}, "rate"),
    ({"rate": float("inf")}, "rate"),
    ({"rate": 2**31}, "rate"),
    ({"rate": True}, "rate"),
    ({"rate": "48000"}, "rate"),
    ({"rate": None}, "rate"),
    ({"rate": 10**400}, "rate"),
    ({"rate": np.array([48000])}, "rate"),
    ({"rate": np.array(48000)}, "rate"),
    ({"rate": np.bool_(True)}, "rate"),
    ({"rate": 1j}, "rate"),
    ({"rate": -48000}, "rate"),
    ({"channels": 0}, "channels"),
    ({"channels": 1025}, "channels"),
    ({"subtype": "PCM_23"}, "subtype"),
    ({"path": "a.ogg"}, "sound file"),
    ({"path": "a"}, "sound file"),
])
def test_out_of_range(tmp_path, arguments, name):
    given = {"path": "a.wav", "rate": 48000, "channels": 1} | arguments
    path = tmp_path / given.pop("path")
    with pytest.raises(ParameterError) as caught:
        AudioWriter(path, **given)
    assert caught.value.name == name
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("block", [np.zeros(4), np.zeros((4, 3)), np.zeros((4, 2, 1)), 0.5])
def test_blocks_of_another_shape(tmp_path, block):
    with pytest.raises(ParameterError, match="shape"), AudioWriter(
            tmp_path / "a.wav", rate=48000, channels=2) as writer:
        writer.write(block)
    with pytest.raises(ParameterError, match="shape"):
        write_audio(tmp_path / "a.wav", np.zeros((4, 2, 1)), 48000)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("sound", [
    np.zeros(4, dtype=complex),
    np.array(["0.1", "0.2"]),
    "0.5",
    np.array([0.1, None]),
    [[0.1], [0.2, 0.3]],
    None,
    {"a": 1},
    np.array([True, False]),
    np.array([b"1"]),
    np.zeros(2, dtype="datetime64[s]"),
])
def test_what_is_no_sound(tmp_path, sound):
    with pytest.raises(ParameterError,
                       match=r"^audio is of .* values; expected an array of real numbers"):
        write_audio(tmp_path / "a.wav", sound, 48000)
    with pytest.raises(ParameterError, match=r"^block is of .* values"), AudioWriter(
            tmp_path / "a.wav", rate=48000, channels=1) as writer:
        writer.write(sound)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("rate", [48000, 48000.0, np.int32(48000), np.float32(48000)])
def test_rates_that_are_whole(tmp_path, rate):
    write_audio(tmp_path / "a.wav", np.zeros(4, dtype=np.float32), rate)
    assert soundfile.info(tmp_path / "a.wav").samplerate == 48000


def test_frames_and_channels_mixed_up(tmp_path):
    write_audio(tmp_path / "a.wav", noise(100, 8), 48000)
    with pytest.raises(ParameterError, match=r"^audio is of shape \(2, 9\); expected at most 8 "
                       r"channels, shape \(frames, channels\); did you mean"):
        write_audio(tmp_path / "b.wav", noise(2, 9), 48000)
    assert os.listdir(tmp_path) == ["a.wav"]


def test_a_closed_writer_says_so(tmp_path):
    writer = AudioWriter(tmp_path / "a.wav", rate=48000, channels=1)
    with pytest.raises(ValueError, match="inside its with block"):
        writer.write(noise(4))
    with writer:
        writer.write(noise(4))
    with pytest.raises(ValueError, match="inside its with block"):
        writer.write(noise(4))


def test_any_file_can_be_replaced_whole(tmp_path):
    with atomic_replacement(tmp_path / "a.json") as descriptor, open(
            descriptor, "w", closefd=False) as file:
        file.write("{}")
    assert (tmp_path / "a.json").read_text() == "{}"
    assert os.listdir(tmp_path) == ["a.json"]
