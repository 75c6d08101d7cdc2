"""Parse a time of the command line, written as in a score."""
from __future__ import annotations

import re

from pysitar.errors import Place
from pysitar.score.document import Score, to_beats
from pysitar.score.elements import Clock
from pysitar.score.event_rows import parse_duration, parse_time
from pysitar.score.tempo import TempoMap
from pysitar.score.timeline import Placement
from pysitar.score.tokens import score_error

MILLISECONDS = re.compile(r"-?[0-9.][0-9.eE+-]*ms")  # in a score only a duration can be in ms


def seconds_of(text: str, score: Score) -> float:
    """Return a time in seconds.

    Parameters: text, as in a score, `4` (beats, by the tempo outside sections), `1.5s` or `3:2`, or
    `100ms`.

    Errors: ScoreError, whose place is the text itself.
    """
    place = Place(text)
    if MILLISECONDS.fullmatch(text):
        found = parse_duration(text, place)
    else:
        found = parse_time(text, place, relative=False)
    if found.clock is Clock.BAR:
        if score.tala is None:
            raise score_error(
                place,
                "the score has no tala, so bars have no length; expected beats (4) or seconds "
                "(1.5s)")
        if found.matra > score.tala:
            raise score_error(
                place,
                f"matra {found.matra} is beyond the tala, which has {score.tala}; expected 1 to "
                f"{score.tala}")
    placement = Placement(score.main.tempo or TempoMap(), 0.0, 0.0, 0.0)
    try:
        return placement.at(to_beats(found, score.tala))
    except OverflowError:
        raise score_error(place, "the time is too large; expected at most 4 hours") from None
