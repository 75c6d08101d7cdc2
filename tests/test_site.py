"""The pages of docs/ for users: their links lead somewhere, their scores, commands and Python work,
and the site's own check of links sees what is wrong. The build itself is a stage of .ci/run."""
import re
import shlex
import sys
from pathlib import Path

import pytest
from app.commands import messages

from pysitar.__main__ import COMMANDS, main
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.loader import parse_instrument

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
NEW = ("install", "play", "tutorial_score", "tutorial_python", "tutorial_notebook", "cluster",
       "choosing", "index")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def site_folder():
    """The modules of docs/site can be imported, `build` in the place of a package of that name."""
    sys.modules.pop("build", None)
    sys.path.insert(0, str(DOCS / "site"))
    yield
    sys.path.remove(str(DOCS / "site"))
    sys.modules.pop("build", None)


def anchors(text):
    """The anchors of a page's headings, as a code host makes them."""
    plain = FENCE.sub("", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in HEADING.findall(plain)}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page):
    for target, anchor in LINK.findall(FENCE.sub("", PAGES[page])):
        path = DOCS / target if target else DOCS / f"{page}.md"
        if target.startswith("http"):
            continue
        assert path.is_file(), f"{page}.md: {target}"
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), f"{target}#{anchor}"


def test_the_first_page_lists_every_page():
    listed = {target.removesuffix(".md") for target, _ in LINK.findall(PAGES["index"])}
    assert listed >= set(PAGES) - {"index"}


def blocks(kind):
    return [pytest.param(text, id=f"{page}-{index}") for page in NEW
            for index, (own, text) in enumerate(FENCE.findall(PAGES[page])) if own == kind]


@pytest.mark.parametrize("text", blocks("score"))
def test_a_score_of_a_page_has_no_mistake(text, here, capsys):
    Path("a.score").write_text(text, encoding="utf-8")
    assert main(["check", "a.score"]) == 0
    assert "warning" not in capsys.readouterr().out


@pytest.mark.parametrize("text", [block for block in blocks("text")
                                  if block.values[0].startswith("$ cat")])
def test_mistakes_of_a_page_are_those_that_are_reported(text, here, capsys):
    name, score, shown = re.fullmatch(r"\$ cat (\S+)\n(.*?)\$ pysitar check \S+\n(.*)", text,
                                      re.DOTALL).groups()
    Path(name).write_text(score, encoding="utf-8")
    assert main(["check", name]) == 2
    assert capsys.readouterr().out == shown and messages(shown)


@pytest.mark.parametrize("page", ["tutorial_python", "tutorial_notebook"])
def test_the_python_of_a_page_runs(page, here):
    names = {}
    for kind, text in FENCE.findall(PAGES[page]):
        if kind == "python":
            exec(compile(text, f"{page}.md", "exec"), names)


def test_commands_of_the_pages_exist():
    seen = set()
    for page in NEW:
        spans = re.findall(r"`(pysitar [^`\n]+)`", PAGES[page]) + [
            line for kind, text in FENCE.findall(PAGES[page]) if kind == "sh"
            for line in text.splitlines() if line.startswith("pysitar ")]
        for words in map(shlex.split, spans):
            if words[1] in COMMANDS and any(not word.startswith("-") for word in words[2:]):
                COMMANDS[words[1]].parser().parse_args(words[2:])   # raises UsageError
                seen.add(words[1])
    assert seen >= {"play", "watch", "check", "render", "batch", "presets", "describe", "compare"}


def test_the_instrument_with_all_tables_is_one():
    [text] = [text for kind, text in FENCE.findall(PAGES["instruments"])
              if kind == "toml" and "model" in text]
    spec = parse_instrument(text, name="x", shown="x.toml")
    low, high = spec.parts
    assert low.barrier and low.thread and high.frets and high.fretboard
    pickups = "".join(f'[strings.{name}.pickup]\nposition = "12cm"\n' for name in ("low", "high"))
    spec = parse_instrument(text + pickups, name="x", shown="x.toml")
    assert all(string.pickup for string in spec.parts)


def test_every_extra_is_on_the_install_page():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(r"^(\w+) = \[", project.partition("[project.optional-dependencies]")[2]
                        .partition("[project.scripts]")[0], re.MULTILINE)
    assert len(extras) > 6
    assert set(extras) <= set(re.findall(r"`(\w+)`", PAGES["install"]))


def test_broken_links_are_seen(here):
    from links import broken_links

    Path("sub").mkdir()
    Path("a.html").write_text('<h1 id="top"></h1><a href="#top"></a><a href="sub/b.html#x"></a>'
                              '<a href="https://example.org"></a><img src="data:,"></a>')
    Path("sub/b.html").write_text('<p id="x"><a href="../a.html"></a>')
    assert broken_links(here) == []
    Path("sub/b.html").write_text('<p id="y"><a href="../c.html"></a><img src="d.png">'
                                  '<script src="https://example.org/x.js"></script>')
    assert broken_links(here) == [
        "a.html: sub/b.html#x has no such anchor", "sub/b.html: ../c.html does not exist",
        "sub/b.html: d.png does not exist",
        "sub/b.html: loads https://example.org/x.js from a network"]


def test_links_of_the_site():
    from build import add_contents, site_links

    assert site_links("[a](../scores/papers/x.score) [b.md](b.md) [c](c.md#d)") == (
        "[a](scores/papers/x.md) [](b.md) [c](c.md#d)")
    assert site_links("[CONTRIBUTING.md](../CONTRIBUTING.md)") == "[](CONTRIBUTING.md)"
    page = add_contents("# T\n\n## One\n\n- [A](a.md): x\n- B: y <!-- b -->\n\n## Two\n\nwords\n")
    assert page.count("{toctree}") == 1 and ":caption: One\n\na\nb\n```" in page
    assert "- [B](b.md): y\n" in page


def test_the_reference_has_every_command_and_public_name(here):
    import pysitar
    from build import api_page, commands_page

    commands, api = commands_page(), api_page()
    assert all(f"## pysitar {name}\n" in commands for name in COMMANDS)
    assert all(f"pysitar.{name}\n" in api for name in pysitar.__all__
               if callable(getattr(pysitar, name)))
    assert BY_MODEL["string"]["pluck"].name in commands
