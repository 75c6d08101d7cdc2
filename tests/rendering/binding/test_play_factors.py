"""Force factors of plays that change nothing or too much, and sections without a play or with a
late tempo."""
from pathlib import Path

import pytest

from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import Options, options
from pysitar.score.parser import parse

HEAD = "use guitar as g\nuse santoor as s\nuse glass as o\n"
DRAWN = ("section d\n0 g.e2 pluck h=1mm\n1 g.a2 pluck f=1\n2 g.d3 pluck\n3 g strum h=1mm\n"
         "4 g.* damp\n5 g.e2 fret F2\nend\n")


@pytest.fixture
def reported(tmp_path):
    """A score's text after HEAD -> ((line, column, message) of each problem, the same of each
    warning but of short contacts)."""
    def read(text):
        parsed = parse(HEAD + text, file="x.score", folder=tmp_path)
        bound = check(parsed.score,
                      options(parsed.score) if not parsed.problems else Options(),
                      problems=parsed.problems)
        return tuple([(*problem.place[1:3], problem.message) for problem in found if "in contact "
                      "for" not in problem.message] for found in (bound.problems, bound.warnings))
    return read


# ---- factors

def test_a_factor_without_effect_is_reported_once_a_play(reported):
    problems, warnings = reported(
        DRAWN + "play d f=*0.5 times=3\nplay d at=30 f=*2^\nplay d at=50 f=*1\nplay d at=60\n")
    rest = ("the 2 rows without a force, the first on line 5 (pluck); expected another h= there to "
            "change how loud it is")
    assert problems == [] and warnings == [(12, 10, f"f=*0.5 does not change {rest}"),
                                           (13, 16, f"f=*2^ does not change {rest}")]


@pytest.mark.parametrize(("row", "name"), [("s.sa_1 strike v=2", "v"), ("s.sa_1 strike", "v"),
                                           ("o.glass strike", "v"), ("o.glass drop", "h")])
def test_hammers_and_balls_have_no_force(reported, row, name):
    [(line, column, message)] = reported(f"section d\n0 {row}\nend\nplay d f=*0.5\n")[1]
    assert (line, column) == (7, 10)
    assert (f"does not change the row without a force on line 5 ({row.split()[1]}); expected "
            f"another {name}=" in message)


def test_where_plays_nest_the_innermost_factor_is_reported(reported):
    _, warnings = reported(DRAWN + "section e\nplay d f=*0.5\nplay d at=10\nend\nplay e f=*0.9\n")
    assert [found[:2] for found in warnings] == [(13, 10), (16, 10)]


def test_a_score_with_a_force_in_every_row_has_no_warning(reported):
    assert reported("section d\n0 g.e2 pluck f=1\n1 g.e2 pluck\n2 g.e2 press fret=2\nend\n"
                    "play d f=*0.5\n")[1] == []


def test_an_impossible_factor_is_reported_at_the_play(reported):
    problems, _ = reported(DRAWN + "play d f=*1e300 times=9\nplay d at=99 f=*2\n")
    assert problems == [(12, 10,
                         "f=*1e+300 is too large or too small for the pluck on line 6: force is "
                         "1e+300; expected a finite number (N), at least -1000 and at most 1000")]


def test_an_impossible_factor_for_the_instruments_force_is_reported(reported):
    [(line, column, message)], _ = reported("section d\n0 g.e2 pluck\nend\nplay d f=*1e4\n")
    assert (line, column) == (7, 10) and message.startswith(
        "f=*10000 is too large or too small for the pluck on line 5: force is ")


def test_a_force_wrong_without_its_factor_is_reported_at_its_row(reported):
    assert [found[:2] for found in reported(
        "section d\n0 g.e2 pluck f=1e5\nend\nplay d f=*0.5\n")[0]] == [(5, 16)]


# ---- sections

def test_the_rows_of_a_section_that_is_never_played_are_checked(reported):
    problems, _ = reported(
        "0 g.e2 pluck\nsection a\n0 g.zz pluck\n1 g.e2 pluck f=0\n3 g strum E2\nend\nsection b\n"
        "play c\nend\nsection c\n0 g.e2 pluck E9\n1e308s g.e2 pluck\nend\n")
    assert [found[0] for found in problems] == [6, 7, 8, 14, 15]


def test_an_unplayed_section_is_reported_and_changes_nothing(reported):
    text = "0 g.e2 pluck G2\n1 g.e2 press fret=3\n"
    alone = ("section a\n0 g.e2 pluck E2\nend\nsection b\n0 g.e2 pluck A2\nplay a\nend\nsection c\n"
             "play c2\nend\nsection c2\nend\nplay c2\n")
    problems, warnings = reported(alone + text)
    assert problems == [] and warnings == [(4, 1, "section a is never played; expected play a"),
                                           (7, 1, "section b is never played; expected play b"),
                                           (11, 1, "section c is never played; expected play c")]
    score = parse(HEAD + text, file="x.score", folder=Path()).score
    more = parse(HEAD + text + alone, file="x.score", folder=Path()).score
    assert check(score, Options()).voices == check(more, Options()).voices


def test_a_store_of_sections_may_have_more_than_are_played(reported, tmp_path):
    (tmp_path / "store.score").write_text("section a\n0 g.e2 pluck\nend\nsection b\n0 g.a2 pluck\n"
                                          "end\nsection c\n0 g.a2 pluck f=0\nend\n")
    problems, warnings = reported('include "store.score"\nplay a\n')
    assert [found[:2] for found in problems] == [(8, 16)] and warnings == []
    (tmp_path
     / "store.score").write_text("section a\n0 g.e2 pluck\nend\nsection b\n0 g.a2 pluck\nend\n")
    assert reported('include "store.score"\nplay a\n') == ([], [])


def test_a_tempo_that_begins_late_is_reported_with_what_holds_before_it(reported):
    text = "tempo 120\nsection s\n{}0 g.e2 pluck\n1 g.a2 pluck\n3 g.d3 pluck\nend\nplay s at=4\n"
    late = text.format("tempo 3 40\ntempo 2 30\n")
    assert reported(late) == ([], [(
        7, 7, "section s has its own tempo from beat 2, and 60 beats per minute before it, not the "
        "tempo of its caller; expected tempo 60 above it")])
    # what the warning says: at 120 beat 4 is at 2 s; then two beats at 60 and one at 30
    score = parse(HEAD + late, file="x.score", folder=Path()).score
    assert [event.time for event in check(score, Options()).voices[0].events] == pytest.approx(
        [2.0, 3.0, 6.0], abs=1e-12)
    assert reported(text.format("tempo 60\ntempo 2 30\n")) == ([], [])
    assert reported(text.format("")) == ([], [])
