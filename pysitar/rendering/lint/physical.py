"""What is physically doubtful in how the instruments of a score are played, told before a sample is computed."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.errors import Problem
from pysitar.rendering.lint.coarse_grids import coarse_grids
from pysitar.rendering.lint.inaudible_events import inaudible_events
from pysitar.rendering.lint.large_plucks import overdrawn
from pysitar.rendering.lint.left_out_modes import left_out_modes
from pysitar.rendering.lint.short_contacts import short_contacts
from pysitar.rendering.lint.short_plucks import short_plucks
from pysitar.rendering.options import Options
from pysitar.rendering.plan import VoicePlan


def physical_warnings(voices: Sequence[VoicePlan], options: Options, end: float) -> list[Problem]:
    """Contacts and plucks too short for the rate, modes left out, strings drawn out too far, grids too coarse, events that are not
    heard; end, of the last one (s)."""
    return [warning for voice in voices for warning in (
        *short_contacts(voice, options), *short_plucks(voice, options), *left_out_modes(voice, options),
        *overdrawn(voice, options), *coarse_grids(voice, options), *inaudible_events(voice, options, end))]
