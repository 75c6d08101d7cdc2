"""The examples in the docstrings of the public names run and return what they show."""
import doctest
import inspect

import pytest

import pysitar


def examples():
    """Yield each documented example: of a public name, and of a public method of a public class."""
    finder = doctest.DocTestFinder(recurse=False)
    for name in sorted(pysitar.__all__):
        value = getattr(pysitar, name)
        if not inspect.isclass(value) and not inspect.isfunction(value):
            continue
        objects = {name: value}
        if inspect.isclass(value):
            objects |= {f"{name}.{key}": member for key, member in inspect.getmembers(value)
                        if not key.startswith("_") and inspect.isroutine(member)}
        for label, member in objects.items():
            for test in finder.find(member, label, globs={}):
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


# errors and plain results: they are raised or returned, and their attributes are documented
RESULTS = {
    "MassRun", "ParameterError", "PhysicalWarning", "PysitarError", "RenderError", "Rendering",
    "Run", "ScoreError", "WallRun"
}
# without the sections yet: take a name out when its docstring has them, add none
INCOMPLETE = {
    "ImpactSimulation", "RollingSimulation", "Score", "String", "StringSimulation", "Surface",
    "load_score", "mass_barrier", "surface_envelope", "wall_impact"
}
DOCUMENTED = [
    name for name in sorted(pysitar.__all__) if name not in RESULTS and (
        inspect.isclass(getattr(pysitar, name)) or inspect.isfunction(getattr(pysitar, name)))
]


def absent_sections(value):
    """The sections that the docstring of a class or function lacks."""
    text = inspect.getdoc(value) or ""
    expected = ["Examples"] + ["Parameters"] * bool(inspect.signature(value).parameters)
    return [section for section in expected if f"{section}\n{'-' * len(section)}\n" not in text]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_public_name_has_its_sections(name):
    absent = absent_sections(getattr(pysitar, name))
    assert bool(absent) == (
        name in INCOMPLETE), f"{name} lacks {absent}; INCOMPLETE lists those that still lack some"


def test_absent_sections_are_seen():
    def undocumented(length):
        """Return a length.  Parameters: length (m)."""

    assert absent_sections(undocumented) == ["Examples", "Parameters"]
