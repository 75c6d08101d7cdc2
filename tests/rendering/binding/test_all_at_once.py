"""One reading reports everything: syntax errors, unknown names, strings, verbs and values beside
each other, and no error that only follows from another one."""
import pytest
from score_texts import places_and_messages

from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import Options
from pysitar.score.parser import parse


@pytest.fixture
def found(tmp_path):
    """A score's text -> (line, column, message) of everything wrong in it."""
    def read(text):
        parsed = parse(text, file="x.score", folder=tmp_path)
        return places_and_messages(
            check(parsed.score, Options(), problems=parsed.problems).problems)
    return read


HEAD = "use tanpura as t\n"


def lines_of(problems):
    return [line for line, _, _ in problems]


def columns_of(problems, line=2):
    return tuple(col for at, col, message in problems
                 if at == line and "makes many sounds" not in message)


def test_every_kind_of_mistake_stands_in_one_listing_by_line(found):
    text = HEAD + "\n".join(["0 q.pa pluck", "1 t.zz pluck", "2 t.pa pluk", "3 t.pa pluck f=1x",
                             "4 t.pa strike", "5 t.pa pluck foo=1", "6 t.pa pluck f=-2s", "play "
                             "nowhere", "set t.pa.lenght = 1", "set q.gain = 2", "mix q gain=1dB",
                             "render rat=1", "foo", "tempo -3", "7 t.pa bend (0:re", ""])
    problems = found(text)
    assert lines_of(problems) == list(range(2, 17))
    assert problems == sorted(problems)


@pytest.mark.parametrize(("row", "columns"), [
    ("0 t.zz pluck f=1x", (5, 16)), ("0 t.zz pluk", (5, 8)), ("0 t.zz", (5, 7)),
    ("x t.zz pluck", (1, 5)), ("0 t.zz bend (0:re", (5, 13)), ("0 t.pa strike f=1x", (8, 15, 17)),
    ("0 t.pa pluck f=1x foo=2x bar=3", (16, 19, 23, 26)), ("0 t.pa pluck f=1x x=2", (16, 21)),
    ("0 t.pa pluck f=1x x=9m w=foo", (16, 21, 26)), ("0 t.pa fret q f=1", (13, 15)),
    ("0 t pluck f=1x", (3, 13)), ("0 q.pa pluck f=1x", (3, 16)),
    ("0 t.pa pluck w=1x meend=ga rate=2", (16,))])
def test_the_rest_of_a_row_is_checked_beside_what_cannot_be_read(found, row, columns):
    assert columns_of(found(HEAD + row + "\n9 t.pa pluck\n")) == columns


def test_what_only_follows_from_an_unread_value_is_not_reported(found):
    for row in ("0 t.pa fret x", "0 t.pa pluck glide=7x", "0 t.pa pluck sa! glide=7ms",
                "0 t.pa press fret=1x", "0 t.pa bend x", "0 t.pa pluck w=20cm x=1x"):
        assert len(found(HEAD + row + "\n9 t.pa pluck\n")) == 1, row


def test_rows_of_objects_and_of_unplayed_sections_are_checked(found):
    text = ("use bell_bar as b\nsection s\n0 b.bar strike v=1x ball=rock\n1 b.baz drop\nend\n"
            "0 b.bar strike\n")
    assert [(line, col) for line, col, _ in found(text)] == [(3, 18), (3, 26), (4, 5)]


@pytest.mark.parametrize(
    "line", ["use tanpura t", "use tanpura at t", "use tanpura as", "use tanpura", "use",
             'use tanpura as "t"', 'use "tanpura as t', "sue tanpura as t", "Use tanpura as t",
             "use tanpura as 1t", "use\u00a0tanpura as t", "use tanpura) as t", 'use "x.tom" as t',
             'use "nowhere.toml" as t', "use tanpra as t", 'include "nowhere.score"',
             "include lib.score", 'include "a.score" at=('])
def test_a_name_on_a_wrong_line_is_not_reported_as_unknown(found, line):
    problems = found(
        f"{line}\n0 t.pa pluck\nset t.pa.length = 1\nmix t gain=-3dB\nsweep t.gain = 3x\n")
    assert [line for line, _, _ in problems if line > 0] == [1, 5]


@pytest.mark.parametrize(("line", "named"), [("use tanpura t", True), ("sue tanpura as t", True), (
    "use tanpura at t", True), ('use "tanpura as t', True), ("use tanpura as", False)])
def test_other_unknown_names_are_reported_beside_it_where_they_can_be_known(found, line, named):
    problems = found(f"{line}\n0 t.pa pluck\n1 q.pa pluck\nplay nowhere\n")
    assert lines_of(problems) == ([1, 3, 4] if named else [1, 4])


def test_the_strings_of_an_instrument_on_a_wrong_line_are_checked_where_it_is_clear(found):
    for line in ("use tanpura t", "sue tanpura as t", "use tanpura as t gain=1x"):
        assert lines_of(found(f"{line}\n0 t.zz pluck\n1 t.pa pluck\n")) == [1, 2], line


@pytest.mark.parametrize("line", ["sectoin a", "section a b", 'section a "', "section a) ",
                                  "Section a"])
def test_a_section_on_a_wrong_line_is_opened_all_the_same(found, line):
    text = f"{HEAD}{line}\n0 t.pa pluck\n1 t.zz pluck\nend\nplay a\nplay b\n"
    assert lines_of(found(text)) == [2, 4, 7]


@pytest.mark.parametrize(("line", "at"), [("section", 8), ("section 1a", 9), ("section end", 9)])
def test_the_rows_of_a_section_without_a_name_are_checked(found, line, at):
    problems = found(f"{HEAD}{line}\n0 t.zz pluck\nend\nplay a\n1 t.pa pluck\n")
    unknown = [(5, 6)] if line == "section end" else []
    assert [(line, col) for line, col, _ in problems] == [(2, at), (3, 5), *unknown]


def test_the_rows_of_a_second_section_of_one_name_are_checked(found):
    text = HEAD + "section a\n0 t.pa pluck\nend\nsection a\n0 t.zz pluck\nend\nplay a\n"
    assert lines_of(found(text)) == [5, 6]


def test_one_missing_end_is_one_error(found):
    nested = HEAD + "section a\n0 t.pa pluck\nsection b\n1 t.pa pluck\nend\nend\nplay a\nplay b\n"
    assert lines_of(found(nested)) == [4]
    typo = HEAD + "section a\n0 t.pa pluck\nned\nplay a\nuse sitar as s\n"
    assert lines_of(found(typo)) == [4]
    assert lines_of(found(HEAD + "section a\n0 t.pa pluck\nend\nend\nplay a\n")) == [5]


@pytest.mark.parametrize("row", ["0 t.pa bend (0:re", "0 t.pa pluk", "0 t.pa", "x t.pa pluck",
                                 "t.pa pluck", "0 t.pa pluck f=1x", "0 t..pa pluck",
                                 '0 t.pa pluck "', "0\u00a0t.pa pluck", "pluck t.pa"])
def test_rows_count_from_one_that_is_wrong(found, row):
    assert lines_of(found(f"{HEAD}{row}\n+ t.pa pluck\n+2 t.pa damp\n9 t.pa pluck\n")) == [2]


@pytest.mark.parametrize(("line", "rows"), [
    ("tala tintl", "3:2 t.pa pluck"), ("tla tintal", "3:2 t.pa pluck"),
    ("tuning edo 0", "0 t.pa pluck d77"), ("tuning scala (", "0 t.pa pluck d77")])
def test_consequences_of_a_wrong_tala_or_tuning_are_not_reported(found, line, rows):
    assert lines_of(found(f"{HEAD}{line}\n{rows}\n1 t.zz pluck\n")) == [2, 4]


def test_a_cycle_of_sections_hides_nothing(found):
    text = (HEAD + "section a\n0 t.zz pluck\nplay b\nend\nsection b\n0 t.pa pluck f=0\nplay a\n"
            "end\nplay a\n1 t.pa strike\n")
    assert lines_of(found(text)) == [3, 7, 8, 11]


def test_an_include_of_itself_hides_no_name(found, tmp_path):
    (tmp_path / "a.score").write_text('use sitar as s\ninclude "a.score"\n0 s.zz pluck\n')
    problems = found(HEAD + 'include "a.score"\n0 q.pa pluck\n0 s.baj pluck\n')
    assert [message for _, _, message in problems] == [
        "no instrument is named q; expected one of t, s",
        "a.score includes itself, directly or through others; expected no cycle",
        "s has no string zz; expected one of baj, jor, kharaj, chikari1, chikari2"]


@pytest.mark.parametrize(("line", "columns"), [
    ("set q.pa.length = 1x", (5, 19)), ("set t.zz.length = 1x", (7, 19)),
    ("set t.pa.lenght 3", (10, 17)), ("set *.pa.lenght = (1", (10, 19)),
    ("sweep t.pa.lenght = linear(1, 2)", (12, 21)), ("sett t.zz.length = 1", (1, 8)),
    ("draw t.zz.length ~ uniform(1, 2) n=x", (8, 36))])
def test_a_path_is_checked_beside_its_unread_value(found, line, columns):
    problems = found(f"{HEAD}{line}\n9 t.pa pluck\n")
    assert columns_of(problems) == columns


def test_an_override_of_use_is_checked_beside_its_unread_value(found):
    assert columns_of(found("use tanpura as t gian=1x\n0 t.pa pluck\n"), line=1) == (18, 23)
