"""The page on the figures, as HTML and Markdown: statements of the papers beside computed
results."""
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, cast

from pysitar.papers.catalogue import PAPERS
from pysitar.papers.finding import Statement, Verdict

TITLE = "Figures of the papers, computed again"
INTRODUCTION = (
    "Each figure and table was computed by pysitar's public functions. Each statement of a paper, "
    "paraphrased, stands beside the computed result and the criterion of its verdict: agrees; "
    "disagrees, where the result contradicts the paper's conclusion; paper is wrong, where an "
    "equation or a value, as printed or as its text is available today, cannot be right; beyond "
    "the paper, where the paper leaves open, or does not try, what is computed here; cannot be "
    "compared, where it does not give all values."
)
EXCEPTIONS = "Where the papers do not hold"
COLUMNS = ("the paper says", "computed here", "criterion", "verdict")
STATEMENT_HEAD = "".join(f"<th>{column}</th>" for column in COLUMNS)
LONGEST = 96                    # characters of a list of numbers that is shown on the page
STYLE = """\
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #ffffff; --line: #c9c9c9;
  --soft: #f3f3f3; --link: #0b57a0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e4e4; --paper: #16181b; --line: #44484d;
  --soft: #22262b; --link: #8cc4ff; } }
body { margin: 0 auto; max-width: 72rem; padding: 1rem 1.2rem 4rem;
  font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); } h3 { margin: 2.5rem 0 0.3rem; }
a { color: var(--link); } p.source, p.files { margin: 0.2rem 0; font-size: 0.9rem; opacity: 0.85; }
img { max-width: 100%; width: 36rem; background: #ffffff; border: 1px solid var(--line);
  display: block; margin: 0.8rem 0; }
table { border-collapse: collapse; width: 100%; margin: 0.8rem 0; font-size: 0.93rem; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.5rem; text-align: left;
  vertical-align: top; } th { background: var(--soft); }
td.criterion { font-size: 0.9em; }
td.verdict { white-space: nowrap; font-weight: 600; border-left-width: 5px; }
td.agrees { border-left-color: #009e73; } td.disagrees { border-left-color: #d55e00; }
td.paper-is-wrong { border-left-color: #e69f00; } td.beyond-the-paper {
  border-left-color: #56b4e9; } td.cannot-be-compared { border-left-color: #999999; }
details { margin: 0.5rem 0; } summary { cursor: pointer; } code { font-size: 0.9em;
  overflow-wrap: anywhere; }
.failed { border: 2px solid #d55e00; padding: 0.4rem 0.8rem; }"""


def page_html(documents: Sequence[dict[str, Any]]) -> str:
    """Return a static HTML page.

    Parameters: documents, of the figures, each as in its JSON, with `files` and `picture`, or with
    `error`. """
    body = [
        f"<h1>{escape(TITLE)}</h1>", f"<p>{escape(INTRODUCTION)}</p>",
        f"<p>{escape(_tally(documents))}</p>", *_contents(documents), *_exceptions_html(documents)
    ]
    for paper, own in _papers(documents):
        body.append(f'<h2 id="{escape(paper)}">{escape(PAPERS.get(paper, paper))}</h2>')
        for document in own:
            body += _section(document)
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(TITLE)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
            + "\n".join(body) + "\n</body>\n</html>\n")


def report_markdown(documents: Sequence[dict[str, Any]]) -> str:
    """Return the same as Markdown.  Parameters: as in `page_html`."""
    lines = [f"# {TITLE}", "", INTRODUCTION, "", _tally(documents), ""]
    found = list(_exceptions(documents))
    if found:
        lines += [
            f"## {EXCEPTIONS}", "", f"| where | {' | '.join(COLUMNS)} |", "|---|---|---|---|---|"
        ]
        lines += [f"| `{document['key']}` {_cells(one)}" for document, one in found]
        lines.append("")
    for paper, own in _papers(documents):
        lines += [f"## {_cell(PAPERS.get(paper, paper))}", ""]
        for document in own:
            lines += [
                f"### {_cell(document['title'])}", "",
                f"`{document['key']}`; {_cell(document['source'])}", ""
            ]
            if "error" in document:
                lines += [f"**It failed:** {_cell(document['error'])}", ""]
                continue
            if document.get("picture"):
                lines += [f"![{_cell(document['title'])}]({document['picture']})", ""]
            lines += [
                _cell(document["caption"]), "", f"| {' | '.join(COLUMNS)} |", "|---|---|---|---|"
            ]
            lines += [_cells(one) for one in document["statements"]]
            lines += [
                "",
                "Files: " + ", ".join(f"[{name}]({name})" for name in document.get("files", [])), ""
            ]
    return "\n".join(lines)


def _papers(documents: Sequence[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the documents grouped by paper, in the given order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for document in documents:
        found.setdefault(document["key"].partition(":")[0], []).append(document)
    return list(found.items())


def _tally(documents: Sequence[dict[str, Any]]) -> str:
    """Return one sentence with the count of each verdict."""
    counts = Counter(one["verdict"] for document in documents
                     for one in document.get("statements", []))
    parts = [f"{verdict}: {count}" for verdict, count in counts.most_common()]
    failed = sum("error" in document for document in documents)
    failures = f"; {failed} failed" if failed else ""
    return (f"{len(documents)} figures and tables; statements, {', '.join(parts) or 'none'}"
            f"{failures}.")


def _contents(documents: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield "<ul>"
    for document in documents:
        yield f"<li>{_link(document)}: {escape(document['title'])}</li>"
    yield "</ul>"


def _exceptions(
        documents: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Yield the statements that do not hold, misprints first, each with its figure."""
    for verdict in ("paper is wrong", "disagrees"):
        for document in documents:
            yield from ((document, one) for one in document.get("statements", [])
                        if one["verdict"] == verdict)


def _exceptions_html(documents: Sequence[dict[str, Any]]) -> Iterator[str]:
    found = list(_exceptions(documents))
    if not found:
        return
    yield f"<h2>{escape(EXCEPTIONS)}</h2>"
    yield f"<table><thead><tr><th>where</th>{STATEMENT_HEAD}</tr></thead><tbody>"
    for document, one in found:
        yield f"<tr><td>{_link(document)}</td>{_row(one)}</tr>"
    yield "</tbody></table>"


def _row(one: dict[str, str]) -> str:
    """Return the table cells of a statement."""
    statement = Statement(paper=one["paper"], computed=one["computed"],
                          criterion=one["criterion"], verdict=cast("Verdict", one["verdict"]))
    return (f"<td>{escape(statement.paper)}</td><td>{escape(statement.computed)}</td>"
            f'<td class="criterion">{escape(statement.criterion)}</td>'
            f'<td class="verdict {escape(statement.mark)}">{escape(statement.verdict)}</td>')


def _cells(one: dict[str, str]) -> str:
    """Return the Markdown cells of a statement."""
    texts = (_cell(one["paper"]), _cell(one["computed"]), _cell(one["criterion"]), one["verdict"])
    return f"| {' | '.join(texts)} |"


def _section(document: dict[str, Any]) -> Iterator[str]:
    yield f'<h3 id="{escape(_anchor(document))}">{escape(document["title"])}</h3>'
    key, source = escape(document["key"]), escape(document["source"])
    yield f'<p class="source"><code>{key}</code>; {source}</p>'
    if "error" in document:
        yield f'<p class="failed">It failed: {escape(document["error"])}</p>'
        return
    if document.get("picture"):
        yield f'<img src="{escape(document["picture"])}" alt="{escape(document["title"])}">'
    yield f"<p>{escape(document['caption'])}</p>"
    yield f"<table><thead><tr>{STATEMENT_HEAD}</tr></thead><tbody>"
    yield from (f"<tr>{_row(one)}</tr>" for one in document["statements"])
    yield "</tbody></table>"
    yield "<details><summary>numbers</summary><table><tbody>"
    for name, value in _flat("", document["numbers"]):
        yield f"<tr><td><code>{escape(name)}</code></td><td><code>{escape(value)}</code></td></tr>"
    yield "</tbody></table></details>"
    links = ", ".join(f'<a href="{escape(name)}">{escape(name)}</a>'
                      for name in document.get("files", []))
    yield f'<p class="files">{links}</p>'


def _flat(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield numbers with their dotted names; a list is one value, shortened if long."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), item)
        return
    text = json.dumps(value, ensure_ascii=False)
    yield name, text if len(text) <= LONGEST else f"{text[:LONGEST - 4]} ..."


def _anchor(document: dict[str, Any]) -> str:
    return str(document["key"]).replace(":", "-")


def _link(document: dict[str, Any]) -> str:
    """Return the HTML link to the section of a document."""
    return f'<a href="#{escape(_anchor(document))}">{escape(document["key"])}</a>'


def _cell(text: str) -> str:
    """Return a text escaped for one cell of a Markdown table."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>|#" else c for c in " ".join(text.split()))
