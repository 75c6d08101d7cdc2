"""The pitch and the length of one string that sound, over the events of a score."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pysitar.gestures.base import Gesture
from pysitar.gestures.press import RAMP
from pysitar.models.definitions.spec import StringSpec
from pysitar.rendering.plan import PITCH, BoundEvent, PartPlan, StringPlan
from pysitar.score.vocabulary import long_name

LINE = ("lin", 1.0)             # a shape and its exponent


class Sounding(NamedTuple):
    """What sounds from a time (s) on: the pitch (Hz) to which the string is tuned, and the length
    (m) that is not stopped by a finger; shape and exponent, of the segment that ends there."""

    time: float
    hz: float
    length: float
    shape: str = "lin"
    exponent: float = 1.0


class Press(NamedTuple):
    """A finger that stops a string: start and end (s), and the length (m) that then sounds."""

    start: float
    end: float
    length: float

    @property
    def ramp(self) -> float:
        """Time (s) in which the finger goes down, and in which it leaves."""
        return min(RAMP, 0.5 * (self.end - self.start))

    def depth_at(self, time: float) -> float:
        """Return how far the finger is down at a time (s): 0 to 1."""
        if not self.start < time < self.end or self.ramp <= 0.0:
            return 0.0
        return min(1.0, (time - self.start) / self.ramp, (self.end - time) / self.ramp)


class StringSoundings:
    """The soundings of one string, whose events are added in order of time.

    Parameters: hz, of the open string (Hz); spec, of the string.
    """

    def __init__(self, hz: float, spec: StringSpec) -> None:
        self._hz, self._spec = hz, spec
        self._pitched: list[BoundEvent] = []
        self._starts: list[float] = []
        self._presses: list[Press] = []

    def add(self, event: BoundEvent, gesture: Gesture) -> None:
        """Add an event of the string."""
        if event.hz is not None:
            self._pitched.append(event)
            self._starts.append(event.time)
        length = gesture.stopped_length(event.values, self._spec)
        if length is not None:
            self._presses.append(Press(event.time, event.time + event.values["held"], length))

    def over(self, start: float, stop: float) -> list[Sounding]:
        """Return the soundings from one time to another (s), their times after the first."""
        segments = {start: LINE, stop: LINE}
        first = max(bisect_right(self._starts, start) - 1, 0)
        for index in range(first, bisect_right(self._starts, stop)):
            event = self._pitched[index]
            until = self._starts[index + 1] if index + 1 < len(self._starts) else stop
            segments |= {event.time - event.values.get("glide", 0.0): LINE, event.time: LINE}
            last = -1.0
            for point in event.courses[PITCH].points if PITCH in event.courses else ():
                if event.time + point.time < until:
                    # of two points at one time the second is a jump
                    segments[event.time + point.time] = ("step", 1.0) if point.time == last else (
                        point.shape, point.exponent)
                last = point.time
        for press in self._presses:
            segments |= dict.fromkeys((press.start, press.start + press.ramp,
                                       press.end - press.ramp, press.end), LINE)
        return [Sounding(time - start, self._hz_at(time), self._length_at(time), *segments[time])
                for time in sorted(segments) if start <= time <= stop]

    def _hz_at(self, time: float) -> float:
        """Return the pitch (Hz) at a time (s)."""
        index = bisect_right(self._starts, time) - 1
        now = self._hz if index < 0 else self._after(self._pitched[index], time)
        if index + 1 < len(self._pitched):
            following = self._pitched[index + 1]
            glide = following.values.get("glide", 0.0)
            left = following.time - time
            if left < glide and following.hz is not None:
                begin = max(following.time - glide, self._starts[index] if index >= 0 else 0.0)
                now = following.hz if begin >= following.time else now + (following.hz - now) * (
                    (time - begin) / (following.time - begin))
        return now

    def _after(self, event: BoundEvent, time: float) -> float:
        """Return the pitch (Hz) that an event gives its string, at a time (s) after it."""
        course = event.courses.get(PITCH)
        if course is not None:
            return course.at([time - event.time])[0]
        assert event.hz is not None
        return event.hz

    def _length_at(self, time: float) -> float:
        """Return the length (m) that sounds at a time (s)."""
        whole = self._spec.length
        return min((whole + (press.length - whole) * press.depth_at(time)
                    for press in self._presses), default=whole)


def follows(event: BoundEvent, gesture: Gesture) -> bool:
    """Return whether a value of an event follows the pitch: its row does not give it."""
    return gesture.follower != "" and gesture.follower not in map(long_name, event.row.arguments)


def string_soundings(events: Sequence[BoundEvent], parts: Sequence[PartPlan],
                     gestures: Mapping[str, Gesture]) -> dict[str, StringSoundings]:
    """Return what the strings that are played sound."""
    names = {event.part for event in events}
    found = {part.name: StringSoundings(part.hz, part.spec) for part in parts
             if isinstance(part, StringPlan) and part.name in names}
    for event in events:
        if event.part in found:
            found[event.part].add(event, gestures[event.verb])
    return found
