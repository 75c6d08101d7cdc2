"""Every text file of the package is opened with its encoding: no locale changes what it holds."""

import ast
from pathlib import Path

from sources import nodes_of, tree_of

PACKAGE = Path(__file__).resolve().parents[1] / "pysitar"
SOURCES = sorted(PACKAGE.rglob("*.py"))
MODES = {
    "open": 1,
    "fdopen": 1,
    "NamedTemporaryFile": 0,
    "TemporaryFile": 0,
    "SpooledTemporaryFile": 1,
}  # where the mode stands
BINARY = {"NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile"}  # without a mode
ENCODINGS = {"read_text": 0, "write_text": 1, "TextIOWrapper": 1}  # where the encoding may stand
PROCESSES = {"run", "Popen", "check_output", "check_call", "call", "getoutput"}


def word(call, name, place):
    """A constant argument of a call, by name or place; None: not given; ...: computed."""
    found = next((one.value for one in call.keywords if one.arg == name), None)
    if found is None and place is not None and len(call.args) > place:
        found = call.args[place]
    if found is None:
        return None
    return found.value if isinstance(found, ast.Constant) else ...


def unnamed(tree):
    """The lines in which a text is opened without an encoding."""
    for call in nodes_of(tree):
        if not isinstance(call, ast.Call):
            continue
        method = isinstance(call.func, ast.Attribute)
        name = call.func.attr if method else getattr(call.func, "id", "")
        owner = getattr(call.func.value, "id", "") if method else ""
        if name in ENCODINGS and word(call, "encoding", ENCODINGS[name]) is None:
            yield call.lineno
        elif name in PROCESSES and owner == "subprocess" and not word(call, "encoding", None):
            if any(word(call, one, None) for one in ("text", "universal_newlines")):
                yield call.lineno
        elif name in MODES and not (
                name == "open" and owner in {"os", "archive", "Image", "Pillow"}):
            # the mode stands first in the open of a path; a number is a flag
            places = [MODES[name], 0] if method and owner not in {"io", "os"} else [MODES[name]]
            given = [word(call, "mode", place) for place in places]
            mode = next(
                (one for one in given if isinstance(one, str) and set(one) <= set("rwaxbt+")), None)
            if mode is None and name == "open" and method and owner != "io" and call.args:
                continue  # an open that is no file's
            usual = "b" if name in BINARY else "r"
            if "b" not in (mode or usual) and word(call, "encoding", None) is None:
                yield call.lineno


def test_every_text_has_its_encoding():
    assert [f"{path}:{line}" for path in SOURCES for line in unnamed(tree_of(path))] == []


def test_the_search_finds_what_it_is_for():
    bad = (
        "open(a)",
        "open(a, 'w')",
        "open(a, mode='r+')",
        "p.read_text()",
        "p.write_text(t)",
        "p.open('w')",
        "io.open(a)",
        "NamedTemporaryFile('w')",
        "subprocess.run(a, text=True)",
        "io.TextIOWrapper(b)",
        "os.fdopen(3, 'w')",
        "p.open()",
    )
    good = (
        "open(a, 'rb')",
        "open(a, encoding='utf-8')",
        "p.read_text('utf-8')",
        "p.write_text(t, encoding='utf-8')",
        "p.open('rb')",
        "NamedTemporaryFile()",
        "subprocess.run(a)",
        "os.open(a, os.O_RDONLY)",
        "arrays.open(name)",
        "TemporaryFile(dir=a)",
    )
    assert [text for text in bad if not list(unnamed(ast.parse(text)))] == []
    assert [text for text in good if list(unnamed(ast.parse(text)))] == []
