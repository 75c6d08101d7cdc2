"""Private words stay out of names, comments, texts and pages: each has a bound on how often it may
occur.

Where a count falls, its bound is lowered with it; a bound is never raised. `python
tests/test_language.py` prints the bounds as they would be by the counts of today, to be put in the
place of those below. """
import io
import re
import textwrap
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "pysitar"
SOURCES = sorted(path for path in PACKAGE.rglob("*")
                 if path.suffix in {".py", ".pyi", ".pyx", ".pxd", ".h", ".toml"})
PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(
        (ROOT / "docs").glob("*.md"))
]
# in comments, docstrings and messages of the package, and in pages; instead:
WORDS = {
    "would be right": r"would\s+be\s+right",                    # expected ...
    "told": r"\btold\b",                                        # reported, shown
    "tell": r"\btell(?:s|ing)?\b",                              # report, show, say
    "meet": r"\bmeet(?:s|ing)?\b|\bmet\b",                      # hit, touch, update
    "meet_": r"\bmeet_",                                        # update_, project_
    "books": r"\bbook(?:s|ed|ing)\b",                           # energy ledger, counted
    "anew": r"\banew\b",                                        # again
    "as asked": r"\bas asked\b",                                # as requested
    "asked for": r"\basks?\b|\basked\b|\basking\b",             # requested
    "heard": r"\bheard\b",  # audible, sampled; of a listener it is right
    "a way": r"\bway\b",                                        # displacement, increment, path
    "what is to be said": r"\bto be said\b|\bis said\b",        # reported
    "what of": r"\bwhat of\b",  # the sentence with its subject first
}
NAMES = {  # in names of functions, classes, parameters and variables, also as a part of one
    "told": "told", "tell": "tells?", "asked": "asked", "asking": "asking", "meet": "meets?",
    "books": "books?", "heard": "heard", "unheard": "unheard", "wanted": "wanted",
    "found of": "found_of", "given": "given", "made": "made", "wide": "wide",
}
MOST_WORDS = {
    "would be right": 0, "told": 0, "tell": 0, "meet": 0, "meet_": 0, "books": 0, "anew": 0,
    "as asked": 0, "asked for": 0, "heard": 0, "a way": 0, "what is to be said": 2, "what of": 0,
}
MOST_NAMES = {
    "told": 0, "tell": 1, "asked": 0, "asking": 0, "meet": 0, "books": 0, "heard": 0,
    "unheard": 0, "wanted": 0, "found of": 0, "given": 18, "made": 0, "wide": 2,
}
MOST_ON_PAGES = {
    "would be right": 0, "told": 0, "tell": 0, "meet": 0, "meet_": 0, "books": 0, "anew": 0,
    "as asked": 0, "asked for": 2, "heard": 1, "a way": 2, "what is to be said": 0, "what of": 0,
}
FSTRING = {
    getattr(tokenize, name, -1)
    for name in ("FSTRING_MIDDLE", "FSTRING_START", "FSTRING_END")
}
CYTHON_TEXT = re.compile(
    r'"""(?:.|\n)*?"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*|//[^\n]*|/\*(?:.|\n)*?\*/'
)


def python_parts(text):
    """(line, text) of the comments and strings of Python source, and of its names."""
    texts, names = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {tokenize.COMMENT, tokenize.STRING} | FSTRING:
            texts.append((token.start[0], token.string))
        elif token.type == tokenize.NAME:
            names.append((token.start[0], token.string))
    return texts, names


def other_parts(text):
    """The same of Cython, C and TOML, by their quotes and comments."""
    texts, names = [], []
    start = 0
    for match in [*CYTHON_TEXT.finditer(text), None]:
        code = text[start:match.start() if match else len(text)]
        line = text.count("\n", 0, start) + 1
        names += [(line + code.count("\n", 0, word.start()), word[0])
                  for word in re.finditer(r"\w+", code)]
        if match:
            texts.append((text.count("\n", 0, match.start()) + 1, match[0]))
            start = match.end()
    return texts, names


def parts(path):
    text = path.read_text(encoding="utf-8")
    return python_parts(text) if path.suffix in {".py", ".pyi"} else other_parts(text)


def places(pattern, pieces):
    """The lines in which a pattern is found in some pieces of (line, text)."""
    return [
        line + text.count("\n", 0, match.start()) for line, text in pieces
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def occurs(pattern, text, lower):
    """Whether a pattern is found in a text, of which it looks in lower case first, and without the
    ends of words: most are not there, which takes a tenth of the time."""
    return bool(re.search(pattern.replace(r"\b", ""), lower)
                and re.search(pattern, text, re.IGNORECASE))


def occurrences():
    """By kind and word: the places, as file:line."""
    kinds = {
        "words": {word: []
                  for word in WORDS}, "names": {word: []
                                                for word in NAMES},
        "pages": {word: []
                  for word in WORDS}
    }
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        lower = text.lower()
        # few files have any: splitting all the others takes ten times as long
        words, bare_names = ({word: pattern for word, pattern in table.items()
                              if occurs(pattern, text, lower)} for table in (WORDS, NAMES))
        texts, names = parts(path) if words or bare_names else ([], [])
        shown = path.relative_to(ROOT).as_posix()
        for word, pattern in words.items():
            kinds["words"][word] += [f"{shown}:{line}" for line in places(pattern, texts)]
        for word, pattern in bare_names.items():
            kinds["names"][word] += [
                f"{shown}:{line}" for line in places(rf"(?<![a-z]){pattern}(?![a-z])", names)
            ]
    for path in PAGES:
        pieces = [(1, path.read_text(encoding="utf-8"))]
        for word, pattern in WORDS.items():
            kinds["pages"][word] += [
                f"{path.relative_to(ROOT).as_posix()}:{line}" for line in places(pattern, pieces)
            ]
    return kinds


@pytest.fixture(scope="module")
def found():
    return occurrences()


@pytest.mark.parametrize(
    ("kind", "word", "most"),
    [(kind, word, most)
     for kind, bounds in (("words", MOST_WORDS), ("names", MOST_NAMES), ("pages", MOST_ON_PAGES))
     for word, most in bounds.items()])
def test_private_words_stay_out(found, kind, word, most):
    lines = found[kind][word]
    assert len(
        lines
    ) <= most, f"{word!r}, {kind}: {len(lines)} times; expected at most {most}:\n" + "\n".join(
        lines)


def test_every_word_has_a_bound():
    assert set(MOST_WORDS) == set(MOST_ON_PAGES) == set(WORDS) and set(MOST_NAMES) == set(NAMES)


def test_words_are_found_in_texts_alone():
    texts, names = python_parts(
        'def told(x):\n    """What is told."""\n    return f"{x} is told"          # never told\n')
    assert places(WORDS["told"], texts) == [2, 3, 3] and places(NAMES["told"], names) == [1]
    texts, names = other_parts(
        'cdef int told(int x):          # told\n    """One\n    told line."""\n    return told(x)\n'
    )
    assert places(WORDS["told"], texts) == [1, 3] and places(NAMES["told"], names) == [1, 4]


if __name__ == "__main__":
    for name, words in zip(("MOST_WORDS", "MOST_NAMES", "MOST_ON_PAGES"),
                           occurrences().values(), strict=True):
        bounds = ", ".join(f'"{word}": {len(lines)}'.replace(" ", "\0")
                           for word, lines in words.items())
        print(f"{name} = {{\n{textwrap.indent(textwrap.fill(bounds, 94), '    ')},\n}}".replace(
            "\0", " "))
