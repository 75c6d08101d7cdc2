"""Play blocks of frames on a device while they are computed."""
from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from pysitar.app.playback.device import Output, Samples
from pysitar.physics.checks import FloatArray

BLOCK = 2048                    # frames that are computed and handed over at a time
LEAD = 0.25                     # s of sound that are computed before the first is played
AHEAD = 2.0                     # s of sound that wait for the device, at most
MOST_LEAD = 60.0                # s
POLL = 0.1                      # s between two looks at what may end the sound


@dataclass(slots=True)
class Played:
    """What was played.

    Attributes: frames, handed to the device; underruns, times in the sound (s) at which the device
    had to wait for it; delay (s), until the first frame was handed over (None: there was none);
    computing (s), the time that the blocks took; stopped, whether it ended early.
    """

    frames: int = 0
    underruns: list[float] = field(default_factory=list)
    delay: float | None = None
    computing: float = 0.0
    stopped: bool = False


def always() -> bool:
    """Return True: play to the end."""
    return True


def play_blocks(blocks: Iterable[FloatArray], output: Output, *, rate: int, lead: float = LEAD,
                keep_playing: Callable[[], bool] = always) -> Played:
    """Play blocks of frames, (n, channels), full scale 1, while they are computed.

    Samples beyond full scale are clipped. After an underrun twice as much sound as before is
    computed before the next is played.
    Parameters: output, not started, which is stopped and closed at the end, also after an error;
    rate (Hz); lead (s), at most 60; keep_playing, called several times a second, ends the sound
    by returning False. Errors: those of blocks and output; KeyboardInterrupt.
    """
    writer = _Writer(output, rate=rate, lead=lead)
    began = time.perf_counter()
    try:
        for frames in blocks:
            writer.played.computing += time.perf_counter() - began
            if not keep_playing() or not writer.add(frames, keep_playing):
                writer.cancel()
                break
            began = time.perf_counter()
        writer.finish(keep_playing)
    except BaseException:
        writer.cancel()
        raise
    finally:
        writer.join()
    if writer.error is not None:
        raise writer.error
    return writer.played


class _Writer:
    """A thread that hands frames to the device, the only one that touches it."""

    def __init__(self, output: Output, *, rate: int, lead: float) -> None:
        self.output, self.rate = output, rate
        # frames
        self.lead = max(1, round(min(lead, MOST_LEAD) * rate))
        self.room = self.lead + round(AHEAD * rate)
        self.played = Played()
        self.error: BaseException | None = None
        self._waiting: deque[Samples] = deque()
        self._held = 0                          # frames in _waiting
        self._ended = self._cancelled = False   # no more frames come; they are not played
        self._change = threading.Condition()    # of the four above
        self._began = time.perf_counter()
        self._thread = threading.Thread(target=self._run, name="pysitar-play", daemon=True)
        self._thread.start()

    def add(self, frames: FloatArray, keep_playing: Callable[[], bool]) -> bool:
        """Wait for room and add frames; return False if the sound ended meanwhile."""
        if not frames.shape[0]:
            return True
        samples = np.ascontiguousarray(np.clip(frames, -1.0, 1.0), dtype=np.float32)
        with self._change:
            while not self._change.wait_for(self._has_room, POLL):
                if not keep_playing():
                    return False
            if self.error is not None:
                return False
            self._waiting.append(samples)
            self._held += samples.shape[0]
            self._change.notify_all()
        return True

    def finish(self, keep_playing: Callable[[], bool]) -> None:
        """Wait until all frames are played, unless keep_playing ends them."""
        with self._change:
            self._ended = True
            self._change.notify_all()
        while self._thread.is_alive():
            self._thread.join(POLL)
            if not keep_playing():
                self.cancel()
                return

    def cancel(self) -> None:
        """End the sound after the frames that the device takes now."""
        with self._change:
            self._cancelled = True
            self._change.notify_all()

    def join(self) -> None:
        """Wait for the end of the thread: at most for the frames that the device takes now."""
        self._thread.join()

    def _has_room(self) -> bool:
        return self._held < self.room or self.error is not None

    def _run(self) -> None:
        try:
            self._play()
        except BaseException as error:          # raised again in the thread that computes
            with self._change:
                self.error = error
                self._change.notify_all()
        finally:
            self.output.close()

    def _play(self) -> None:
        """Hand over all frames; the first, and those after an underrun, once the lead is held."""
        fresh = True                            # nothing was handed over since the last wait
        while (samples := self._next(fresh)) is not None:
            if self.played.delay is None:
                self.output.start()
                self.played.delay = time.perf_counter() - self._began
            ran_out = self.output.write(samples)
            if ran_out and not fresh:
                self._count_underrun()
            self.played.frames += samples.shape[0]
            fresh = False
            if self._runs_dry():
                self._count_underrun()
                self.lead = min(2 * max(self.lead, BLOCK), self.room)
                fresh = True
        self.played.stopped = self._cancelled
        if self.played.delay is not None:
            (self.output.abort if self._cancelled else self.output.stop)()

    def _count_underrun(self) -> None:
        self.played.underruns.append(self.played.frames / self.rate)

    def _next(self, fresh: bool) -> Samples | None:
        """Return the next frames, once the lead is held if they are the first; None: the end."""
        needed = self.lead if fresh else 1
        with self._change:
            self._change.wait_for(lambda: self._held >= needed or self._ended or self._cancelled)
            if self._cancelled or not self._waiting:
                return None
            samples = self._waiting.popleft()
            self._held -= samples.shape[0]
            self._change.notify_all()
        return samples

    def _runs_dry(self) -> bool:
        """Return whether no frames come for as long as the device has sound."""
        with self._change:
            return not self._change.wait_for(
                lambda: bool(self._waiting) or self._ended or self._cancelled, self.output.latency)
