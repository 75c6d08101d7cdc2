"""An output device of the machine, by the library sounddevice (extra: play)."""
from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pysitar.app.messages import UsageError
from pysitar.errors import counted, quoted

Samples = npt.NDArray[np.float32]


class Output(Protocol):
    """An open device: an OutputStream of sounddevice, or what takes its place in a test.

    Attributes: latency, the sound that the device itself holds (s).
    """

    @property
    def latency(self) -> float: ...
    def start(self) -> None: ...
    def write(self, data: Samples) -> bool:
        """Hand over frames (n, channels), waiting until there is room; return whether the device
        ran out of sound before them."""
        ...
    def stop(self) -> None:
        """Wait until all is played, then stop."""
        ...
    def abort(self) -> None: ...
    def close(self) -> None: ...


class NoDeviceError(UsageError):
    """No sound can be played here: the message says what is missing."""


def open_output(command: str, *, rate: int, channels: int, device: str | None = None,
                instead: str = "") -> Output:
    """Return an open device, not started.

    Parameters: command, for messages; rate (Hz); channels; device, a number or a part of a name
    (None: the default one); instead, an alternative, for the messages.
    Errors: NoDeviceError.
    """
    library = _load_library(command, instead)
    chosen = int(device) if device is not None and device.isdecimal() else device
    try:
        output: Output = library.OutputStream(samplerate=rate, channels=channels, dtype="float32",
                                              device=chosen)
    except (library.PortAudioError, ValueError) as error:
        shown = "no default output device" if device is None else f"no device {quoted(device)}"
        raise NoDeviceError(
            f"pysitar {command}: there is {shown} that plays {counted(channels, 'channel')} at "
            f"{rate} Hz ({error}); python -m sounddevice lists the devices{instead}") from None
    return output


def _load_library(command: str, instead: str) -> Any:
    """Return the module sounddevice.  Errors: NoDeviceError."""
    try:
        import sounddevice
    except ImportError as error:
        raise NoDeviceError(f"pysitar {command}: sounddevice cannot be imported ({error}); "
                            f"pip install 'pysitar[play]' adds it{instead}") from None
    except OSError as error:                # the library is there, and PortAudio is not
        raise NoDeviceError(f"pysitar {command}: sounddevice does not find PortAudio ({error}); "
                            f"expected the package libportaudio2 or portaudio{instead}") from None
    return sounddevice
