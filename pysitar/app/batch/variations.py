"""The values of each sweep and draw of a score, computed and checked one by one."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.app.batch.columns import is_taken
from pysitar.errors import ParameterError, Place, Problem, quoted
from pysitar.kernels.core import elementary
from pysitar.models.definitions.spec import parameter_at
from pysitar.physics.draws import uniforms
from pysitar.physics.parameters import Length, Parameter, check_value
from pysitar.rendering.conversion import convert_literal
from pysitar.score.document import Score
from pysitar.score.elements import Draw, Setting, Sweep, Use
from pysitar.score.literals import Literal, Name, Quantity, Text, literal_text, si_value
from pysitar.score.sweep_statements import DRAWS

MAX_CHECKED = 100_000          # values of a sweep that are all checked
METRES = " (m)"         # end of the name of a column of positions in metres


@dataclass(frozen=True, slots=True)
class Variation:
    """One `sweep` or `draw`.

    Parameters: path, as written; path_place, place; function, linear, log, list, uniform or
    loguniform; values, those of a list, else both ends, in one unit; count; parameter, at the path
    (None: unknown, which binding reports); folder, of instrument files.
    """

    path: tuple[str, ...]
    path_place: Place
    place: Place
    function: str
    values: tuple[Literal, ...]
    count: int
    parameter: Parameter | None
    folder: Path = Path()

    @property
    def name(self) -> str:
        """The path as written."""
        return ".".join(self.path)

    @property
    def is_draw(self) -> bool:
        """Whether it is a draw."""
        return self.function in DRAWS

    @property
    def varies_instrument(self) -> bool:
        """Whether it is a sweep of instruments."""
        return len(self.path) == 1

    def sweep_setting(self, index: int) -> Setting:
        """Return the value of a sweep at an index from 0; both ends exactly as written.

        For a draw, index 0 is its lower end and count - 1 its upper end.
        """
        if self.function == "list":
            return self._setting(self.values[index])
        if index in {0, self.count - 1}:
            return self._setting(self.values[0 if not index else 1])
        value = self._interpolate(index / (self.count - 1))
        # 0.15, not 0.15000000000000002
        return self._setting(value._replace(value=float(f"{value.value:.15g}")))

    def draw_setting(self, *, seed: int, number: int) -> Setting:
        """Return the random value of the item with a number, from 1."""
        [part] = uniforms(seed=seed, name=f"draw {self.name}", start=number - 1, count=1)
        return self._setting(self._interpolate(part))

    def last_setting(self) -> Setting:
        """Return the last value of a sweep, the upper end of a draw."""
        return self._setting(self.values[-1])

    def different_setting(self) -> Setting | None:
        """Return a value that differs from the first one; None if all are the same."""
        first = literal_text(self.values[0])
        differs = next((value for value in reversed(self.values) if literal_text(value) != first),
                       None)
        return None if differs is None else self._setting(differs)

    def problems(self) -> list[Problem]:
        """Return the problems of the values by themselves.

        For a list, return the problem of each value; for a range, only the first problem, such as a
        0 or a fraction for a whole number.
        """
        parameter = self.parameter
        if parameter is None or parameter.kind not in {"number", "whole", "position"}:
            return []
        if self.is_draw:
            if parameter.kind == "whole":
                message = f"{parameter.name} is a whole number, and a draw has fractions"
                return [Problem(self.place, f"{message}; expected a sweep")]
            return []
        problems: list[Problem] = []
        for index in self._indices_to_check():
            literal = self.sweep_setting(index).value
            try:
                value = convert_literal(parameter, literal)
                if not isinstance(value, Length):
                    check_value(parameter, value)
            except (ParameterError, ValueError) as error:
                message = f"value {index + 1}: {error}" if self.count > 1 else str(error)
                problems.append(Problem(literal.place, message))
                if self.function != "list":
                    break
        return problems

    @property
    def places(self) -> set[Place]:
        """The places of its values, including those of a range."""
        return {self.place, *(value.place for value in self.values)}

    def _indices_to_check(self) -> Iterable[int]:
        """Return the indices of the values to check.

        All of them; of more than 100,000 in a range, both ends and those nearest to 0.
        """
        whole = self.parameter is not None and self.parameter.kind == "whole"
        if self.function == "list" or self.count <= MAX_CHECKED or whole:
            return range(self.count)
        low, high = (end.value if isinstance(end, Quantity) else 0.0 for end in self.values)
        zero = int(-low / (high - low) * (self.count - 1)) if low * high < 0.0 else 0
        return sorted({0, self.count - 1, *range(zero, zero + 2)})

    def _interpolate(self, part: float) -> Quantity:
        """Return the value at a fraction of the range."""
        low, high = self.values
        assert isinstance(low, Quantity) and isinstance(high, Quantity)
        if self.function in {"log", "loguniform"}:
            value = low.value * elementary.exp(part * elementary.log(high.value / low.value))
        else:
            value = low.value + part * (high.value - low.value)
        least, most = sorted((low.value, high.value))
        return Quantity(min(max(value, least), most), low.unit, self.place)

    def _setting(self, value: Literal) -> Setting:
        return Setting(self.path, self.path_place, value, value.place, self.folder)


def read_variations(sweeps: tuple[Sweep, ...],
                    draws: tuple[Draw, ...]) -> tuple[list[Variation], list[Problem]]:
    """Return the sweeps and draws of a score, in its order, sweeps first; and their problems."""
    variations: list[Variation] = []
    problems: list[Problem] = []
    lines: tuple[Sweep | Draw, ...] = (*sweeps, *draws)
    for line in lines:
        parameter = parameter_at(line.path[1:]) if line.path[1:] and line.path[-1] != "*" else None
        values: tuple[Literal, ...]
        values = line.values if isinstance(line, Sweep) else (line.low, line.high)
        if line.function != "list":
            try:
                values = _convert_ends(values, parameter)
            except ValueError as error:
                problems.append(Problem(line.place, str(error)))
                continue
        if isinstance(line, Draw) and not _is_ascending(values):
            problems.append(
                Problem(line.place,
                        "the upper end is not above the lower one; expected the lower end first"))
            continue
        if any(line.path == before.path for before in variations):
            problems.append(Problem(
                line.path_place,
                f"{quoted('.'.join(line.path))} is varied twice; expected one sweep or draw of it"))
            continue
        folder = line.folder if isinstance(line, Sweep) else Path()
        variation = Variation(line.path, line.path_place, line.place, line.function, values,
                              line.count, parameter, folder)
        if variation.varies_instrument and is_taken(variation.name):
            message = (
                f"{quoted(variation.name)} is the name of a fixed column of the manifest or of its "
                "loader; expected another instrument name")
            problems.append(Problem(line.path_place, message))
        variations.append(variation)
        problems.extend(variation.problems())
    return variations, problems


def apply_settings(score: Score, settings: Sequence[Setting]) -> Score:
    """Return a score with values of its sweeps and draws.

    Swept instruments replace its own; all other values follow every `set`.
    """
    changed = {setting.path[0]: setting for setting in settings if len(setting.path) == 1}
    return replace(
        score, uses=tuple(
            _replace_source(use, changed[use.name]) if use.name in changed else use
            for use in score.uses),
        settings=(*score.settings, *(setting for setting in settings if len(setting.path) > 1)))


def _replace_source(use: Use, setting: Setting) -> Use:
    literal = setting.value
    assert isinstance(literal, Name | Text)
    return replace(use, source=literal.text, is_file=isinstance(literal, Text),
                   source_place=literal.place, folder=setting.folder)


def manifest_value(variation: Variation, setting: Setting) -> tuple[str, float | str]:
    """Return manifest column and value of a setting: a number in the parameter's unit, or text."""
    literal = setting.value
    if variation.varies_instrument and isinstance(literal, Text):
        return variation.name, literal.text
    if isinstance(literal, Quantity) and variation.parameter is not None:
        try:
            value = convert_literal(variation.parameter, literal)
        except ValueError:
            value = None
        if isinstance(value, Length):
            return variation.name + METRES, value.metres
        if isinstance(value, int | float) and not isinstance(value, bool):
            return variation.name, value
    return variation.name, literal_text(literal)


def _is_ascending(ends: tuple[Literal, ...]) -> bool:
    low, high = ends
    return isinstance(low, Quantity) and isinstance(high, Quantity) and low.value < high.value


def _convert_ends(values: tuple[Literal, ...], parameter: Parameter | None) -> tuple[Literal, ...]:
    """Return both ends of a range in one unit.  Errors: ValueError."""
    low, high = values
    if not isinstance(low, Quantity) or not isinstance(
            high, Quantity) or low.unit == high.unit or parameter is None:
        return values
    if parameter.kind == "position" and (low.unit is None or high.unit is None):
        raise ValueError(
            f"from {literal_text(low)} to {literal_text(high)}: a bare position is a fraction of "
            "the length; expected both bare, or both with a unit")
    if parameter.kind == "position":
        low, high = (Quantity(si_value(end, "m"), "m", end.place) for end in (low, high))
        return low, high
    unit = "Hz" if parameter.kind == "pitch" else parameter.unit
    low, high = (Quantity(si_value(end, unit), None, end.place) for end in (low, high))
    return low, high
