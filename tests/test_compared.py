"""Equality by values without methods of each class, against what dataclasses make themselves."""
from dataclasses import dataclass, field
from itertools import product

import pytest

from pysitar.compared import Compared


@dataclass(frozen=True, slots=True, eq=False)
class Own(Compared):
    x: float
    names: tuple[str, ...] = ()
    place: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Other(Compared):
    x: float
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    x: float
    names: tuple[str, ...] = ()
    place: int = field(default=0, compare=False)


VALUES = [(1.0,), (1.0, ("a",)), (1, ("a",)), (2.0,), (1.0, (), 3), (-0.0,), (0.0,)]


@pytest.mark.parametrize(("one", "two"), list(product(VALUES, repeat=2)))
def test_as_a_dataclass(one, two):
    assert (Own(*one) == Own(*two)) is (Made(*one) == Made(*two))
    assert (Own(*one) != Own(*two)) is (Made(*one) != Made(*two))
    assert len({Own(*one), Own(*two)}) == len({Made(*one), Made(*two)})


def test_classes_differ():
    assert Own(1.0) != Other(1.0) and Own(1.0) != (1.0, (), 0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Other(1.0, ["a"]))
