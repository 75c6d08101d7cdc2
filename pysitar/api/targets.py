"""Targets that choose strings of a score: `t`, `t.pa`, `t.sa_*`, `t.*`, `*.pa`."""
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
EXPECTED = "expected an instrument or a string of the score: t, t.pa, t.*, *.pa"


def select_strings(bound: Bound, *, only: Sequence[str] = (), mute: Sequence[str] = ()) -> Bound:
    """Return a score with the events of some strings alone; the end, instruments and tuning of the
    score are kept.

    Parameters: only, targets from `parse_targets` that are played (none: all); mute, targets that
    are not played, even if `only` includes them.
    Errors: ParameterError for a target that is not in the score, and if no sounding event remains.
    """
    if not only and not mute:
        return bound
    kept = _played_strings(bound, only, mute)
    voices = tuple(
        replace(voice, events=tuple(event for event in voice.events
                                    if (voice.name, event.part) in kept)) for voice in bound.voices)
    if not any(event.verb in SOUNDING_VERBS for voice in voices for event in voice.events):
        name, requested = ("mute", mute) if mute else ("only", only)
        raise ParameterError(name, " ".join(requested),
                             "no sounding event remains; expected other targets")
    return replace(bound, voices=voices)


def silent_strings(bound: Bound, *, only: Sequence[str] = (),
                   mute: Sequence[str] = ()) -> frozenset[StringKey]:
    """Return the strings that these targets leave silent: not played, and without a body in common.

    Parameters and errors: as in `select_strings`.
    """
    if not only and not mute:
        return frozenset()
    kept = _played_strings(bound, only, mute)
    return frozenset((voice.name, part.name) for voice in bound.voices
                     if voice.spec.body is None or not voice.spec.body.coupled
                     for part in voice.parts if (voice.name, part.name) not in kept)


def parse_targets(name: str, requested: Targets) -> tuple[str, ...]:
    """Return targets as a tuple.

    Parameters: name, of the parameter; requested, one target or several.
    Errors: ParameterError.
    """
    try:
        targets = (requested,) if isinstance(requested, str) else tuple(requested)
    except TypeError:
        raise ParameterError(name, requested, EXPECTED) from None
    for target in targets:
        parts = target.split(".") if isinstance(target, str) else []
        if not 1 <= len(parts) <= 2 or not all(part == "*" or part.isidentifier()
                                               for part in (parts[0], *_without_stars(parts[1:]))):
            raise ParameterError(name, target, EXPECTED)
    return targets


def match_strings(bound: Bound, name: str, targets: Sequence[str]) -> frozenset[StringKey]:
    """Return the strings that match any of the targets.

    Parameters: name, of the parameter; targets, from `parse_targets`.
    Errors: ParameterError for a target that matches none, with the nearest name.
    """
    found: set[StringKey] = set()
    for target in targets:
        voice_name, _, part_name = target.partition(".")
        voices = [voice for voice in bound.voices if voice_name in {"*", voice.name}]
        if not voices:
            known = suggest_name(voice_name, [voice.name for voice in bound.voices])
            raise ParameterError(name, target, f"the score has no instrument of that name; {known}")
        keys = [(voice.name, part.name) for voice in voices for part in voice.parts
                if not part_name or matches_name(part_name, part.name)]
        if not keys:
            who = "no instrument has" if voice_name == "*" else f"{voice_name} has not"
            known = suggest_name(part_name.rstrip("*"),
                                 [part.name for voice in voices for part in voice.parts])
            raise ParameterError(name, target, f"{who} this {_part_noun(voices)}; {known}")
        found.update(keys)
    return frozenset(found)


def _played_strings(bound: Bound, only: Sequence[str], mute: Sequence[str]) -> frozenset[StringKey]:
    """Return the strings that are played."""
    return match_strings(bound, "only", only or ("*",)) - match_strings(bound, "mute", mute)


def _without_stars(parts: Sequence[str]) -> list[str]:
    """Return the parts of a target without a final star."""
    return [part if part == "*" else part.removesuffix("*") for part in parts]


def _part_noun(voices: Sequence[VoicePlan]) -> str:
    """Return the noun for the parts of these instruments, such as "string"."""
    words = dict.fromkeys(PARTS[voice.spec.model][0] for voice in voices)
    return " or ".join(words)
