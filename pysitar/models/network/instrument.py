"""What instruments of strings, objects and masses share: parts that are played, skipped, traced
and audited together."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from pysitar.errors import ParameterError
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.checks import FloatArray


class PlayedPart(Protocol):
    """A string, object or mass."""

    @property
    def traced(self) -> bool: ...
    @property
    def waiting(self) -> bool: ...
    def traces(self) -> dict[str, FloatArray]: ...
    def play(self, verb: str, step: int, values: dict[str, float], hz: float | None = None,
             curves: Mapping[str, ValueCurve] | None = None) -> None: ...


Part = TypeVar("Part", bound=PlayedPart)


class Instrument(Generic[Part]):
    """An instrument of parts, asleep until one is played.

    Parameters: gain, full scale for each unit of the parts' output; played, the parts by name."""

    def __init__(self, gain: float, played: Mapping[str, Part]) -> None:
        self.gain, self._played = gain, played

    @property
    def networks(self) -> Sequence[Any]:
        """What the parts are computed with: AuditedNetworks, or masses."""
        raise NotImplementedError

    @property
    def parts(self) -> Sequence[Any]:
        """The parts that are computed independently of each other."""
        return tuple(self._played.values())

    @property
    def silent_since(self) -> int | None:
        """The internal step from which nothing sounds and nothing is left to play, or None."""
        networks: Sequence[Any] = self.networks
        if any(part.waiting for part in self._played.values()) or not all(
                network.asleep for network in networks):
            return None
        return int(max(network.asleep_since for network in networks))

    def play(self, part: str, verb: str, step: int, values: dict[str, float],
             hz: float | None = None, curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event: see PlayedString.play."""
        self._played[part].play(verb, step, values, hz, curves)

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Return and clear the traces of the traced parts since the last call."""
        return {name: part.traces() for name, part in self._played.items() if part.traced}

    def skip(self, steps: int) -> bool:
        """Skip internal steps if nothing sounds, is left to play or is traced; return whether it
        did."""
        if self.silent_since is None or any(part.traced for part in self._played.values()):
            return False
        self._skip_steps(steps)
        return True

    def _skip_steps(self, steps: int) -> None:
        for network in self.networks:
            network.kernel.skip(steps)

    def finish_output(self, sound: FloatArray, stream: int = 0,
                      weights: Sequence[float] = ()) -> FloatArray | None:
        """Multiply a sum of the parts' outputs by the gain, in place; return None, or the force (N)
        times the gain that an impulse response beside the modes of a body takes.  Parameters:
        stream, its number, where there are several sums; weights, of the parts in it (none: 1)."""
        sound *= self.gain
        return None

    def report(self) -> dict[str, Any]:
        """The voice's audit: greatest energy residual, Newton iterations and solves in all, failed
        solves, steps in contact."""
        networks = self.networks
        statistics = [network.kernel.statistics for network in networks]
        return {
            "residual": max(network.residual for network in networks),
            "iterations": sum(row["iterations"] for row in statistics),
            "most_iterations": max(row["most_iterations"] for row in statistics),
            "solves": sum(row["solves"] for row in statistics),
            "failed_solves": sum(row["failures"] for row in statistics),
            "contact_steps": sum(row["contact_steps"] for row in statistics),
        }


@contextmanager
def errors_of_part(part: str) -> Iterator[None]:
    """Name a part, such as "string pa", in each ParameterError of a `with` block."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{part}: {error.name}", error.value, error.expected) from None
