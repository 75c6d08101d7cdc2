"""Every kind of wrong line is told at its line and column, with what would be right."""
from pathlib import Path

import pytest

from pysitar.errors import ScoreError
from pysitar.score.parser import parse, parse_score
from pysitar.score.timeline import events, timeline

HEAD = "use tanpura as t\n"
SECTION = "section s\n0 t.pa pluck\nend\n"

# The wrong line (line 2, after a `use`), the column (from 1), a piece of the message.
BAD_LINES = [
    ("0 t.pa pluk f=0.6N", 8, "nearest known is pluck"),
    ("0 t.pa pluck f=0,6N", 16, "stray comma"),
    ("0 t.pa pluck f=0.6N, x=0.4", 16, "stray comma"),
    ("0 t.pa pluck f = 0.6N", 16, "no blanks around '='"),
    ("0 t.pa pluck f= 0.6N", 15, "no blanks around '='"),
    ("0 t.pa pluck f =0.6N", 16, "no blanks around '='"),
    ("0 t.pa pluck f=0.6 N", 20, "write f=0.6N"),
    ("0 t.pa pluck x=1nm", 16, "the nearest known is"),
    ("0 t.pa pluck f=0.6kN", 16, "kN is not a unit; the nearest known is N"),
    ("0 t.pa pluck f=1_000", 16, "not a number"),
    ("0 t.pa pluck f=nan", 16, "a finite one"),
    ("0 t.pa pluck f=-inf", 16, "a finite one"),
    ("0 t.pa pluck f=1e999", 16, "too large"),
    ("0 t.pa pluck f=1.2.3", 16, "one point"),
    ("0 t.pa pluck f=०.६", 16, "is not a value"),
    ("0 t.pa pluck f=*0.9", 16, "only play takes"),
    ("0 t.pa pluck f=0.6N f=0.7N", 21, "f is given twice"),
    ("0 t.pa pluck f=0.6N force=0.7N", 21, "f and force are one"),
    ("0 t.pa pluck f=0.6N re", 21, "is not name=value"),
    ("0 t.pa pluck re ga", 17, "follows the pitch"),
    ("0 t.pa pluck re-14", 14, "cents need the c: re-14c"),
    ("0 t.pa pluck sa-", 14, "komal (-) are re ga dha ni"),
    ("0 t.pa pluck pa+", 14, "tivra (+) is ma alone"),
    ("0 t.pa pluck c#3", 14, "C#3"),
    ("0 t.pa pluck C#", 14, "C#4"),
    ("0 t.pa pluck C#10", 14, "one digit"),
    ("0 t.pa pluck 3st", 14, "+3st"),
    ("0 t.pa pluck 440", 14, "440Hz"),
    ("0 t.pa pluck 0Hz", 14, "above 0 Hz"),
    ("0 t.pa pluck Re", 14, "sargam names are small: re"),
    ("0 t.pa pluck so", 14, "is no pitch"),
    ("0 t.pa fret", 12, "fret needs its pitch"),
    ("0 t.pa damp re", 13, "damp takes no pitch"),
    ("0 t.pa damp t60=200ms dur=1m", 27, "is not a duration"),
    ("0 t.pa pluck dur=-1", 18, "below 0"),
    ("0 t.pa strum", 3, "strum plays over the strings"),
    ("0 t.pa", 7, "the verb is missing"),
    ("0", 2, "the target is missing"),
    ("0 q.pa pluck", 3, "no instrument is named q; known are t"),
    ("0 t..pa pluck", 5, "missing"),
    ("0 t.p-a pluck", 5, "p-a is not a name"),
    ("0 t.pa.x pluck", 8, "3 parts"),
    ("0 *.pa pluck", 3, "cannot stand for an instrument"),
    ("0 t.set pluck", 5, "a word of the language"),
    ("-1 t.pa pluck", 1, "before 0"),
    ("-0.5s t.pa pluck", 1, "before 0"),
    ("1.5 s t.pa pluck", 5, "write 1.5s"),
    ("1.5ms t.pa pluck", 1, "is not a time"),
    ("1,5 t.pa pluck", 1, "stray comma"),
    ("+ t.pa pluck", 1, "no event on t.pa stands above"),
    ("+3 t.pa pluck", 1, "no event on t.pa stands above"),
    ("3:2 t.pa pluck", 1, "a bar needs a tala"),
    ("0:2 t.pa pluck", 1, "count from 1"),
    ("pluck t.pa", 1, "is not a time; a row begins with one"),
    ("plya s", 1, "nearest known is play"),
    ("४ t.pa pluck", 1, "is not a time"),
    ("0 t.pa pluck\u00a0f=1", 13, "U+00A0"),
    ('0 t.pa pluck f="abc', 16, "this quote is not closed"),
    ("0 t.pa bend (0:re", 13, "this parenthesis is not closed"),
    ("0 t.pa bend 0:re)", 17, "never opened"),
    ("0 t.pa bend ((0:re))", 14, "do not nest"),
    ("0 t.pa bend (0:re 1:ga 0.5:re)", 24, "increase"),
    ("0 t.pa bend (0:re 1:ga/sin)", 24, "sin is not a shape; the nearest known is lin"),
    ("0 t.pa press f=(0:1N, 1:2N)", 19, "stray comma"),
    ("0 t.pa press f=(0:-1N 1:1N/exp)", 23, "one sign"),
    ("use sitar as t", 14, "already another instrument"),
    ("use tanpura t", 13, "where as stands"),
    ("use tanpura as", 15, "the name is missing"),
    ("use", 4, "the instrument is missing"),
    ("use tanpura as play", 16, "a word of the language"),
    ("use tanpura as 2t", 16, "not a name"),
    ("use my/tanpura.toml as u", 5, "in quotes"),
    ('use "tanpura.txt" as u', 5, "ends in .toml"),
    ("use tanpura as u gain", 18, "is not name=value"),
    ("render rat=48000", 8, "nearest known is rate"),
    ("render rate = 48000", 13, "no blanks around '='"),
    ("render rate=48000 rate=44100", 19, "given twice"),
    ("render", 7, "render has no options"),
    ("tempo", 6, "the tempo is missing"),
    ("tempo 0", 7, "above 0"),
    ("tempo -60", 7, "above 0"),
    ("tempo 60bpm", 7, "bpm is not a unit"),
    ("tempo 4s 60", 7, "has a unit"),
    ("tempo -1 60", 7, "before 0"),
    ("tempo 60 -> 120 @ 8", 7, "begins is missing; tempo BEAT BPM -> BPM @ BEAT, here tempo 0 60 -> 120 @ 8"),
    ("tempo 60 -> 120", 7, "tempo BEAT BPM -> BPM @ BEAT"),
    ("tempo 16 52 60", 13, "where -> stands"),
    ("tempo 16 52 -> 60", 18, "@ is missing"),
    ("tempo 16 52 -> 60 @ 16", 21, "not after its start"),
    ("tuning", 7, "the tuning is missing"),
    ("tuning sa=C#3 jst", 15, "nearest known is just"),
    ("tuning sa=re just", 11, "sa cannot be re"),
    ("tuning sa=C#3 edo", 18, "the number of steps"),
    ("tuning sa=C#3 edo 0", 19, "1 to 1000"),
    ("tuning sa=C#3 edo 1001", 19, "1 to 1000"),
    ("tuning sa=C#3 edo 22.5", 19, "1 to 1000"),
    ("tuning just sa=C#3", 13, "before the scale"),
    ('tuning sa=C#3 scala "nowhere.scl"', 21, "cannot be read"),
    ("tala tintaal", 6, "nearest known is tintal"),
    ("tala 5 + 5", 8, "no blanks"),
    ("end", 1, "end without a section"),
    ("section x y\nend", 11, "only a name"),
    ("section\nend", 8, "the name of the section is missing"),
    ("section play\nend", 9, "a word of the language"),
    ("section x", 1, "has no end"),
    ("play nothing", 6, "no section is named nothing"),
    ("play", 5, "the section is missing"),
    ("play s at=-1", 11, "before 0"),
    ("play s at=+", 11, "only rows have"),
    ("play s times=0", 14, "from 1 to 1000000000"),
    ("play s times=10000000000", 14, "from 1 to 1000000000"),
    ("play s times=1.5", 14, "whole number"),
    ("play s every=0", 14, "above 0"),
    ("play s f=0.9", 10, "*0.9"),
    ("play s f=*0", 10, "other than 0"),
    ("play s transpose=2m", 18, "is a length"),
    ("play s evry=2", 8, "nearest known is every"),
    ("set t.pa.pluck.force 3", 22, "where = stands"),
    ("set t.pa.pluck.force =", 23, "a value is missing"),
    ("set t.pa.pluck.force = 3 4", 26, "one value"),
    ("set t = 3", 5, "only an instrument"),
    ("set q.pa.pluck.force = 3", 5, "no instrument is named q"),
    ("mix t pan=1.5", 11, "-1 (left) to 1 (right)"),
    ("mix t gain=3N", 12, "is a force"),
    ("mix t gian=-3dB", 7, "nearest known is gain"),
    ("mix t", 6, "gain or pan is missing"),
    ("include coda.score", 9, "in quotes"),
    ('include "nowhere.score"', 9, "cannot be read"),
    ('include "nowhere.txt"', 9, "does not end in .score"),
    ("sweep t.pa.pluck.force = linear(1, 2)", 26, "from, to and how many"),
    ("sweep t.pa.pluck.force = linar(1, 2, 3)", 26, "nearest known is linear"),
    ("draw t.pa.pluck.force ~ uniform(2, 1) n=3", 36, "not above the lower"),
    ("draw t.pa.pluck.force ~ loguniform(-1, 1) n=3", 36, "one sign"),
    ("draw t.pa.pluck.force ~ uniform(1, 2)", 38, "n=100"),
]


@pytest.mark.parametrize(("line", "column", "fragment"), BAD_LINES, ids=[line for line, _, _ in BAD_LINES])
def test_a_bad_line_is_told_at_its_place(line, column, fragment, tmp_path):
    rest = "" if line.startswith("section") else SECTION
    parsed = parse(f"{HEAD}{line}\n{rest}", file="bad.score", folder=tmp_path)
    assert len(parsed.problems) == 1, [str(problem) for problem in parsed.problems]
    problem = parsed.problems[0]
    assert (problem.place.line, problem.place.col) == (2, column), str(problem)
    assert fragment in problem.message
    assert problem.place.text == line.split("\n")[0]
    assert str(problem).startswith(f"bad.score:2:{column}: ")


WHOLE = [      # texts whose mistake shows only in the whole; line, column, message
    ("tempo 52\ntempo 0 60\n0 t.pa pluck", 3, 7, "a second tempo at beat 0"),
    ("tempo 4 60 -> 90 @ 8\ntempo 6 70\n0 t.pa pluck", 3, 7, "inside the ramp of line 2"),
    ("tempo 6 60 -> 90 @ 9\ntempo 4 60 -> 90 @ 8\n0 t.pa pluck", 2, 7, "inside the ramp of line 3"),
    ("section a\n0 t.pa pluck\nend\nsection a\nend", 5, 9, "a second section a"),
    ("section a\n0 t.pa pluck\nsection b\n0 t.pa pluck\nend\nplay a", 4, 1, "a section inside the section of line 2"),
    ("section a\nplay b\nend\nsection b\nplay a\nend\nplay a", 6, 6, "a cycle never ends"),
    ("section a\nmix t gain=1dB\n0 t.pa pluck\nend\nplay a", 3, 1, "mix stands outside sections"),
    ("tuning sa=C#3 just\ntuning sa=C#3 edo 12", 3, 1, "different from the first"),
    ("tala tintal\ntala 7", 3, 6, "different from the first"),
    ("render rate=48000\nrender rate=44100", 3, 13, "rate is already 48000"),
    ("tala dadra\n1:7 t.pa pluck", 3, 1, "beyond the tala, which has 6"),
    ("0 t.* pluck\n3 t.pa pluck\n+ t.* damp", 4, 1, "different times (t.pa on line 3)"),
    ("section a\n0 t.pa pluck\nend\n+ t.pa pluck\nplay a", 5, 1, "no event on t.pa stands above"),
    ("draw t.pa.x ~ uniform(1, 2) n=3\ndraw t.pa.y ~ uniform(1, 2) n=4", 3, 31, "the same n"),
    ("0 t.pa pluck\rx", 2, 13, "carriage return"),
]


@pytest.mark.parametrize(("text", "line", "column", "fragment"), WHOLE, ids=[text for text, *_ in WHOLE])
def test_a_mistake_of_the_whole_is_told_at_its_place(text, line, column, fragment):
    parsed = parse(HEAD + text, file="bad.score", folder=Path())
    assert [(p.place.line, p.place.col) for p in parsed.problems] == [(line, column)], [str(p) for p in parsed.problems]
    assert fragment in parsed.problems[0].message


PLAYED = [     # texts that parse, and fail when played
    ("set t.gain = 3", 0, 0, "nothing sounds"),
    (SECTION, 0, 0, "play s would play a section"),
    ("0 t.pa damp t60=1s", 0, 0, "nothing sounds"),
    ("14401s t.pa pluck", 2, 1, "4 hours"),
    ("render tail=1s\n14399s t.pa pluck dur=0", 0, 0, None),
    ("render tail=2s\n14399s t.pa pluck dur=0", 2, 13, "with this tail"),
    (SECTION + "play s transpose=2st", 3, 1, "no pitch for play s (line 5) to transpose"),
    (SECTION + "play s times=1000001", 5, 6, "1000001 events"),
    ("section s\n0 t.pa pluck dur=0\nend\nplay s times=2", 5, 6, "no length"),
    (SECTION + "play s times=3000 f=*0.5^", 5, 21, "no force at all"),
    ("0 t.pa bend (0:re 3s:ga 1:pa 2s:ga)", 2, 25, "increase"),
]


@pytest.mark.parametrize(("text", "line", "column", "fragment"), PLAYED, ids=[text for text, *_ in PLAYED])
def test_a_mistake_of_the_playing_is_told_at_its_place(text, line, column, fragment):
    score = parse_score(HEAD + text, file="bad.score", folder=Path())
    if fragment is None:
        assert len(events(score)) == 1
        return
    with pytest.raises(ScoreError) as told:
        events(score)
    problem = told.value.problems[0]
    assert (problem.place.line, problem.place.col) == (line, column), str(problem)
    assert fragment in problem.message


def test_all_problems_are_told_in_order():
    text = "use tanpura as t\nplay nowhere\n0 q.pa pluk f=0,5\n0 t.pa pluck\n+ t.pa plck\n+ t.pa pluck\nrender rat=1\n"
    parsed = parse(text, file="bad.score", folder=Path())
    assert [(p.place.line, p.place.col) for p in parsed.problems] == [(2, 6), (3, 3), (3, 8), (3, 15), (5, 8), (7, 8)]


def test_what_could_be_read_of_a_wrong_score_is_played():
    parsed = parse("use tanpura as t\n0 t.pa pluk\n+ t.pa pluck\nplay x\n", file="bad.score", folder=Path())
    made = timeline(parsed.score)
    assert [event.time for event in made.events] == [1.0]
    assert made.problems == ()
    nothing = parse("use tanpura as t\n0 t.pa pluk\n", file="bad.score", folder=Path())
    assert timeline(nothing.score).problems == ()


def test_a_wrong_use_is_told_once():
    parsed = parse("use 3 as t\n0 t.pa pluck\n", file="bad.score", folder=Path())
    assert len(parsed.problems) == 1


def test_the_message_has_the_line_and_a_caret():
    with pytest.raises(ScoreError) as told:
        parse_score("use tanpura as t\n\t0\tt.pa\tpluk\n", file="my.score", folder=Path())
    assert str(told.value).splitlines() == [
        "my.score:2:9: pluk is not a verb; the nearest known is pluck", "     0 t.pa pluk", "            ^"]


def test_exactly_a_million_events_are_allowed():
    text = HEAD + SECTION + "play s times=1000001"
    score = parse_score(text, file="x.score", folder=Path())
    with pytest.raises(ScoreError, match="at most 1000000"):
        events(score)


def test_a_chain_of_sections_is_refused_when_too_deep_and_never_overflows():
    chain = "".join(f"section s{i}\nplay s{i + 1}\nend\n" for i in range(3000))
    parsed = parse(HEAD + chain + "section s3000\n0 t.pa pluck\nend\nplay s0\n", file="x.score", folder=Path())
    assert "nest deeper" in parsed.problems[0].message


def test_silent_doubling_takes_no_time():
    doubling = "".join(f"section s{i}\nplay s{i + 1} times=2 every=1\nend\n" for i in range(100))
    score = parse_score(HEAD + doubling + "section s100\nend\nplay s0\n0 t.pa pluck\n", file="x.score", folder=Path())
    assert len(events(score)) == 1
