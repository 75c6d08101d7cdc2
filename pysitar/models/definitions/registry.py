"""The playable systems: which schemes each has, and which verbs each scheme plays."""
from __future__ import annotations

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
from pysitar.models.network.explicit_modes import MODAL_EXPLICIT
from pysitar.models.network.grid import GRID_SCHEMES

# model -> scheme -> verbs by name
MODELS: dict[str, dict[str, dict[str, Verb]]] = {
    "string": {
        "two-point": {verb.name: verb
                      for verb in (PLUCK, FRET, BEND, PRESS, DAMP, STRIKE)},
        "three-point": {verb.name: verb
                        for verb in (PLUCK_AS_TUNED, DECAY)}, **{
                            scheme: {verb.name: verb
                                     for verb in (PLUCK_ALONE, DECAY)}
                            for scheme in (MODAL_EXPLICIT, *GRID_SCHEMES)
                        }
    },
    "lumped": {
        scheme: {THROW.name: THROW}
        for scheme in ("two-point", "three-point", "iterative", "explicit")
    },
    "impact": {"two-point": {verb.name: verb
                             for verb in OBJECT_VERBS}},
}
# by model, the noun for the parts of its instruments, singular and plural; the plural is also the
# name of their table in a file
PARTS = {
    "string": ("string", "strings"), "lumped": ("mass", "masses"), "impact": ("object", "objects")
}
