"""Bend: the pitch of the string follows a curve or an ornament."""
from __future__ import annotations

from dataclasses import replace

from pysitar.gestures.base import Event, Gesture, Report
from pysitar.gestures.pluck import GLIDE
from pysitar.physics.parameters import table


class Bend(Gesture):
    """A curve of pitches, without a new stroke."""

    name = "bend"
    parameters = table(
        replace(
            GLIDE, meaning=
            "the duration of the glide to the first pitch of the curve; it ends when the event "
            "begins"
        ))
    needs = frozenset(("pitch",))
    pitch = "may"
    takes_curve = True
    takes_ornament = True
    sounds = False

    def check_event(self, event: Event, report: Report) -> None:
        """Report a bend without an ornament that has no curve."""
        if event.curve is None and event.pitch is None:
            report(event.end_place, "bend has no pitches; expected a curve, bend (0:sa 1:ga), or "
                                    "an ornament, bend meend=ga")
        elif event.curve is None:
            report(event.pitch_place, "bend has one pitch, no curve; expected a curve, bend (0:sa "
                                      "1:ga), or for one pitch, fret ga")


BEND = Bend()
