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
