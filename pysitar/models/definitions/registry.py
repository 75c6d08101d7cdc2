"""The playable systems: which schemes each has, and which verbs each scheme plays."""
from __future__ import annotations

from pysitar.errors import ParameterError
from pysitar.models.definitions.masses import THROW
from pysitar.models.definitions.objects import OBJECT_VERBS
from pysitar.models.definitions.parameters import (
    BEND,
    DAMP,
    DECAY,
    FRET,
    PLUCK,
    PLUCK_ALONE,
    PLUCK_AS_TUNED,
    PRESS,
    STRIKE,
    Verb,
)
from pysitar.models.network.network import HIGHEST
from pysitar.models.network.schemes.base import (
    CAPABILITIES,
    FINGER,
    FRETS,
    HAMMER,
    NEED_ROWS,
    PITCH,
    ROWS,
    TOUCH,
    Scheme,
    StringScheme,
)
from pysitar.models.network.schemes.catalogue import SCHEMES, SCHEMES_OF


def verbs_of(scheme: Scheme) -> dict[str, Verb]:
    """Return the verbs that the parts of a scheme's model play by it, by name."""
    if scheme.model == "lumped":
        return {THROW.name: THROW}
    if scheme.model == "impact":
        return {verb.name: verb for verb in OBJECT_VERBS}
    has = scheme.capabilities.__contains__
    pluck = PLUCK if has(PITCH) else PLUCK_AS_TUNED if has(TOUCH) else PLUCK_ALONE
    verbs = [pluck, *((FRET, BEND) if has(PITCH) else ()), *((PRESS,) if has(FRETS) else ()),
             DAMP if has(FINGER) else DECAY, *((STRIKE,) if has(HAMMER) else ())]
    return {verb.name: verb for verb in verbs}


# model -> scheme -> verbs by name
MODELS: dict[str, dict[str, dict[str, Verb]]] = {model: {} for model in SCHEMES_OF}
for one in SCHEMES:
    MODELS[one.model][one.name] = verbs_of(one)
# what the parts of a model's instruments are called, one and many; the many is their table in a
# file
PARTS = {
    "string": ("string", "strings"), "lumped": ("mass", "masses"), "impact": ("object", "objects")
}


def add_scheme(scheme: Scheme) -> None:
    """Add a scheme from outside the package: simulations, instrument files and scores then have it.

    Each process that uses it adds it once. Errors: ParameterError, a name that exists already, a
    model or capability that there is not, a capability without rows that needs them, rows with too
    low a limit of the modes. """
    if scheme.model not in SCHEMES_OF:
        raise ParameterError("model", scheme.model, f"expected one of {', '.join(SCHEMES_OF)}")
    if scheme.name in SCHEMES_OF[scheme.model]:
        raise ParameterError("name", scheme.name, "expected a name that no scheme of the model has")
    unknown = sorted(scheme.capabilities - CAPABILITIES)
    if unknown:
        raise ParameterError("capabilities", unknown[0],
                             f"expected some of {', '.join(sorted(CAPABILITIES))}")
    needing = sorted(NEED_ROWS & scheme.capabilities)
    if needing and ROWS not in scheme.capabilities:
        raise ParameterError("capabilities", needing[0], f"expected {ROWS} with it")
    if isinstance(scheme, StringScheme) and ROWS in scheme.capabilities and (
            scheme.highest < HIGHEST):
        raise ParameterError("highest", scheme.highest,
                             f"expected at least {HIGHEST:g} of a scheme with {ROWS}")
    SCHEMES_OF[scheme.model][scheme.name] = scheme
    MODELS[scheme.model][scheme.name] = verbs_of(scheme)
