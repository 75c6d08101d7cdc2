"""Expressions, named values, chance and repeats."""
import math
import random
from itertools import pairwise
from pathlib import Path

import pytest
from score_texts import bind_text

from pysitar.errors import ScoreError
from pysitar.kernels.core import elementary
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.score import repeats
from pysitar.score.chance import Chance, Distribution
from pysitar.score.expressions import (
    MAX_DEPTH,
    Amount,
    ExpressionError,
    compile_expression,
    evaluate,
)
from pysitar.score.parser import load_score, parse_score, with_seed
from pysitar.score.timeline import events

HEAD = "use guitar as g\nuse tanpura as t\n"


def played(text):
    return events(load_score(text=HEAD + text))


def value(text, **names):
    return evaluate(compile_expression(text), names)


def refused(text):
    with pytest.raises(ScoreError) as caught:
        load_score(text=HEAD + text)
    return [(one.place.line, one.place.col, one.message) for one in caught.value.problems]


@pytest.mark.parametrize(("text", "number"), [
    ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 - 2 - 1", 4), ("8 / 2 / 2", 2), ("-2 * -3", 6),
    ("--1", 1), ("2 - -1", 3), (" 1e-3*1E3 ", 1), (".5+1.", 1.5), ("1/3", 1 / 3)])
def test_numbers_follow_the_rules_of_arithmetic(text, number):
    assert value(text) == Amount(number)


def test_random_expressions_have_the_value_of_python():
    chance = random.Random(5)

    def made(depth):
        if depth == 0 or chance.random() < 0.3:
            return f"{chance.choice([1, 2.5, 0.125, 7])}"
        if chance.random() < 0.2:
            return f"-{made(0)}"
        left, right = made(depth - 1), made(depth - 1)
        return f"({left} {chance.choice('+-*/')} {right})"
    for _ in range(300):
        text = made(4)
        try:
            expected = eval(text)
        except ZeroDivisionError:
            continue
        assert value(text).value == expected, text


def test_units_of_expressions():
    assert value("2N * 3 + 1N") == Amount(7.0, "N") == value("x * 3 + 1N", x=Amount(2.0, "N"))
    assert value("6N / 3N") == Amount(2.0) and value("1 + 50%/1%") == Amount(51.0)
    assert value("-2ms") == Amount(-2.0, "ms") and value("x", x="sa'") == "sa'"
    assert value("1s + 250ms") == Amount(1.25, "s") and value("250ms - 1s") == Amount(-750.0, "ms")
    assert value("1cm / 5mm") == Amount(2.0)
    for wrong in ("1N + 1", "1N * 1N", "1 / 1N", "1N + 1s", "x + 1", "1 2", "2 *", "()", "1 $ 2",
                  "1e308 * 10", "y", ""):
        with pytest.raises(ExpressionError):
            value(wrong, x="sa")


def test_deep_and_long_expressions_are_read_or_refused():
    assert value("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH) == Amount(1.0)
    with pytest.raises(ExpressionError, match="deeper than"):
        value("(" * 100_000)
    assert value("1" + "+1" * 50_000) == Amount(50_001.0) and value("-" * 100_001 + "1").value == -1


def test_values_stand_wherever_a_word_does():
    made = played("let f = 0.5N\nlet string = g.e2\nlet c = (0:E2 1:F2)\nlet third = 1/3\n"
                  "0 {string} pluck f={2 * f}\n{third} g.{'a2'} pluck".replace("{'a2'}", "a2")
                  + "\n1 g.e2 bend {c}\nset {string}.pluck.force = {f}")
    assert [event.time for event in made] == [0, 1 / 3, 1]
    assert made[0].arguments["f"].value.value == 1.0 and made[2].curve is not None


def test_a_repeat_counts_from_0():
    made = played("repeat 3 as i\n  {2 * i} t.pa pluck\n  repeat 2\n    + t.pa pluck dur=1/2\n"
                  "  end\nend\n20 t.pa pluck")
    assert [event.time for event in made] == [0, 1, 1.5, 2, 3, 3.5, 4, 5, 5.5, 20]
    # in a section, with plays and tempos
    assert [event.time for event in played(
        "section a\n0 t.pa pluck\nend\nsection b\nrepeat 3 as i\nplay a at={i * i}\nend\nend\n"
        "play b at=1")] == [1, 2, 5]


def test_counters_and_values_end_with_their_repeat():
    assert len(played("repeat 2 as i\nlet x = {i}\n{x} t.pa pluck\nend\n"
                      "repeat 2 as i\nlet x = {i}\n{x} t.pa pluck\nend")) == 4
    assert refused("repeat 2 as i\n0 t.pa pluck\nend\n{i} t.pa pluck") == [
        (6, 2, "no value is named i; expected let NAME = ... above")]
    assert refused("let i = 2\nrepeat 2 as i\n0 t.pa pluck\nend") == [
        (4, 13, "i is already a value here; expected another name")]


def test_an_error_in_a_repeat_is_reported_once_at_its_place():
    assert refused("repeat 90 as i\n{i} t.pa pluck f={i - 40}kN\nend\n0 t.pa pluk") == [
        (4, 18,
         "kN is not a unit; did you mean N, mN or kg?"),
        (6, 8, "pluk is not a verb; did you mean pluck?")]
    assert refused("repeat 2 as i\nuse tanpura as x\nsection b\n0 t.pa pluck\nend\n0 t.pa pluck\n"
                   "end\nplay b") == [
        (4, 1, "use is inside a repeat; expected it outside"),
        (5, 1, "section is inside a repeat; expected it outside")]
    assert refused("repeat x as i\n{i} t.pa pluk\nend") == [
        (3, 8, "x is not a count; expected a whole number from 1 to 1000000: repeat 8 as i"),
        (4, 10, "pluk is not a verb; did you mean pluck?")]
    # a wrong value of let has no further errors
    assert refused("let f ~ unifrm(0, 1)\n0 t.pa pluck f={f}\n{f + 1} t.pa pluck") == [
        (3, 9, "unifrm is not a distribution; did you mean uniform?")]


def test_repeats_have_a_limit(monkeypatch):
    monkeypatch.setattr(repeats, "MAX_LINES", 1000)
    text = "repeat 900 as i\nrepeat 900 as j\n{i + j} t.pa pluck\nend\nend"
    assert [problem[:2] for problem in refused(text)] == [(4, 1)]
    nested = "repeat 1\n" * 17 + "0 t.pa pluck\n" + "end\n" * 17
    assert refused(nested)[0][2] == "repeats nest deeper than 16 levels; expected fewer"
    refused("repeat 1\n" * 5000)


# ---- chance

def draws(distribution, count, seed=1):
    chance = Chance(seed)
    return [chance.draw("x", distribution, ("", 1)) for _ in range(count)]


def numbers(*args, count=4000, **limits):
    return [amount.value for amount in draws(Distribution(*args, **limits), count)]


def kolmogorov(sample, distribution):
    """The largest distance between the distribution of a sample and a function."""
    ordered, size = sorted(sample), len(sample)
    return max(max(abs(distribution(x) - index / size), abs(distribution(x) - (index + 1) / size))
               for index, x in enumerate(ordered))


def normal_below(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@pytest.mark.parametrize(("args", "limits", "below"), [
    (("uniform", (2.0, 5.0)), {}, lambda x: (x - 2.0) / 3.0),
    (("loguniform", (0.1, 10.0)), {}, lambda x: 0.5 * (1.0 + math.log10(x))),
    (("exponential", (0.3,)), {}, lambda x: 1.0 - math.exp(-x / 0.3)),
    (("exponential", (0.3,)), {"low": 0.1, "high": 0.5},
     lambda x: (1.0 - math.exp(-(x - 0.1) / 0.3)) / (1.0 - math.exp(-0.4 / 0.3))),
    (("normal", (1.0, 0.5)), {}, lambda x: normal_below((x - 1.0) / 0.5)),
    (("normal", (1.0, 0.5)), {"low": 0.5, "high": 3.0},
     lambda x: (normal_below((x - 1.0) / 0.5) - normal_below(-1.0))
     / (normal_below(4.0) - normal_below(-1.0))),
], ids=["uniform", "loguniform", "exponential", "exponential within", "normal", "normal within"])
def test_the_distributions_are_those_of_their_names(args, limits, below):
    """Kolmogorov and Smirnov: over 1.95 / sqrt(n) in one of a thousand; a wrong one is far over."""
    sample = numbers(*args, **limits)
    assert kolmogorov(sample, below) < 1.95 / math.sqrt(len(sample))
    assert min(sample) >= limits.get("low", -math.inf) and max(sample) <= limits.get(
        "high", math.inf)
    assert kolmogorov([1.2 * x for x in sample], below) > 1.95 / math.sqrt(len(sample))


def test_a_normal_number_far_outside_its_limits_is_at_the_limit():
    assert set(numbers("normal", (0.0, 1.0), low=30.0, high=31.0, count=5)) == {30.0}


def test_choices_are_alike_and_chains_follow_their_list():
    counts = {}
    for item in draws(Distribution("choice", items=("a", "b", "c")), 3000):
        counts[item] = counts.get(item, 0) + 1
    # the deviation is sqrt(3000 * 2 / 9) = 26
    assert all(abs(count - 1000) < 104 for count in counts.values()) and len(counts) == 3
    assert draws(Distribution("cycle", items=("a", "b", "a")), 5) == ["a", "b", "a", "a", "b"]
    chain = draws(Distribution("markov", items=("sa", "re", "ga", "re")), 2000)
    assert chain[0] == "sa"
    pairs = dict.fromkeys(pairwise(chain), 0)
    for pair in pairwise(chain):
        pairs[pair] += 1
    # the list is a circle: sa re ga re sa ...; after re, ga and sa come equally often
    assert set(pairs) == {("sa", "re"), ("re", "ga"), ("ga", "re"), ("re", "sa")}
    assert abs(pairs["re", "ga"] - pairs["re", "sa"]) < 4 * math.sqrt(1000)


BALLS = """use wood_table as w
render seed={seed}
repeat {count} as i
  let t ~ uniform(0s, 30s)
  let h ~ exponential(0.3m) min=0.05m max=1m
  {{t}} w.table drop h={{h}}
end
"""


def test_the_same_seed_draws_the_same_score():
    made = [parse_score(BALLS.format(seed=seed, count=count), file="x", folder=Path())
            for seed, count in ((7, 100), (7, 100), (8, 100), (7, 150))]
    first, again, other, more = ([row.time.amount for row in score.main.rows] for score in made)
    assert first == again == more[:100] and not set(first) & set(other)
    assert with_seed(made[2], 7).score.main == made[0].main
    assert with_seed(made[0], 7).score is made[0]
    seeded = bind_text(BALLS.format(seed=8, count=100), seed=7)
    assert sorted(first) == [event.time for event in seeded.voices[0].events]


def test_the_draws_do_not_depend_on_the_library_of_the_machine():
    """Golden numbers: SHA-256, and functions of elementary alone."""
    assert [value.value for value in draws(Distribution("normal", (0.0, 1.0)), 2)] == [
        NORMAL_0, NORMAL_1]
    assert numbers("exponential", (1.0,), count=1) == [-elementary.log1p(-UNIFORM_0)]


NORMAL_0, NORMAL_1, UNIFORM_0 = 0.5676494082650638, -0.5650950165797117, 0.21400731334216339


def test_the_flat_score_has_no_repeats():
    text = BALLS.format(seed=3, count=40)
    score = load_score(text=text)
    bound = bind_text(text)
    flat = flatten_score(score, bound)
    assert "repeat" not in flat and "let" not in flat.replace("table", "")
    again = bind_text(flat)
    assert [event[:5] for event in bound.voices[0].events] == [
        event[:5] for event in again.voices[0].events]
