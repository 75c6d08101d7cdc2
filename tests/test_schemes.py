"""Schemes stand in their descriptors alone: no other code names one or compares its class, and one
can be added from outside the package."""
import ast
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sources import nodes_of, tree_of

import pysitar
from pysitar.errors import ParameterError
from pysitar.models.definitions.registry import MODELS, add_scheme, verbs_of
from pysitar.models.network.schemes.base import (
    CAPABILITIES,
    CORRECTION,
    FINGER,
    GRID,
    HAMMER,
    NEED_ROWS,
    ROWS,
    TENSION,
    TOUCH,
)
from pysitar.models.network.schemes.catalogue import (
    DEFAULT_SCHEME,
    SCHEMES,
    SCHEMES_OF,
    STRING_SCHEMES,
)
from pysitar.models.network.schemes.modal import ModalScheme
from pysitar.physics.lossless_contact import SCHEMES as CLOSED_FORMS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "pysitar"
DESCRIPTORS = "models/network/schemes/"
# names that are no words of other texts: anywhere in a text; the others: the whole text
NAME = re.compile(rf"\b(?:{'|'.join(sorted({one.name for one in SCHEMES if '-' in one.name}))})\b")
PLAIN_NAMES = {one.name for one in SCHEMES if "-" not in one.name}
CONSTANTS = {"TWO_POINT", "THREE_POINT", "MODAL_EXPLICIT", "FD_ITERATIVE", "FD_EXPLICIT",
             "MASS_TWO_POINT", "MASS_THREE_POINT", "ITERATIVE", "EXPLICIT"}
CLASSES = {"TwoPoint", "ThreePoint", "ModalExplicit", "FdIterative", "FdExplicit", "Network",
           "GridNetwork", "Coupled", "StringModes", "StringGrid", "ModalScheme", "GridScheme",
           "PlainString"}
# what may name schemes; file -> (names, constants, isinstance)
ALLOWED = {
    # an example of the command line, and of a file that it writes
    "app/cli/compare.py": (3, 0, 0),
    # closed forms, whose names are arguments of `pysitar.analytic`
    "physics/lossless_contact.py": (3, 0, 0),
    # types: the kernel of the strings on a coupled body; a scheme with rows is one of modes
    "models/strings/coupled.py": (0, 0, 1),
    "models/strings/instrument.py": (0, 0, 1),
    # a network of coupled strings has no displacement of its own
    "models/network/audited.py": (0, 0, 1),
}


def documentation(tree):
    """The docstrings of a module."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def counts(tree):
    """How often a source names schemes in its texts, has their constants, and compares classes."""
    left_out = {id(node) for node in documentation(tree)}
    names = constants = classes = 0
    for node in nodes_of(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in left_out:
                names += len(NAME.findall(node.value)) + (node.value in PLAIN_NAMES)
        elif isinstance(node, ast.Name):
            constants += node.id in CONSTANTS
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            types = {getattr(part, "id", "") for part in ast.walk(node.args[1])}
            classes += bool(types & CLASSES)
    return names, constants, classes


def test_schemes_are_named_in_their_descriptors_alone():
    """Papers compare schemes, and presets choose one."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        shown = path.relative_to(PACKAGE).as_posix()
        if not shown.startswith((DESCRIPTORS, "kernels/", "papers/", "presets/")):
            found[shown] = counts(tree_of(path))
    assert len(found) > 100
    assert {name: count for name, count in found.items() if any(count)} == ALLOWED


@pytest.mark.parametrize(("text", "count"), [
    ('"""two-point"""\nx = "the two-point scheme, not three-point"\n', (2, 0, 0)),
    ('x = s == "explicit"\ny = "an explicit word"\n', (1, 0, 0)),
    ("if scheme is TWO_POINT: pass\n", (0, 1, 0)),
    ("isinstance(kernel, (TwoPoint, int))\nisinstance(x, str)\n", (0, 0, 1)),
])
def test_the_count_counts(text, count):
    assert counts(ast.parse(text)) == count


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda one: f"{one.model} {one.name}")
def test_a_descriptor_agrees_with_itself(scheme):
    assert SCHEMES_OF[scheme.model][scheme.name] is scheme
    assert scheme.capabilities <= CAPABILITIES
    assert scheme.doc and "\n" not in scheme.doc
    assert 0.0 <= scheme.force_time_offset < 1.0
    assert (scheme.closed_form in CLOSED_FORMS) == (scheme.shortest_contact > 0.0)
    assert ROWS in scheme.capabilities or not NEED_ROWS & scheme.capabilities
    if isinstance(scheme, ModalScheme):
        assert (scheme.added_decay is None) == (FINGER in scheme.capabilities)
        assert (scheme.set_axial_row is not None) == (TENSION in scheme.capabilities)
        assert (scheme.hammer_network is not None) == (HAMMER in scheme.capabilities)
    elif scheme.space == GRID:
        assert not {ROWS, CORRECTION} & scheme.capabilities and scheme.highest == 0.0


def test_the_page_lists_the_schemes():
    table = [f"| `{one.name}` | {one.model} | {one.space} | "
             f"{', '.join(sorted(one.capabilities))} | {', '.join(one.variants)} | {one.doc} |"
             for one in SCHEMES]
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    found = [line for line in page.splitlines() if re.match(r"\| `[\w-]+` \| \w+ \| ", line)]
    assert found == table


def test_verbs_follow_from_capabilities():
    verbs = {name: list(verbs_of(scheme)) for name, scheme in STRING_SCHEMES.items()}
    assert verbs[DEFAULT_SCHEME.name] == ["pluck", "fret", "bend", "press", "damp", "strike",
                                            "bow"]
    assert all(names == ["pluck", "damp"] for name, names in verbs.items()
               if name != DEFAULT_SCHEME.name)
    plain = replace(DEFAULT_SCHEME, name="plain", capabilities=frozenset((ROWS, TOUCH, HAMMER)))
    assert list(verbs_of(plain)) == ["pluck", "damp", "strike"]
    assert {"touch", "lead"} <= verbs_of(plain)["pluck"].parameters.keys()
    assert "glide" not in verbs_of(plain)["pluck"].parameters


@pytest.mark.parametrize(("changes", "message"), [
    ({}, "expected a name that no scheme of the model has"),
    ({"name": "x", "model": "plate"}, "model is plate; expected one of string, lumped, impact"),
    ({"name": "x", "capabilities": frozenset(("rows", "wings"))}, "capabilities is wings"),
    ({"name": "x", "capabilities": frozenset((TOUCH,))}, "touch; expected rows with it"),
    ({"name": "x", "highest": 0.3}, "highest is 0.3; expected at least 0.45"),
])
def test_a_scheme_that_cannot_be_added(changes, message):
    with pytest.raises(ParameterError, match=re.escape(message)):
        add_scheme(replace(DEFAULT_SCHEME, **changes))
    assert list(MODELS["string"]) == list(STRING_SCHEMES) and "x" not in STRING_SCHEMES


def test_the_example_of_the_page_adds_a_scheme_from_outside(tmp_path):
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    section = re.search(r"^## A scheme\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    (_, scheme), (_, use), (_, score) = blocks
    assert [kind for kind, _ in blocks] == ["python", "python", "text"]
    assert len(scheme.splitlines()) < 60
    (tmp_path / "printed.py").write_text(scheme, encoding="utf-8")
    (tmp_path / "printed.score").write_text(score, encoding="utf-8")
    (tmp_path / "use.py").write_text(use + "import numpy as np\nnp.save('sound.npy', sound)\n",
                                     encoding="utf-8")
    subprocess.run([sys.executable, "use.py"], cwd=tmp_path, check=True, timeout=120)
    assert (tmp_path / "sound.npy").stat().st_size > 10_000
    message = "scheme is modal-printed; expected one of two-point"
    with pytest.raises(pysitar.ScoreError, match=message):
        pysitar.render(pysitar.load_score(tmp_path / "printed.score"))
