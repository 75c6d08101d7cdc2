"""The grammar of editors has the words of the language, and its rules find them in scores."""
import json
import re
import runpy
from pathlib import Path

import pytest

from pysitar.errors import Place, Problem
from pysitar.gestures.catalogue import VERBS
from pysitar.score import vocabulary
from pysitar.score.literals import UNITS

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "editors" / "vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes" / "score.tmLanguage.json").read_text(encoding="utf-8"))
PACKAGE = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
RULES = GRAMMAR["repository"]
GROUP = re.compile(r"\(((?:[a-zA-Z%/]+\|)+[a-zA-Z%/]+)\)")
SCORES = sorted((ROOT / "scores").rglob("*.score"))


def words(rule):
    """The words in the last group of words of a rule."""
    return set(GROUP.findall(RULES[rule]["match"])[-1].split("|"))


def test_the_words_are_those_of_the_language():
    assert words("statement") == set(vocabulary.KEYWORDS)
    assert words("row") == {*VERBS, vocabulary.REST}
    assert words("ornament") == vocabulary.ORNAMENTS
    assert words("tala") == set(vocabulary.TALAS)
    assert words("shape") == {*vocabulary.SHAPES, "pow"}
    assert words("number") == set(UNITS)
    assert words("scale") == {"just", "shruti", "edo", "scala"}
    assert words("option") >= {*vocabulary.RENDER_NAMES, *vocabulary.PLAY_NAMES,
                               *vocabulary.MIX_NAMES, *vocabulary.HUMANISE_NAMES, "dur", "sa"}
    assert vocabulary.GRACE in RULES["row"]["match"]


def test_a_rule_for_every_distribution_of_the_grammar_page():
    page = (ROOT / "docs" / "grammar.md").read_text(encoding="utf-8")
    rules = re.findall(r"^(?:distribution|steps|drawn) = (.*?) ;$", page, re.MULTILINE | re.DOTALL)
    assert words("distribution") == set(re.findall(r'"(\w+)"', "".join(rules)))


def test_the_file_is_what_the_language_makes():
    made = runpy.run_path(str(FOLDER / "make_grammar.py"))
    assert made["text"]() == made["FILE"].read_text(encoding="utf-8")
    assert {part["include"][1:] for part in GRAMMAR["patterns"]} == set(RULES)


def scopes(line):
    """(text, scope) of what the rules find in a line, as an editor reads it: the first match wins,
    an earlier rule at the same place."""
    found, at = [], 0
    patterns = [(rule, re.compile(rule.get("match") or rule["begin"])) for rule in RULES.values()]
    while at < len(line):
        matches = [(match.start(), index, match, rule)
                   for index, (rule, pattern) in enumerate(patterns)
                   if (match := pattern.search(line, at))]
        if not matches:
            break
        _, _, match, rule = min(matches, key=lambda entry: entry[:2])
        if "name" in rule:
            found.append((match[0], rule["name"]))
        found += [(match[int(group)], own["name"]) for group, own in
                  rule.get("captures", {}).items() if match[int(group)] is not None]
        at = max(match.end(), at + 1)
    return found


def test_a_line_of_each_kind():
    assert scopes('use "my/a.toml" as t      # a #comment') == [
        ("use", "keyword.control.score"), ('"my/a.toml"', "string.quoted.double.score"),
        ("as", "keyword.other.score"), ("# a #comment", "comment.line.number-sign.score")]
    assert scopes("  +1/3  s.baj*  pluck re-' f=1.5N meend=F#4+14c") == [
        ("+1/3", "constant.numeric.time.score"), ("s.baj*", "variable.other.target.score"),
        ("pluck", "support.function.verb.score"), ("re-'", "constant.other.pitch.score"),
        ("f", "variable.parameter.option.score"), ("1.5", "constant.numeric.score"),
        ("N", "keyword.other.unit.score"), ("meend", "support.type.ornament.score"),
        ("F#4+14c", "constant.other.pitch.score")]
    assert ("uniform", "support.function.distribution.score") in scopes("let x ~ uniform(0, 30)")
    assert ("cos", "constant.language.shape.score") in scopes("0 t.a bend (0:re 0.5:ga/cos)")
    assert ("tintal", "constant.language.tala.score") in scopes("tala tintal")
    assert ("hall", "constant.language.room.score") in scopes("room\thall")
    assert scopes("{t + 1/2}  s.{name}_1  pluck")[:3] == [
        ("{t + 1/2}", "constant.numeric.time.score"), ("s.{name}_1", "variable.other.target.score"),
        ("pluck", "support.function.verb.score")]


@pytest.mark.parametrize("path", SCORES, ids=lambda path: path.stem)
def test_every_line_of_a_shipped_score_begins_with_what_it_is(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        _, kind = scopes(line)[0]
        if re.match(r"\s*[0-9+.-]|\s*grace", line):
            assert "support.function.verb.score" in {scope for _, scope in scopes(line)}, line
        else:
            assert kind.startswith(("comment", "keyword.control")) or "{" in line, line


def test_the_problems_of_check_are_matched():
    patterns = {pattern["name"]: re.compile(pattern["regexp"])
                for pattern in PACKAGE["contributes"]["problemPatterns"]}
    place = Place("my scores/a.score", 3, 10, "1 t.sa pluck")
    error = str(Problem(place, "t has no string sa")).splitlines()[0]
    warning = str(Problem(place, "warning: doubtful")).splitlines()[0]
    assert patterns["pysitar-error"].match(error).groups() == (
        "my scores/a.score", "3", "10", "t has no string sa")
    assert patterns["pysitar-warning"].match(warning).groups() == (
        "my scores/a.score", "3", "10", "warning", "doubtful")
    assert not patterns["pysitar-error"].match(warning)
    assert not patterns["pysitar-warning"].match(error)
