"""The pages for developers agree with the source: files and functions that they name exist, and the
drawing is the tests' own."""
import re
from pathlib import Path

import pytest
from test_layers import BELOW, ELEMENTARY

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("docs/architecture.md", "docs/glossary.md", "docs/extending.md", "CONTRIBUTING.md")
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
# a path with a folder, or a loose file
FILE = re.compile(r"`((?:[\w.]+/)+[\w.]*|\w+\.(?:py|md|toml))`")
PLACED = re.compile(FILE.pattern + r"\s+\(([^)]*)\)")
NAME = re.compile(r"`(\w+)`")


def found(path):
    """The file or folder that a page means; None if there is none."""
    places = (ROOT / "pysitar" / path, ROOT / path)
    return next((place for place in places if place.exists()), None)


@pytest.mark.parametrize("page", PAGES)
def test_files_exist(page):
    paths = {path for path in FILE.findall(TEXTS[page]) if "NAME" not in path}
    assert len(paths) > 5
    assert sorted(path for path in paths if found(path) is None) == []


@pytest.mark.parametrize("page", PAGES)
def test_functions_are_in_their_files(page):
    missing = []
    for path, words in PLACED.findall(TEXTS[page]):
        place = found(path)
        if place is not None and place.is_file():
            text = place.read_text(encoding="utf-8")
            missing += [f"{path}: {name}" for name in NAME.findall(words)
                        if not re.search(rf"\b{name}\b", text)]
    assert missing == []


def test_the_table_of_imports_is_the_one_that_is_tested():
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", TEXTS["docs/architecture.md"], re.MULTILINE)
    table = {folder: set(re.findall(r"`([\w.]+)`", others)) for folder, others in rows}
    assert table == BELOW
    assert ELEMENTARY == "kernels.core.elementary"


@pytest.mark.parametrize("page", PAGES)
def test_lines_fit(page):
    lines = TEXTS[page].splitlines()
    assert [number for number,
            line in enumerate(lines, 1) if len(line) > 140 and not line.startswith("|")] == []
