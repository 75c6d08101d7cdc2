"""Describe an instrument: every value with its unit, range and meaning, its strings, and the verbs
that play them."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pysitar.errors import ParameterError
from pysitar.gestures.balls import BALL_NAME
from pysitar.gestures.base import Verb
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.faults import Fault, InstrumentError, KeyPath
from pysitar.models.definitions.loader import instrument_data, parse_instrument
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.definitions.overrides import leaves
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.schema import Specification
from pysitar.models.definitions.spec import (
    RESPONSE,
    TOP_SCHEMA,
    InstrumentSpec,
    StringSpec,
    parameter_at,
    part_schema,
    tables_at,
)
from pysitar.physics.parameters import Parameter
from pysitar.rendering.binding.ornaments import ORNAMENT_TABLE, Ornament
from pysitar.score.pitch import DEFAULT_TUNING, parse_pitch, string_frequency


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of an instrument.

    Parameters: path, as `set` names it; parameter; value, positions in m (None: the file leaves it
    out, and it has no default); length of the string that
    a position is on (m; else 0). """

    path: KeyPath
    parameter: Parameter
    value: object
    length: float = 0.0


@dataclass(frozen=True, slots=True)
class Description:
    """An instrument described.

    Parameters: spec; meaning, its file's first comment; bridges, the changes of each bridge that
    can be chosen; entries, in the order of the file's tables; hz of each open string, with sa at
    C#3 where its pitch is a degree, and its tension (N); verbs, without strike where no string has
    hammers and press where none has frets; ornaments, of plucks and bends, where they are played.
    """

    spec: InstrumentSpec
    meaning: str
    bridges: Mapping[str, Mapping[str, object]]
    entries: tuple[Entry, ...]
    hz: Mapping[str, float]
    tension: Mapping[str, float]
    verbs: Mapping[str, Verb]
    ornaments: Mapping[str, Ornament]

    def own(self, verb: str, parameter: str) -> dict[str, float] | dict[str, str]:
        """Return each part's default of a parameter of a verb; empty where the verb's own default
        holds."""
        if parameter == BALL_NAME.name:
            return {part.name: part.default_ball(verb) for part in self.spec.parts
                    if not isinstance(part, StringSpec | MassSpec)}
        own = {part.name: part.default_values(verb) for part in self.spec.parts}
        return {name: values[parameter] for name, values in own.items() if parameter in values}

    @property
    def ornament_verbs(self) -> list[str]:
        """The verbs that may have an ornament."""
        return [name for name, verb in self.verbs.items() if verb.gesture.takes_ornament]

    def as_json(self) -> dict[str, Any]:
        """Return the description as JSON data: positions in m, with their fraction of the
        length."""
        spec = self.spec
        strings = [{
            "name": string.name, "pitch": string.pitch, "hz": self.hz[string.name],
            "tension": self.tension[string.name]
        } for string in spec.strings]
        group = PARTS[spec.model][1]
        return {
            "name": spec.name,
            "file": spec.source,
            "meaning": self.meaning,
            "model": spec.model,
            "scheme": spec.scheme,
            "bridges": self.bridges,
            group: strings or [{"name": part.name} for part in spec.parts],
            "parameters": [_entry_json(entry) for entry in self.entries],
            "verbs": [{
                "name": verb.name, "pitch": verb.pitch, "parameters": [
                    asdict(parameter) | {"own": self.own(verb.name, parameter.name)}
                    for parameter in verb.parameters.values()
                ]
            } for verb in self.verbs.values()],
            "ornaments": [{
                "name": ornament.name, "meaning": ornament.meaning, "several": ornament.takes_list,
                "parameters": [asdict(parameter) for parameter in ornament.parameters.values()]
            } for ornament in self.ornaments.values()],
        }


def description(text: str, *, name: str, shown: str) -> Description:
    """Describe an instrument.

    Parameters: text, of its TOML file; name, of the instrument; shown, its file in messages.
    Errors: InstrumentError.
    """
    spec = parse_instrument(text, name=name, shown=shown)
    data = instrument_data(text)
    bridges = data.get("bridges", {})
    parts = {getattr(part.written, "name", part.name): part.written for part in spec.parts}
    lengths = {string.name: string.length for string in spec.strings}
    # of this version, and of this file
    choices = {"scheme": tuple(MODELS[spec.model]), "bridge": tuple(bridges)}
    entries = []
    for path in leaves(data, bridges=bool(bridges)):
        group = PARTS[spec.model][1]
        table = data[group].get(path[0], {}) if len(path) == 2 else {}
        of = part_schema(group, table)
        parameter = of.keys[path[1]] if table else parameter_at(path, group)
        assert parameter is not None
        if path[-1] in choices and len(path) == 1:
            parameter = replace(parameter, choices=choices[path[-1]])
        length = lengths[path[0]] if parameter.kind == "position" else 0.0
        left_out = ((len(path) == 1 and path[0] in TOP_SCHEMA.optional and path[0] not in data)
                    or ("kind" in table and path[1] in of.optional and path[1] not in table)
                    or _is_left_out(data[group], path, group))
        value = None if left_out else _value(spec, parts, path)
        entries.append(Entry(path, parameter, value, length))
    pitches = {string.name: open_pitch(string, shown) for string in spec.strings}
    verbs = {name: verb for name, verb in MODELS[spec.model][spec.scheme].items()
             if any(verb.gesture.is_playable(part) for part in spec.parts)}
    verbs |= {name: Verb(name, gesture.parameters, gesture.pitch, gesture)
              for name, gesture in BY_MODEL[spec.model].items() if gesture.expands_into in verbs}
    return Description(spec, first_comment(text), bridges, tuple(entries),
                       {key: hz
                        for key, (hz, _) in pitches.items()},
                       {key: tension
                        for key, (_, tension) in pitches.items()},
                       {name: _with_names(verb, spec)
                        for name, verb in verbs.items()},
                       ORNAMENT_TABLE if any(verb.gesture.takes_curve
                                             for verb in verbs.values()) else {})


def _with_names(verb: Verb, spec: InstrumentSpec) -> Verb:
    """Return a verb whose parameters list the instrument's balls and places as choices."""
    names = {
        "ball": tuple(spec.balls), "place": tuple(
            dict.fromkeys(place for part in spec.parts
                          for place in getattr(part.written, "places", ())))
    }
    return replace(
        verb, parameters={
            name: replace(parameter, choices=names.get(name, parameter.choices))
            for name, parameter in verb.parameters.items()
        })


def first_comment(text: str) -> str:
    """Return the first comment of an instrument's file."""
    return next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")),
                "")


def _is_left_out(parts: Any, path: KeyPath, group: str) -> bool:
    """Return whether the file leaves out a key of a table inside a part, which may be missing and
    has no default.

    Parameters: parts, of the file; path; group, of the parts. """
    inner = parts.get(path[0], {}).get(path[1]) if len(path) == 3 else None
    return isinstance(inner, dict) and path[2] not in inner and any(
        path[2] in table.optional for table in tables_at(path[:2], group))


def _value(spec: InstrumentSpec, parts: Mapping[str, Specification], path: KeyPath) -> object:
    """Return the value at a path of an instrument."""
    at: object = spec
    if path[0] == "body" and spec.response is not None and path[1] in RESPONSE:
        return getattr(spec.response, path[1])
    for part in path:
        at = parts[part] if at is spec and part in parts else at[part] if isinstance(
            at, Mapping) else getattr(at, part)
    return at


def open_pitch(string: StringSpec, shown: str) -> tuple[float, float]:
    """Return the frequency (Hz) and tension (N) of an open string, sa at C#3; shown, its file in
    messages.  Errors: InstrumentError."""
    try:
        hz = string.pitch if isinstance(string.pitch, float) else string_frequency(
            parse_pitch(string.pitch), DEFAULT_TUNING)
        return hz, string.string(hz).tension
    except (ParameterError, ValueError) as error:
        raise InstrumentError(shown, [Fault((string.name, "pitch"), str(error))]) from None


def _entry_json(entry: Entry) -> dict[str, Any]:
    values: dict[str, Any] = {"path": ".".join(entry.path), "value": entry.value}
    if entry.length:
        assert isinstance(entry.value, float)
        values["fraction"] = entry.value / entry.length
    about = asdict(entry.parameter)
    del about["alias"]                  # belongs to rows of a score
    return values | about
