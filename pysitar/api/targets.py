"""Which strings of a score are played: `t`, `t.pa`, `t.sa_*`, `t.*`, `*.pa`."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from pysitar.errors import ParameterError, suggest_name
from pysitar.models.definitions.registry import PARTS
from pysitar.rendering.plan import Bound, VoicePlan
from pysitar.score.vocabulary import SOUNDING_VERBS, matches_name

StringKey: TypeAlias = tuple[str, str]          # (voice, string)
Targets: TypeAlias = str | Sequence[str]        # one target, or several
WANTED = "expected an instrument or a string of the score: t, t.pa, t.*, *.pa"


def selected(bound: Bound, *, only: Sequence[str] = (), mute: Sequence[str] = ()) -> Bound:
    """Return a score with the events of some strings only; its end, its instruments and their tuning stay.

    Parameters: only, the targets, from `targets_of`, that are played (none: all); mute, those that are not, even if `only` has them.
    Errors: ParameterError for a target that is not there, and when nothing that sounds is left.
    """
    if not only and not mute:
        return bound
    kept = _kept(bound, only, mute)
    voices = tuple(
        replace(voice, events=tuple(event for event in voice.events if (voice.name, event.part) in kept)) for voice in bound.voices
    )
    if not any(event.verb in SOUNDING_VERBS for voice in voices for event in voice.events):
        name, given = ("mute", mute) if mute else ("only", only)
        raise ParameterError(name, " ".join(given), "that leaves nothing that sounds; expected other targets")
    return replace(bound, voices=voices)


def silenced(bound: Bound, *, only: Sequence[str] = (), mute: Sequence[str] = ()) -> frozenset[StringKey]:
    """Return the strings that these targets leave silent: those that are not played and share no body with others.

    Parameters and errors: as in `selected`.
    """
    if not only and not mute:
        return frozenset()
    kept = _kept(bound, only, mute)
    return frozenset(
        (voice.name, part.name) for voice in bound.voices if voice.spec.body is None or not voice.spec.body.coupled
        for part in voice.parts if (voice.name, part.name) not in kept)


def targets_of(name: str, given: Targets) -> tuple[str, ...]:
    """Return targets as a tuple.  Parameters: name, of the parameter; given, one or several.  Errors: ParameterError."""
    try:
        targets = (given,) if isinstance(given, str) else tuple(given)
    except TypeError:
        raise ParameterError(name, given, WANTED) from None
    for target in targets:
        parts = target.split(".") if isinstance(target, str) else []
        if not 1 <= len(parts) <= 2 or not all(part == "*" or part.isidentifier() for part in (parts[0], *_stems(parts[1:]))):
            raise ParameterError(name, target, WANTED)
    return targets


def strings_of(bound: Bound, name: str, targets: Sequence[str]) -> frozenset[StringKey]:
    """Return the strings that any of the targets means.

    Parameters: bound; name, of the parameter; targets, from `targets_of`.
    Errors: ParameterError for one that means none, with the nearest known name.
    """
    found: set[StringKey] = set()
    for target in targets:
        voice_name, _, part_name = target.partition(".")
        voices = [voice for voice in bound.voices if voice_name in {"*", voice.name}]
        if not voices:
            known = suggest_name(voice_name, [voice.name for voice in bound.voices])
            raise ParameterError(name, target, f"the score has no instrument of that name; {known}")
        keys = [(voice.name, part.name) for voice in voices for part in voice.parts if not part_name or matches_name(part_name, part.name)]
        if not keys:
            who = "no instrument has" if voice_name == "*" else f"{voice_name} has not"
            known = suggest_name(part_name.rstrip("*"), [part.name for voice in voices for part in voice.parts])
            raise ParameterError(name, target, f"{who} this {_word(voices)}; {known}")
        found.update(keys)
    return frozenset(found)


def _kept(bound: Bound, only: Sequence[str], mute: Sequence[str]) -> frozenset[StringKey]:
    """The strings that are played."""
    return strings_of(bound, "only", only or ("*",)) - strings_of(bound, "mute", mute)


def _stems(parts: Sequence[str]) -> list[str]:
    """Parts of a target without the star that stands for the rest of a name."""
    return [part if part == "*" else part.removesuffix("*") for part in parts]


def _word(voices: Sequence[VoicePlan]) -> str:
    """What a part of these instruments is called."""
    words = dict.fromkeys(PARTS[voice.spec.model][0] for voice in voices)
    return " or ".join(words)
