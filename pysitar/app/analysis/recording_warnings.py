"""What is odd about a recording that can be fitted all the same."""
from __future__ import annotations

from collections.abc import Iterator

from pysitar.app.messages import one_line, report
from pysitar.errors import printable
from pysitar.fitting.recording import find_onset, find_second_onset, is_growing
from pysitar.physics.checks import FloatArray
from pysitar.system.files import regular_file
from pysitar.system.wav_header import missing_frames


def warn_of_recording(file: str, sound: FloatArray, rate: float) -> None:
    """Report what is odd about a recording on standard error: see `recording_warnings`."""
    for text in recording_warnings(file, sound, rate):
        warn_of_file(file, text)


def warn_of_file(file: str, text: str) -> None:
    """Report a warning about a file on standard error."""
    report(one_line(f"warning: {printable(file, '?')}: {text}"))


def recording_warnings(file: str, sound: FloatArray, rate: float) -> Iterator[str]:
    """Yield the warnings about a recording: frames that its header promises and that are missing,
    a second stroke, and a level that does not fall.

    Parameters: sound (n,) of the file, and its rate (Hz).
    """
    yield from missing_frames_warnings(file, sound.size / rate)
    onset = find_onset(sound, rate)
    second = find_second_onset(sound, rate, onset)
    if second is not None:
        yield (f"a second stroke begins at {second / rate:.3f} s; expected one in each file: cut "
               "it there")
    elif is_growing(sound, rate):
        yield ("its level does not fall: the second half has more energy than the first; expected "
               "a stroke that dies away (is it reversed?)")


def missing_frames_warnings(file: str, seconds: float) -> Iterator[str]:
    """Yield the warning about a file with fewer frames than its header promises.

    Parameters: seconds, the duration of the frames that are there.
    """
    try:
        with regular_file(file) as stream:
            missing = missing_frames(stream)
    except OSError:
        return
    if missing is not None:
        yield (f"{missing[0]} of {missing[1]} frames are missing: the file was cut at "
               f"{seconds:.4g} s; expected the whole file")
