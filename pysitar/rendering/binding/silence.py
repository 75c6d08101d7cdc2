"""What would sound in a score in which nothing does."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pysitar.errors import Problem
from pysitar.models.definitions.parameters import PRESS, STRIKE, Verb
from pysitar.rendering.plan import PartPlan, StringPlan
from pysitar.score.timeline import SOUNDING
from pysitar.score.vocabulary import SOUNDING_VERBS, VERBS


def with_sounding(problems: Iterable[Problem], instruments: Iterable[tuple[Mapping[str, Verb], Sequence[PartPlan]]]) -> list[Problem]:
    """Return problems, in that of a score in which nothing sounds the verbs that sound on its instruments, each its verbs and parts."""
    found = {name for verbs, parts in instruments for name, verb in verbs.items() if _can(verb, parts)}
    words = [f"a {verb}" for verb in VERBS if verb in found & SOUNDING_VERBS]
    right = f"{', '.join(words[:-1])}{' or ' if words[1:] else ''}{words[-1]} would sound" if words else SOUNDING
    return [replace(problem, message=problem.message.removesuffix(SOUNDING) + right) if problem.message.endswith(SOUNDING) else problem
            for problem in problems]


def _can(verb: Verb, parts: Sequence[PartPlan]) -> bool:
    """Whether any part has what a verb needs: hammers, frets."""
    if verb is PRESS:
        return any(isinstance(part, StringPlan) and part.spec.frets is not None for part in parts)
    return verb is not STRIKE or any(part.spec.default_values(STRIKE.name) for part in parts)
