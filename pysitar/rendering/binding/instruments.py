"""Read the instrument files of a score, apply its `set` lines and overrides, and tune the
strings."""
from __future__ import annotations

import os.path
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.errors import ParameterError, Place, Problem, ScoreError, quoted, suggest_name
from pysitar.models.definitions.faults import place_of
from pysitar.models.definitions.loader import (
    Change,
    Fault,
    InstrumentError,
    parse_instrument,
    preset_names,
    preset_text,
)
from pysitar.models.definitions.overrides import matches
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec, parameter_at
from pysitar.models.strings.modal_string import HIGHEST_PLAYED, check_losses
from pysitar.physics.string import SIGMAS
from pysitar.rendering.binding.changed_file import ChangedFile
from pysitar.rendering.conversion import convert_literal, wrong_item_place
from pysitar.rendering.lint.table import ChangedInstrument, Severity, run_lints
from pysitar.rendering.options import Options
from pysitar.rendering.plan import BodyResponse, PartPlan, StringPlan
from pysitar.score.document import Score
from pysitar.score.elements import Use
from pysitar.score.literals import UNREAD, ListLiteral, Literal, Pitch, quoted_literal
from pysitar.score.pitch import parse_pitch, string_frequency
from pysitar.score.source_files import Source, hash_source, read_text
from pysitar.score.tokens import score_error, shift_place

ITEM = re.compile(r"\w+\[(\d+)\] is ")          # start of the message about a wrong item of a list
# marks a string whose pitch fails only because the tuning is wrong, reported elsewhere
TUNING = "the tuning"
PITCH = "pitch"                 # the key of a string
RESPONSE = ("body", "impulse_response")


@dataclass(frozen=True, slots=True, eq=False)
class Instrument:
    """An instrument of a score.

    Parameters: spec; parts, in the order of the file; untuned, the names of the parts whose pitch
    or tuning is wrong, as already reported; response, of its body; warnings, of its file and its
    changes. """

    spec: InstrumentSpec
    parts: tuple[PartPlan, ...]
    untuned: frozenset[str]
    response: BodyResponse | None = None
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _ScoreChange:
    """A change requested by the score: its path without the instance, the value, and the places of
    both.

    Parameters: name_place, of the path's first part; everywhere, whether it applies to every
    instrument (`set *.gain = 2`). """

    path: tuple[str, ...]
    literal: Literal
    name_place: Place
    place: Place
    everywhere: bool


def instruments(
    score: Score, options: Options, problems: list[Problem], sources: list[Source] | None = None,
) -> dict[str, Instrument]:
    """Return the instruments by their names in the score; leave out unusable files.

    Faults are added to `problems`, and the files that were read to `sources`. An instrument with
    wrong changes is returned unchanged, so that its rows can be checked. """
    found: dict[str, Instrument] = {}
    # problems of the changes that apply to every instrument
    unmatched: dict[Place, list[Problem]] = {}
    for use in score.uses:
        try:
            text, shown = _text(use, sources)
        except ScoreError as error:
            problems.extend(error.problems)
            continue
        loader = _Loader(score, options, use, shown, problems, unmatched)
        instrument = loader.load(text)
        if instrument is not None:
            if instrument.spec.response is not None:
                instrument = _with_response(instrument, loader, sources)
            if instrument.spec.has_circuit:
                instrument = _with_circuit(instrument, loader)
            found[use.name] = instrument
    problems.extend(found[0] for found in unmatched.values() if len(found) == len(score.uses))
    return found


def _with_response(instrument: Instrument, loader: _Loader,
                   sources: list[Source] | None) -> Instrument:
    """Return an instrument with the impulse response of its body; faults are reported at the key of
    its file, or at the value in the score that names the response."""
    from pysitar.rendering.binding.responses import read_body_response
    assert instrument.spec.response is not None
    use = loader.use
    folder = (use.folder / use.source).parent if use.is_file else Path()
    try:
        response = read_body_response(
            instrument.spec.response.impulse_response, folder, rate=loader.options.rate,
            place=use.source_place, sources=sources, beside_modes=instrument.spec.body is not None)
    except ScoreError as error:
        for problem in error.problems:
            loader.report_value(RESPONSE, problem.message)
        return instrument
    return replace(instrument, response=response)


def _with_circuit(instrument: Instrument, loader: _Loader) -> Instrument:
    """Return an instrument with the response of what is behind its pickups, before that of a file;
    faults are reported at the key of its file or at the value in the score."""
    from pysitar.rendering.binding.pickup_circuits import circuit_faults, circuit_response
    rate = loader.options.rate
    faults = list(circuit_faults(instrument.spec, rate))
    for key, message in faults:
        loader.report_value((key,), message)
    if faults:
        return instrument
    return replace(instrument, response=circuit_response(instrument.spec, rate,
                                                         instrument.response))


def _text(use: Use, sources: list[Source] | None) -> tuple[str, str]:
    """Return the text of an instrument's file, and its name in messages.  Errors: ScoreError at the
    name in the score."""
    if use.is_file:
        shown = os.path.normpath(os.path.join(str(use.folder), use.source))
        return read_text(use.folder / use.source, shown, ".toml", use.source_place, sources), shown
    try:
        text = preset_text(use.source)
    except KeyError:
        raise score_error(
            use.source_place, f"no preset is named {quoted(use.source)} (a file is in quotes); "
            f"{suggest_name(use.source, preset_names())}") from None
    if sources is not None:
        sources.append(hash_source(use.source, text.encode("utf-8")))
    return text, f"{use.source}.toml"


class _Loader:
    """Load one instrument; faults are added to `problems`."""

    def __init__(
        self,
        score: Score,
        options: Options,
        use: Use,
        shown: str,
        problems: list[Problem],
        unmatched: dict[Place, list[Problem]],
    ) -> None:
        self.score, self.options, self.use, self.shown = score, options, use, shown
        self.problems, self.unmatched = problems, unmatched
        self._text = ""
        self.requested = [
            _ScoreChange((argument.name, ), argument.value, argument.name_place,
                         argument.value_place, False) for argument in use.overrides.values()
        ]
        self.requested += [
            _ScoreChange(setting.path[1:], setting.value,
                   shift_place(setting.path_place,
                               len(setting.path[0]) + 1), setting.place, setting.path[0] == "*")
            for setting in score.settings if setting.path[0] in {"*", use.name}
        ]

    def load(self, text: str) -> Instrument | None:
        """Return the instrument; None if its own file is wrong."""
        self._text = text
        kept, changes, unread = self._changes()
        file: ChangedFile | None = None
        if unread or self.score.unread:
            file = self._changed_file(text, changes)
            self._report_unread(file, unread)
        spec: InstrumentSpec | None = None
        try:
            spec = parse_instrument(text, name=self.use.source, shown=self.shown, changes=changes)
        except InstrumentError as error:
            file = file or self._changed_file(text, changes)
            for fault in error.faults:
                self._report_fault(fault, kept,
                                   None if fault.change is not None else file.origin(fault))
        usable = spec or (None if file is None else file.plain())
        if usable is None:
            return None
        group = PARTS[usable.model][1]
        changed_instrument = ChangedInstrument(
            text, changes, spec, usable.model,
            lambda string: self._hz(string, usable.scheme)[1],
            lambda index, message: _value_place(kept[index], message),
            lambda path, message: self._file_problem(Fault(path, message, group=group)))
        self.problems += run_lints(changed_instrument, Severity.ERROR)
        parts: list[PartPlan] = []
        untuned = set()
        for part in usable.parts:
            if not isinstance(part, StringSpec):
                parts.append(PartPlan(part.name, part, self.use.source_place))
                continue
            hz, wrong_pitch, key = self._hz(part, usable.scheme)
            if wrong_pitch:
                untuned.add(part.name)
            changed = spec is None and any(path[0] in {"*", part.name} for path, _ in changes)
            # a change that cannot be read might have corrected the pitch
            if wrong_pitch and wrong_pitch is not TUNING and not changed:
                fault = Fault((part.name, key), wrong_pitch)
                file = file or self._changed_file(text, changes)
                self._report_fault(fault, kept, None if spec is None else file.origin(fault))
            parts.append(StringPlan(part.name, part, self.use.source_place, hz, hz))
        return Instrument(usable, tuple(parts), frozenset(untuned),
                          warnings=tuple(run_lints(changed_instrument, Severity.WARNING)))

    def report_value(self, path: tuple[str, ...], message: str) -> None:
        """Report a fault of the value at a path that only its use shows."""
        changed = [index for index, request in enumerate(self.requested)
                   if matches(request.path, path)]
        self._report_fault(Fault(path, message), self.requested, changed[-1] if changed else None)

    def _changed_file(self, text: str, changes: list[Change]) -> ChangedFile:
        """Return the file and its changes, to find which of them causes a fault."""
        return ChangedFile(text, name=self.use.source, shown=self.shown, changes=changes,
                           pitch_fault=self._pitch_fault)

    def _report_unread(self, file: ChangedFile, unread: list[tuple[_ScoreChange, Problem]]) -> None:
        """Report the changes whose values cannot be read, and paths of such that match no key."""
        for request, problem in unread:
            fault = file.path_fault(request.path)
            if fault is None:
                self.problems.append(problem if request.path != ("scheme",) else
                                     Problem(problem.place, self._no_scheme(request, file.plain())))
            else:
                self._report_fault(replace(fault, change=0), [request], None)
        for unread_path in self.score.unread:
            name, path, place = unread_path.path[0], unread_path.path[1:], unread_path.key_place
            fault = file.path_fault(path) if path and name in {"*", self.use.name} else None
            if fault is not None:
                request = _ScoreChange(path, UNREAD, place, place, name == "*")
                self._report_fault(replace(fault, change=0), [request], None)

    def _changes(
        self,
    ) -> tuple[list[_ScoreChange], list[Change], list[tuple[_ScoreChange, Problem]]]:
        """Return the changes whose values can be read, as requests and as values; and the other
        changes, each with the problem of its value."""
        kept: list[_ScoreChange] = []
        changes: list[Change] = []
        unread: list[tuple[_ScoreChange, Problem]] = []
        for request in self.requested:
            if request.path[-1] == "*":
                self.problems.append(
                    Problem(
                        request.place,
                        "a path that ends in * means values of every kind; expected one that ends "
                        "in a key, such as gain"))
                continue
            parameter = parameter_at(request.path)
            try:
                value = None if parameter is None else convert_literal(parameter, request.literal)
            except ValueError as error:
                assert parameter is not None
                unread.append(
                    (request,
                     Problem(wrong_item_place(parameter, request.literal) or request.place,
                             str(error))))
                continue
            kept.append(request)
            changes.append((request.path, value))
        return kept, changes, unread

    def _no_scheme(self, request: _ScoreChange, plain: InstrumentSpec | None) -> str:
        """Return the message about a scheme that is not a name, with the schemes of the
        instrument's model."""
        schemes = " or ".join(MODELS[plain.model]) if plain is not None else "a name"
        return f"scheme is {quoted_literal(request.literal)}; expected {schemes}"

    def _report_fault(self, fault: Fault, kept: Sequence[_ScoreChange], origin: int | None) -> None:
        """Add a fault: at the path or value in the score that causes it, else at the file's key.

        Parameters: kept, the changes; origin, the index of the change that causes the fault (None:
        the file).
        """
        if fault.change is not None:
            request = kept[fault.change]
            offset = sum(len(part) + 1 for part in request.path[:fault.part])
            problem = Problem(shift_place(request.name_place, offset), fault.message)
            if request.everywhere:
                self.unmatched.setdefault(request.place, []).append(problem)
            else:
                self.problems.append(problem)
            return
        if origin is not None:
            request = kept[origin]
            message = fault.message
            if not matches(request.path, fault.path):          # the fault is in another key
                message = f"{fault.key}: {message}"
            self.problems.append(Problem(_value_place(request, fault.message), message))
            return
        self.problems.append(self._file_problem(fault))

    def _file_problem(self, fault: Fault) -> Problem:
        """Return the problem of a fault at its key in the file."""
        return Problem(place_of(fault, self._text, self.shown),
                       f"{fault.text}; used at {self.use.source_place}")

    def _pitch_fault(self, string: StringSpec, scheme: str) -> tuple[str, str]:
        """Return the key and the message of a fault of a string's pitch in a scheme ("": none)."""
        _, message, key = self._hz(string, scheme)
        return key, message

    def _hz(self, string: StringSpec, scheme: str) -> tuple[float, str, str]:
        """Return the pitch of an open string (Hz) in a scheme, the message of its fault ("": none),
        and the key of the fault."""
        highest = HIGHEST_PLAYED * self.options.internal_rate
        try:
            pitch = string.pitch if isinstance(string.pitch, float) else parse_pitch(string.pitch)
            if isinstance(pitch, Pitch) and pitch.is_degree and not self.score.tuning.is_valid:
                return 1.0, TUNING, PITCH
            hz = pitch if isinstance(pitch, float) else string_frequency(pitch, self.score.tuning)
            if hz >= highest:
                return hz, (
                    f"the pitch {hz:g} Hz is not under {highest:g} Hz, {HIGHEST_PLAYED:g} of the "
                    "internal rate; expected a lower one"), PITCH
            check_losses(string, hz, scheme, self.options.internal_rate)
        except ParameterError as error:
            return 1.0, str(error), error.name if error.name in SIGMAS else PITCH
        except ValueError as error:
            return 1.0, str(error), PITCH
        return hz, "", PITCH


def _value_place(request: _ScoreChange, message: str) -> Place:
    """Return the place of the wrong value of a change; in a list, of the item that the message
    names."""
    item = ITEM.match(message)
    items = request.literal.items if isinstance(request.literal, ListLiteral) else ()
    index = len(items) if item is None else int(item[1])
    return items[index].place if index < len(items) else request.place
