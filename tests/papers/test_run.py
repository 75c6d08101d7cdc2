"""`pysitar reproduce`: which figures a name means, files that are whole or not there, a page that
shows any text as it is."""
import importlib
import json
import os
import re
import signal
import sys
import time
from html.parser import HTMLParser
from typing import get_args

import numpy as np
import pytest
from app.commands import contents, started

from pysitar.__main__ import main
from pysitar.errors import ParameterError
from pysitar.papers import make_figure, run
from pysitar.papers.catalogue import CATALOGUE, PAPERS, figures_of
from pysitar.papers.finding import Finding, Statement, Verdict, cannot_compare, judge
from pysitar.papers.make_figure import FigureOutput, Job
from pysitar.papers.pages import STYLE, page_html, report_markdown
from pysitar.papers.style import pictures_of

QUICK = "chatziioannou2017:fig4"
HOSTILE = '<script>alert("x")</script> & `a` | *b* [c](d)'


def test_every_figure_has_a_key_of_its_own_and_a_paper():
    keys = [figure.key for figure in CATALOGUE]
    assert len(set(keys)) == len(keys)
    assert {figure.paper for figure in CATALOGUE} == set(PAPERS)
    assert all(re.fullmatch(r"(?:[a-z]+\d{4}|tanpura2d):[\w-]+", key) for key in keys)


def test_names_mean_figures_papers_and_all():
    assert figures_of(["all"]) == CATALOGUE
    assert [figure.key for figure in figures_of([QUICK])] == [QUICK]
    own = figures_of(["chatziioannou2017"])
    assert own == tuple(figure for figure in CATALOGUE
                        if figure.key.startswith("chatziioannou2017:")) and len(own) > 1
    assert figures_of([QUICK, "chatziioannou2017"]) == own
    assert figures_of([]) == ()
    with pytest.raises(ParameterError, match=re.escape(f"did you mean {QUICK}?")):
        figures_of(["chatzioannou2017:fig4"])


@pytest.mark.parametrize(("words", "said"), [
    ("walstijn:fg4 -o x", "is walstijn:fg4; "),
    ("-o x", "no figure is named"),
    (QUICK, "expected -o DIR"),
    (f"{QUICK} -o x --jobs 0", "--jobs is 0"),
    (f"{QUICK} -o file", "is not a folder"),
])
def test_words_that_are_wrong(words, said, here, capsys):
    (here / "file").write_text("")
    assert main(["reproduce", *words.split()]) == 2
    reports = capsys.readouterr().err
    assert said in reports and reports.count("\n") == 1
    assert list(contents(here)) == ["file"]


def test_a_list(capsys):
    assert main(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [figure.key for figure in CATALOGUE]


def test_files_of_a_figure(here, capsys):
    """The same twice, to the byte, pictures too."""
    assert main(["reproduce", QUICK, "-o", "x"]) == 0
    stem = QUICK.replace(":", "-")
    made = contents(here / "x")
    assert set(made) == {f"{stem}.json", f"{stem}.npz", f"{stem}.png", f"{stem}.svg", "index.html",
                         "REPORT.md"}
    document = json.loads(made[f"{stem}.json"])
    assert document["key"] == QUICK and document["numbers"] and document["statements"]
    with np.load(here / "x" / f"{stem}.npz") as curves:
        assert curves["exact y_m"].shape == curves["exact time_s"].shape
    page = made["index.html"].decode()
    assert f'src="{stem}.svg"' in page and "http" not in page.replace("http-equiv", "")
    assert "1 of 1 figures" in capsys.readouterr().err
    make_figure.make(FigureOutput(str(here / "x")), Job(QUICK))
    assert contents(here / "x") == made


def test_without_matplotlib(here, capsys, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in [name for name in sys.modules if name.startswith("pysitar.papers.")]:
        importlib.import_module(name)
    assert main(["reproduce", QUICK, "-o", "x"]) == 2
    assert "pip install 'pysitar[figures]' adds it; --data-only" in capsys.readouterr().err
    assert not (here / "x").exists()
    (here / "x").mkdir()
    make_figure.make(FigureOutput("x", pictures=False), Job(QUICK))
    assert sorted(contents(
        here / "x")) == [f"chatziioannou2017-fig4.{ending}" for ending in ("json", "npz")]


def test_a_figure_that_fails_is_named_and_the_others_are_made(here):
    own = figures_of(["chatziioannou2017:fig3", QUICK])
    failed = run.reproduce(own, FigureOutput("x", pictures=False), jobs=1,
                           function="papers.makers:poison")
    assert list(failed) == ["chatziioannou2017:fig3"]
    assert "ValueError: no <b>way</b>" in failed["chatziioannou2017:fig3"]
    made = contents(here / "x")
    assert "chatziioannou2017-fig3.json" not in made and "chatziioannou2017-fig4.json" in made
    page = made["index.html"].decode()
    assert "no &lt;b&gt;way" in page and "<b>" not in page and "1 failed" in page
    assert "earlier run" not in failed["chatziioannou2017:fig3"]
    (here / "x" / "chatziioannou2017-fig3.json").write_text("{}")
    failed = run.reproduce(own[:1], FigureOutput("x", pictures=False), jobs=1,
                           function="papers.makers:poison")
    assert failed["chatziioannou2017:fig3"].endswith("(its files here are those of an earlier run)")


def test_ctrl_c_leaves_no_half_file(here):
    before = ("from pysitar.papers import run\n"
              "run.reproduce.__kwdefaults__['function'] = 'papers.makers:stuck'\n"
              "import sys; sys.path.append('" + os.path.dirname(os.path.dirname(__file__)) + "')")
    with started("reproduce", "chatziioannou2017", "-o", "x", "--data-only", cwd=here,
                 before=before) as process:
        try:
            deadline = time.monotonic() + 20.0
            while not list(here.glob("x/.pysitar-*.part/*/*.json")):
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            assert process.wait(20.0) == 130
        finally:
            process.kill()
    assert not (here / "x").exists()            # no file, and no empty folder


class Texts(HTMLParser):
    """The texts of a page, and its tags that are not closed."""

    def __init__(self):
        super().__init__()
        self.texts, self.open, self.tags = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_a_page_shows_any_text_as_it_is():
    finding = Finding(key="paper1999:fig1", title=HOSTILE, source=HOSTILE, caption=HOSTILE,
                      numbers={HOSTILE: {"deep": [1, 2]}, "long": list(range(99))},
                      statements=(Statement(paper=HOSTILE, computed=HOSTILE, criterion=HOSTILE,
                                            verdict="paper is wrong"),), curves={})
    document = finding.document | {"files": ["a.json"], "picture": None}
    parser = Texts()
    parser.feed(page_html([document]))
    assert parser.open == [] and "script" not in parser.tags
    assert sum(text.count(HOSTILE) for text in parser.texts) == 11 and "[1, 2]" in parser.texts
    assert "paper is wrong: 1" in " ".join(parser.texts)
    text = report_markdown([document])
    assert "<script>" not in text.replace("\\<", "") and text.count("| paper is wrong |") == 2


def test_each_verdict_has_a_colour_a_count_and_a_criterion():
    statements = tuple(
        Statement(paper="paper", computed="computed", criterion=f"if {verdict}", verdict=verdict)
        for verdict in get_args(Verdict))
    finding = Finding(key="paper1999:fig1", title="", source="", caption="", numbers={}, curves={},
                      statements=statements)
    document = finding.document | {"files": [], "picture": None}
    assert [one["criterion"] for one in document["statements"]] == [
        f"if {verdict}" for verdict in get_args(Verdict)]
    page, text = page_html([document]), report_markdown([document])
    assert "<th>criterion</th>" in page and "| criterion |" in text
    colours = set()
    for one in statements:
        [colour] = re.findall(rf"td\.{one.mark} {{\s*border-left-color: (#\w+)", STYLE)
        colours.add(colour)
        assert f'class="verdict {one.mark}"' in page and f"{one.verdict}: 1" in page
        assert f'class="criterion">if {one.verdict}<' in page and f"if {one.verdict} |" in text
    assert len(colours) == len(statements)


def test_a_verdict_follows_from_its_condition():
    words = {"paper": "a", "computed": "b", "condition": "c > 1", "reason": "d"}
    for holds, verdict in ((True, "agrees"), (False, "disagrees")):
        one = judge(**words, holds=holds)
        assert one.verdict == verdict and one.criterion == "agrees if c > 1: d"
    for holds, verdict in ((True, "paper is wrong"), (False, "agrees")):
        one = judge(**words, holds=holds, verdict="paper is wrong", otherwise="agrees")
        assert one.verdict == verdict and one.criterion == "paper is wrong if c > 1: d"
    one = cannot_compare(paper="a", computed="b", reason="d")
    assert one.verdict == "cannot be compared" and one.criterion == "cannot be compared: d"


def test_a_picture_is_a_column_wide():
    [figure] = figures_of([QUICK])
    png, svg = pictures_of(figure.compute(), figure.draw)
    assert int.from_bytes(png[16:20], "big") == round(3.35 * 300)
    assert b"<dc:date>" not in svg and svg.count(b"<svg") == 1
