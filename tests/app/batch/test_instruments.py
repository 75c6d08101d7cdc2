"""A sweep of instruments: each item equals a score with that instrument; problems name the
instrument."""
import csv
import hashlib
import json
import re
import shutil

import pytest
from app.batch.folders import rows
from app.batch.makers import Inline
from app.commands import contents
from instruments import TWO_MODES

import pysitar
from pysitar.__main__ import main
from pysitar.api.request import Request
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.items import BatchOptions, make_plan, with_absolute_folders
from pysitar.app.batch.render_item import Setup, make
from pysitar.app.gallery.items import read_entries
from pysitar.output.audio import quantise
from pysitar.score.parser import parse, read_score

SHORT = "render tail=0 oversample=1 channels=1\n"
ROW = "0 t.* pluck dur=50ms\n"
BASE = 'use "two.toml" as t\n' + SHORT + ROW
LIST = 'sweep t = ("a.toml" "more/b.toml" "a c.toml")\n'
POSITION = "t.*.pluck.position"
WANTED = BatchOptions(request=Request())


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Four instruments: in b the string has another name and half the length, and a sounds longer
    than all."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batch_run, "Workers", Inline)
    (tmp_path / "more").mkdir()
    (tmp_path / "two.toml").write_text(TWO_MODES)
    (tmp_path / "a.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 1.0"))
    (tmp_path / "more/b.toml").write_text(
        TWO_MODES.replace("strings.a", "strings.b").replace("length = 0.2", "length = 0.1"))
    (tmp_path / "a c.toml").write_text(TWO_MODES.replace("gain = ", "gain = 3"))
    return tmp_path


def planned(text, name="x.score"):
    with open(name, "w") as file:
        file.write(text)
    return make_plan([read_score(name)], WANTED)


def problems_of(text):
    with pytest.raises(pysitar.ScoreError) as raised:
        planned(text)
    return [f"{problem.place.line}:{problem.place.col}: {problem.message}"
            for problem in raised.value.problems]


def hash_samples(text):
    codes, _ = quantise(pysitar.render(pysitar.load_score(text=text)).audio, 24)
    return hashlib.sha256((codes / 2.0**31).tobytes()).hexdigest()


def test_each_item_is_the_score_with_that_instrument(here, capsys):
    text = 'use "two.toml" as t gain=2\n' + SHORT + "set t.*.pluck.force = 0.3\n" + ROW
    (here / "x.score").write_text(text + LIST + f"sweep {POSITION} = (0.2 0.3)\n")
    assert main(["check", "x.score"]) == 0
    assert "6 sounds for pysitar batch" in capsys.readouterr().out
    assert main(["batch", "x.score", "-o", "d", "--jobs", "1"]) == 0
    found = rows("d")
    names = [name for name in ("a.toml", "more/b.toml", "a c.toml") for _ in range(2)]
    assert [row["parameters"] for row in found] == [{"t": name, POSITION: (0.2, 0.3)[at % 2]}
                                                    for at, name in enumerate(names)]
    with open("d/manifest.csv", newline="") as file:
        assert [cells["t"] for cells in csv.DictReader(file)] == names
    for row in found:
        made = text.replace(
            "two.toml",
            row["parameters"]["t"]) + f"set {POSITION} = {row['parameters'][POSITION]}\n"
        assert hash_samples(made) == row["samples"]
    sidecar = json.loads((here / "d/x-00003.wav.json").read_text())
    assert [event["target"] for event in sidecar["events"]] == ["t.b"]
    assert set(sidecar["files"]) == {"x.score", "more/b.toml"}
    # the gallery sorts and filters by what stands in `parameters`
    entries, *_ = read_entries(here / "d")
    assert [entry.parameters["t"] for entry in entries] == names


def test_presets_and_files_stand_in_one_list(here):
    shutil.copy("two.toml", "glass.toml")
    text = "use wood_bar as t\n" + SHORT + "0 t.* strike dur=50ms\n"
    found = planned(text + "sweep t = (bell_bar glass)\n")
    make(Setup.of(found, str(here), WANTED), list(found.items())[1])
    row = json.loads((here / "x-00002.wav.json").read_text())["batch"]
    assert row["parameters"] == {"t": "glass"} and row["samples"] == hash_samples(
        text.replace("wood_bar", "glass"))
    # the quotes distinguish a file from a preset
    strings = planned(BASE + 'sweep t = (sitar "glass.toml")\n').items()
    assert [item.parameters["t"] for item in strings] == ["sitar", "glass.toml"]


def test_an_edited_file_makes_its_own_items_new(here):
    def keys(lines=LIST, text=BASE):
        return [
            item.key for item in planned(text + lines + f"sweep {POSITION} = (0.2 0.3)\n").items()]

    first = keys()
    assert len(set(first)) == 6
    assert keys(LIST.replace(")", ' "two.toml")'))[:6] == first
    # whatever else stands in the list, and where
    assert set(keys('sweep t = ("a c.toml" "a.toml")\n')) < set(first)
    (here / "two.toml").write_text(TWO_MODES + "\n# whose place the others take\n")
    assert keys() == first
    path = here / "more/b.toml"
    path.write_text(path.read_text() + "# a comment\n")
    changed = keys()
    assert [one == other for one,
            other in zip(first, changed, strict=True)] == [True, True, False, False, True, True]
    # the file is the sound's own, not its name's: under another name it is another item all the
    # same
    shutil.copy("a.toml", "d.toml")
    assert not set(keys('sweep t = ("d.toml")\n')) & set(first)


def test_two_sweeps_of_instruments_are_crossed(here):
    text = BASE + 'use "two.toml" as u\n0 u.* pluck dur=50ms\n'
    found = list(planned(text + LIST + 'sweep u = ("a.toml" "more/b.toml")\n').items())
    assert [(item.parameters["t"], item.parameters["u"]) for item in found] == [
        (t, u) for t in ("a.toml", "more/b.toml", "a c.toml") for u in ("a.toml", "more/b.toml")]
    before = {(item.parameters["t"], item.parameters["u"]): item.key for item in found}
    (here / "a.toml").write_text(TWO_MODES)
    after = {(item.parameters["t"], item.parameters["u"]): item.key
             for item in planned(text + LIST + ('sweep u = ("a.toml" "more/b.toml")\n')).items()}
    assert {pair for pair in before if before[pair] == after[pair]} == {
        ("more/b.toml", "more/b.toml"), ("a c.toml", "more/b.toml")}


@pytest.mark.parametrize(("line", "problems"), [
    ("sweep t = (sitar sitr bas)", [
        "4:18: no preset is named sitr (a file is in quotes); did you mean sitar?",
        "4:23: no preset is named bas (a file is in quotes); "
    ]),
    ('sweep t = ("no.toml" "a.toml")', ["4:12: "]),
    ('sweep t = ("a.toml" "")', ["4:21: an empty file name"]),
    ("sweep t = (a.toml)", ["4:12: a.toml is not the name of a preset; expected a file in quotes"]),
    ('sweep t = ("a.wav" 0.1)', [
        "4:12: a.wav is not an instrument file; expected a name that ends in .toml",
        "4:20: 0.1 is not a name"
    ]),
    ("sweep t = (set)", ["4:12: set is a reserved word"]),
    ('sweep t = ("a.toml""two.toml")', ["4:12: "]),
    ("sweep t = linear(1, 2, 3)", ["4:11: t is an instrument; expected a list of instruments"]),
    ("sweep t = ()", ["4:11: empty parentheses"]),
    ("sweep t = (sitar)x", ["4:11: text follows the closing parenthesis"]),
    ("sweep t = (sitar) x", ["4:19: x follows the values"]),
    ("sweep t.gain = 1 2 3",
     ["4:18: 2 follows the values; expected a list in parentheses, (1 2 3)"]),
    ("sweep t", ["4:8: = is missing"]),
    ("sweep u = (sitar)", ["4:7: no instrument is named u"]),
    ("sweep * = (sitar)", ["4:7: "]),
    ("draw t ~ uniform(1, 2) n=2", ["4:6: t is an instrument"]),
    ("set t = sitar", ["4:5: t is an instrument"]),
    (LIST + LIST.strip(), ["5:7: t is varied twice"]),
])
def test_a_list_is_read_as_use_is(here, line, problems):
    found = problems_of(BASE + line + "\n")
    assert len(found) == len(problems)
    for message, start in zip(found, problems, strict=True):
        assert message.startswith(start)


def test_what_does_not_fit_is_reported_with_which(here):
    assert problems_of(BASE.replace("t.*", "t.a")
                       + LIST) == ['3:5: with t = "more/b.toml": t has no string a; expected b']
    assert problems_of(BASE.replace("t.*", "t.b") + LIST) == [
        '3:5: with t = "a.toml", "a c.toml": t has no string b; expected a']
    [found] = problems_of(BASE + "set t.a.pluck.force = 2\n" + LIST)
    assert found.startswith('4:7: with t = "more/b.toml": ')
    # 15 cm are on strings of 20 cm, and beyond one of 10; the value is the last of its sweep, and
    # not beside first ones
    for values in ("(1cm 15cm)", "linear(1cm, 15cm, 3)"):
        [found] = problems_of(BASE + LIST + f"sweep {POSITION} = {values}\n")
        assert re.match(r'5:\d+: with t = "more/b.toml": position is 0.15; ', found)
    [found] = problems_of(BASE + f"draw {POSITION} ~ uniform(1cm, 15cm) n=3\n" + LIST)
    assert found.startswith("4:40: with t = \"more/b.toml\": position")
    # a problem with all instruments is reported once, without names
    [found] = problems_of(BASE.replace("pluck", "pluck f=1e9") + LIST)
    assert found.startswith("3:15: force is")
    # what a file says is the file's
    (here / "a c.toml").write_text(TWO_MODES.replace("gain", "gian"))
    found = problems_of(BASE + LIST)
    assert any("gian" in one for one in found)
    assert all(one.partition("\n")[0].endswith("used at x.score:4:35") and "with t" not in one
               for one in found), found
    # the instrument in whose place they come is read, too, and not played
    [found] = problems_of('use sitr as t\n' + SHORT + ROW + LIST.replace(' "a c.toml"', ""))
    assert found.startswith("1:5: no preset is named sitr")
    assert planned("use glass as t\n" + SHORT + ROW + LIST.replace(' "a c.toml"', "")).count == 2


def test_two_that_do_not_fit_are_each_reported(here):
    text = BASE.replace("t.*", "t.a") + 'use "two.toml" as u\n0 u.a pluck dur=50ms\n' + LIST
    assert problems_of(text + 'sweep u = ("more/b.toml" "a.toml")\n') == [
        '3:5: with t = "more/b.toml": t has no string a; expected b',
        '5:5: with u = "more/b.toml": u has no string a; expected b']


def test_one_that_cannot_be_built_is_reported_in_the_list(here):
    # 22 kHz is a pitch that the rate can hold, but no mode lies under 0.45 of it; only building the
    # instrument shows it
    (here / "high.toml").write_text(TWO_MODES.replace("pitch = 9000.0", "pitch = 22000.0"))
    [found] = problems_of(BASE + 'sweep t = ("a.toml" "high.toml")\n')
    assert found.startswith("4:21: t cannot be built: ")
    [found] = problems_of(BASE + 'use "two.toml" as u\n0 u.* pluck dur=50ms\n'
                         'sweep u = ("a.toml" "two.toml")\nsweep t = ("a.toml" "high.toml")\n')
    assert found.startswith("7:21: t cannot be built: ")


def test_many_are_counted(here):
    for at in range(6):
        shutil.copy("more/b.toml", f"b{at}.toml")
    names = " ".join(f'"b{at}.toml"' for at in range(6))
    [found] = problems_of(BASE.replace("t.*", "t.a") + f'sweep t = ("a.toml" {names})\n')
    assert found.startswith(
        '3:5: with t = "b0.toml", "b1.toml", "b2.toml", and 3 more: t has no string a')


def test_what_is_doubtful_is_reported_with_which(here):
    # a steel ball is on glass for less than a step of 1/16 ms, on the box for more than two; glass
    # has modes over 7.2 kHz
    text = ("use plastic_box as g\nrender rate=16000 oversample=1 tail=0\n"
            "0 g.* strike ball=steel dur=50ms\n")
    alone = planned(text.replace("plastic_box", "glass")).series[0].warnings
    assert [word in warning.message for word,
            warning in zip(("is in contact", " loses "), alone, strict=True)] == [True, True]
    assert not planned(text).series[0].warnings
    warnings = planned(text + "sweep g = (plastic_box glass)\n").series[0].warnings
    assert [(warning.place.line, warning.message)
            for warning in warnings] == [(3, f"with g = glass: {one.message}") for one in alone]
    idle = planned(BASE
                   + 'use "two.toml" as u\nsweep u = ("a.toml" "more/b.toml")\n').series[0].warnings
    assert [warning.message for warning in idle] == ["this sweep has no effect: no row plays u"]


def test_a_name_that_is_a_column_of_the_manifest_is_refused(here):
    for name in ("rate", "key", "file_name", "x_file_name"):
        [found] = problems_of(BASE.replace("as t", f"as {name}").replace("t.*", f"{name}.*")
                              + LIST.replace("sweep t", f"sweep {name}"))
        assert found.startswith(f"4:7: {name} is the name of a fixed column of the manifest")


def test_a_render_refuses_it(here, capsys):
    (here / "x.score").write_text(BASE + LIST)
    before = contents(here)
    for command in (["render", "x.score"], ["expand", "x.score"]):
        assert main(command) == 2
        assert ("x.score:4:7: a sweep makes many sounds; expected one value here, or pysitar batch"
                in capsys.readouterr().err)
    assert contents(here) == before


def test_files_are_found_from_where_the_list_stands(here, monkeypatch):
    (here / "more/list.score").write_text('sweep t = ("b.toml" "../a.toml")\nset t.gain = 1\n')
    found = list(planned(BASE + 'include "more/list.score"\n').items())
    assert [item.parameters["t"] for item in found] == ["b.toml", "../a.toml"]
    assert not parse(BASE + LIST, file="x.score", folder=here).problems
    # a worker of a cluster has a current folder of its own
    far = with_absolute_folders(found[0])
    assert [setting.folder.is_absolute()
            for setting in far.settings] == [True] and far.key == found[0].key
    scores = tuple(one.score
                   for one in make_plan([read_score(str(here / "x.score"))], WANTED).series)
    monkeypatch.chdir("/")
    make(Setup(scores, str(here), WANTED), far)
    assert (here / far.file).is_file()
