"""Messages for a verb, parameter or ornament that an instrument lacks, with the schemes or
instruments that have it."""
from __future__ import annotations

from collections.abc import Callable

from pysitar.errors import quoted, suggest_name
from pysitar.gestures.base import Verb
from pysitar.gestures.catalogue import gesture_named
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.definitions.tried_keys import tried
from pysitar.score.vocabulary import ORNAMENT_VERBS, ORNAMENTS, VERBS, long_name


def schemes_with(name: str, spec: InstrumentSpec,
                 condition: Callable[[Verb], bool] = lambda verb: True) -> str:
    """Return the end of a message: the schemes of the instrument's model that have a verb, where it
    satisfies a condition ("": none)."""
    schemes = [
        scheme for scheme, verbs in MODELS[spec.model].items()
        if name in verbs and condition(verbs[name])
    ]
    if not schemes:
        return ""
    return f" by the {spec.scheme} scheme; expected scheme={' or '.join(schemes)}"


def verb_message(name: str, spec: InstrumentSpec) -> str:
    """Return the message for a verb that an instrument lacks."""
    schemes = schemes_with(name, spec)
    if schemes:
        return f"{quoted(name)} is not played{schemes}"
    verb_name = gesture_named(name).expands_into or name
    own = PARTS[spec.model][1]
    others = [
        PARTS[model][1] for model, schemes in MODELS.items()
        if any(verb_name in verbs for verbs in schemes.values())
    ]
    *names, last = MODELS[spec.model][spec.scheme]
    played = f"this version plays {', '.join(names)}{' and ' if names else ''}{last} on {own}"
    return f"{played}; expected {quoted(name)} on {' or '.join(others)}"


def parameter_message(name: str, spec: InstrumentSpec, verb: Verb) -> str:
    """Return the message for a parameter that a verb lacks."""
    if name == "vibrato" and verb.name in ORNAMENT_VERBS:
        return f"{verb.name} has no vibrato; expected gamak=ga depth=30c rate=6Hz, on its own note"
    if name in ORNAMENTS:
        if verb.name in ORNAMENT_VERBS and not verb.gesture.takes_ornament:
            return f"{verb.name} has no ornaments on {PARTS[spec.model][1]}; expected none"
        schemes = ""
        if verb.name in ORNAMENT_VERBS:
            schemes = schemes_with(verb.name, spec, lambda other: other.pitch != "not")
        if schemes:
            return f"{quoted(name)} is not played{schemes}"
        known = [other for other in VERBS if other in ORNAMENT_VERBS]
        return f"{verb.name} has no ornaments; expected {' or '.join(known)}"
    schemes = schemes_with(verb.name, spec, lambda other: long_name(name) in other.parameters)
    if schemes:
        return f"{verb.name} has no {quoted(name)}{schemes}"
    group = PARTS[spec.model][1]
    hint = tried(name, ("*", verb.name), group) or tried(name, ("*",), group)
    if hint:
        return f"{verb.name} has no {quoted(name)}; {hint}"
    others = [other for other, played in MODELS[spec.model][spec.scheme].items()
              if long_name(name) in played.parameters]
    if len(others) == 1:
        return f"{verb.name} has no {quoted(name)}; expected it with {others[0]}"
    words = [
        word for parameter in verb.parameters.values() for word in (parameter.name, parameter.alias)
        if word
    ]
    return f"{verb.name} has no {quoted(name)}; {suggest_name(name, words)}"
