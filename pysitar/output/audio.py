"""Arrays to sound files: whole or not at all, the same bytes every time, nothing clipped or lost in silence."""
from __future__ import annotations

import errno
import os
import secrets
import stat
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt
import soundfile  # type: ignore[import-untyped]

from pysitar.errors import ParameterError, RenderError

MOST_CHANNELS = 8           # of write_audio: more are frames and channels mixed up
CHUNK = 65536               # frames quantised at once, so that an hour of sound is not copied whole


@dataclass(frozen=True, slots=True)
class Encoding:
    """One kind of sound file: libsndfile's two names for it, bits a sample, bytes of header, and the most it holds (bytes, channels)."""

    format: str
    subtype: str
    bits: int
    header: int
    limit: int
    channels: int


ENCODINGS = {               # (ending, subtype) -> encoding
    (".wav", "PCM_24"): Encoding("WAV", "PCM_24", bits=24, header=44, limit=2**32 - 1, channels=1024),
}


def encoding_of(path: str | os.PathLike[str], subtype: str = "PCM_24") -> Encoding:
    """Return the encoding that a file's ending and a subtype ask for.

    Parameters: path, with an ending such as .wav; subtype, a name of libsndfile. Errors: ParameterError, which lists what there is.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    endings = sorted({known for known, _ in ENCODINGS})
    if ending not in endings:
        raise ParameterError("sound file", os.fspath(path), f"its ending must be {' or '.join(endings)}")
    if (ending, subtype) not in ENCODINGS:
        subtypes = [known for other, known in ENCODINGS if other == ending]
        raise ParameterError("subtype", subtype, f"{ending} files can be {', '.join(subtypes)}")
    return ENCODINGS[ending, subtype]


def check_length(frames: int, channels: int, subtype: str = "PCM_24", *, ending: str = ".wav") -> int:
    """Return the size in bytes of a sound file, if such a file can be that long.

    Parameters: frames, 0 or more; channels, 1 or more; subtype and ending of the file. Errors: ParameterError.
    """
    encoding = encoding_of(f"sound{ending}", subtype)
    size = _size(encoding, frames, channels)
    if size > encoding.limit:
        most = (encoding.limit - encoding.header) // _frame_bytes(encoding, channels)
        raise ParameterError(
            "length", f"{frames} frames of {channels} channels", f"a {encoding.format} {subtype} file holds at most {most} of them"
        )
    return size


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return where a file will really stand (links followed), if one can be made or replaced there; nothing is kept or changed.

    Parameters: path, of a new file or of a regular file to replace. Errors: OSError, of the subclass that fits: it is a directory,
    a FIFO, a device or a link to a file with another ending; its folder is missing or cannot be written to.
    """
    shown = os.fspath(path)
    try:
        there: os.stat_result | None = os.stat(shown)
    except FileNotFoundError:
        there = None
    except ValueError as error:             # a NUL in the name
        raise OSError(errno.EINVAL, f"not a file name: {error}", shown) from None
    if not shown or shown.endswith(os.sep) or (there and stat.S_ISDIR(there.st_mode)):
        raise IsADirectoryError(errno.EISDIR, "a directory, not a file to write" if shown else "an empty file name", shown)
    if there and not stat.S_ISREG(there.st_mode):
        kind = "a FIFO" if stat.S_ISFIFO(there.st_mode) else "a socket" if stat.S_ISSOCK(there.st_mode) else "a device"
        raise FileExistsError(errno.EEXIST, f"{kind}, not a regular file", shown)
    target = Path(os.path.realpath(shown))
    ending = os.path.splitext(shown)[1]
    if os.path.splitext(target)[1].lower() != ending.lower():
        raise FileExistsError(errno.EEXIST, f"a link to {target}, whose ending is not {ending or 'empty'}", shown)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(target.parent))
    probe = _beside(target)
    try:
        os.close(_create(probe))
    except OSError as error:                # permissions, a read-only or virtual file system, no inode left
        raise OSError(error.errno, f"no file can be made in this folder: {error.strerror}", str(target.parent)) from None
    finally:
        with suppress(OSError):
            probe.unlink()
    return target


def check_space(path: str | os.PathLike[str], size: int) -> None:
    """Raise OSError (ENOSPC) if the disk that holds a file's folder has fewer free bytes than `size`.

    Parameters: path, of the file to write; size, in bytes. A file to be replaced counts as used: it stands until the new one is whole.
    """
    folder = os.path.dirname(os.path.realpath(path))
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if disk.f_blocks and free < size:       # some virtual file systems count no blocks at all
        raise OSError(errno.ENOSPC, f"{size} bytes are needed and {free} are free", folder)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[int]:
    """Give a file descriptor to write to, whose file takes the place of `path` at the end, or vanishes at any exception.

    Parameters: path, as in check_target. Errors: OSError.
    """
    target = check_target(path)
    beside = _beside(target)
    try:
        descriptor = _create(beside)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
        os.replace(beside, target)
    except BaseException:                   # Ctrl-C and SystemExit too
        with suppress(OSError):
            beside.unlink()
        raise


class AudioWriter:
    """Writes a sound file block by block; the file stands under its name when the `with` block ends well, else not at all.

    Parameters: path, which may be replaced if it is a regular file, and whose ending is the format; rate, in Hz, a whole number;
    channels, 1 or more; subtype, a name of libsndfile. Attributes: frames written; clipped, the samples beyond full scale (1.0)
    after rounding to the file's steps; peak, the greatest |sample| given. Errors: ParameterError, or OSError as in check_target.
    """

    def __init__(self, path: str | os.PathLike[str], *, rate: float, channels: int, subtype: str = "PCM_24") -> None:
        check_target(path)
        self._encoding = encoding_of(path, subtype)
        if not 1 <= channels <= self._encoding.channels:
            raise ParameterError("channels", channels, f"it must be a whole number from 1 to {self._encoding.channels}")
        most = (2**32 - 1) // _frame_bytes(self._encoding, channels)        # the header counts bytes a second in 32 bits
        self.path = Path(path)
        self.rate, self.channels = _whole_rate(rate, most), channels
        self.frames, self.clipped, self.peak = 0, 0, 0.0
        self._descriptor = -1
        self._sound: soundfile.SoundFile | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with _told(self.path), ExitStack() as stack:
            self._descriptor = stack.enter_context(replacing(self.path))
            stack.push(self._check_whole)
            self._sound = stack.enter_context(soundfile.SoundFile(
                self._descriptor, "w", samplerate=self.rate, channels=self.channels, closefd=False,
                format=self._encoding.format, subtype=self._encoding.subtype,
            ))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._sound = None
        with _told(self.path):
            self._stack.__exit__(kind, error, trace)

    def write(self, block: npt.ArrayLike) -> None:
        """Write the next frames; samples beyond full scale are set to full scale and counted.

        Parameters: block, of shape (n, channels), or (n,) for one channel; full scale is -1 to 1.
        Errors: ParameterError for another shape; RenderError, voice "output", for NaN or infinity, and past the longest file.
        """
        frames = _samples("block", block)
        if frames.ndim == 1 and self.channels == 1:
            frames = frames[:, np.newaxis]
        if frames.ndim != 2 or frames.shape[1] != self.channels:
            raise ParameterError("block", f"of shape {frames.shape}", f"it must be of shape (n, {self.channels})")
        if self._sound is None:
            raise ValueError("an AudioWriter writes inside its with block")
        for start in range(0, len(frames), CHUNK):
            self._write(self._sound, frames[start:start + CHUNK])

    def _write(self, sound: soundfile.SoundFile, frames: npt.NDArray[np.float64]) -> None:
        finite = np.isfinite(frames).all(axis=1)
        if not finite.all():
            raise RenderError("output", (self.frames + int(finite.argmin())) / self.rate, "the sound is not finite (NaN or infinity)")
        if _size(self._encoding, self.frames + len(frames), self.channels) > self._encoding.limit:
            reason = f"a {self._encoding.format} file holds at most {self._encoding.limit} bytes, and the sound goes on"
            raise RenderError("output", self.frames / self.rate, reason)
        self.peak = max(self.peak, float(np.abs(frames).max()))
        codes, clipped = quantised(frames, self._encoding.bits)
        self.clipped += clipped
        with _told(self.path):
            sound.write(codes)
        self.frames += len(frames)

    def _check_whole(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        written, expected = os.fstat(self._descriptor).st_size, _size(self._encoding, self.frames, self.channels)
        if kind is None and written != expected:                            # libsndfile says nothing of a header cut short
            raise OSError(errno.EIO, f"{written} bytes were written instead of {expected}", str(self.path))


def quantised(samples: npt.NDArray[np.float64], bits: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return samples as whole numbers of `bits` bits in the high bits of int32, and how many lay beyond full scale (1.0).

    Rounded to the nearest step here, for libsndfile rounds down. Full scale itself becomes the highest step and is not counted.
    """
    full = 2.0 ** (bits - 1)
    with np.errstate(over="ignore"):
        steps = np.rint(samples * full)
    clipped = int(np.count_nonzero(np.abs(steps) > full))
    codes = np.clip(steps, -full, full - 1.0).astype(np.int32)
    return codes << (32 - bits), clipped


def write_audio(path: str | os.PathLike[str], audio: npt.ArrayLike, rate: float, *, subtype: str = "PCM_24") -> None:
    """Write an array to a sound file, whole or not at all.

    Parameters: path and subtype, as in AudioWriter; audio, real numbers of shape (frames, channels), at most 8
    channels, or (frames,), full scale -1 to 1; rate, in Hz, a whole number.
    Warns (RuntimeWarning) with the number of samples clipped. Errors: ParameterError, RenderError, OSError, as AudioWriter.
    """
    sound = _samples("audio", audio)
    if sound.ndim not in (1, 2):
        raise ParameterError("audio", f"of shape {sound.shape}", "it must be of shape (frames, channels) or (frames,)")
    channels = 1 if sound.ndim == 1 else sound.shape[1]
    if channels > MOST_CHANNELS:
        hint = "audio is (frames, channels): is it to be transposed?"
        raise ParameterError("audio", f"of shape {sound.shape}", f"it must have at most {MOST_CHANNELS} channels; {hint}")
    writer = AudioWriter(path, rate=rate, channels=channels, subtype=subtype)
    check_space(path, check_length(len(sound), channels, subtype, ending=os.path.splitext(path)[1]))
    with writer:
        writer.write(sound)
    if writer.clipped:
        told = f"{writer.clipped} samples were clipped: the peak is {writer.peak:.4g}, full scale is 1"
        warnings.warn(told, RuntimeWarning, stacklevel=2)


def _whole_rate(rate: object, most: int) -> int:
    """A rate as an int.  Errors: ParameterError when it is no whole number from 1 to `most`."""
    if isinstance(rate, int | float | np.integer | np.floating) and not isinstance(rate, bool) and 1 <= rate <= most and rate == int(rate):
        return int(rate)
    raise ParameterError("rate", rate, f"it must be a whole number of Hz from 1 to {most}")


def _samples(name: str, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """An array of floating-point numbers.  Errors: ParameterError for anything else."""
    try:
        array = np.asarray(given)
    except ValueError:                      # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind != "f":             # whole numbers, too, mean another full scale
        raise ParameterError(name, f"of {array.dtype} values", "it must be an array of real numbers (floating-point, full scale 1.0)")
    return array.astype(np.float64, copy=False)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except (AssertionError, soundfile.SoundFileError) as error:              # soundfile asserts that all was written
        raise OSError(errno.EIO, f"the sound cannot be written; is the disk full? ({error or 'cut short'})", str(path)) from error


def _frame_bytes(encoding: Encoding, channels: int) -> int:
    return encoding.bits // 8 * channels


def _size(encoding: Encoding, frames: int, channels: int) -> int:
    data = frames * _frame_bytes(encoding, channels)
    return encoding.header + data + data % 2


def _beside(target: Path) -> Path:
    return target.with_name(f".pysitar-{secrets.token_hex(16)}.part")


def _create(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
