"""The table of lints: each entry names a function, and runs only where it applies."""
import importlib
import subprocess
import sys
import textwrap

import pytest

import pysitar
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.lint.physical import LINTS
from pysitar.rendering.options import options

FORCED = {"short_plucks", "large_plucks", "inaudible_events"}
STRING = FORCED | {"slow_contacts"}


def names(text):
    """Return the names of the lints that apply to the voices of a score."""
    score = pysitar.load_score(text=text)
    return {lint.name for voice in bind(score, options(score)).voices for lint in LINTS
            if lint.applies(voice, frozenset(event.verb for event in voice.events))}


@pytest.mark.parametrize("lint", LINTS, ids=lambda lint: lint.name)
def test_each_lint_is_a_function_of_its_module(lint):
    assert callable(
        getattr(importlib.import_module(f"pysitar.rendering.lint.{lint.name}"), lint.name))


@pytest.mark.parametrize(("text", "expected"), [
    ("use guitar as g\n0 g.e2 pluck", STRING),
    ("use guitar as g\n0 g.e2 pluck\n1 g.e2 damp", STRING | {"slow_dampers"}),
    ("use santoor as s\n0 s.sa_1 strike", {"slow_contacts", "inaudible_events"}),
    ("use guitar as g scheme=modal-explicit\n0 g.e2 pluck", FORCED | {"left_out_modes"}),
    ("use sitar as g scheme=fd-iterative\n0 g.baj pluck", FORCED | {"coarse_grids"}),
    ("use glass as o\n0 o.glass strike", {"short_contacts", "left_out_modes", "inaudible_events"}),
    ("use glass as o\n0 o.glass roll v=1 dur=1", {"left_out_modes", "inaudible_events"}),
    ("use guitar as g\n0 g.e2 pluck\nuse glass as o\n0 o.glass roll v=1 dur=1",
     STRING | {"left_out_modes"}),
])
def test_a_lint_applies_to_its_models_schemes_and_verbs(text, expected):
    assert names(text + "\n") == expected


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
    assert set(out.stdout.split()) == STRING | {"physical"}
