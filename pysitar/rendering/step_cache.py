"""A cache of the internal steps of voices, by the hash of their plan: what changed in a score is
computed again, and nothing else."""
from __future__ import annotations

import enum
import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from pysitar.physics.checks import FloatArray
from pysitar.rendering.options import Options
from pysitar.rendering.plan import BoundEvent, VoicePlan
from pysitar.rendering.voice import PlayedSteps, Start, VoiceSteps, part_weights

LARGEST = 1 << 30               # bytes of samples
MOST_VOICES = 256               # whose instruments are kept
# of an event: where it stands in the text, which changes no sample
NOT_PLAYED = frozenset(("place", "row", "order"))


class StepCache:
    """Voices that were computed: their samples, and their instruments, which can continue.

    A voice whose plan is unchanged is read back as far as it was computed, and continued beyond
    that: the bits are those of a computation from the start. Where the samples need more memory
    than the limit, the voices that were not used for the longest time are dropped; a voice that
    is larger alone is computed each time.
    Parameters: limit, bytes of samples. Attributes: computed, the number of voices so far that were
    computed from their start; size, bytes of samples.
    """

    def __init__(self, limit: int = LARGEST) -> None:
        self.limit = limit
        self.size = self.computed = 0
        self._recordings: dict[str, _Recording] = {}        # the last used one is last

    def source(self, plan: VoicePlan, options: Options) -> VoiceSteps:
        """Return the steps of a voice from the start.

        A voice is read by one source at a time: an earlier source of the same plan must not be
        used again. Errors: ParameterError, an instrument that cannot be built at this rate.
        """
        try:
            key = plan_digest(plan, options)
        except TypeError:           # an instrument of one's own with values of an unknown kind
            self.computed += 1
            return PlayedSteps(plan, options)
        recording = self._recordings.pop(key, None)
        if recording is not None and recording.incomplete:
            self.size -= recording.size
            recording = None
        if recording is None:
            self.computed += 1
            recording = _Recording(PlayedSteps(plan, options))
        self._recordings[key] = recording
        for old in list(self._recordings)[:-MOST_VOICES]:
            self.size -= self._recordings.pop(old).size
        return _RecordedSteps(recording, partial(self._keep, key, recording))

    def _keep(self, key: str, recording: _Recording, sounds: list[FloatArray] | None,
              steps: int) -> None:
        """Add steps to a recording, or drop it, where they do not fit."""
        size = 0 if sounds is None else sum(sound.nbytes for sound in sounds)
        if self._recordings.get(key) is not recording:      # dropped before
            return
        for old in list(self._recordings):
            if self.size + size <= self.limit:
                break
            if old != key:
                self.size -= self._recordings.pop(old).size
        if self.size + size > self.limit:
            self.size -= self._recordings.pop(key).size
            return
        self.size += size
        recording.append(sounds, steps, size)


class _Recording:
    """The steps of a voice so far, and what continues them.

    Attributes: end, the number of steps; size, bytes of their samples; incomplete, whether a
    computation began and did not end.
    """

    def __init__(self, played: PlayedSteps) -> None:
        self.played = played
        self.end = self.size = 0
        self.incomplete = False
        self._starts: list[int] = []
        self._blocks: list[list[FloatArray] | None] = []

    def append(self, sounds: list[FloatArray] | None, steps: int, size: int) -> None:
        """Add the samples of steps: None for silence."""
        self._starts.append(self.end)
        self._blocks.append(sounds)
        self.end += steps
        self.size += size

    def read(self, begin: int, end: int) -> list[FloatArray] | None:
        """Return the samples of the steps from begin to end in each stream; None for silence."""
        found: list[FloatArray] | None = None
        index = bisect_right(self._starts, begin) - 1
        while index < len(self._blocks) and self._starts[index] < end:
            block, start = self._blocks[index], self._starts[index]
            if block is not None:
                if found is None:
                    found = [np.zeros(end - begin) for _ in block]
                low, high = max(begin, start), min(end, start + block[0].size)
                for sound, stream in zip(found, block, strict=True):
                    sound[low - begin:high - begin] = stream[low - start:high - start]
            index += 1
        return found


class _RecordedSteps:
    """The steps of a recording from its start, continued at its end: see VoiceSteps.

    Parameters: recording; keep, a function that adds steps to it, or drops it.
    """

    def __init__(self, recording: _Recording,
                 keep: Callable[[list[FloatArray] | None, int], None]) -> None:
        self._recording, self._keep = recording, keep
        self.streams = recording.played.streams
        self.steps = 0

    @property
    def silent_since(self) -> int | None:
        """The internal step after which the voice is silent and has no more events, or None."""
        since = self._recording.played.silent_since
        return None if since is None or since > self.steps else since

    def begin(self, steps: int, start: Start) -> Callable[[], list[FloatArray] | None]:
        """Read the steps that were computed before, and start to compute the others."""
        recording = self._recording
        begin, self.steps = self.steps, self.steps + steps
        missing = self.steps - max(begin, recording.played.steps)
        if missing <= 0:
            return partial(recording.read, begin, self.steps)
        recording.incomplete = True
        return partial(self._join, begin, missing, recording.played.begin(missing, start))

    def _join(self, begin: int, missing: int,
              pending: Callable[[], list[FloatArray] | None]) -> list[FloatArray] | None:
        recording = self._recording
        following = pending()
        before = self.steps - missing
        earlier = recording.read(begin, before) if begin < before else None
        self._keep(following, missing)
        recording.incomplete = False
        if begin == before or (earlier is None and following is None):
            return following
        return [np.concatenate([np.zeros(before - begin) if earlier is None else earlier[stream],
                                np.zeros(missing) if following is None else following[stream]])
                for stream in range(self.streams)]

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Return nothing: a voice with traces is not recorded."""
        return {}

    def report(self) -> dict[str, Any]:
        """Return the voice's audit, over all steps that were ever computed."""
        return self._recording.played.report()


def plan_digest(plan: VoicePlan, options: Options) -> str:
    """Return the SHA-256 (hex) of all that decides the internal steps of a voice.

    Level and pan of the whole instrument, the file's rate and what follows the voices are not
    part of it. Errors: TypeError for a value of an unknown kind.
    """
    decisive = (plan.name, plan.spec, plan.parts, plan.events, part_weights(plan, options),
                options.internal_rate, options.floor, options.seed)
    digest = hashlib.sha256()
    for piece in _pieces(decisive):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(value: object) -> Iterator[bytes]:
    """Yield a value as bytes, each piece with its kind and length, so that no two values are
    alike.  Errors: TypeError."""
    if isinstance(value, enum.Enum):
        yield from _pieces((type(value).__qualname__, value.name))
    elif value is None or isinstance(value, bool | int | float | str):
        text = value.hex() if isinstance(value, float) else str(value)
        data = text.encode("utf-8", "surrogatepass")
        yield f"{type(value).__name__} {len(data)} ".encode()
        yield data
    elif isinstance(value, np.ndarray | np.generic):
        yield f"array {value.dtype.str} {value.shape} ".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, BoundEvent):
        yield from _pieces(tuple(item for name, item in zip(value._fields, value, strict=True)
                                 if name not in NOT_PLAYED))
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)} ".encode()
        for key, item in value.items():
            yield from _pieces(key)
            yield from _pieces(item)
    elif isinstance(value, tuple | list):
        yield f"sequence {len(value)} ".encode()
        for item in value:
            yield from _pieces(item)
    elif is_dataclass(value) and not isinstance(value, type):
        own = [field.name for field in fields(value) if field.name not in NOT_PLAYED]
        yield from _pieces((type(value).__qualname__, len(own)))
        for name in own:
            yield from _pieces(getattr(value, name))
    else:
        raise TypeError(f"a {type(value).__name__} has no hash")
