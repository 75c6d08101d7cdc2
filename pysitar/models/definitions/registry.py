"""The playable systems: which schemes each has, what they can do, and so which verbs they play."""
from __future__ import annotations

from pysitar.gestures.base import Verb
from pysitar.gestures.catalogue import BY_MODEL, follow
from pysitar.models.network.explicit_modes import MODAL_EXPLICIT
from pysitar.models.network.grid import GRID_SCHEMES

# model -> scheme -> capabilities that gestures need: see Gesture
CAPABILITIES: dict[str, dict[str, frozenset[str]]] = {
    "string": {
        "two-point": frozenset(("pitch", "touch", "finger", "frets", "hammer")),
        "three-point": frozenset(("touch",)),
        **{scheme: frozenset() for scheme in (MODAL_EXPLICIT, *GRID_SCHEMES)},
    },
    "lumped": {scheme: frozenset()
               for scheme in ("two-point", "three-point", "iterative", "explicit")},
    "impact": {"two-point": frozenset()},
}
# model -> scheme -> verbs by name
MODELS: dict[str, dict[str, dict[str, Verb]]] = {
    model: {scheme: {} for scheme in schemes} for model, schemes in CAPABILITIES.items()
}
# what the parts of a model's instruments are called, one and many; the many is their table in a
# file
PARTS = {
    "string": ("string", "strings"), "lumped": ("mass", "masses"), "impact": ("object", "objects")
}


def _update_verbs() -> None:
    """Set the verbs of each scheme, in place."""
    for model, schemes in CAPABILITIES.items():
        for scheme, capabilities in schemes.items():
            played = {name: gesture.played_by(capabilities)
                      for name, gesture in BY_MODEL[model].items()}
            verbs = MODELS[model][scheme]
            verbs.clear()
            verbs.update((name, verb) for name, verb in played.items() if verb is not None)


follow(_update_verbs)
