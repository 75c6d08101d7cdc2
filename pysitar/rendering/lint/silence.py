"""The verbs that can sound, for the problem of a score without sound."""
from __future__ import annotations

from pysitar.errors import Problem
from pysitar.models.definitions.registry import MODELS
from pysitar.rendering.lint.table import CheckedScore
from pysitar.score.timeline import SOUND_ADVICE
from pysitar.score.vocabulary import SOUNDING_VERBS, VERBS


def silence(checked: CheckedScore) -> list[Problem]:
    """Return the problem of a score without sound, with the verbs that its instruments have."""
    playable = {
        name
        for voice in checked.voices
        for name, verb in MODELS[voice.spec.model][voice.spec.scheme].items()
        if any(verb.gesture.is_playable(part.spec) for part in voice.parts)
    }
    words = [f"a {verb}" for verb in VERBS if verb in playable & SOUNDING_VERBS]
    advice = SOUND_ADVICE
    if words:
        advice = f"{', '.join(words[:-1])}{' or ' if words[1:] else ''}{words[-1]} would sound"
    return [problem._replace(message=problem.message.removesuffix(SOUND_ADVICE) + advice)
            for problem in checked.timeline.problems if problem.message.endswith(SOUND_ADVICE)]
