"""Sphinx: how the pages that build.py collects become the site."""
import re
import tomllib
from pathlib import Path

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, String, Text

from pysitar.score.vocabulary import KEYWORDS, VERBS

project = "pysitar"
author = "the pysitar developers"
PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
version = release = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = f"pysitar {release}"
html_static_path = ["static"]
html_css_files = ["pysitar.css"]
html_copy_source = html_show_sourcelink = html_show_copyright = False
html_permalinks_icon = "#"
html_theme_options = {"navigation_with_keys": True}
myst_heading_anchors = 4
default_role = "literal"                # of `words` in docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "none"              # the docstrings have the types, with shape and unit
napoleon_use_ivar = True
napoleon_use_rtype = False
suppress_warnings = ["ref.python"]      # several classes have attributes of the same name
CODE = re.compile(r"(`[^`]*`)")


class ScoreLexer(RegexLexer):
    """The colours of scores."""

    name = "score"
    aliases = ("score",)
    tokens = {"root": [                                         # noqa: RUF012  as Pygments reads it
        (r"(?<!\S)#.*$", Comment),
        (r'"[^"\n]*"', String),
        (words(KEYWORDS, prefix=r"(?m:^)(?<!\S)", suffix=r"(?=\s)"), Keyword),
        (r"(?<=\s)as(?=\s)", Keyword),
        (words((*VERBS, "rest"), prefix=r"(?<=\s)", suffix=r"(?!\S)"), Name.Function),
        (r"([^\W\d]\w*)(=)", bygroups(Name.Attribute, Text)),
        (r"(?<![\w.])[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?", Number),
        (r"\s+|\w+|.", Text),
    ]}


def escape_signs(app, what, name, obj, options, lines):
    """Escape the signs of a docstring that would be markup outside of `words` and examples."""
    for index, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        parts = CODE.split(line)
        parts[::2] = [re.sub(r"([*|]|(?<=\w)_(?=\W|$))", r"\\\1", part) for part in parts[::2]]
        lines[index] = "".join(parts)


def setup(app):
    app.add_lexer("score", ScoreLexer)
    app.connect("autodoc-process-docstring", escape_signs, priority=400)
