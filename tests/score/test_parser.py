"""Valid files of every kind, and no exception other than ScoreError."""
import gc
import io
import os
import sys
import time
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from pysitar.errors import ScoreError
from pysitar.score.document import Score
from pysitar.score.literals import Name, literal_text, si_value
from pysitar.score.parser import load_score, parse, parse_score
from pysitar.score.timeline import events

WHOLE = """# everything once
use tanpura as t scheme=two-point gain=3
use "my/sitar.toml" as s
render rate=48000 oversample=2 tail=auto floor=-80dB seed=7
tuning sa=D3 edo 22
tala tintal
0 t.pa pluck f=0.6N
1 s.* pluck d3'
set t.pa.barrier.stiffness = 2e9
set t.*.length=1.2 m
mix t gain=-3dB pan=-0.2
sweep t.pa.pluck.position = linear(0.05, 0.45, 9)
sweep t.pa.pluck.force = (0.2 N 0.4N)
draw  t.*.pluck.force ~ loguniform(0.2N, 2 N) n=100
"""


def score_of(text):
    return load_score(text=text)


def test_what_a_whole_score_says(tmp_path):
    score = parse_score(WHOLE, file="whole.score", folder=tmp_path)
    assert [(use.name, use.source, use.is_file)
            for use in score.uses] == [("t", "tanpura", False), ("s", "my/sitar.toml", True)]
    assert score.uses[0].overrides["scheme"].value == Name(
        "two-point", score.uses[0].overrides["scheme"].value_place)
    assert score.uses[1].folder == tmp_path
    assert {name: literal_text(argument.value) for name, argument in score.render.items()} == {
        "rate": "48000", "oversample": "2", "tail": "auto", "floor": "-80dB", "seed": "7"}
    assert (score.tuning.kind, len(score.tuning.steps)) == ("edo", 22)
    assert score.tala == 16
    assert [setting.path for setting in score.settings] == [("t", "pa", "barrier", "stiffness"),
                                                            ("t", "*", "length")]
    assert si_value(score.settings[1].value, "m") == 1.2
    assert score.mixes[0].target == ("t",)
    assert [(sweep.function, sweep.count) for sweep in score.sweeps] == [("linear", 9), ("list", 2)]
    assert (score.draws[0].low.value, score.draws[0].high.unit,
            score.draws[0].count) == (0.2, "N", 100)
    assert [event.target for event in events(score)] == [("t", "pa"), ("s", "*")]


@pytest.mark.parametrize("text", [
    "use tanpura as t\r\n0 t.pa pluck\r\n",
    "\ufeffuse tanpura as t\n0 t.pa pluck\n",
    "\ufeffuse tanpura as t\r\n\t0\tt.pa\tpluck\t\r\n",
    "use tanpura as t\n0 t.pa pluck   \n\n   \n\t\n",
    "use tanpura as t\n0 t.pa pluck",
    "use tanpura as t #x\n0 t.pa pluck # C#3 (unclosed \"\n#0 t.pa pluk\n",
    "use tanpura as तानपुरा\n0 तानपुरा.पंचम pluck\n",
    "use tanpura as T\n0 T._1 pluck C#3\n",
    "use tanpura as s\n0 s pluck\n",
    "use tanpura as t\nuse tanpura as t\n0 t.pa pluck\ntuning sa=C#3 just\ntuning just\nrender "
    "seed=1\nrender seed=1\n",
])
def test_good_files(text, tmp_path):
    file = tmp_path / "आलाप.score"
    file.write_bytes(text.encode())
    assert len(events(load_score(file))) == 1
    assert len(events(load_score(text=text))) == 1


@pytest.mark.parametrize("blank", ["", " ", "\t", " \t ", "  "])
def test_blanks_between_a_number_and_its_unit(blank):
    rows = (f"set t.pa.length = 1.2{blank}m\nset t.body.frequencies = (100{blank}Hz\t2{blank}kHz "
            f"300)\n")
    rows += (f"sweep t.pa.pluck.force = linear({blank}0.1{blank}N,{blank}0.4{blank}N{blank}, "
             f"4{blank})\n")
    rows += (f"sweep t.pa.pluck.force = (0.1{blank}N 0.4{blank}N)\n"
             f"draw t.gain\t~\tuniform(10{blank}mN,0.4{blank}N)\tn=3\n")
    score = score_of(f"use tanpura as t\n{rows}0 t.pa pluck\n")
    assert [literal_text(setting.value)
            for setting in score.settings] == ["1.2m", "(100Hz 2kHz 300)"]
    assert [[literal_text(value) for value in sweep.values]
            for sweep in score.sweeps] == [["0.1N", "0.4N"]] * 2
    assert [literal_text(score.draws[0].low), literal_text(score.draws[0].high)] == ["10mN", "0.4N"]


def test_a_bend_through_frequencies_is_a_curve_of_pitches():
    curve = score_of("use tanpura as t\n0 t.pa pluck\n0 t.pa bend (0:440Hz 0.5s:0.45kHz/cos "
                     "1:ga)\n"
                     ).main.rows[1].curve
    assert [(point.time, point.in_seconds, point.value.kind, point.value.hertz)
            for point in curve.points] == [(0.0, False, "hertz", 440.0),
                                           (0.5, True, "hertz", 450.0), (1.0, False, "sargam", 0.0)]


def test_columns_count_code_points_and_no_bom():
    parsed = parse("\ufeff\tसा t\r\n", file="x.score", folder=Path())
    assert (parsed.problems[0].place.line, parsed.problems[0].place.col) == (1, 2)


def test_a_comment_in_quotes_is_text():
    assert score_of('use "a #1.toml" as t\n0 t.pa pluck').uses[0].source == "a #1.toml"


def test_the_defaults():
    score = score_of("use tanpura as t\n0 t.pa pluck")
    assert (score.tuning.kind, score.tuning_place, score.tala,
            score.render) == ("just", None, None, {})


class TestFiles:
    """The rules for files: regular, .score, at most 16 MB, UTF-8."""

    def refused(self, path, fragment):
        with pytest.raises(ScoreError, match=fragment) as caught:
            load_score(path)
        return caught.value.problems[0]

    def test_what_is_no_regular_file(self, tmp_path):
        (tmp_path / "folder.score").mkdir()
        self.refused(tmp_path / "folder.score", "is a folder")
        os.mkfifo(tmp_path / "pipe.score")
        assert self.refused(tmp_path / "pipe.score",
                            "no regular file").place.file == str(tmp_path / "pipe.score")
        (tmp_path / "null.score").symlink_to("/dev/null")
        self.refused(tmp_path / "null.score", "no regular file")
        self.refused(tmp_path / "nothing.score", "No such file")
        self.refused(tmp_path / "x.txt", "does not end in .score")
        self.refused("\0.score", "cannot be read")

    def test_a_large_file(self, tmp_path):
        file = tmp_path / "large.score"
        text = b"use tanpura as t\n0 t.pa pluck\n#"
        file.write_bytes(text + b"x" * (16 * 1024 * 1024 - len(text)))
        assert len(events(load_score(file))) == 1
        file.write_bytes(text + b"x" * (16 * 1024 * 1024 - len(text) + 1))
        self.refused(file, "over 16 MB")

    def test_a_byte_that_is_not_utf8(self, tmp_path):
        file = tmp_path / "latin.score"
        file.write_bytes(b"use tanpura as t\n# \xe9\n")
        place = self.refused(file, "0xe9 is not UTF-8").place
        assert (place.line, place.col) == (2, 3)

    def test_neither_path_nor_text(self):
        with pytest.raises(TypeError):
            load_score()

    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin",
                            io.TextIOWrapper(io.BytesIO(b"use tanpura as t\n0 t.pa pluk\n")))
        with pytest.raises(ScoreError, match=r"^-:2:8: pluk"):
            load_score("-")


class TestIncludes:
    """Included files play like sections; what they define is shared."""

    def write(self, folder, **files):
        for name, text in files.items():
            (folder / f"{name}.score").write_text(text)
        return folder / "main.score"

    def test_an_include_is_played_where_it_is_put(self, tmp_path):
        main = self.write(tmp_path, main='use tanpura as t\ntempo 120\n0 t.pa pluck\n'
                          'include "coda.score" at=4\nplay extra at=8\n',
                          coda="tempo 60\n1 t.sa pluck\n+ t.sa pluck\nsection extra\n0 t.pa pluck\n"
                          "end\nuse sitar as s\n0 s.baj pluck\n")
        assert [(event.time, event.target[1]) for event in events(load_score(main))] == [
            (0, "pa"), (2, "baj"), (3, "sa"), (4, "sa"), (4, "pa")]

    def test_the_same_file_twice(self, tmp_path):
        main = self.write(tmp_path, main='include "a.score"\ninclude "a.score" at=4\n',
                          a="use tanpura as t\nrender seed=1\ntuning sa=D3 just\n"
                          "section x\n0 t.pa pluck\nend\nplay x\n")
        assert [event.time for event in events(load_score(main))] == [0, 4]

    def test_a_cycle_and_a_wrong_line_are_reported_in_their_file(self, tmp_path):
        main = self.write(tmp_path, main='use tanpura as t\ninclude "a.score"\n0 t.pa pluk\n',
                          a='0 t.pa plick\ninclude "main.score"\n')
        with pytest.raises(ScoreError) as caught:
            load_score(main)
        places = [(os.path.basename(p.place.file), p.place.line, p.place.col)
                  for p in caught.value.problems]
        assert places == [("main.score", 3, 8), ("a.score", 1, 8), ("a.score", 2, 9)]

    def test_the_depth(self, tmp_path):
        def chain(levels):
            files = {f"s{i}": f'include "s{i + 1}.score"\n' for i in range(levels)}
            return self.write(tmp_path, main='use tanpura as t\ninclude "s0.score"\n', **files,
                              **{f"s{levels}": "0 t.pa pluck\n"})

        assert len(events(load_score(chain(31)))) == 1          # s31 is level 32
        with pytest.raises(ScoreError, match="deeper than 32"):
            load_score(chain(32))

    def test_a_folder_of_its_own(self, tmp_path):
        (tmp_path / "parts").mkdir()
        (tmp_path / "parts" / "b.score").write_text('include "c.score"\nuse "x.toml" as x\n')
        (tmp_path / "parts" / "c.score").write_text("0 t.pa pluck\n")
        score = load_score(self.write(tmp_path, main='use tanpura as t\ninclude "parts/b.score"\n'))
        assert len(events(score)) == 1
        assert score.uses[1].folder == tmp_path / "parts"


class TestScala:
    """Scala files: ratios, cents, comments, any period."""

    def tuned(self, folder, scale):
        (folder / "x.scl").write_bytes(scale if isinstance(scale, bytes) else scale.encode())
        return parse_score('tuning sa=240Hz scala "x.scl"\n', file="x.score", folder=folder).tuning

    def test_a_scale(self, tmp_path):
        tuning = self.tuned(tmp_path,
                            "! x.scl\n!\nBohlen-ish\n 4\n!\n 9/8 whole tone\n 386.314\n 2\n 3/1\n")
        assert tuning.steps == (1.0, 1.125, 2 ** (386.314 / 1200), 2.0)
        assert (tuning.period, tuning.has_names, tuning.has_steps) == (3.0, False, True)

    @pytest.mark.parametrize(("scale", "line", "column"), [
        ("x\n2\n9/8\n", 3, 4), ("x\nfew\n", 2, 1), ("x\n2\n9/8\n x\n", 4, 2),
        ("x\n2\n0/1\n2/1\n", 3, 1), ("x\n", 2, 1), ("", 1, 1), ("x\n-1\n", 2, 1),
        ("x\n1001\n", 2, 1), ("x\n1.0\n2/1\n", 2, 1), ("x\n3/2\n2/1\n", 2, 1),
        ("x\n0\n2/1\n", 3, 1), *((f"x\n2\n\t{note}\n2/1\n", 3, 2) for note in (
            "-3/2", "-3", "3/0", "0", "3/", "3/2/1", "3/2.5", "701,955", "3:2", "1.5e2", "2^1/2",
            "1.2.3", ".", "x3/2", "1e9.", "1e3", f"{'9' * 400}.", "-1300000.0", f"{'9' * 400}/2",
            f"1{'0' * 5000}"))])
    def test_a_wrong_scale(self, tmp_path, scale, line, column):
        with pytest.raises(ScoreError, match=r"used at x.score:1:23") as caught:
            self.tuned(tmp_path, scale)
        place = caught.value.problems[0].place
        assert (place.file, place.line, place.col) == ("x.scl", line, column)

    @pytest.mark.parametrize(("note", "ratio"), [
        ("3/2! fifth", 3 / 2), ("5/4   E\\", 5 / 4), ("1091.!", 2**(1091 / 1200)),
        ("204.0cents", 2**(204 / 1200)), ("408.", 2**(408 / 1200)), (".5", 2**(0.5 / 1200)),
        ("100.0 C#", 2**(1 / 12)), ("5", 5.0), ("2fold", 2.0), ("10/20", 0.5),
        ("-5.0", 2**(-5 / 1200)), ("-.5 c", 2**(-0.5 / 1200)), ("0.0", 1.0),
        ("2147483647/2147483646", 2147483647 / 2147483646), ("12013.0", 2**(12013 / 1200)),
        ("156348578434374084375/147573952589676412928",
         156348578434374084375 / 147573952589676412928), (f"3{'0' * 300}/2{'0' * 300}", 1.5),
        ("3/2 fifth / 2", 1.5), ("\t 3/2\t2.0", 1.5)])
    def test_a_value_and_what_follows_it(self, tmp_path, note, ratio):
        assert self.tuned(tmp_path, f"x\n2\n{note}\n7/1\n").steps == (1.0, ratio)

    def test_the_order_of_the_file_is_kept(self, tmp_path):
        """Notes that fall, repeat, lie under 1/1, or end under or on it."""
        assert self.tuned(tmp_path, "x\n4\n3/2\n9/8\n9/8\n2/1\n").steps == (1.0, 1.5, 1.125, 1.125)
        assert self.tuned(tmp_path, "x\n2\n-100.0\n1/1\n").period == 1.0
        assert self.tuned(tmp_path, "x\n2\n4/3\n1/2\n").period == 0.5

    @pytest.mark.parametrize("text", ["x\n 0\n", "! x.scl\n!\n\n0 notes\n! none\n\n", "x\n00"])
    def test_no_notes(self, tmp_path, text):
        tuning = self.tuned(tmp_path, text)
        assert (tuning.steps, tuning.period, tuning.has_names,
                tuning.has_steps) == ((1.0,), None, False, True)

    @pytest.mark.parametrize(
        "text", [b"! caf\xe9\nSt\xf6rme\n 2\n!\xff\n 3/2 \xe9\n 2/1\n", "! café\nStörme\n2\n3/2\n"
                 "2/1".encode("utf-8-sig"), b"\n 2 \n3/2\n2", b"x\r\n2\r\n3/2\r\n2/1\r\n\x1a",
                 b"x\r2\r3/2\r2/1\r", b"!\r\n\r\n2 notes\r\n\t3/2\xa0\r\n 2/1\r\n"])
    def test_any_text_of_8_bits(self, tmp_path, text):
        tuning = self.tuned(tmp_path, text)
        assert (tuning.steps, tuning.period) == ((1.0, 1.5), 2.0)


class TestFromEvents:
    """Scores built in Python pass the same checks."""

    def test_numbers_and_texts(self):
        score = Score.from_events([(0.5, "t.pa", "pluck", {"force": 0.6, "pitch": "440Hz"}),
                                   (0, "t.sa", "damp", {"t60": "200ms", "dur": 2})],
                                  use={"t": "tanpura", "s": ("my.toml", {"scheme": "three-point"})},
                                  render={"rate": 44100, "tail": "2s"})
        made = events(score)
        assert [(event.time, event.verb, event.duration) for event in made] == [
            (0.0, "damp", 2.0), (0.5, "pluck", 1.0)]
        assert made[1].pitch.hertz == 440.0
        assert list(made[1].arguments) == ["force"]
        assert si_value(made[1].arguments["force"].value, "N") == 0.6
        assert [(use.name, use.is_file) for use in score.uses] == [("t", False), ("s", True)]
        assert literal_text(score.render["rate"].value) == "44100"

    def test_problems_name_the_event(self):
        with pytest.raises(ScoreError) as caught:
            Score.from_events([(-1, "t.pa", "pluck", {}), (0, "q.pa", "pluk", {"force": "0,5"}),
                               (float("nan"), "t.pa", "pluck", {}),
                               (1, "t.pa", "pluck", {"force": True}),
                               (1, "t.pa", "pluck", {"f": 1, "force": 2}), (1, "", "", {})],
                              use={"t": "tanpura"}, render={"rat": 1}, tuning="sa=re just")
        assert [problem.place.file for problem in caught.value.problems] == [
            "render rat", "tuning", "event 1", "event 2", "event 2", "event 2", "event 3",
            "event 4", "event 5", "event 6"]
        assert "event 2: pluk is not a verb" in str(caught.value)


def test_ten_thousand_events_are_quick():
    text = "use tanpura as t\n" + "".join(f"{i / 10} t.pa pluck re-14c f=0.6N x=0.12\n"
                                          for i in range(10_000))
    start = time.process_time()
    assert len(events(score_of(text))) == 10_000
    # about 0.5 s on an idle machine; the margin is for a crowded one
    assert time.process_time() - start < 4.0


def test_the_frozen_heap_is_not_counted_for_a_short_score(monkeypatch):
    def count():
        calls.append(1)
        return 0

    calls = []
    monkeypatch.setattr(gc, "get_freeze_count", count)
    score_of("use tanpura as t\n0 t.pa pluck\n")
    assert not calls
    score_of("use tanpura as t\n" + "1 t.pa pluck f=1N\n" * 5000)
    assert calls and gc.get_count()[0] < 5000          # its objects are in the oldest generation


PIECES = st.sampled_from([
    "use", "tanpura", "as", "t", "render", "rate=48000", "tail=2s", "tuning", "sa=C#3", "just",
    "edo", "22", "tempo", "60", "->", "@", "tala", "tintal", "section", "a", "b", "end", "play",
    "at=3:1", "times=3", "every=2s", "f=*0.9^", "transpose=2st", "set", "t.pa.x", "=", "2", "N",
    "mix", "gain=-3dB", "0", "+", "+3", "1.5s", "3:2", "1e300", "t.pa", "t.*", "t", "pluck", "bend",
    "strum", "damp", "re-14c", "+3st", "(0:re 1:ga/cos)", "(", ")", '"', "#", "f=0.6N", "dur=2",
    "dur=1e308s", "sweep", "draw", "~", "linear(1,2,3)", "uniform(1,2)", "n=3", "include",
    '"x.score"', ",", ";", "\x00", "\r", "=2"])
LINES = st.lists(st.lists(PIECES, max_size=8).map(" ".join), max_size=12).map("\n".join)


@hypothesis.settings(max_examples=100, deadline=None,
                     suppress_health_check=[hypothesis.HealthCheck.too_slow])
@hypothesis.given(st.one_of(st.text(max_size=200), LINES,
                            LINES.map(lambda text: "use tanpura as t\n0 t.pa pluck\n" + text)))
def test_nothing_but_a_score_error_comes_out(text):
    try:
        made = events(load_score(text=text))
    except ScoreError as error:
        assert error.problems
        assert all(";" in problem.message for problem in error.problems)
    else:
        assert made
