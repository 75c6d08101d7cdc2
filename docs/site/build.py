"""Build the site: the pages of docs/, and a reference that is written from the package.

    python docs/site/build.py -o site [--gallery] [--figures]

Needs the extra `docs`, and no network. A warning of Sphinx and a link that leads nowhere end it
with an error.
"""
import argparse
import contextlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from links import broken_links

FOLDER = Path(__file__).resolve().parent
DOCS = FOLDER.parent
ROOT = DOCS.parent
# pages of the root folder; in docs/ they are ../NAME.md
ROOT_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
PARTS = "parts"                         # scores that others include
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
NAMED = re.compile(r"\[[\w./]+\.md\]\(([\w./#-]+)\)")
ITEM = re.compile(r"^- \[[^\]]*\]\(([\w/]+)\.md\)", re.MULTILINE)
SIGN = re.compile(r"([*_<>|\[\]])")                # that would be markup in a comment
WRITTEN = re.compile(r"^- ([^:\n]+)(: .*?) <!-- (\w+) -->$", re.MULTILINE)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
COLUMNS = "100"                         # of the help of commands


def main() -> int:
    """Build the site; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "site", help="its folder")
    parser.add_argument("--gallery", action="store_true",
                        help="render all scores and put the page to listen to them in the site "
                             "(some minutes)")
    parser.add_argument("--figures", action="store_true",
                        help="compute the figures of the papers and put their report in the site "
                             "(some minutes)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pysitar-site-") as folder:
        source, output = Path(folder) / "source", Path(folder) / "site"
        collect(source, gallery=arguments.gallery, figures=arguments.figures)
        done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b",
                               "html", "-c", str(FOLDER), str(source), str(output)], check=False)
        if done.returncode:
            return done.returncode
        if arguments.gallery:
            run("gallery", str(ROOT / "scores"), "-o", str(output / "listen"), "--title",
                "Scores of pysitar", "--quiet")
        if arguments.figures:
            run("reproduce", "all", "-o", str(output / "figures"), "--quiet")
        broken = broken_links(output)
        for line in broken:
            print(f"docs/site/build.py: {line}", file=sys.stderr)
        if broken:
            return 1
        if arguments.output.exists():
            shutil.rmtree(arguments.output)
        shutil.copytree(output, arguments.output)
    print(f"{arguments.output}: {len(list(arguments.output.rglob('*.html')))} pages")
    return 0


def run(*words: str) -> None:
    """Run a command of pysitar.  Errors: CalledProcessError."""
    subprocess.run([sys.executable, "-m", "pysitar", *words], check=True)


def collect(source: Path, *, gallery: bool = False, figures: bool = False) -> None:
    """Write all pages into a new folder: those of docs/, with their links as in the site, and those
    of the package."""
    source.mkdir(parents=True)
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        text = site_links(text)
        write(source / page.name, add_contents(text) if page.stem == "index" else text)
    for name in ROOT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        write(source / name, text.replace("](docs/", "](").replace("](README.md", "](index.md"))
    write(source / "commands.md", commands_page())
    write(source / "api.md", api_page())
    write_instruments(source)
    write_scores(source)
    write(source / "listen.md", listen_page(gallery))
    write(source / "figures.md", figures_page(figures))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def add_contents(text: str) -> str:
    """Return the first page with links to the pages that are written here, whose names are in
    comments, and a table of contents for each heading with links: the side bar of the site."""
    parts = HEADING.split(WRITTEN.sub(r"- [\1](\3.md)\2", text))
    for index in range(2, len(parts), 2):
        pages = ITEM.findall(parts[index])
        if pages:
            entries = "\n".join(pages)
            parts[index] += (f"\n```{{toctree}}\n:hidden:\n:caption: {parts[index - 1]}\n\n"
                             f"{entries}\n```\n\n")
    return "".join(f"## {part}" if index % 2 else part for index, part in enumerate(parts))


def site_links(text: str) -> str:
    """Return the text of a page of docs/ with links to other folders as links to their pages."""
    def changed(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        target = re.sub(r"^\.\./scores/(.+)\.score$", r"scores/\1.md", target)
        target = re.sub(r"^\.\./editors/vscode/README\.md$", "play.md", target)
        return f"]({target.removeprefix('../')}{anchor})"

    # a link whose text is a file's name has the title of its page instead
    return NAMED.sub(r"[](\1)", LINK.sub(changed, text))


def printed(*words: str) -> str:
    """Return what a command of pysitar prints."""
    from pysitar.__main__ import main as command

    os.environ["COLUMNS"] = COLUMNS
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = command(list(words))
    if code:
        raise SystemExit(f"pysitar {' '.join(words)} ended with {code}")
    return output.getvalue()


def fenced(text: str, kind: str = "text") -> str:
    """Return a text as a block of code."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}\n"


def commands_page() -> str:
    """Return the page of all commands, from their help."""
    from pysitar.__main__ import COMMANDS

    parts = ["# Commands\n\nThe help of every command, as `pysitar COMMAND --help` prints it.\n",
             "## pysitar\n", fenced(printed("--help"))]
    for name in COMMANDS:
        parts += [f"## pysitar {name}\n", fenced(printed(name, "--help"))]
    return "\n".join(parts)


def api_page() -> str:
    """Return the page of the public Python names, from their docstrings."""
    import pysitar
    from pysitar import analytic

    classes, functions, errors = [], [], []
    for name in sorted(pysitar.__all__, key=str.casefold):
        value = getattr(pysitar, name)
        if inspect.isclass(value):
            kind = errors if issubclass(value, Exception) else classes
            kind.append(f".. autoclass:: pysitar.{name}\n   :members:\n")
        elif inspect.isfunction(value):
            functions.append(f".. autofunction:: pysitar.{name}\n")
    closed = [f".. auto{'class' if inspect.isclass(getattr(analytic, name)) else 'function'}:: "
              f"pysitar.analytic.{name}\n"
              + ("   :members:\n" if inspect.isclass(getattr(analytic, name)) else "")
              for name in sorted(analytic.__all__, key=str.casefold)]
    parts = ["# Python\n\nWhat `import pysitar` gives, from the docstrings. Everything takes SI "
             "values by name.\n"]
    for heading, entries in (("Functions", functions), ("Classes", classes), ("Errors", errors),
                             ("Closed forms: pysitar.analytic", closed)):
        parts.append(f"## {heading}\n\n```{{eval-rst}}\n" + "\n".join(entries) + "```\n")
    return "\n".join(parts)


def write_instruments(source: Path) -> None:
    """Write a page for each preset, from its file and its description, and a list of them."""
    from pysitar.models.definitions.loader import preset_names, preset_text

    lines = ["# Instruments\n", "The instruments that come with pysitar, each with all its values. "
             "[instrument_keys.md](instrument_keys.md) has every key that an instrument may have; "
             "`pysitar presets --copy NAME` copies one to edit.\n"]
    for name in preset_names():
        comment = opening_comment(preset_text(name))
        lines.append(f"- [{name}](instruments/{name}.md): {comment.splitlines()[0].lstrip('# ')}")
        write(source / "instruments" / f"{name}.md",
              f"# {name}\n\n{paragraphs(comment)}\n\n## Values\n\n"
              + fenced(printed("describe", name))
              + "\n## File\n\n" + fenced(preset_text(name), "toml"))
    lines += ["\n```{toctree}\n:hidden:\n", *(f"instruments/{name}" for name in preset_names()),
              "```\n"]
    write(source / "presets.md", "\n".join(lines))


def opening_comment(text: str) -> str:
    """Return the comment lines at the start of a file."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line)
    return "\n".join(lines)


def paragraphs(comment: str) -> str:
    """Return comment lines as paragraphs; a blank comment line and "What to hear" begin one."""
    lines = [SIGN.sub(r"\\\1", line.lstrip("#").strip()) for line in comment.splitlines()]
    return "\n".join(f"\n{line}" if line.startswith("What to hear") else line for line in lines)


def score_files() -> Iterator[tuple[str, str]]:
    """Yield (path without ending, text) of each score that comes with pysitar."""
    for path in sorted((ROOT / "scores").rglob("*.score")):
        yield (path.relative_to(ROOT / "scores").with_suffix("").as_posix(),
               path.read_text(encoding="utf-8"))


def write_scores(source: Path) -> None:
    """Write a page for each score, and lists of the lessons and of the others."""
    lessons, others = [], []
    for name, text in score_files():
        path = source / "scores" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        comment = opening_comment(text)
        rest = text.removeprefix(comment).lstrip("\n")
        path.write_text(f"# {name.rpartition('/')[2]}\n\n`scores/{name}.score`\n\n"
                        f"{paragraphs(comment)}\n\n" + fenced(rest, "score"), encoding="utf-8")
        first = opening_comment(text).splitlines() or ["# a part of another score"]
        kind = lessons if name.startswith("tutorial/") else others
        kind.append((name, first[0].lstrip("# ")))
    for page, heading, entries, intro in (
            ("lessons", "Lessons", lessons, "Seventeen short scores teach the language, one step "
             "each. [The score language](score.md#seventeen-lessons) explains them."),
            ("score_list", "Scores", others, "The scores that come with pysitar. "
             "[listening.md](listening.md) is a guide to them, [listen.md](listen.md) the page to "
             "hear them.")):
        lines = [f"# {heading}\n", f"{intro}\n"]
        lines += [f"- [{name.rpartition('/')[2]}](scores/{name}.md): {first}"
                  for name, first in entries]
        lines += ["\n```{toctree}\n:hidden:\n", *(f"scores/{name}" for name, _ in entries), "```\n"]
        write(source / f"{page}.md", "\n".join(lines))


def listen_page(included: bool) -> str:
    """Return the page that leads to the gallery."""
    text = "# Gallery\n\nA page to listen to all scores, with waveforms and spectrograms"
    if included:
        return f"{text}.\n\n<p><a href=\"listen/index.html\">Open the gallery</a></p>\n"
    return (f"{text}, is made by\n\n" + fenced("pysitar gallery scores -o page", "sh")
            + "\nand by `python docs/site/build.py --gallery` inside this site. "
            "[The scores themselves](score_list.md) are here.\n")


def figures_page(included: bool) -> str:
    """Return the page that leads to the report on the papers."""
    text = ("# The papers, computed again\n\nFigures and tables of the four papers, computed with "
            "pysitar's public functions, beside what the papers print")
    if included:
        return f"{text}.\n\n<p><a href=\"figures/index.html\">Open the report</a></p>\n"
    return (f"{text}: the report is made by\n\n" + fenced("pysitar reproduce all -o figures", "sh")
            + "\nand by `python docs/site/build.py --figures` inside this site. What can be "
            "computed:\n\n" + fenced(printed("reproduce", "--list")))


if __name__ == "__main__":
    sys.exit(main())
