"""Write arrays to sound files, whole or not at all, with reproducible bytes and a count of clipped
samples."""
from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt
import soundfile  # type: ignore[import-untyped]

from pysitar.errors import ParameterError, RenderError
from pysitar.output.encodings import ENCODINGS, Encoding, check_format, check_length, encoding_of
from pysitar.output.files import atomic_replacement, check_space, check_target

__all__ = [
    "ENCODINGS",
    "AudioWriter",
    "Encoding",
    "atomic_replacement",
    "check_format",
    "check_length",
    "check_space",
    "check_target",
    "encoding_of",
    "quantise",
    "write_audio",
]

MAX_CHANNELS = 8           # of write_audio: with more, frames and channels are probably exchanged
CHUNK_FRAMES = 65536               # frames per write, so that a long sound is not copied at once
# byte offsets in a FLOAT WAV file: libsndfile's PEAK chunk, and its time stamp, which is set to 0
PEAK_CHUNK, PEAK_TIME = 48, 60
# samples as libsndfile takes them
Codes: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.float32]


class AudioWriter:
    """Write a sound file block by block; the file appears under its name only if the `with` block
    succeeds.

    PCM is rounded to the nearest step without dither, so that the same sound has the same bytes;
    rounding to 16 bits can be audible in a quiet decay, rounding to 24 bits cannot. FLOAT is
    float32, and keeps samples beyond full scale.

    Parameters: path, a new or a regular file, whose ending (.wav or .flac) is the format; rate
    (Hz), a whole number; channels, 1 or more; subtype, "PCM_24", "PCM_16" or (WAV only) "FLOAT";
    frames, the greatest number of frames: a WAV file that could exceed 4 GiB is then an RF64 file
    from its first byte (None: unknown, and writing past 4 GiB is an error).
    Attributes: frames, written so far; clipped, the number of samples beyond full scale (1.0) after
    rounding, always 0 for FLOAT; peak, the greatest |sample|.
    Errors: ParameterError as in check_format, or OSError as in check_target.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        rate: float,
        channels: int,
        subtype: str = "PCM_24",
        frames: int | None = None,
    ) -> None:
        check_target(path)
        self._encoding = check_format(path, rate=rate, channels=channels, subtype=subtype,
                                      frames=frames)
        self.path = Path(path)
        self.rate, self.channels = int(rate), int(channels)
        self.frames, self.clipped, self.peak = 0, 0, 0.0
        self._descriptor = -1
        self._last: Codes = np.empty((0, self.channels), dtype=np.int32)
        self._sound: soundfile.SoundFile | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with _described_errors(self.path), ExitStack() as stack:
            self._descriptor = stack.enter_context(atomic_replacement(self.path))
            stack.push(self._check_whole)
            self._sound = stack.enter_context(soundfile.SoundFile(
                self._descriptor, "w", samplerate=self.rate, channels=self.channels, closefd=False,
                format=self._encoding.format, subtype=self._encoding.subtype,
            ))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._sound = None
        with _described_errors(self.path):
            self._stack.__exit__(kind, error, trace)

    def write(self, block: npt.ArrayLike) -> None:
        """Write frames; in PCM, samples beyond full scale are set to full scale and counted.

        Parameters: block, of shape (n, channels), or (n,) for one channel; full scale is -1 to 1.
        Errors: ParameterError for another shape; RenderError, with voice "output", for NaN or
        infinity, for samples beyond float32 (3.4e38) in FLOAT, and past the longest file.
        """
        frames = _as_samples("block", block)
        if frames.ndim == 1 and self.channels == 1:
            frames = frames[:, np.newaxis]
        if frames.ndim != 2 or frames.shape[1] != self.channels:
            raise ParameterError("block", f"of shape {frames.shape}",
                                 f"expected shape (n, {self.channels})")
        if self._sound is None:
            raise ValueError("an AudioWriter writes inside its with block")
        for start in range(0, len(frames), CHUNK_FRAMES):
            self._write(self._sound, frames[start:start + CHUNK_FRAMES])

    def _write(self, sound: soundfile.SoundFile, frames: npt.NDArray[np.float64]) -> None:
        self._check_finite(frames, "the sound is not finite (NaN or infinity)")
        if not self._encoding.holds(self.frames + len(frames), self.channels):
            most = self._encoding.max_frames(self.channels)
            reason = (f"{self._encoding.format} files hold at most {most} frames, "
                      "and the sound is longer")
            raise RenderError("output", self.frames / self.rate, reason)
        self.peak = max(self.peak, float(np.abs(frames).max()))
        codes = self._encode(frames)
        with _described_errors(self.path):
            sound.write(codes)
        self.frames += len(frames)
        self._last = codes[-1:].copy()

    def _encode(self, frames: npt.NDArray[np.float64]) -> Codes:
        if self._encoding.subtype != "FLOAT":
            codes, clipped = quantise(frames, self._encoding.bits)
            self.clipped += clipped
            return codes
        with np.errstate(over="ignore"):
            numbers = frames.astype(np.float32)
        self._check_finite(numbers, "the sound is over 3.4e38, the most that a FLOAT file holds")
        return numbers

    def _check_finite(self, frames: npt.NDArray[np.float64] | npt.NDArray[np.float32],
                      reason: str) -> None:
        finite = np.isfinite(frames).all(axis=1)
        if not finite.all():
            raise RenderError("output", (self.frames + int(finite.argmin())) / self.rate, reason)

    def _check_whole(self, kind: type[BaseException] | None, error: BaseException | None,
                     trace: TracebackType | None) -> None:
        if kind is not None:
            return
        if self._encoding.format == "FLAC":
            self._check_last_frame()
            return
        written, expected = os.fstat(self._descriptor).st_size, self._encoding.size(
            self.frames, self.channels)
        if written != expected:  # libsndfile does not report a truncated header
            raise OSError(errno.EIO, f"{written} bytes were written instead of {expected}",
                          str(self.path))
        if os.pread(self._descriptor, 4, PEAK_CHUNK) == b"PEAK":
            os.pwrite(self._descriptor, bytes(4), PEAK_TIME)

    def _check_last_frame(self) -> None:
        """Read the end of a FLAC file: libsndfile does not report a truncated last block."""
        if not self.frames:
            raise RenderError("output", 0.0,
                              "the sound has no frames; expected at least one, or a WAV file")
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with soundfile.SoundFile(self._descriptor, closefd=False) as sound:
            frames = sound.frames
            sound.seek(frames - 1)
            last = sound.read(1, dtype="int32", always_2d=True)
        if frames != self.frames or not np.array_equal(last, self._last):
            raise OSError(
                errno.EIO,
                f"{frames} of {self.frames} frames can be read back, or the last one differs",
                str(self.path))


def quantise(samples: npt.NDArray[np.float64], bits: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return samples as `bits`-bit integers in the high bits of int32, and the number beyond full
    scale.

    Samples are rounded to the nearest step here, because libsndfile rounds down. Full scale (1.0)
    itself becomes the highest step and is not counted.
    """
    full = float(1 << (bits - 1))
    with np.errstate(over="ignore"):
        steps = np.rint(samples * full)
    clipped = int(np.count_nonzero(np.abs(steps) > full))
    codes = np.clip(steps, -full, full - 1.0).astype(np.int32)
    return codes << (32 - bits), clipped


def write_audio(path: str | os.PathLike[str], audio: npt.ArrayLike, rate: float, *,
                subtype: str = "PCM_24") -> None:
    """Write an array to a sound file, whole or not at all.

    Parameters
    ----------
    path : path-like
        A .wav or .flac file, new or to be replaced.
    audio : array-like of float
        Samples of shape (frames, channels), at most 8 channels, or (frames,); full scale is -1 to
        1.
    rate : float
        Sample rate (Hz), a whole number.
    subtype : str, default "PCM_24"
        "PCM_24", "PCM_16" or "FLOAT" (WAV only).

    Raises
    ------
    ParameterError
        For samples, a rate or a subtype that the format cannot hold.
    RenderError
        For NaN or infinity.
    OSError
        If the file cannot be written, or the disk is full.

    Warns
    -----
    RuntimeWarning
        With the number of clipped samples; FLOAT clips none.

    Examples
    --------
    >>> import numpy as np
    >>> import pysitar
    >>> tone = 0.5 * np.sin(2.0 * np.pi * 440.0 * np.arange(4800) / 48000.0)
    >>> pysitar.write_audio("tone.wav", tone, 48000)
    """
    sound = _as_samples("audio", audio)
    if sound.ndim not in (1, 2):
        raise ParameterError("audio", f"of shape {sound.shape}",
                             "expected shape (frames, channels) or (frames,)")
    channels = 1 if sound.ndim == 1 else sound.shape[1]
    if channels > MAX_CHANNELS:
        hint = "shape (frames, channels); did you mean its transpose?"
        raise ParameterError("audio", f"of shape {sound.shape}",
                             f"expected at most {MAX_CHANNELS} channels, {hint}")
    writer = AudioWriter(path, rate=rate, channels=channels, subtype=subtype, frames=len(sound))
    check_space(path, check_length(len(sound), channels, subtype, ending=os.path.splitext(path)[1]))
    with writer:
        writer.write(sound)
    if writer.clipped:
        message = (f"{writer.clipped} samples were clipped: the peak is {writer.peak:.4g}, "
                   "full scale is 1")
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def _as_samples(name: str, samples: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return an array of floating-point numbers.  Errors: ParameterError for anything else."""
    try:
        array = np.asarray(samples)
    except ValueError:                      # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind != "f":             # integers have another full scale
        raise ParameterError(name, f"of {array.dtype} values",
                             "expected an array of real numbers (floating-point, full scale 1.0)")
    with np.errstate(over="ignore"):        # a long double may overflow
        return array.astype(np.float64, copy=False)


@contextmanager
def _described_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (AssertionError, soundfile.SoundFileError) as error:
        # soundfile asserts that every frame was written
        raise OSError(errno.EIO,
                      f"the sound cannot be written; is the disk full? ({error or 'truncated'})",
                      str(path)) from error
