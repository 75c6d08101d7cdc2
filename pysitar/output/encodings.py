"""Encodings of sound files and their limits of rate, channels and length, which are checked before
a sample is computed."""
from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError

MAX_COUNT = 2**63 - 1                     # libsndfile counts bytes and frames in 64 bits
FLAC_BLOCK = 1024                   # frames; libFLAC's blocks are longer
# Hz: every whole rate up to here has a code in a FLAC frame; above, multiples of 10 Hz
FLAC_ANY_RATE = 65535
FLAC_MAX_RATE = 655350               # Hz


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding of a sound file.

    Parameters: format and subtype, the names of libsndfile; bits per sample; header and
    header_per_channel (bytes); channels, limit (bytes) and frames, the maxima of a file.
    """

    format: str
    subtype: str
    bits: int
    header: int
    channels: int
    header_per_channel: int = 0
    limit: int = MAX_COUNT
    frames: int = MAX_COUNT

    def frame_bytes(self, channels: int) -> int:
        """Return the bytes of one frame before compression."""
        return self.bits // 8 * channels

    def size(self, frames: int, channels: int) -> int:
        """Return the bytes of a file of that length; for FLAC, an upper bound."""
        data = frames * self.frame_bytes(channels)
        if self.format == "FLAC":
            return self.header + data + (frames // FLAC_BLOCK + 1) * (32 + 2 * channels)
        return self.header + self.header_per_channel * channels + data + data % 2

    def holds(self, frames: int, channels: int) -> bool:
        """Return whether a file can be that long."""
        return frames <= self.frames and self.size(frames, channels) <= self.limit

    def max_frames(self, channels: int) -> int:
        """Return the frames of the longest file."""
        if self.format == "FLAC":
            return self.frames
        return min(self.frames, (self.limit - self.header - self.header_per_channel * channels)
                   // self.frame_bytes(channels))


def _wav(subtype: str, bits: int, header: int,
         header_per_channel: int = 0) -> tuple[Encoding, Encoding]:
    """Return a WAV encoding, and the RF64 encoding that replaces it past 4 GiB."""
    return (
        Encoding("WAV", subtype, bits, header, channels=1024, header_per_channel=header_per_channel,
                 limit=2**32 - 1),
        Encoding("RF64", subtype, bits, header=104, channels=1024),
    )


def _flac(subtype: str, bits: int) -> tuple[Encoding]:
    """Return a FLAC encoding; its header counts frames in 36 bits."""
    return (Encoding("FLAC", subtype, bits, header=512, channels=8, frames=2**36 - 1),)


# (ending, subtype) -> encodings; the first that can hold the sound is used
ENCODINGS: dict[tuple[str, str], tuple[Encoding, ...]] = {
    (".wav", "PCM_24"): _wav("PCM_24", 24, header=44),
    (".wav", "PCM_16"): _wav("PCM_16", 16, header=44),
    (".wav", "FLOAT"): _wav("FLOAT", 32, header=72, header_per_channel=8),  # fact and PEAK chunks
    (".flac", "PCM_24"): _flac("PCM_24", 24),
    (".flac", "PCM_16"): _flac("PCM_16", 16),
}


def encoding_of(path: str | os.PathLike[str], subtype: str = "PCM_24", *, frames: int | None = None,
                channels: int = 1) -> Encoding:
    """Return the encoding for a file's ending, a subtype and a length.

    Parameters: path, with an ending such as .wav; subtype, PCM_24, PCM_16 or FLOAT; frames, the
    greatest number (None: unknown, and a WAV file is not RF64); channels, 1 or more.
    Errors: ParameterError, which lists the known encodings or names the greatest length.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    endings = sorted({known for known, _ in ENCODINGS})
    if ending not in endings:
        raise ParameterError("sound file", os.fspath(path),
                             f"expected a name that ends in {' or '.join(endings)}")
    if (ending, subtype) not in ENCODINGS:
        subtypes = [known for other, known in ENCODINGS if other == ending]
        raise ParameterError("subtype", subtype,
                             f"expected one of {', '.join(subtypes)} in a {ending} file")
    kinds = ENCODINGS[ending, subtype]
    length = frames or 0
    for kind in kinds:
        if kind.holds(length, channels):
            return kind
    last = kinds[-1]
    expected = f"expected at most {last.max_frames(channels)} in a {last.format} {subtype} file"
    raise ParameterError("length", f"{length} frames of {channels} channels", expected)


def check_length(frames: int, channels: int, subtype: str = "PCM_24", *,
                 ending: str = ".wav") -> int:
    """Return the size in bytes of a sound file (for FLAC, an upper bound) if such a file can be
    that long.

    Parameters: frames, 0 or more; channels, 1 or more; subtype and ending of the file.
    Errors: ParameterError.
    """
    return encoding_of(f"sound{ending}", subtype, frames=frames,
                       channels=channels).size(frames, channels)


def check_format(
    path: str | os.PathLike[str],
    *,
    rate: float,
    channels: int,
    subtype: str = "PCM_24",
    frames: int | None = None,
) -> Encoding:
    """Return the encoding of a sound file that can be written and read back.

    Parameters: path, whose ending is the format; rate (Hz), a whole number; channels, subtype and
    frames as in AudioWriter.
    Errors: ParameterError. A FLAC file has at most 8 channels, and a rate up to 65535 Hz or a
    multiple of 10 Hz up to 655350 Hz: its frames have no code for other rates, and libsndfile
    writes a file that no program opens. A WAV file has at most 1024 channels and 4 GiB per second.
    """
    encoding = encoding_of(path, subtype)
    whole = isinstance(channels, int | np.integer) and not isinstance(channels, bool)
    if not whole or not 1 <= channels <= encoding.channels:
        hint = "; a WAV file holds more" if encoding.format == "FLAC" else ""
        raise ParameterError("channels", channels,
                             f"expected a whole number from 1 to {encoding.channels}{hint}")
    if encoding.format == "FLAC":
        rates = (f" to {FLAC_ANY_RATE}, or a multiple of 10 Hz to {FLAC_MAX_RATE} "
                 "(a WAV file holds any)")
        _check_rate(rate, FLAC_MAX_RATE, FLAC_ANY_RATE, rates)
    else:
        # the header counts bytes per second in 32 bits
        max_frames = (2**32 - 1) // encoding.frame_bytes(channels)
        _check_rate(rate, max_frames, max_frames, f" to {max_frames}")
    return encoding_of(path, subtype, frames=frames, channels=channels)


def _check_rate(rate: object, max_frames: int, plain: int, range_: str) -> None:
    """Raise ParameterError for a rate outside 1 to the maximum, or without a code in the format."""
    if (
        isinstance(rate, int | float | np.integer | np.floating) and not isinstance(rate, bool)
        and 1 <= rate <= max_frames and rate == int(rate) and (rate <= plain or rate % 10 == 0)
    ):
        return
    raise ParameterError("rate", rate, f"expected a whole number of Hz from 1{range_}")
