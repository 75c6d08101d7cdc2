"""The table of lints: each entry names a function, which runs only where it may find something."""
import importlib
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

import pysitar
from pysitar.rendering.binding import binder
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.lint import table
from pysitar.rendering.lint.table import LINTS, CheckedVoice
from pysitar.rendering.options import options
from pysitar.score.parser import parse

SCORES = sorted(Path(__file__).resolve().parents[3].glob("scores/*.score"))
# lints whose entry looks at values, as they do themselves, not at a model or a scheme alone
VALUES = {"short_plucks", "large_plucks", "inaudible_events", "slow_dampers"}
SHORT = "ramp=0.03ms release=0"


@pytest.fixture
def entered(monkeypatch):
    """Return the names of the lints whose modules binding a text enters."""
    found = set()
    check = table.Lint.check
    monkeypatch.setattr(table.Lint, "check",
                        lambda lint, subject: found.add(lint.name) or check(lint, subject))

    def of(text):
        found.clear()
        score = pysitar.load_score(text=text)
        binder.check(score, options(score))
        return found
    return of


@pytest.mark.parametrize("lint", LINTS, ids=lambda lint: lint.function or lint.name)
def test_each_lint_is_a_function_of_its_module(lint):
    module = importlib.import_module(f"pysitar.rendering.lint.{lint.name}")
    assert callable(getattr(module, lint.function or lint.name))


@pytest.mark.parametrize(("text", "expected"), [
    ("use guitar as g\n0 g.e2 pluck", set()),
    ("use guitar as g\n0 g.e2 pluck\n1 g.e2 damp", set()),
    ("use guitar as g\n0 g.e2 pluck\n1 g.e2 damp t60=0.1", {"slow_dampers"}),
    ("use guitar as g\n0 g.e2 pluck f=100", {"large_plucks"}),
    ("use guitar as g\n0 g.e2 pluck h=2cm", {"large_plucks"}),
    (f"use guitar as g\n0 g.e2 pluck {SHORT}", {"short_plucks"}),
    ("use guitar as g\nrender tail=0\n0 g.e2 pluck dur=0", {"inaudible_events"}),
    ("use guitar as g\nset g.gain = 2\n0 g.e2 pluck", set()),
    ("use guitar as g\nset g.gain = 2\nset g.gain = 3\n0 g.e2 pluck", {"overridden_values"}),
    ("use guitar as g\nrender oversample=1\n0 g.e2 pluck", set()),
    ("use tanpura as g\nset g.*.statics = false\nrender oversample=1\n0 g.pa pluck",
     {"slow_bridges"}),
    ("use guitar as g\nsweep g.gain = (1 2)\n0 g.e2 pluck", {"many_sounds"}),
    ("use guitar as g\nsection a\n0 g.e2 pluck\nend\nplay a", {"doubtful_sections"}),
    ("use guitar as g\nsection a\n0 g.e2 pluck\nend\nplay a f=*0.5",
     {"doubtful_sections", "force_factors"}),
    ("use guitar as g", {"silence"}),
    ("use santoor as s\n0 s.sa_1 strike", set()),
    ("use guitar as g scheme=modal-explicit\nset g.body.coupled = false\nset g.polarisation = 1\n"
     "0 g.e2 pluck",
     {"overridden_values"}),
    ("use guitar as g scheme=modal-explicit\nset g.body.coupled = false\nset g.polarisation = 1\n"
     "render oversample=1\n0 g.e2 pluck",
     {"left_out_modes", "overridden_values"}),
    ("use sitar as g scheme=fd-iterative\nset g.*.statics = false\n0 g.baj pluck",
     {"coarse_grids", "overridden_values"}),
    ("use glass as o\n0 o.glass strike", {"short_contacts"}),
    ("use glass as o\n0 o.glass roll v=1 dur=1", {"unsteady_sounds"}),
])
def test_a_lint_is_entered_only_where_it_may_find_something(entered, text, expected):
    assert entered(text + "\n") == expected


def test_a_broken_row_is_checked_to_its_end():
    parsed = parse("use guitar as g\n0 g.e2 pluck f= wodth=1\n", file="a.score", folder=Path())
    found = binder.check(parsed.score, options(parsed.score), problems=parsed.problems)
    assert [problem.place.col for problem in found.problems] == [16, 17]


def passed_lints(score, chosen):
    """Yield the lints of VALUES that do not apply, and what they find."""
    bound = bind(score, chosen)
    for voice in bound.voices:
        yield from passed_of(CheckedVoice(voice, chosen, bound.end))


def passed_of(checked):
    return ((lint, lint.check(checked)) for lint in LINTS
            if lint.name in VALUES and not lint.applies(checked))


@pytest.mark.parametrize(("path", "changes"), [
    *(pytest.param(path, {}, id=path.stem) for path in SCORES),
    *(pytest.param(path, {"oversample": 1, "rate": 22050}, id=f"{path.stem}-low")
      for path in SCORES[::3])])
def test_a_lint_that_does_not_apply_would_find_nothing(path, changes):
    score = pysitar.load_score(path)
    passed = list(passed_lints(score, options(score, **changes)))
    assert passed and all(found == [] for _, found in passed)


def bound_rows(head, rows):
    score = pysitar.load_score(text=head + "".join(rows))
    chosen = options(score)
    return bind(score, chosen), chosen


@pytest.mark.parametrize("use", [
    "guitar as s", "guitar as s\nset s.*.tension_modulation = true", "tanpura as s", "bass as s",
])
def test_plucks_that_do_not_apply_stretch_no_string(use):
    plucks = [f"f={0.05 * 1.5**n:g}" for n in range(20)] + [f"h={0.02 * 1.5**n:g}mm"
                                                            for n in range(14)]
    passed = 0
    for first in ("", "0 s.* fret 200Hz\n"):
        head = f"use {use}\nrender oversample=1\n{first}"
        rows = [f"{1 + n} s.* pluck {pluck}\n" for n, pluck in enumerate(plucks)]
        try:
            bound, chosen = bound_rows(head, rows)
        except pysitar.ScoreError:          # the fret is too high for one of the strings
            assert first and use in {"tanpura as s", "bass as s"}
            continue
        [voice] = bound.voices
        for time in {event.time for event in voice.events} - {0.0}:
            events = tuple(event for event in voice.events if event.time in {0.0, time})
            one = CheckedVoice(replace(voice, events=events), chosen, bound.end)
            names = {lint.name: found for lint, found in passed_of(one)}
            assert names.get("large_plucks", []) == []
            passed += "large_plucks" in names
    assert passed > 4


def test_a_pluck_imports_no_other_lint():
    program = textwrap.dedent("""
        import sys, pysitar
        from pysitar.rendering.binding.binder import bind
        from pysitar.rendering.options import options
        score = pysitar.load_score(text="use guitar as g\\n0 g.e2 pluck\\n")
        bind(score, options(score))
        prefix = "pysitar.rendering.lint."
        print(*sorted(name[len(prefix):] for name in sys.modules if name.startswith(prefix)))
    """)
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         check=True)
    assert set(out.stdout.split()) == {"table", "unsupported"}
