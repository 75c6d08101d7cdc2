"""Write the TextMate grammar of scores from the words of the language: to be run after a change of
them, which tests/test_editors.py finds."""
import json
from pathlib import Path

from pysitar.score.literals import UNITS
from pysitar.score.vocabulary import (
    GRACE,
    HUMANISE_NAMES,
    KEYWORDS,
    MIX_NAMES,
    ORNAMENTS,
    PLAY_NAMES,
    RENDER_NAMES,
    REST,
    ROOMS,
    SHAPES,
    TALAS,
    VERBS,
)

FILE = Path(__file__).parent / "syntaxes" / "score.tmLanguage.json"
SCALES = ("just", "shruti", "edo", "scala")
FUNCTIONS = ("linear", "log", "uniform", "loguniform", "normal", "exponential", "choice", "cycle",
             "markov")
OPTIONS = sorted({*RENDER_NAMES, *PLAY_NAMES, *MIX_NAMES, *HUMANISE_NAMES, "dur", "sa", "n", "min",
                  "max", "wet"})
NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
SARGAM = r"(?:sa|pa|re-?|ga-?|dha-?|ni-?|ma\+?|d[0-9]{1,6})(?:'{1,10}|,{1,10})?"
WESTERN = r"[A-G][#b]?[0-9]"


def alternatives(words: object) -> str:
    """Return the words as a group, the longest first."""
    return "(" + "|".join(sorted(words, key=lambda word: (-len(word), word))) + ")"


def grammar() -> dict[str, object]:
    """Return the grammar: the rules of `repository` that begin with words name them in a group."""
    repository = {
        "comment": {"name": "comment.line.number-sign.score", "match": r"(?<!\S)#.*$"},
        "file": {"name": "string.quoted.double.score", "match": r'"[^"]*"'},
        "statement": {"match": r"^\s*" + alternatives(KEYWORDS) + r"(?=\s|$)",
                      "captures": {"1": {"name": "keyword.control.score"}}},
        "alias": {"name": "keyword.other.score", "match": r"(?<=\s)(as)(?=\s)"},
        "row": {
            # times and targets may have braces, with blanks in them
            "match": r"^\s*((?:[0-9+.-]|\{[^}]*\})(?:[^\s{]|\{[^}]*\})*|" + GRACE + r")\s+"
                     r"((?:[^\W\d]|\{[^}]*\})(?:\w|\{[^}]*\})*"
                     r"(?:\.(?:(?:\w|\{[^}]*\})*\*|(?:\w|\{[^}]*\})+))?)\s+"
                     + alternatives((*VERBS, REST)) + r"(?=\s|$)",
            "captures": {"1": {"name": "constant.numeric.time.score"},
                         "2": {"name": "variable.other.target.score"},
                         "3": {"name": "support.function.verb.score"}}},
        "tala": {"match": r"(?<=\s)" + alternatives(TALAS) + r"(?=\s|$)",
                 "captures": {"1": {"name": "constant.language.tala.score"}}},
        "scale": {"match": r"(?<=\s)" + alternatives(SCALES) + r"(?=\s|$)",
                  "captures": {"1": {"name": "constant.language.scale.score"}}},
        "room": {"match": r"(?<=\broom[ \t])\s*" + alternatives(ROOMS) + r"(?=\s|$)",
                 "captures": {"1": {"name": "constant.language.room.score"}}},
        "ornament": {"match": r"(?<=\s)" + alternatives(ORNAMENTS) + r"(?==)",
                     "captures": {"1": {"name": "support.type.ornament.score"}}},
        "option": {"match": r"(?<=\s)" + alternatives(OPTIONS) + r"(?==)",
                   "captures": {"1": {"name": "variable.parameter.option.score"}}},
        "argument": {"match": r"(?<=\s)([^\W\d]\w*)(?==)",
                     "captures": {"1": {"name": "variable.parameter.score"}}},
        "distribution": {"match": r"\b" + alternatives(FUNCTIONS) + r"(?=\()",
                         "captures": {"1": {"name": "support.function.distribution.score"}}},
        "shape": {"match": "/" + alternatives((*SHAPES, "pow")) + r"(?=[\s)0-9])",
                  "captures": {"1": {"name": "constant.language.shape.score"}}},
        "pitch": {"name": "constant.other.pitch.score",
                  "match": rf"(?<=[\s=:(])(?:{SARGAM}|{WESTERN})(?:[+-]{NUMBER}c)?(?=[\s,/)]|$)"},
        "number": {"match": rf"(?<![\w.])({NUMBER})" + alternatives(UNITS) + r"?(?![\w.])",
                   "captures": {"1": {"name": "constant.numeric.score"},
                                "2": {"name": "keyword.other.unit.score"}}},
        "braces": {"name": "meta.expression.score", "begin": r"\{", "end": r"\}|$",
                   "patterns": [{"include": "#number"}]},
    }
    return {
        "name": "pysitar score",
        "scopeName": "source.score",
        "fileTypes": ["score"],
        "patterns": [{"include": f"#{name}"} for name in repository],
        "repository": repository,
    }


def text() -> str:
    """Return the file of the grammar."""
    return json.dumps(grammar(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
