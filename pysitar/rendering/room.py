"""The room of a score: the mix through an impulse response for each channel."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.kernels.core.convolve import Convolver
from pysitar.physics.checks import FloatArray
from pysitar.rendering.mix import sum_stems
from pysitar.rendering.plan import RoomPlan


class Room:
    """The convolution of the mean of all channels with the response of each channel.

    Parameters: plan; channels, 1 (the left response) or 2. Attributes: frames, the length of the
    responses: the room rings as long after the last sound. """

    def __init__(self, plan: RoomPlan, channels: int) -> None:
        responses = plan.responses
        self.frames = responses.shape[0]
        self._gain = elementary.pow(10.0, plan.wet / 20.0)
        self._convolvers = [
            Convolver(np.ascontiguousarray(responses[:, min(channel, responses.shape[1] - 1)]))
            for channel in range(channels)]

    def push(self, stems: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the next frames of the room, (n,) for each channel.

        Parameters: stems, the next frames of each instrument, (n, channels), at least one. """
        channels = len(self._convolvers)
        total = sum_stems(stems, frames=len(stems[0]), channels=channels)
        sent = np.zeros(len(total))
        for channel in range(channels):
            sent += total[:, channel]
        sent *= self._gain / channels
        return [convolver.push(sent) for convolver in self._convolvers]
