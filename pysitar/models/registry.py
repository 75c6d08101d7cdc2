"""The playable systems: which schemes each has, and which verbs each scheme plays."""
from __future__ import annotations

from pysitar.models.base import DAMP, FRET, PLUCK, Verb

# model -> scheme -> verbs by name
MODELS: dict[str, dict[str, dict[str, Verb]]] = {
    "string": {"two-point": {verb.name: verb for verb in (PLUCK, FRET, DAMP)}},
}
