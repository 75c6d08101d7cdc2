"""The table of a membrane, such as a drum's head."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pysitar.errors import ParameterError
from pysitar.models.definitions.resonators import ResonatorTable, computed, radiated_weights
from pysitar.models.definitions.schema import TableFault, inner, key
from pysitar.models.definitions.snares import ResonantHeadSpec, SnaresSpec
from pysitar.models.definitions.surfaces import DEGREE, SizedResonator
from pysitar.physics.resonators.loaded_membrane import LOAD, VOLUME, LoadedMembrane
from pysitar.physics.resonators.material import LOSS_FACTOR
from pysitar.physics.resonators.membrane import SURFACE_DENSITY, TENSION, Membrane
from pysitar.physics.resonators.plate import SIZE
from pysitar.physics.resonators.snare_drum import SnareDrum, SnareWires
from pysitar.physics.resonators.undercut_bar import TUNED

NEAREST = 1e-9                  # of a frequency, to which the tension is found
LONGEST_SEARCH = 40
FIRST_TENSION = 1000.0          # N/m, where the search begins
NO_WIRES = SnareWires(count=0, length=1.0, tension=1.0, linear_density=1.0, stiffness=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MembraneTable(ResonatorTable):
    """A circular membrane, perhaps loaded, on a shell."""

    coordinates: ClassVar[tuple[str, ...]] = ("r", "angle")

    kind: str = key("a circular membrane", kind="text", choices=("membrane",))
    radius: float = key("the radius", SIZE)
    surface_density: float = key("the mass of the skin per area", SURFACE_DENSITY)
    tension: float = key("the tension: force per length of the edge; or frequency", TENSION,
                         absent=0.0)
    frequency: float = key(
        "instead of tension: the frequency of its first mode; of a membrane with a load, half of "
        "that of the second mode", TUNED, absent=0.0)
    loss_factor: float = key("the share of the energy that the skin loses in one radian",
                             LOSS_FACTOR, default=0.0)
    load_radii: tuple[float, ...] = key(
        "corners of a load around the middle, in radii, rising", kind="list", low=0.0, high=1.0,
        absent=())
    load: tuple[float, ...] = key(
        "its mass per area at each corner, straight between them, 0 outside", LOAD,
        kind="list", each="load_radii", absent=())
    cavity: float = key("the volume of the closed shell behind it; left out, it is open", VOLUME,
                        absent=0.0)
    air_sides: int = key("its sides with free air, which moves along and into which it radiates",
                         kind="whole", low=0, high=2, default=2)
    r: float = key("where it is played by default, from the middle, in radii", low=0.0, high=1.0,
                   default=0.5)
    angle: float = key("and in which direction", unit="deg", low=-360.0, high=360.0, default=0.0)
    snares: SnaresSpec | None = inner(SnaresSpec)
    resonant_head: ResonantHeadSpec | None = inner(ResonantHeadSpec)

    @property
    def loss(self) -> float:
        """The loss factor of its skin."""
        return self.loss_factor

    def point(self) -> tuple[float, ...]:
        """Return where rows play that name no point."""
        return self.r, self.angle

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield a missing tension, half a load, and silence."""
        yield from ResonatorTable.faults(self, scheme)
        if (self.tension == 0.0) == (self.frequency == 0.0):
            both = "tension and frequency are given" if self.tension else "is missing"
            yield ("tension",), f"{both}; expected exactly one of tension (N/m) and frequency (Hz)"
        if len(self.load) != len(self.load_radii):
            yield ("load",), (f"{len(self.load)} values for {len(self.load_radii)} load_radii; "
                              "expected as many")
        for path, message in () if self.snares is None else self.snares.faults_on(self.radius):
            yield ("snares", *path), message
        if self.resonant_head is not None and (self.load or self.cavity):
            yield ("load" if self.load else "cavity",), (
                "goes with one head alone; expected it left out beside resonant_head, whose cavity "
                "is the air between the heads")
        if self.output == "radiated" and self.air_sides == 0:
            yield ("output",), ('output is radiated, of a membrane without air; expected '
                                '"velocity", or air_sides of 1 or 2')

    def resonator(self) -> SizedResonator:
        """Return its modes and shapes.  Errors: ParameterError."""
        tension = self.tension or self._tension_found()
        head = self._with(tension, **self.limits())
        behind = self.resonant_head
        if (self.snares is None or self.snares.count == 0) and behind is None:
            return head
        heads: dict[str, Any] = {"head": head, "resonant_head": self._behind()}
        return computed(SnareDrum, **heads,
                        wires=NO_WIRES if self.snares is None else self.snares.wires(),
                        cavity=None if behind is None else behind.cavity)

    def _behind(self) -> SizedResonator | None:
        """Return the second head."""
        behind = self.resonant_head
        return None if behind is None else computed(
            Membrane, radius=self.radius, tension=behind.tension, modes=behind.modes,
            surface_density=behind.surface_density, loss_factor=behind.loss_factor,
            air_sides=min(self.air_sides, 1), support_decay=behind.support_decay)

    def weights_of(self, resonator: SizedResonator, shapes: Sequence[float]) -> list[float]:
        """Return the weights of radiated sound, with the signs of shapes (M,); those of the second
        head are opposite, so that heads that move together radiate less. Wires radiate nothing."""
        own = getattr(resonator, "head", resonator)
        weights = ResonatorTable.weights_of(self, own, shapes[:own.count])
        behind = self._behind()
        if behind is not None and self.resonant_head is not None:
            powers = radiated_weights(behind, self.resonant_head.loss_factor,
                                      self.resonant_head.support_decay)
            signs = behind.shape((self.r, self.angle * DEGREE)).tolist()
            weights += [-math.copysign(power, sign)
                        for power, sign in zip(powers, signs, strict=True)]
        return weights + [0.0] * (resonator.count - len(weights))

    def _with(self, tension: float, **limits: Any) -> SizedResonator:
        """Return the membrane of a tension (N/m)."""
        arguments = {"radius": self.radius, "tension": tension,
                     "surface_density": self.surface_density, "loss_factor": self.loss_factor,
                     "air_sides": self.air_sides, "support_decay": self.support_decay, **limits}
        if not self.load and self.cavity == 0.0:
            return computed(Membrane, **arguments)
        return computed(LoadedMembrane, load=tuple(zip(self.load_radii, self.load, strict=True)),
                        cavity=self.cavity or None, **arguments)

    def _tension_found(self) -> float:
        """Return the tension (N/m) that gives its frequency; the air and the shell stiffen it, so
        the frequency is not its root times a constant."""
        tension, mode, part = FIRST_TENSION, 1 if self.load else 0, 2.0 if self.load else 1.0
        for _ in range(LONGEST_SEARCH):
            found = sorted(self._with(tension, modes=4).frequencies.tolist())[mode] / part
            ratio = self.frequency / found
            if abs(ratio - 1.0) < NEAREST:
                return tension
            tension = min(max(tension * ratio * ratio, TENSION.low or 0.0), TENSION.high or 0.0)
        raise ParameterError("frequency", self.frequency,
                             "no tension gives it; expected one that air and shell allow")
