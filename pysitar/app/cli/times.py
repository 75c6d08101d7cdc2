"""A time of a score, as the command line gives it."""
from __future__ import annotations

import re

from pysitar.errors import Place
from pysitar.score.document import Score
from pysitar.score.elements import Clock
from pysitar.score.event_rows import parse_duration, parse_time
from pysitar.score.tempo import TempoMap
from pysitar.score.timeline import Placement
from pysitar.score.tokens import score_error
from pysitar.score.whole_score_checks import to_beats

MILLISECONDS = re.compile(r"-?[0-9.][0-9.eE+-]*ms")          # which a row has only as a length


def seconds_of(text: str, score: Score) -> float:
    """Return a time as a score writes it, `4` (beats, by the tempo outside sections), `1.5s` or `3:2`, or `100ms`, in seconds.

    Errors: ScoreError, whose place is the text itself.
    """
    place = Place(text)
    found = parse_duration(text, place) if MILLISECONDS.fullmatch(text) else parse_time(text, place, relative=False)
    if found.clock is Clock.BAR:
        if score.tala is None:
            raise score_error(place, "a bar needs a tala in the score, and it has none; expected beats or seconds (1.5s)")
        if found.matra > score.tala:
            raise score_error(place, f"matra {found.matra} is beyond the tala, which has {score.tala}; expected 1 to {score.tala}")
    try:
        return Placement(score.main.tempo or TempoMap(), 0.0, 0.0, 0.0).at(to_beats(found, score.tala))
    except OverflowError:
        raise score_error(place, "this time is beyond what a number can hold; a piece lasts 4 hours at most") from None
