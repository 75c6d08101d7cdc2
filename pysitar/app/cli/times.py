"""Parse a time of the command line, written as in a score."""
from __future__ import annotations

from pysitar.errors import Place
from pysitar.score.document import Score, to_beats
from pysitar.score.elements import Clock
from pysitar.score.event_rows import parse_time
from pysitar.score.timeline import outer_placement
from pysitar.score.tokens import score_error


def seconds_of(text: str, score: Score) -> float:
    """Return a time in seconds.

    Parameters: text, as in a score: `4` (beats, by the tempo and swing outside sections), `1/3`,
    `1.5s`, `100ms` or `3:2`.

    Errors: ScoreError, whose place is the text itself.
    """
    place = Place(text)
    found = parse_time(text, place, relative=False)
    if found.clock is Clock.BAR:
        if score.tala is None:
            raise score_error(
                place,
                "the score has no tala, so bars have no length; expected beats (4) or seconds "
                "(1.5s)")
        if int(found.matra) > score.tala:
            raise score_error(
                place,
                f"matra {int(found.matra)} is beyond the tala, which has {score.tala}; expected 1 "
                f"to {score.tala}")
    placement = outer_placement(score.main, score.main.tempo)
    try:
        return placement.at(to_beats(found, score.tala))
    except OverflowError:
        raise score_error(place, "the time is too large; expected at most 4 hours") from None
