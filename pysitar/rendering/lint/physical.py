"""The table of lints: each checks one voice for something physically doubtful, before a sample is
computed."""
from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from pysitar.errors import Problem
from pysitar.models.network.explicit_modes import MODAL_EXPLICIT
from pysitar.models.network.grid import GRID_SCHEMES
from pysitar.rendering.options import Options
from pysitar.rendering.plan import VoicePlan
from pysitar.score.timeline import Event

ANY: frozenset[str] = frozenset()
DENSE_SCHEMES = ("two-point", "three-point")  # those with one system for all contact forces


class Lint(NamedTuple):
    """A check of one voice.

    Parameters: name, of its module in this folder and of its function there; models, schemes and
    verbs that it applies to (ANY: all); needs_end, whether the function takes the end of the last
    event (s) after the voice and the options.
    """

    name: str
    models: frozenset[str] = ANY
    schemes: frozenset[str] = ANY
    verbs: frozenset[str] = ANY
    needs_end: bool = False

    def applies(self, voice: VoicePlan, verbs: frozenset[str]) -> bool:
        """Return whether the lint applies to a voice with events of these verbs."""
        return ((not self.models or voice.spec.model in self.models)
                and (not self.schemes or voice.spec.scheme in self.schemes)
                and (not self.verbs or not self.verbs.isdisjoint(verbs)))

    def warnings(self, voice: VoicePlan, options: Options, end: float) -> Sequence[Problem]:
        """Import and run the lint; return its warnings."""
        function = getattr(import_module(f"pysitar.rendering.lint.{self.name}"), self.name)
        arguments = (voice, options, end) if self.needs_end else (voice, options)
        found: Sequence[Problem] = function(*arguments)
        return found


LINTS = (
    Lint("slow_dampers", models=frozenset({"string"}), verbs=frozenset({"damp"})),
    Lint("short_contacts", models=frozenset({"lumped", "impact"}),
         verbs=frozenset({"throw", "strike", "drop"})),
    Lint("short_plucks", verbs=frozenset({"pluck"})),
    Lint("left_out_modes", models=frozenset({"impact"})),
    Lint("left_out_modes", schemes=frozenset({MODAL_EXPLICIT})),
    Lint("large_plucks", verbs=frozenset({"pluck"})),
    Lint("coarse_grids", schemes=frozenset(GRID_SCHEMES)),
    Lint("slow_contacts", models=frozenset({"string"}), schemes=frozenset(DENSE_SCHEMES)),
    Lint("inaudible_events", needs_end=True),
)


def physical_warnings(
    voices: Sequence[VoicePlan], options: Options, end: float,
) -> list[Problem]:
    """Return the warnings of all lints.

    Parameters: end, the latest start + duration of all events (s).
    """
    found: list[Problem] = []
    for voice in voices:
        verbs = frozenset(event.verb for event in voice.events)
        for lint in LINTS:
            if verbs and lint.applies(voice, verbs):
                found += lint.warnings(voice, options, end)
    return found


def factor_warnings(events: Sequence[Event]) -> list[Problem]:
    """Return the warnings about the force factors of plays."""
    if all(event.scaling_play is None for event in events):
        return []
    from pysitar.rendering.lint.force_factors import unscaled_rows
    return unscaled_rows(events)
