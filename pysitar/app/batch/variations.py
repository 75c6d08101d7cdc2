"""What each sweep and each draw of a score puts in: its values, computed and checked one by one."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.app.batch.columns import is_taken
from pysitar.errors import ParameterError, Place, Problem, quoted
from pysitar.kernels.core import elementary
from pysitar.models.definitions.parameters import Length, Parameter, check_value
from pysitar.models.definitions.spec import parameter_at
from pysitar.physics.draws import uniforms
from pysitar.rendering.conversion import converted
from pysitar.score.document import Score
from pysitar.score.elements import Draw, Setting, Sweep, Use
from pysitar.score.literals import Literal, Name, Quantity, Text, literal_text, si_value
from pysitar.score.sweep_statements import DRAWS

MOST_CHECKED = 100_000          # values of a sweep, each of them
METRES = " (m)"         # at the end of a column whose positions are lengths, not fractions


@dataclass(frozen=True, slots=True)
class Choice:
    """One `sweep` or `draw`.

    Parameters: path, as written; path_place, place; function, linear, log, list, uniform or loguniform; values, those of a list, else
    both ends, in one unit; count; parameter, that the path means (None: none, which binding tells); folder, of instrument files.
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
        """The path as it is written."""
        return ".".join(self.path)

    @property
    def drawn(self) -> bool:
        """Whether it is a draw."""
        return self.function in DRAWS

    @property
    def of_instruments(self) -> bool:
        """Whether it is a sweep of instruments."""
        return len(self.path) == 1

    def swept(self, index: int) -> Setting:
        """The value of a sweep at an index from 0; both ends exactly as written.  Of a draw: 0 is its lower end, count - 1 its upper."""
        if self.function == "list":
            return self._setting(self.values[index])
        if index in {0, self.count - 1}:
            return self._setting(self.values[0 if not index else 1])
        value = self._between(index / (self.count - 1))
        return self._setting(value._replace(value=float(f"{value.value:.15g}")))          # 0.15, not 0.15000000000000002

    def at_draw(self, *, seed: int, number: int) -> Setting:
        """The value that is drawn for the item of a number, from 1."""
        return self._setting(self._between(uniforms(seed=seed, name=f"draw {self.name}", start=number - 1, count=1)[0]))

    def last(self) -> Setting:
        """The last value of a sweep, the upper end of a draw."""
        return self._setting(self.values[-1])

    def other(self) -> Setting | None:
        """A value that is not the first one; None when all are the same."""
        first = literal_text(self.values[0])
        differs = next((value for value in reversed(self.values) if literal_text(value) != first), None)
        return None if differs is None else self._setting(differs)

    def problems(self) -> list[Problem]:
        """What is wrong with the values by themselves: each of a list; between two ends the first
        one, such as a 0 or a part of a whole number."""
        parameter = self.parameter
        if parameter is None or parameter.kind not in {"number", "whole", "position"}:
            return []
        if self.drawn:
            if parameter.kind == "whole":
                return [Problem(self.place, f"{parameter.name} takes whole numbers, and a draw has none; expected a sweep")]
            return []
        found: list[Problem] = []
        for index in self._doubtful():
            literal = self.swept(index).value
            try:
                value = converted(parameter, literal)
                if not isinstance(value, Length):
                    check_value(parameter, value)
            except (ParameterError, ValueError) as error:
                message = f"value {index + 1}: {error}" if self.count > 1 else str(error)
                found.append(Problem(literal.place, message))
                if self.function != "list":
                    break
        return found

    @property
    def places(self) -> set[Place]:
        """Where its values stand, those between two ends as well."""
        return {self.place, *(value.place for value in self.values)}

    def _doubtful(self) -> Iterable[int]:
        """The indices of the values that are checked: all, but of very many that move from one end
        to the other both ends and those nearest to 0."""
        whole = self.parameter is not None and self.parameter.kind == "whole"
        if self.function == "list" or self.count <= MOST_CHECKED or whole:
            return range(self.count)
        low, high = (end.value if isinstance(end, Quantity) else 0.0 for end in self.values)
        zero = int(-low / (high - low) * (self.count - 1)) if low * high < 0.0 else 0
        return sorted({0, self.count - 1, *range(zero, zero + 2)})

    def _between(self, part: float) -> Quantity:
        """The value that divides the range."""
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


def choices_of(sweeps: tuple[Sweep, ...], draws: tuple[Draw, ...]) -> tuple[list[Choice], list[Problem]]:
    """The sweeps and draws of a score, in its order, sweeps first; and what is wrong with them."""
    found: list[Choice] = []
    problems: list[Problem] = []
    lines: tuple[Sweep | Draw, ...] = (*sweeps, *draws)
    for line in lines:
        parameter = parameter_at(line.path[1:]) if line.path[1:] and line.path[-1] != "*" else None
        values: tuple[Literal, ...] = line.values if isinstance(line, Sweep) else (line.low, line.high)
        if line.function != "list":
            try:
                values = _in_one_unit(values, parameter)
            except ValueError as error:
                problems.append(Problem(line.place, str(error)))
                continue
        if isinstance(line, Draw) and not _rises(values):
            problems.append(Problem(line.place, "the upper end is not above the lower one; the lower stands first"))
            continue
        if any(line.path == before.path for before in found):
            told = f"{quoted('.'.join(line.path))} is varied twice; expected one sweep or draw of it"
            problems.append(Problem(line.path_place, told))
            continue
        folder = line.folder if isinstance(line, Sweep) else Path()
        choice = Choice(line.path, line.path_place, line.place, line.function, values, line.count, parameter, folder)
        if choice.of_instruments and is_taken(choice.name):
            told = f"{quoted(choice.name)} is a column of the manifest by itself, or of its loader; expected another instrument name"
            problems.append(Problem(line.path_place, told))
        found.append(choice)
        problems.extend(choice.problems())
    return found, problems


def put_in(score: Score, settings: Sequence[Setting]) -> Score:
    """A score with the values of its sweeps and draws: instruments in the place of those that it uses, all others after every `set`."""
    changed = {setting.path[0]: setting for setting in settings if len(setting.path) == 1}
    return replace(score, uses=tuple(_used(use, changed[use.name]) if use.name in changed else use for use in score.uses),
                   settings=(*score.settings, *(setting for setting in settings if len(setting.path) > 1)))


def _used(use: Use, setting: Setting) -> Use:
    literal = setting.value
    assert isinstance(literal, Name | Text)
    return replace(use, source=literal.text, is_file=isinstance(literal, Text), source_place=literal.place, folder=setting.folder)


def recorded(choice: Choice, setting: Setting) -> tuple[str, float | str]:
    """The column and the value that a manifest has of a setting: a number in the parameter's own unit, or the text."""
    literal = setting.value
    if choice.of_instruments and isinstance(literal, Text):
        return choice.name, literal.text
    if isinstance(literal, Quantity) and choice.parameter is not None:
        try:
            value = converted(choice.parameter, literal)
        except ValueError:
            value = None
        if isinstance(value, Length):
            return choice.name + METRES, value.metres
        if isinstance(value, int | float) and not isinstance(value, bool):
            return choice.name, value
    return choice.name, literal_text(literal)


def _rises(ends: tuple[Literal, ...]) -> bool:
    low, high = ends
    return isinstance(low, Quantity) and isinstance(high, Quantity) and low.value < high.value


def _in_one_unit(values: tuple[Literal, ...], parameter: Parameter | None) -> tuple[Literal, ...]:
    """Both ends of a range in one unit.  Errors: ValueError."""
    low, high = values
    if not isinstance(low, Quantity) or not isinstance(high, Quantity) or low.unit == high.unit or parameter is None:
        return values
    if parameter.kind == "position" and (low.unit is None or high.unit is None):
        raise ValueError(f"from {literal_text(low)} to {literal_text(high)}: a bare position is a fraction of the length; "
                         "expected both bare, or both with a unit")
    if parameter.kind == "position":
        low, high = (Quantity(si_value(end, "m"), "m", end.place) for end in (low, high))
        return low, high
    unit = "Hz" if parameter.kind == "pitch" else parameter.unit
    low, high = (Quantity(si_value(end, unit), None, end.place) for end in (low, high))
    return low, high
