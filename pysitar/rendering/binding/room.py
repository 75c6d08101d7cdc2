"""The room of a score: its impulse responses, computed or read from a file."""
from __future__ import annotations

import os.path

from pysitar.errors import Problem, ScoreError
from pysitar.rendering.binding.responses import read_response
from pysitar.rendering.options import Options
from pysitar.rendering.plan import ROOM_STEM, RoomPlan
from pysitar.rendering.room_responses import room_responses
from pysitar.score.document import Score
from pysitar.score.source_files import Source


def bind_room(score: Score, options: Options, problems: list[Problem],
              sources: list[Source]) -> RoomPlan | None:
    """Return the room of a score that has one, or None where it cannot be read; add what is wrong
    to the problems, and the file that was read to the sources."""
    room = score.room
    assert room is not None
    problems.extend(
        Problem(use.place, f"the stem of the room is named {ROOM_STEM} too ({room.place.file}:"
                           f"{room.place.line}); expected another name for the instrument")
        for use in score.uses if use.name == ROOM_STEM)
    if not room.is_file:
        return RoomPlan(room.source, room.wet, room_responses(room.source, options.rate))
    try:
        read = read_response(room.source, room.folder, rate=options.rate, channels=2,
                             place=room.source_place, sources=sources)
    except ScoreError as error:
        problems.extend(error.problems)
        return None
    return RoomPlan(os.path.normpath(room.source), room.wet, read)
