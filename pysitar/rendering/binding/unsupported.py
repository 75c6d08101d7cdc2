"""What an instrument cannot do, and which scheme, or which instruments, can."""
from __future__ import annotations

from collections.abc import Callable

from pysitar.errors import quoted, suggest_name
from pysitar.models.definitions.parameters import Verb
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.definitions.tried_keys import tried
from pysitar.rendering.binding.bends import ORNAMENTED
from pysitar.score.vocabulary import ORNAMENTS, long_name


def schemes_with(name: str, spec: InstrumentSpec, having: Callable[[Verb], bool] = lambda verb: True) -> str:
    """The end of a message about what an instrument's scheme has not: those of its model whose verb of this name has it ("": none)."""
    schemes = [scheme for scheme, verbs in MODELS[spec.model].items() if name in verbs and having(verbs[name])]
    return f" by the {spec.scheme} scheme; expected scheme={' or '.join(schemes)}" if schemes else ""


def no_verb(name: str, spec: InstrumentSpec) -> str:
    """What is told of a verb that an instrument has not."""
    schemes = schemes_with(name, spec)
    if schemes:
        return f"{quoted(name)} is not played{schemes}"
    alike = "pluck" if name == "strum" else name
    own = PARTS[spec.model][1]
    others = [PARTS[model][1] for model, schemes in MODELS.items() if any(alike in verbs for verbs in schemes.values())]
    *names, last = MODELS[spec.model][spec.scheme]
    played = f"this version plays {', '.join(names)}{' and ' if names else ''}{last} on {own}"
    return f"{played}; expected {quoted(name)} on {' or '.join(others)}"


def no_hammer(instrument: str, string: str) -> str:
    """The message of a strike on a string that has no hammer."""
    return (f"{instrument}.{string} has no hammer; a table [strings.{string}.strike] in its file "
            "would be right")


def unknown(name: str, spec: InstrumentSpec, verb: Verb) -> str:
    """What is told of a parameter that a verb has not."""
    if name in ORNAMENTS:
        having = schemes_with(verb.name, spec, lambda other: other.pitch != "not") if verb.name in ORNAMENTED else ""
        return f"{quoted(name)} is not played{having}" if having else f"{verb.name} has no ornaments; expected pluck or bend"
    schemes = schemes_with(verb.name, spec, lambda other: long_name(name) in other.parameters)
    if schemes:
        return f"{verb.name} has no {quoted(name)}{schemes}"
    group = PARTS[spec.model][1]
    said = tried(name, ("*", verb.name), group) or tried(name, ("*",), group)
    if said:
        return f"{verb.name} has no {quoted(name)}; {said}"
    known = [word for parameter in verb.parameters.values() for word in (parameter.name, parameter.alias) if word]
    return f"{verb.name} has no {quoted(name)}; {suggest_name(name, known)}"
