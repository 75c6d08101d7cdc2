"""The list of the schemes, those of each model in the order in which messages name them."""
from __future__ import annotations

from typing import Any

from pysitar.models.network.schemes.base import Scheme, StringScheme
from pysitar.models.network.schemes.fd_explicit import FD_EXPLICIT
from pysitar.models.network.schemes.fd_iterative import FD_ITERATIVE
from pysitar.models.network.schemes.mass import (
    EXPLICIT,
    ITERATIVE,
    MASS_THREE_POINT,
    MASS_TWO_POINT,
    MassScheme,
)
from pysitar.models.network.schemes.modal import ModalScheme
from pysitar.models.network.schemes.modal_explicit import MODAL_EXPLICIT
from pysitar.models.network.schemes.three_point import THREE_POINT
from pysitar.models.network.schemes.two_point import OBJECTS, TWO_POINT

SCHEMES: tuple[Scheme, ...] = (
    TWO_POINT,
    THREE_POINT,
    MODAL_EXPLICIT,
    FD_ITERATIVE,
    FD_EXPLICIT,
    MASS_TWO_POINT,
    MASS_THREE_POINT,
    ITERATIVE,
    EXPLICIT,
    OBJECTS,
)
DEFAULT_SCHEME: ModalScheme[Any] = TWO_POINT
DEFAULT = DEFAULT_SCHEME.name   # of every model
# by name, those of `add` as well
STRING_SCHEMES: dict[str, StringScheme] = {}
MASS_SCHEMES: dict[str, MassScheme] = {}
OBJECT_SCHEMES: dict[str, Scheme] = {}
# model -> scheme by name
SCHEMES_OF: dict[str, dict[str, Any]] = {
    "string": STRING_SCHEMES, "lumped": MASS_SCHEMES, "impact": OBJECT_SCHEMES
}
for one in SCHEMES:
    SCHEMES_OF[one.model][one.name] = one


def names_with(model: str, capability: str) -> tuple[str, ...]:
    """Return the names of a model's schemes that have a capability."""
    return tuple(name for name, scheme in SCHEMES_OF[model].items()
                 if capability in scheme.capabilities)


def names_with_variants(model: str) -> tuple[str, ...]:
    """Return the names of a model's schemes that have variants."""
    return tuple(name for name, scheme in SCHEMES_OF[model].items() if scheme.variants)


def names_in(space: str) -> tuple[str, ...]:
    """Return the names of the schemes of strings in a space."""
    return tuple(name for name, scheme in STRING_SCHEMES.items() if scheme.space == space)
