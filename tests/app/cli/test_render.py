"""`pysitar render` and render_file: a whole file or none, what is said of it, and how it ends when
it is stopped."""
import hashlib
import io
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
import wave

import numpy as np
import pytest
from app.commands import HEAD, LONG, SHORT, contents, furnish, started

from pysitar import ParameterError, RenderError, load_score, render, write_audio
from pysitar.__main__ import main
from pysitar.api.render_file import Files, render_file, stream
from pysitar.api.request import Request
from pysitar.rendering.options import Options
from pysitar.rendering.plan import Bound

LINE = re.compile(r"(?P<path>\S+): (?P<seconds>[\d.]+) s, peak (?P<peak>-?[\d.]+ dBFS|none "
                  r"\(silence\))(?:, last (?P<fade>[\d.]+) s faded)?"
                  r"(?:, (?P<clipped>\d+) samples? clipped)?, energy residual "
                  r"(?P<residual>[\d.e+-]+), (?P<speed>[\d.e+]+) x real time\n")


@pytest.fixture
def folder(here):
    return furnish(here, a=SHORT)


def rendered(capsys, *words):
    """The one line of a render that went well."""
    assert main(["render", *words]) == 0
    out, output = capsys.readouterr()
    assert out == ""
    return output


def header(path):
    with wave.open(str(path)) as file:
        return file.getframerate(), file.getnchannels(), file.getnframes()


def test_a_file_in_the_current_folder(folder, capsys):
    (folder / "sub").mkdir()
    furnish(folder / "sub", b=SHORT)
    said = LINE.fullmatch(rendered(capsys, "sub/b.score"))
    assert said
    assert said["path"] == "b.wav"
    assert said["seconds"] == "0.10"
    assert said["clipped"] is None and said["fade"] == "0.025"
    assert float(said["residual"]) < 1e-12
    assert header("b.wav") == (48000, 2, 4800)


def test_options_come_before_the_score(folder, capsys):
    (folder / "a.score").write_text(
        SHORT.replace("oversample=1", "oversample=1 rate=44100 channels=1"))
    rendered(capsys, "a.score")
    assert header("a.wav") == (44100, 1, 4410)
    rendered(capsys, "a.score", "--rate", "32000", "--oversample", "4", "--seed", "9", "-o",
             "b.wav")
    assert header("b.wav") == (32000, 1, 3200)


def test_the_same_bytes_as_from_python_in_blocks_of_any_size(folder, capsys):
    (folder / "a.score").write_text(HEAD
                                    + "render oversample=2\n0 t.a pluck\n0.05s t.a pluck f=0.2N\n")
    rendered(capsys, "a.score")
    score = load_score("a.score")
    result = render(score)
    write_audio("b.wav", result.audio, result.rate)
    assert header("a.wav")[2] > 48000
    digests = {
        hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("a.wav", "b.wav")}
    for block in (64, 441, 100000):
        report = render_file(score, folder / "c.wav", block=block)
        digests.add(hashlib.sha256((folder / "c.wav").read_bytes()).hexdigest())
        assert (report["peak"], report["frames"]) == (result.report["peak"], len(result.audio))
    assert len(digests) == 1


def test_report(folder):
    calls = []
    report = render_file(load_score("a.score"), folder / "a.wav", block=1000,
                         progress=lambda *now: calls.append(now))
    assert report["path"] == str(folder / "a.wav")
    assert (report["frames"], report["seconds"], report["clipped"],
            report["tail_cut"]) == (4800, 0.1, 0, False)
    assert report["timing"]["seconds_per_second"] > 0.0
    assert report["voices"].keys() == {"t"}
    assert [frames for frames, _ in calls] == sorted(frames for frames, _ in calls)
    assert calls[-1] == (4800, 4800)


def test_progress_grows_with_a_ringing_end(folder):
    (folder / "a.score").write_text(HEAD + "render oversample=1\n0 t.a pluck dur=100ms\n")
    calls = []
    report = render_file(load_score("a.score"), "a.wav", progress=lambda *now: calls.append(now))
    # 0.4 s wait until it is known whether they fade
    assert calls[0] == (0, 4800)
    assert calls[-1] == (report["frames"], report["frames"])
    assert report["frames"] > 9600


def test_quiet(folder, capsys):
    assert rendered(capsys, "a.score", "--quiet") == ""
    assert header("a.wav")[2] == 4800


def test_standard_input(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SHORT.encode())))
    rendered(capsys, "-", "-o", "piped.wav")
    assert header("piped.wav")[2] == 4800


def test_a_link_stays_and_its_file_is_replaced(folder, capsys):
    (folder / "real.wav").write_bytes(b"before")
    (folder / "link.wav").symlink_to("real.wav")
    rendered(capsys, "a.score", "-o", "link.wav")
    assert (folder / "link.wav").is_symlink()
    assert header("real.wav")[2] == 4800


def test_clipped_samples_are_reported_with_what_would_help(folder, capsys):
    (folder / "a.score").write_text(SHORT + "mix t gain=25dB\n")
    warning, line = rendered(capsys, "a.score").splitlines(keepends=True)
    said = LINE.fullmatch(line)
    assert said and int(said["clipped"]) > 10
    peak = float(said["peak"].split()[0])
    assert warning.startswith(
        f"pysitar: warning: {said['clipped']} samples were clipped, the loudest {peak:.1f}"[:-2])
    line = re.search(r"mix t gain=-?\d+dB(?= at a.score:\d+, in place of 25dB)", warning)[0]
    (folder / "a.score").write_text(f"{SHORT}{line}\n")
    said = LINE.fullmatch(rendered(capsys, "a.score"))
    assert said and -1.1 <= float(said["peak"].split()[0]) <= 0.0


def test_a_tail_that_is_cut_is_reported_even_quietly(folder, capsys):
    (folder / "two.toml").write_text((folder / "two.toml").read_text().replace(
        "sigma0 = 5.0", "sigma0 = 0.01").replace("9000", "1500"))
    (folder / "a.score").write_text(HEAD + "render oversample=1 rate=8000\n0 t.a pluck dur=0\n")
    warning = rendered(capsys, "a.score", "--quiet")
    assert warning.count("\n") == 1
    assert "cut 60 s after the last event" in warning
    assert header("a.wav") == (8000, 2, 480000)


def test_silence_has_no_peak(folder, capsys):
    (folder / "a.score").write_text(SHORT + "mix t gain=-200dB\n")
    assert LINE.fullmatch(rendered(capsys, "a.score"))


def test_a_bar_on_a_terminal_only(folder):
    (folder / "a.score").write_text(HEAD + "render tail=30s oversample=2\n0 t.a pluck\n")
    near, far = pty.openpty()
    termios.tcsetwinsize(far, (24, 100))
    process = started("render", "a.score", cwd=folder, stdin=subprocess.DEVNULL,
                      stdout=subprocess.DEVNULL, stderr=far, environment={"TERM": "xterm"})
    os.close(far)
    shown = b""
    try:
        while piece := os.read(near, 4096):
            shown += piece
    except OSError:                         # the other side closed
        pass
    finally:
        os.close(near)
        code = process.wait(timeout=30)
    assert code == 0
    assert b"of 31.0 s [" in shown
    assert shown.decode().replace("\r\n", "\n").replace(
        "\r", "\n").split("\n")[-2].startswith("a.wav: 31.00 s, peak")


class Broken:
    """An engine that breaks in the middle."""

    most_frames = least_frames = 8192
    options = Options()
    bound = Bound((), 0.0, ())
    names = ("t",)

    def __init__(self, error):
        self.error = error

    def parts(self, block):
        for value in (0.0, self.error) if isinstance(self.error, float) else (0.0,):
            yield np.full((4096, 2), value), (np.full((4096, 2), value),)
        raise self.error


@pytest.mark.parametrize(("error", "expected"), [
    (np.nan, RenderError),
    (np.inf, RenderError),
    (RenderError("t", 0.1, "no balance"), RenderError),
    (ValueError("no"), ValueError),
    (MemoryError(), MemoryError),
    (KeyboardInterrupt(), KeyboardInterrupt),
    (SystemExit(3), SystemExit),
])
@pytest.mark.parametrize("there", [False, True])
def test_whatever_breaks_it_leaves_what_was_there(error, expected, there, tmp_path):
    if there:
        (tmp_path / "a.wav").write_bytes(b"before")
    before = contents(tmp_path)
    with pytest.raises(expected):
        stream(Broken(error), Request(), Files(path=tmp_path / "a.wav", stems=tmp_path / "stems"))
    assert contents(tmp_path) == before


def test_an_error_in_the_progress_leaves_nothing(folder):
    before = contents(folder)
    with pytest.raises(ZeroDivisionError):
        render_file(load_score("a.score"), "a.wav", progress=lambda frames, expected: frames // 0)
    assert contents(folder) == before


@pytest.mark.parametrize("block", [0, -1, 1.5, True, "4096", 2**40, float("nan"), None])
def test_block_sizes_that_are_none(block, folder):
    before = contents(folder)
    with pytest.raises(ParameterError, match="block"):
        render_file(load_score("a.score"), "a.wav", block=block)
    assert contents(folder) == before


def test_no_score():
    with pytest.raises(ParameterError, match="load_score"):
        render_file("a.score", "a.wav")


def stopped(process, folder, number, *, times=1):
    """Send a signal once the file is begun; the exit code and what was reported."""
    deadline = time.monotonic() + 30.0
    while not list(folder.glob(".pysitar-*.part")):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.1)
    for _ in range(times):
        process.send_signal(number)
    try:
        output = process.communicate(timeout=10)[1].decode()
    finally:
        process.kill()
    return process.returncode, output


# a shell's background jobs ignore it
DEFAULTS = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"


@pytest.mark.parametrize(("number", "times", "code", "said"), [
    (signal.SIGINT, 3, 130, "interrupted"), (signal.SIGTERM, 1, 143, "ended by SIGTERM"),
    (signal.SIGHUP, 1, 129, "ended by SIGHUP")])
def test_signals_leave_nothing_and_what_was_there(number, times, code, said, folder):
    (folder / "a.score").write_text(LONG)
    (folder / "a.wav").write_bytes(b"before")
    before = contents(folder)
    process = started("render", "a.score", cwd=folder, before=DEFAULTS, stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE)
    assert stopped(process, folder, number, times=times) == (code, f"pysitar: {said}\n")
    assert contents(folder) == before


def test_sigterm_in_a_python_program(folder):
    (folder / "a.score").write_text(LONG)
    before = contents(folder)
    code = ("from pysitar import load_score\nfrom pysitar.api.render_file import render_file\n"
            "render_file(load_score('a.score'), 'a.wav')")
    process = subprocess.Popen([sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert stopped(process, folder, signal.SIGTERM) == (143, "")
    assert contents(folder) == before


def test_handlers_are_put_back_and_others_are_left_alone(folder):
    score = load_score("a.score")
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    during = []
    try:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        render_file(score, "a.wav",
                    progress=lambda *now: during.append(signal.getsignal(signal.SIGTERM)))
        assert set(during) == {signal.SIG_IGN}
    finally:
        signal.signal(signal.SIGTERM, before[1])
    render_file(score, "a.wav")
    assert [signal.getsignal(number) for number in numbers] == before


def test_in_a_thread(folder):
    reports = []
    thread = threading.Thread(
        target=lambda: reports.append(render_file(load_score("a.score"), "a.wav")))
    thread.start()
    thread.join(timeout=30)
    assert reports[0]["frames"] == 4800


def test_memory_does_not_grow_with_the_length(folder):
    """Two minutes would be 92 MB in memory, and all that runs takes 45; the string is plucked every
    second, so that it never sleeps."""
    (folder / "a.score").write_text(HEAD + "render tail=0 oversample=1\nsection s\n0 t.a pluck\n"
                                    "end\nplay s times=120 every=1s\n")
    code = ("from pysitar import load_score\nfrom pysitar.api.render_file import render_file\n"
            "report = render_file(load_score('a.score'), 'a.wav')\nprint(report['frames'])\n"
            "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM:')))")
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=True)
    frames, _, kilobytes, _ = done.stdout.split()
    assert int(frames) == 120 * 48000 == header("a.wav")[2]
    (folder / "a.wav").unlink()
    assert int(kilobytes) < 100e3
