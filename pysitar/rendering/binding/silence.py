"""The verbs that can sound, for the problem of a score without sound."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pysitar.errors import Problem
from pysitar.models.definitions.parameters import PRESS, STRIKE, Verb
from pysitar.rendering.plan import PartPlan, StringPlan
from pysitar.score.timeline import SOUND_ADVICE
from pysitar.score.vocabulary import SOUNDING_VERBS, VERBS


def suggest_sounding_verbs(
    problems: Iterable[Problem],
    instruments: Iterable[tuple[Mapping[str, Verb], Sequence[PartPlan]]],
) -> list[Problem]:
    """Return problems, where that of a score without sound names the verbs that its instruments
    have.

    Parameters: instruments, the verbs and parts of each.
    """
    playable = {
        name
        for verbs, parts in instruments
        for name, verb in verbs.items() if _is_playable(verb, parts)
    }
    words = [f"a {verb}" for verb in VERBS if verb in playable & SOUNDING_VERBS]
    right = f"{', '.join(words[:-1])}{' or ' if words[1:] else ''}{words[-1]} would sound" if words else SOUND_ADVICE
    return [replace(problem, message=problem.message.removesuffix(SOUND_ADVICE) + right)
            if problem.message.endswith(SOUND_ADVICE) else problem for problem in problems]


def _is_playable(verb: Verb, parts: Sequence[PartPlan]) -> bool:
    """Return whether any part has the hammer or the frets that a verb needs."""
    if verb is PRESS:
        return any(isinstance(part, StringPlan) and part.spec.frets is not None for part in parts)
    return verb is not STRIKE or any(part.spec.default_values(STRIKE.name) for part in parts)
