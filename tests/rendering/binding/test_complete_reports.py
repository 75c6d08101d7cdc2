"""All problems of a score are reported at once, without consequences, each at the place of its
cause."""
import pytest

from pysitar.models.definitions import overrides
from pysitar.models.definitions.overrides import matches
from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import Options, options
from pysitar.score.parser import parse


@pytest.fixture
def reported(tmp_path):
    """A score's text, after `use guitar as g` -> ((file, line, column, message) of each problem,
    the same of each warning)."""
    def read(text, head="use guitar as g\n"):
        parsed = parse(head + text, file="x.score", folder=tmp_path)
        chosen = options(parsed.score) if not parsed.problems else Options()
        bound = check(parsed.score, chosen, problems=parsed.problems)
        return tuple([(*problem.place[:3], problem.message) for problem in found]
                     for found in (bound.problems, bound.warnings))
    return read


# ---- tunings

ROWS = ("0 g.e2 pluck d1\n1 t.pa pluck d99\n2 t.pa bend (0:d1 1:d2)\n3 t.pa pluck pa meend=d3\n"
        "4 t.pa pluck A9\n")


@pytest.mark.parametrize(("scl", "place", "part"), [
    ("test\n2\n3/2\n2/1\n9/4\n", ("a.scl", 5, 1),
     "a note beyond the 2 that the second line counts; expected 3 there, or no more notes"),
    ("test\n2\n3/2\n2/1\n! no note\n\n\t9/4", ("a.scl", 7, 2), "a note beyond the 2"),
    ("test\n2\n3/2\nx\n", ("a.scl", 4, 1), "x is not a note"),
    (None, ("x.score", 3, 14), "a.scl cannot be read"),
])
def test_a_wrong_scale_is_reported_without_consequences(reported, tmp_path, scl, place, part):
    if scl is not None:
        (tmp_path / "a.scl").write_text(scl)
    problems, _ = reported('use tanpura as t\ntuning scala "a.scl"\n' + ROWS)
    assert [found[:3] for found in problems] == [place]
    assert part in problems[0][3]


@pytest.mark.parametrize(
    "line", ["tuning edo 0", "tuning sa=x just", "tuning", "tuning shruti\ntuning edo 22"])
def test_any_wrong_tuning_is_reported_without_consequences(reported, line):
    assert len(reported(f"use tanpura as t\n{line}\n" + ROWS)[0]) == 1


def test_problems_independent_of_the_tuning_are_reported_too(reported):
    problems, _ = reported("tuning edo 0\n0 g.e2 pluck A9\n1 g.zz pluck d1\n")
    assert [line for _, line, _, _ in problems] == [2, 3, 4]


@pytest.mark.parametrize("note", ["3 / 2", "3/ 2", " 3 /2 fifth"])
def test_a_ratio_with_blanks_is_reported(reported, tmp_path, note):
    (tmp_path / "a.scl").write_text(f"test\n2\n{note}\n2/1\n")
    [(file, line, column, message)], _ = reported('tuning scala "a.scl"\n0 g.e2 pluck d1\n')
    assert (file, line, column) == ("a.scl", 3,
                                    1 + note.startswith(" ")) and "; expected 3/2" in message


def test_text_after_a_note_is_ignored(reported, tmp_path):
    (tmp_path / "a.scl").write_text("test\n2 notes\n! c\n3/2 fifth / 2\n2 /octave\n! the end\n  \n")
    assert reported('tuning scala "a.scl"\n0 g.e2 pluck d1\n')[0] == []


# ---- times and settings

def test_rows_after_a_wrong_time_are_checked(reported):
    problems, _ = reported("1e308s g.e2 pluck\n1 g.zz pluck\n+ g.e2 pluck f=0\nplay s\nsection s\n"
                           "+ g.e2 pluck\nend\n0 g.a2 pluck f=0")
    assert [found[1:3] for found in problems] == [(2, 1), (3, 5), (4, 16), (7, 1), (9, 16)]


def test_a_setting_that_makes_the_instrument_invalid_is_reported_at_its_place(reported):
    problems, _ = reported("set g.gain = 3\nset g.model = lumped\n0 g.e2 pluck\n")
    assert {found[:3] for found in problems} == {("x.score", 3, 15)}


def test_many_settings_of_one_path_are_looked_up_once(reported, monkeypatch):
    calls = []
    monkeypatch.setattr(overrides, "matches", lambda *paths: calls.append(paths) or matches(*paths))
    assert reported("set g.*.pluck.force = 1\n0 g.e2 pluck\n")[0] == []
    once = len(calls)
    calls.clear()
    assert reported("set g.*.pluck.force = 1\n" * 1000 + "0 g.e2 pluck\n")[0] == []
    # again by the lint of values that later ones replace
    assert len(calls) == 2 * once > 0
