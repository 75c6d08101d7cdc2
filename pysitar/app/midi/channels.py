"""The state of the channels of a MIDI file: notes, pedal, bends, tuning, MPE zones."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pysitar.app.midi.pairing import KeyPairs
from pysitar.app.midi.parameters import BEND_RANGE, ZONE, Parameters
from pysitar.app.midi.tunings import Tunings

CENTRE, HALF = 8192, 8192.0
CHANNELS = range(1, 17)
LOWER, UPPER = 1, 16            # managers of the zones of MPE
MEMBER_BEND_RANGE = 48               # semitones
CHANNEL_BEND_RANGE = 2


@dataclass(slots=True)
class Channel:
    """One channel.

    Parameters: number; keys, note-on and note-off pairs by key; down, the number of open notes of
    each key; pedal, its changes, (event index, tick, down); parameters; wheel, the position of the
    pitch wheel; bends, (tick, semitones from there on).
    """

    number: int
    keys: dict[int, KeyPairs] = field(default_factory=dict)
    down: dict[int, int] = field(default_factory=dict)
    pedal: list[tuple[int, int, bool]] = field(default_factory=list)
    parameters: Parameters = field(default_factory=Parameters)
    wheel: int = CENTRE
    bends: list[tuple[int, float]] = field(default_factory=list)

    @property
    def wheel_bend(self) -> float:
        """The bend by the wheel (semitones)."""
        return (self.wheel - CENTRE) / HALF * self.parameters.bend_range

    def press_pedal(self, order: int, tick: int, down: bool) -> None:
        """Record that the pedal goes down or up."""
        if down != (self.pedal[-1][2] if self.pedal else False):
            self.pedal.append((order, tick, down))

    def end_notes(self) -> None:
        """Set the ends of the notes: the note-off, or the next lift of the pedal."""
        orders = [order for order, _, _ in self.pedal]
        for pairs in self.keys.values():
            pairs.finish()
            for note, off in pairs.ends:
                note.released = note.end = off.tick
                at = bisect_right(orders, off.order)
                if at and self.pedal[at - 1][2]:            # None if never lifted: the note rings
                    note.end = self.pedal[at][1] if at < len(orders) else None

    def record_bend(self, tick: int, semitones: float) -> None:
        """Record the bend of the channel (semitones) from a tick on."""
        if self.bends and self.bends[-1][0] == tick:
            self.bends.pop()
        if semitones != (self.bends[-1][1] if self.bends else 0.0):
            self.bends.append((tick, semitones))


class Channels:
    """All channels, their tunings, and the MPE zones: member channels by manager.

    Parameters: mpe, whether channel 1 manages all others from the start, as by a configuration
    message, which files often lack.
    """

    def __init__(self, *, mpe: bool = False) -> None:
        self.all = {number: Channel(number) for number in CHANNELS}
        self.tunings = Tunings()
        self._zones: dict[int, Sequence[int]] = {}
        if mpe:
            self._make_zone(LOWER, len(CHANNELS) - 1)

    def zone_channels(self, number: int) -> list[Channel]:
        """Return a channel, and the members of its zone, which its pedal and wheel also move."""
        return [self.all[each] for each in (number, *self._zones.get(number, ()))]

    def pitch(self, number: int, key: int) -> float:
        """Return the pitch of a key of a channel (semitones; 69: A4), without bends."""
        return self.tunings.pitch(number, self.all[number].parameters.program, key)

    def record_bends(self, tick: int, channels: Iterable[Channel]) -> None:
        """Record the bends of channels from a tick on."""
        for channel in channels:
            manager = self.manager(channel.number)
            tuning = channel.parameters.tuning + self.tunings.fine + self.tunings.coarse
            of_manager = 0.0 if manager is None else self.all[manager].wheel_bend
            channel.record_bend(tick, channel.wheel_bend + tuning + of_manager)

    def apply_parameter(self, number: int, parameter: tuple[int, int], tick: int) -> None:
        """Apply a registered parameter that a channel has received."""
        channel = self.all[number]
        manager = self.manager(number)
        if parameter == ZONE:
            self._make_zone(number, channel.parameters.values[ZONE][0])
            self.record_bends(tick, self.all.values())
        elif parameter == BEND_RANGE and manager is not None:
            members = self.zone_channels(manager)[1:]
            for member in members:
                member.parameters.values[BEND_RANGE] = channel.parameters.values[BEND_RANGE]
            self.record_bends(tick, members)
        else:
            self.record_bends(tick, self.zone_channels(number))

    def manager(self, number: int) -> int | None:
        """Return the manager of the zone that a channel is a member of; None without one."""
        return next((each for each, members in self._zones.items() if number in members), None)

    def _make_zone(self, manager: int, count: int) -> None:
        """Make the zone of a manager, channel 1 or 16, with so many members; 0 ends the zone."""
        last = min(count, len(CHANNELS) - 1)
        first = LOWER + 1 if manager == LOWER else UPPER - last
        members = range(first, first + last)
        other = LOWER + UPPER - manager
        before = {*self._zones.pop(manager, ()), *self._zones.get(other, ())}
        if last:
            left = [each for each in self._zones.pop(other, ()) if each not in (manager, *members)]
            if left and other not in members:
                self._zones[other] = left
            self._zones[manager] = members
            self._set_range((manager,), CHANNEL_BEND_RANGE)
        after = {number for each in self._zones.values() for number in each}
        self._set_range(members, MEMBER_BEND_RANGE)
        self._set_range(before - after, CHANNEL_BEND_RANGE)

    def _set_range(self, numbers: Iterable[int], semitones: int) -> None:
        for number in numbers:
            self.all[number].parameters.values[BEND_RANGE] = semitones, 0
