"""Parse a score time given on the command line."""
from __future__ import annotations

import re

from pysitar.errors import Place
from pysitar.score.document import Score
from pysitar.score.elements import Clock
from pysitar.score.event_rows import duration, time
from pysitar.score.tempo import TempoMap
from pysitar.score.timeline import Frame
from pysitar.score.tokens import wrong
from pysitar.score.whole_score_checks import in_beats

MILLISECONDS = re.compile(r"-?[0-9.][0-9.eE+-]*ms")          # in a score only a duration can be in ms


def seconds_of(text: str, score: Score) -> float:
    """Return a time in seconds, written as in a score, `4` (beats, by the tempo outside sections), `1.5s`
    or `3:2`, or as `100ms`.

    Errors: ScoreError, whose place is the text itself.
    """
    place = Place(text)
    found = duration(text, place) if MILLISECONDS.fullmatch(text) else time(text, place, relative=False)
    if found.clock is Clock.BAR:
        if score.tala is None:
            raise wrong(place, "the score has no tala, which a bar needs; expected beats (4) or seconds (1.5s)")
        if found.matra > score.tala:
            raise wrong(place, f"matra {found.matra} is beyond the tala, which has {score.tala}; expected 1 to {score.tala}")
    try:
        return Frame(score.main.tempo or TempoMap(), 0.0, 0.0, 0.0).at(in_beats(found, score.tala))
    except OverflowError:
        raise wrong(place, "the time is too large; expected at most 4 hours") from None
