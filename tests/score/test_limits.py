"""Scores above a limit are reported at their place before expansion; scores at the limit are
valid."""
import os

import pytest

from pysitar.errors import ScoreError
from pysitar.score import timeline as timeline_module
from pysitar.score.parser import load_score
from pysitar.score.source_files import MAX_FILE_BYTES
from pysitar.score.timeline import MAX_EVENTS, MAX_SECONDS, events

HEAD = "use tanpura as t\n"
SECTION = "section s\n0 t.pa pluck dur=0\n0 t.sa1 pluck dur=0\nend\n"


def find_problems(path=None, *, text=None):
    with pytest.raises(ScoreError) as caught:
        events(load_score(path, text=text))
    places = [(problem.place, problem.message) for problem in caught.value.problems]
    return [(os.path.basename(place.file), place.line, place.col, message)
            for place, message in places]


def test_the_limits():
    assert (MAX_EVENTS, MAX_SECONDS, MAX_FILE_BYTES) == (1_000_000, 14400.0, 16 * 1024 * 1024)


def test_as_many_events_as_allowed_and_one_more(monkeypatch):
    monkeypatch.setattr(timeline_module, "MAX_EVENTS", 1000)
    assert len(events(load_score(text=f"{HEAD}{SECTION}play s times=500 every=0.001s"))) == 1000
    assert find_problems(text=f"{HEAD}{SECTION}play s times=500 every=0.001s\n9 t.pa pluck") == [
        ("<text>", 6, 6, "the score has 1001 events; expected at most 1000")]
    assert find_problems(text=HEAD + "0 t.pa pluck\n" * 1001) == [
        ("<text>", 1002, 1, "the score has 1001 events; expected at most 1000")]
    score = load_score(text=HEAD + "0 t.pa pluck\n" * 1001)
    assert len(events(score, allow_large=True)) == 1001


@pytest.mark.parametrize("line", [
    "14400s t.pa pluck dur=0",
    "14399s t.pa pluck",
    "0 t.pa pluck dur=14400s",
    "tempo 90\n21600 t.pa pluck dur=0",
])
def test_four_hours_are_allowed(line):
    assert events(load_score(text=HEAD + line))[0].end == 14400.0


@pytest.mark.parametrize(("line", "where", "message"), [
    ("14400.001s t.pa pluck dur=0",
     (2, 1), "this event ends at 14400.001 s; expected at most 4 hours (14400 s)"),
    ("14399.5s t.pa pluck",
     (2, 1), "this event ends at 14400.5 s; expected at most 4 hours (14400 s)"),
    ("render tail=0.5s\n14400s t.pa pluck dur=0",
     (2, 13), "with this tail the score lasts 14400.5 s; expected at most 4 hours (14400 s)"),
    ("section s\n0 t.pa pluck\nend\nplay s times=14401",
     (3, 1), "this event ends at 14401 s; expected at most 4 hours (14400 s)"),
    ("1e308 t.pa pluck\ntempo 0.001", (2, 1),
     "this time exceeds the range of floating-point numbers; expected at most 4 hours (14400 s)"),
    ("0 t.pa bend (0:+0st 1e308:+1st)", (2, 21),
     "this time exceeds the range of floating-point numbers; expected at most 4 hours (14400 s)"),
    ("0 t.pa press f=(0:0 1:10 1e306s:0)", (2, 26),
     "this time exceeds the range of floating-point numbers; expected at most 4 hours (14400 s)"),
])
def test_more_is_an_error(line, where, message):
    assert find_problems(text=HEAD + line) == [("<text>", *where, message)]


@pytest.mark.parametrize("line", ["1e306 t.pa pluck", "0 t.pa pluck dur=1e306s"])
def test_a_time_without_a_sample_number_at_any_size(line):
    with pytest.raises(ScoreError, match="this time exceeds the range of floating-point numbers"):
        events(load_score(text=f"{HEAD}{line}\n"), allow_large=True)


def test_the_deepest_include(tmp_path):
    for level in range(34):
        (tmp_path
         / f"s{level}.score").write_text(f'{HEAD}0 t.pa pluck\n  include "s{level + 1}.score"\n')
    (tmp_path / "s34.score").write_text("")
    # the score is level 0; level 33 is reported at the include of level 32
    assert find_problems(tmp_path / "s0.score") == [
        ("s32.score", 3, 11, "includes nest deeper than 32 levels; expected fewer")]


def test_cycles(tmp_path):
    (tmp_path / "a.score").write_text(f'{HEAD}0 t.pa pluck\ninclude "b.score"\n')
    (tmp_path / "b.score").write_text('include "link.score"\n')
    (tmp_path / "link.score").symlink_to("a.score")
    assert find_problems(tmp_path / "a.score") == [(
        "b.score", 1, 9,
        "link.score includes itself, directly or through others; expected no cycle")]


KINDS = ["missing", "folder", "pipe", "device", "large", "latin", "other"]
LINES = {"score": ('include "{}"', 9), "scl": ('tuning sa=D3 scala "{}"', 20)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", LINES)
def test_files_that_a_score_names(ending, kind, tmp_path):
    name = f"{kind}.{ending}"
    path = tmp_path / name
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "large":
        with open(path, "wb") as stream:
            stream.truncate(MAX_FILE_BYTES + 1)
    elif kind == "latin":
        path.write_bytes(b"# caf\xe9\n")
    elif kind == "other":
        name = "other.txt"
    line, col = LINES[ending]
    (tmp_path / "a.score").write_text(f"{HEAD}{line.format(name)}\n0 t.pa pluck\n")
    messages = {
        "missing": f"cannot be read (No such file or directory); expected an existing .{ending} "
                   f"file",
        "folder": "is a folder; expected a regular file",
        "pipe": "is no regular file; expected a regular file",
        "device": "is no regular file; expected a regular file",
        "large": "is over 16 MB; expected a smaller file",
        "other": f"does not end in .{ending}; expected a .{ending} file",
        # a scale may be any 8-bit text: this one has no more than a description
        "latin": {
            "score": "the byte 0xe9 is not UTF-8; expected text in UTF-8",
            "scl": "used at a.score:2:20"
        }[ending],
    }
    [(file, where, column, message)] = find_problems(tmp_path / "a.score")
    # the byte stands in the file itself
    assert (file, where, column) == ((name, *((1, 6) if ending == "score" else
                                              (2, 1))) if kind == "latin" else ("a.score", 2, col))
    assert message.replace(f"{tmp_path}/", "").endswith(messages[kind])


def test_a_file_of_16_mb_is_read(tmp_path):
    start = f"{HEAD}0 t.pa pluck\n#".encode()
    (tmp_path / "a.score").write_bytes(start + b"x" * (MAX_FILE_BYTES - len(start)))
    assert len(events(load_score(tmp_path / "a.score"))) == 1
