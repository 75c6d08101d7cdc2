"""A device for tests: it takes the sound and keeps it."""
import numpy as np


class FakeOutput:
    """What it took (`sound`) and what was done with it (`calls`).

    Parameters: latency (s); dry, the numbers of the writes before which the device ran out of
    sound; on_write, called with the number of each write.
    """

    def __init__(self, *, latency=5.0, dry=(), on_write=None, **options):
        self.latency, self.dry, self.on_write, self.options = latency, dry, on_write, options
        self.parts, self.calls = [], []

    @property
    def sound(self):
        return np.concatenate(self.parts)

    def start(self):
        self.calls.append("start")

    def write(self, data):
        assert data.dtype == np.float32 and data.flags.c_contiguous
        number = len(self.parts)
        self.parts.append(data.copy())
        if self.on_write is not None:
            self.on_write(number)
        return number in self.dry

    def stop(self):
        self.calls.append("stop")

    def abort(self):
        self.calls.append("abort")

    def close(self):
        self.calls.append("close")
