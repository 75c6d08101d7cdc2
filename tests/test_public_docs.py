"""The docstrings of the public names have their numpydoc sections, and their examples run and
return what they show."""
import doctest
import inspect
import re
from dataclasses import fields, is_dataclass

import pytest

import pysitar
from pysitar import analytic

SECTION = re.compile(r"^(?P<title>[A-Z][a-z]+)\n-+\n(?P<body>(?:.*\n?)*?)(?=^[A-Z][a-z]+\n-+\n|\Z)",
                     re.MULTILINE)
OLD_FORM = re.compile(r"\b(Parameters|Returns|Errors|Attributes|Source|Example):")


def public_objects():
    """Yield the label and object of each public class and function, and of each public method and
    property that such a class defines itself."""
    for prefix, module in (("", pysitar), ("analytic.", analytic)):
        for name in sorted(module.__all__):
            value = getattr(module, name)
            if not inspect.isclass(value) and not inspect.isfunction(value):
                continue
            yield f"{prefix}{name}", value
            for key, member in vars(value).items() if inspect.isclass(value) else ():
                if key.startswith("_"):
                    continue
                if isinstance(member, property):
                    yield f"{prefix}{name}.{key}", member
                elif inspect.isroutine(member) or isinstance(member, classmethod | staticmethod):
                    yield f"{prefix}{name}.{key}", getattr(value, key)


OBJECTS = dict(public_objects())


def examples():
    """Yield each documented example."""
    finder = doctest.DocTestFinder(recurse=False)
    for label, value in OBJECTS.items():
        documented = value.fget if isinstance(value, property) else value
        for test in finder.find(documented, label, globs={}):
            if test.examples:
                yield pytest.param(test, id=label)


EXAMPLES = list(examples())


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_returns_what_it_shows(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert not result.failed, "".join(report)


def test_the_functions_that_render_have_examples():
    assert {"render", "render_file", "write_audio"} <= {param.id for param in EXAMPLES}


# errors and plain results: they are raised or returned, and have attributes instead of parameters
RESULTS = {
    "BodyFit", "MassRun", "Modes", "ParameterError", "PhysicalWarning", "PysitarError",
    "RenderError", "Rendering", "Run", "ScoreError", "StringFit", "WallRun",
    "analytic.OscillatorOrbit", "analytic.Trajectory"
}
# they take their arguments as they are
UNCHECKED = {"Score", "Surface.at", "ModalObject.shape", "Material.plate_stiffness"}
PROTOCOLS = {"Resonator"}                 # which are not constructed: attributes, no parameters


def sections(text):
    """The sections of a docstring: title -> body."""
    return {match["title"]: match["body"] for match in SECTION.finditer(text)}


def described_names(body):
    """The names that a section describes, which are the parts of its lines without indentation."""
    heads = [line.partition(" :")[0] for line in body.splitlines() if re.match(r"\w", line)]
    return [name.strip() for head in heads for name in head.split(",")]


def docstring_faults(label, value):
    """What the docstring of a class, function, method or property lacks, or has too much."""
    text = inspect.getdoc(value) or ""
    found = sections(text)
    faults = [f"{match[0]} within a paragraph" for match in OLD_FORM.finditer(text)]
    if not re.match(r"\S.{,98}\.(\n\n|\Z)", text):
        faults.append("the summary is not one line with a full stop")
    if label in PROTOCOLS:
        expected = ["Attributes", "Examples"]
    elif label in RESULTS:
        attributes = attributes_of(value)
        expected = ["Attributes"] * bool(attributes)
        faults += check_names(found.get("Attributes", ""), attributes)
    elif isinstance(value, property):
        expected = ["Returns"]
    else:
        signature = inspect.signature(value)
        parameters = [name for name in signature.parameters if name != "self"]
        expected = ["Parameters"] * bool(parameters)
        if not inspect.isclass(value):
            returned = signature.return_annotation
            expected += ["Returns"] * (returned not in (None, "None", inspect.Signature.empty))
        expected += ["Raises"] * bool(parameters and label not in UNCHECKED)
        expected += ["Examples"] * ("." not in label.removeprefix("analytic."))
        faults += check_names(found.get("Parameters", ""), parameters)
    return faults + [f"no {title}" for title in expected if not found.get(title, "").strip()]


def attributes_of(value):
    """The fields of a result, or the arguments of an error, which become its attributes."""
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return list(inspect.signature(value).parameters) if "__init__" in vars(value) else []


def check_names(body, expected):
    described = described_names(body)
    return [f"{name} is not described" for name in expected if name not in described] + [
        f"{name} is described and does not exist" for name in described if name not in expected]


@pytest.mark.parametrize("label", OBJECTS)
def test_a_public_docstring_has_its_sections(label):
    assert docstring_faults(label, OBJECTS[label]) == []


def undocumented(length):
    """Return a length.

    Parameters: length (m).
    """
    return length


def half_documented(length, width) -> float:
    """Return an area.

    Parameters
    ----------
    length : float
        In m.
    height : float
        In m.
    """
    return length * width


@pytest.mark.parametrize(("value", "faults"), [
    (undocumented, ["Parameters: within a paragraph", "length is not described", "no Parameters",
                    "no Raises", "no Examples"]),
    (half_documented, ["width is not described", "height is described and does not exist",
                       "no Returns", "no Raises", "no Examples"]),
])
def test_faults_are_seen(value, faults):
    assert docstring_faults(value.__name__, value) == faults


def test_methods_and_properties_are_among_the_objects():
    assert {
        "analytic.trajectory", "analytic.OscillatorOrbit.period", "Barrier.at",
        "String.with_pitch", "StringSimulation.run", "StringSimulation.nodes"
    } <= set(OBJECTS)
