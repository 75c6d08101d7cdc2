"""The playable systems: which schemes each has, what they can do, and so which verbs they play."""
from __future__ import annotations

from pysitar.errors import ParameterError
from pysitar.gestures.base import Verb
from pysitar.gestures.catalogue import BY_MODEL, follow
from pysitar.models.network.network import HIGHEST
from pysitar.models.network.schemes.base import (
    CAPABILITIES,
    NEED_ROWS,
    ROWS,
    Scheme,
    StringScheme,
)
from pysitar.models.network.schemes.catalogue import SCHEMES_OF

# model -> scheme -> verbs by name
MODELS: dict[str, dict[str, dict[str, Verb]]] = {
    model: {scheme: {} for scheme in schemes} for model, schemes in SCHEMES_OF.items()
}
# by model, the noun for the parts of its instruments, singular and plural; the plural is also the
# name of their table in a file
PARTS = {
    "string": ("string", "strings"), "lumped": ("mass", "masses"), "impact": ("object", "objects")
}


def verbs_of(scheme: Scheme) -> dict[str, Verb]:
    """Return the verbs that the parts of a scheme's model play by it, by name."""
    played = {name: gesture.played_by(scheme.capabilities)
              for name, gesture in BY_MODEL[scheme.model].items()}
    return {name: verb for name, verb in played.items() if verb is not None}


def _update_verbs() -> None:
    """Set the verbs of each scheme, in place."""
    for model, schemes in SCHEMES_OF.items():
        for name, scheme in schemes.items():
            verbs = MODELS[model].setdefault(name, {})
            verbs.clear()
            verbs.update(verbs_of(scheme))


follow(_update_verbs)


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
