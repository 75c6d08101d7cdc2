"""The grammar in docs/grammar.md is that of the parser: its sentences are valid, and others are
errors."""
import random
import re
from functools import cache
from pathlib import Path

import pytest

from pysitar.score.literals import UNITS
from pysitar.score.parser import HANDLERS, parse
from pysitar.score.pitch import LETTERS
from pysitar.score.vocabulary import (
    KEYWORDS,
    ORNAMENTS,
    PLAY_NAMES,
    RENDER_NAMES,
    RESERVED,
    SHAPES,
    TALAS,
    VERBS,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "grammar.md"
[TEXT] = re.findall(r"^```ebnf\n(.*?)^```$", PAGE.read_text(encoding="utf-8"),
                    re.MULTILINE | re.DOTALL)
TOKEN = re.compile(
    r"""\s+|\(\*.*?\*\)|(?P<word>[a-z][a-z0-9 ]*[a-z0-9]|[a-z])|(?P<text>"[^"]*"|'[^']*')"""
    r"|(?P<special>\?[^?]*\?)"
    r"|(?P<sign>[=,|;()\[\]{}-])", re.DOTALL)

# Errors beyond the form, in sentences of the grammar: numbers, order, names, files.
BEYOND = [
    re.compile(pattern) for pattern in (
        # sizes
        r"is too large",
        r"octave is 1200c",
        r"fewer octaves or cents",
        r"1000000 beats per minute",
        r"a whole number from 1 to",
        r"above 0\b",
        r"below 0;",
        r"of 0 or later",
        r"matra from 1 \(1:1\)",
        r"-1 \(left\) to 1",
        r"^spread is .*; expected -1 to 1",
        r"^the factor is 0;",
        r"-[\de.+]+k?Hz is not a pitch",
        r"octave marks",
        # order
        r"not after its start",
        r"times that increase",
        r"a third point at the same time",
        r"before the event;",
        r"the lower end first",
        r"exp needs values of one sign",
        r"both ends above 0, or both below",
        # twice, or missing
        r"^\S+ is given twice",
        r"the pitch is given twice",
        r"is already .*; expected one value",
        r"^a second section",
        r"needs its pitch",
        # names and files
        r"no instrument is named",
        r"no section is named",
        r"expected no cycle",
        r"no such file|cannot be read",
        r"no earlier event on",
        r"a bar needs",
        r"before the start; expected its note later",
        r"divides by 0",
        r"at most 9 digits",
        r"a second tempo at",
        # of expressions, chance and repeats
        r"^no value is named",
        r"do not add",
        r"is no unit of a score",
        r"a division by 0",
        r"not a finite number",
        r"is already a value here",
        r"one value is in",
        r"a logarithmic range includes 0",
        r"the (deviation|mean) is",
        r"no value of exponential is below 0",
        r"max is not above",
        r"is inside a repeat",
        r"is not a number; expected it alone",
        # of feel
        r"^swing is .*; expected 10% to 90%",
        r"^accent is .*; expected a factor",
        r"^(time|force|pitch|seed) is .*; expected (0 to|a whole number from 0)",
        r"^nothing varies",
        r"^the length is .*; expected beats from",
        r"^a second (swing|accent|humanise|room)",
        r"^wet is .*; expected -100",
        r"^loudness (is .*; expected -60|is that of a stem|and gain both)",
        r"no note follows",
    )
]


# ---- a small reader of EBNF: a rule is ("text", t), ("rule", name), ("all", [..]), ("one", [..]),
# ("maybe", r), ("many", r, least)

class Reader:
    def __init__(self, text):
        self.tokens = []
        at = 0
        while at < len(text):
            match = TOKEN.match(text, at)
            assert match, text[at:at + 40]
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match[0]))
            at = match.end()
        self.at = 0

    def take(self, sign=None):
        kind, text = self.tokens[self.at]
        assert sign is None or text == sign, (text, sign, self.tokens[self.at - 5:self.at + 5])
        self.at += 1
        return kind, text

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def rules(self):
        found = {}
        while self.at < len(self.tokens):
            _, name = self.take()
            assert name not in found, name
            self.take("=")
            found[name] = self.one()
            self.take(";")
        return found

    def one(self):
        choices = [self.all()]
        while self.peek() == "|":
            self.take()
            choices.append(self.all())
        return choices[0] if len(choices) == 1 else ("one", choices)

    def all(self):
        parts = [self.part()]
        while self.peek() == ",":
            self.take()
            parts.append(self.part())
        return parts[0] if len(parts) == 1 else ("all", parts)

    def part(self):
        kind, text = self.take()
        if kind == "word":
            return ("rule", text)
        if kind == "text":
            return ("text", text[1:-1])
        if kind == "special":
            return ("special", text.strip("? "))
        inside = self.one()
        self.take({"(": ")", "[": "]", "{": "}"}[text])
        if text == "(":
            return inside
        if text == "[":
            return ("maybe", inside)
        least = 0
        if self.peek() == "-":          # not nothing
            self.take()
            least = 1
        return ("many", inside, least)


RULES = Reader(TEXT).rules()
SPECIAL = {name: rule[1] for name, rule in RULES.items() if rule[0] == "special"}
WORDS = "|".join(sorted(RESERVED))
NAME = r"[^\W\d][\w\u0900-\u0963]*"          # Python's \w has no vowel signs
PATTERNS = {
    "name": rf"(?!(?:{WORDS})(?!\w)){NAME}",
    "name but dur and pitch": rf"(?!(?:{WORDS}|dur|pitch)(?!\w)){NAME}",
    "file": r'[^"\n]+',
    "character": r'[^"\n]',
    "character but a blank or parenthesis": r'[^"\n \t()]',
    "comment": r"#[^\n]*",
    "gap": r"[ \t]+",
    "newline": r"\n",
}
SHORT = {"statement": "use b as c", "placed": r"0 b\.a pluck"}
NAMES = ["a", "t", "pa", "sitar1", "_x", "नाम", "x", "f", "Kanon", "gain", "é2", "dB", "sa1", "d",
         "m"]


def made(chance, rule):
    """A sentence of a rule."""
    kind = rule[0]
    if kind == "text":
        return rule[1]
    if kind == "all":
        return "".join(made(chance, part) for part in rule[1])
    if kind == "one":
        return made(chance, chance.choice(rule[1]))
    if kind == "maybe":
        return made(chance, rule[1]) if chance.random() < 0.5 else ""
    if kind == "many":
        return "".join(
            made(chance, rule[1]) for _ in range(rule[2] + chance.choice([0, 0, 1, 1, 2])))
    name = rule[1]
    if name not in SPECIAL:
        return made(chance, RULES[name])
    return {
        "name": lambda: chance.choice(NAMES),
        "name but dur and pitch": lambda: chance.choice(NAMES),
        "file": lambda: "no such (file) #1",
        "character": lambda: chance.choice("ab #(=)~*न"),
        "character but a blank or parenthesis": lambda: chance.choice("ab#=:/~*न"),
        "comment": lambda: "#" + chance.choice(["", " a \"comment\"", " (", "#"]),
        "gap": lambda: chance.choice([" ", " ", "  ", "\t"]),
        "newline": lambda: chance.choice(["\n", "\n", "\r\n"]),
    }[name]()


@cache
def pattern(name, short=False):
    """A rule as a regular expression: no rule is in itself.  short: with one statement of each
    kind."""
    if short and name in SHORT:
        return SHORT[name]
    return PATTERNS[name] if name in PATTERNS else regular(RULES[name], short)


def regular(rule, short):
    kind = rule[0]
    if kind == "text":
        return re.escape(rule[1])
    if kind == "all":
        return "".join(regular(part, short) for part in rule[1])
    if kind == "one":
        return "(?:" + "|".join(regular(part, short) for part in rule[1]) + ")"
    if kind == "maybe":
        return f"(?:{regular(rule[1], short)})?"
    if kind == "many":
        return f"(?:{regular(rule[1], short)})" + ("+" if rule[2] else "*")
    return f"(?:{pattern(rule[1], short)})"


@cache
def lines():
    return re.compile(pattern("line"))


def problems(text):
    """Return the errors of form that the parser finds in a text."""
    found = parse(text, file="x.score", folder=Path("/nowhere")).problems
    return [problem.message for problem in found
            if not any(beyond.search(problem.message) for beyond in BEYOND)]


def sentences(count, start, seed):
    chance = random.Random(seed)
    return [made(chance, ("rule", start)) for _ in range(count)]


# ---- the grammar itself

def named(rule):
    if rule[0] == "rule":
        return {rule[1]}
    inside = rule[1] if rule[0] in {"all", "one"
                                    } else [rule[1]] if rule[0] in {"maybe", "many"} else []
    return set().union(*map(named, inside))


def texts(rule):
    if rule[0] == "text":
        return {rule[1]}
    inside = rule[1] if rule[0] in {"all", "one"
                                    } else [rule[1]] if rule[0] in {"maybe", "many"} else []
    return set().union(*map(texts, inside))


def test_every_rule_is_there_and_used():
    used = set().union(*map(named, RULES.values()))
    assert used | {"score"} == set(RULES)
    assert set(SPECIAL) == set(PATTERNS)


def test_every_word_of_the_parser_is_in_it():
    every = set().union(*map(texts, RULES.values()))
    words = {word.rstrip("=*") for word in every}
    # every statement begins with its keyword, in the rule of its name
    assert set(HANDLERS) == set(KEYWORDS) and words >= {*KEYWORDS, "as"}
    assert words >= {
        *VERBS, *ORNAMENTS, *RENDER_NAMES, *PLAY_NAMES, *TALAS, *SHAPES, *UNITS, *LETTERS, "dur",
        "just", "edo", "shruti", '.scl"', "linear", "log", "uniform", "loguniform", "n", "sa",
        "pow", "gain", "pan"}
    # and no word is that the parser does not know
    assert texts(RULES["option"]) - {"="} == set(RENDER_NAMES) and texts(
        RULES["plain unit"]) | {"st"} == set(UNITS)
    assert texts(RULES["row"]) | texts(RULES["struck"]) | texts(RULES["plucked"]) == {
        *VERBS, "rest", "pitch="}
    assert texts(RULES["tala"]) - {"tala", "+"} == set(TALAS) and texts(
        RULES["shape"]) == {*SHAPES, "pow"}


# ---- the parser knows it


@pytest.mark.parametrize("start", ["use", "render", "tuning", "tala", "set", "mix", "sweep", "draw",
                                   "include", "tempo", "play", "swing", "accent", "humanise",
                                   "let", "row"])
def test_what_the_grammar_makes_is_read(start):
    for text in sentences(60, start, seed=start):
        assert problems(text) == [], text
        assert lines().fullmatch(text + "\n"), text          # the recogniser is right, too


def test_whole_scores_are_read():
    for text in sentences(80, "score", seed=1):
        assert problems(text) == [], text


# ---- and nothing else

def mutated(chance, text):
    """Return a sentence with, in most cases, one error."""
    words = re.split(r"([ \t]+)", text)
    at = chance.randrange(len(text))
    kinds = [
        lambda: text[:at] + text[at + 1:],
        lambda: text[:at] + chance.choice("=,:;()\"+-*.~@5aßs#/^") + text[at:],
        lambda: text[:at] + chance.choice("=,:()\"+-*.5as ") + text[at + 1:],
        lambda: "".join(words[:-2]),
        lambda: text + chance.choice([" x", " re", " 5", ",", ")", '"', " a=", " =b", " 3mm"]),
        lambda: "".join(words[2:]),
        lambda: "".join(chance.sample(words, len(words))),
    ]
    return chance.choice(kinds)()


@pytest.mark.parametrize("start", ["use", "render", "tuning", "tala", "set", "mix", "sweep", "draw",
                                   "include", "tempo", "play", "row"])
def test_what_it_does_not_make_is_refused(start):
    """A changed line is valid if and only if it is a sentence of the grammar."""
    chance = random.Random(start)
    refused = 0
    for text in sentences(60, start, seed=start):
        wrong = mutated(chance, text)
        if lines().fullmatch(wrong + "\n"):
            assert problems(wrong) == [], wrong
        else:
            refused += 1
            assert parse(wrong, file="x.score", folder=Path("/nowhere")).problems, wrong
    assert refused > 40


@pytest.mark.parametrize("text", [
    "0 t.pa damp re",
    "0 t.pa strike (0:re 1:ga)",
    "0 t.pa throw pitch=re",
    "0 t.pa strum re",
    "0 t.pa pluck (0:re 1:ga)",
    "0 t.pa.x pluck",
    "0 *.pa pluck",
    "0 t.*a pluck",
    "use t.toml as t",
    "use t as use",
    "render",
    "tuning",
    "tuning just sa=C3",
    "tuning sa=re",
    "tala 5 + 5",
    "set t = 1",
    "set t.x 1",
    "set t.x = 1 2",
    "mix t",
    "mix t gain=1N",
    "mix t f=2",
    "sweep t.x = linear(1, 2)",
    "sweep t.x ~ log(1, 2, 3)",
    "draw t.x ~ uniform(1, 2)",
    "tempo",
    "tempo 0 60 -> 90",
    "tempo 60 -> 90 @ 3",
    "play a at=+2",
    "play a every=3:1",
    "play a f=0.9",
    "include a.score",
    'include "a.score" times=2',
    "0 t.pa pluck f=(1 0:2)",
    "0 t.pa bend (0:440Hz 1:450N)",
    "0 t.pa pluck f=(0:1N/spline)",
    "0 t.pa pluck f=*2",
    "0 t.pa pluck re f",
    "0t.pa pluck",
    "x t.pa pluck",
    "+3:2 t.pa pluck",
    "3:2s t.pa pluck",
    "0 t.pa pluck ma-",
    "1/3s t.pa pluck",
    "1.5/3 t.pa pluck",
    "-1/3 t.pa pluck",
    "0 t.pa pluck dur=1/3/4",
    "0 t.pa rest f=1N",
    "0 t.pa rest re",
    "swing",
    "swing 60%%",
    "swing 60% 1/2 3",
    "swing 60% 200ms",
    "accent",
    "accent every=2",
    "accent 1 0.5 unit=2",
    "humanise",
    "humanise tempo=2",
    "humanise time=3N",
    "humanise 8ms",
])
def test_what_looks_like_a_sentence_and_is_none(text):
    assert not lines().fullmatch(text + "\n") and problems(text)


@pytest.mark.parametrize("text", ["section a\nend x\n", "end\n", "section a\nsection b\nend\nend\n",
                                  "section a\nuse b as c\nend\n", "section a\n", "section a end\n"])
def test_sections_nest_as_it_says(text):
    whole = re.compile(pattern("score", short=True))
    assert not whole.fullmatch(text) and problems(text)
    assert whole.fullmatch("use b as c\nsection a\n0 b.a pluck\nend\n")
