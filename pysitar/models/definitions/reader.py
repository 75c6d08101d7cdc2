"""Reads the data of an instrument file: checks every table and value and reports every fault."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pysitar.errors import ParameterError, quoted
from pysitar.models.definitions.faults import Fault
from pysitar.models.definitions.mass_reader import read_mass
from pysitar.models.definitions.object_reader import read_balls, read_object
from pysitar.models.definitions.parameters import (
    STIFFEST_HAMMER,
    STIFFEST_STRING_CONTACT,
    check_string_contact,
    check_width,
)
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.spec import (
    BarrierSpec,
    BodySpec,
    FretboardSpec,
    FretsSpec,
    InstrumentSpec,
    PartSpec,
    PickupSpec,
    PluckSpec,
    StrikeSpec,
    StringSpec,
    ThreadSpec,
)
from pysitar.models.definitions.table_reader import Table, TableReader, Values
from pysitar.models.definitions.tables import BODY, HANDS, OTHER_ROWS, SCHEMES, STRING, TABLES, TOP
from pysitar.models.network.network import MAX_ROWS
from pysitar.physics.barrier import SHORTEST, check_on_string

WITH_THREAD = ("two-point",)            # schemes


class Reader(TableReader):
    """Read the data of one file; what is wrong goes to `faults`.

    Parameters: faults, to be added to; model, of the file; bridges, the names of those that it
    describes. """

    def __init__(self, faults: list[Fault], model: object, bridges: Sequence[str]) -> None:
        self.model = model if isinstance(model, str) and model in PARTS else "string"
        super().__init__(faults, *PARTS[self.model])
        self.bridges = tuple(bridges)

    def instrument(self, data: Table, name: str, shown: str) -> InstrumentSpec | None:
        """Return the instrument; None if a part of it is missing or wrong."""
        top = self._top_values(data)
        scheme = top.texts.get("scheme", "")
        known = MODELS.get(top.texts.get("model", ""), {})
        if scheme and known and scheme not in known:
            self.report(("scheme",), f"no scheme {quoted(scheme)}; expected {' or '.join(known)}")
        body = self._body(data["body"]) if "body" in data else None
        parts = data.get(self.group)
        if not isinstance(parts, dict) or not parts:
            self.report((self.group,), f"has no {self.group}; expected a table [{self.group}.NAME]")
            return None
        specs: list[PartSpec | None]
        balls = read_balls(self, data.get("balls")) if self.model == "impact" else {}
        if self.model == "lumped":
            specs = [read_mass(self, key, table, scheme) for key, table in parts.items()]
        elif self.model == "impact":
            specs = [read_object(self, key, table, balls) for key, table in parts.items()]
        else:
            strings = [self._string(key, table) for key, table in parts.items()]
            threads = [
                string.name for string in strings
                if string is not None and string.thread is not None
            ]
            if threads and scheme in known and scheme not in WITH_THREAD:
                self.report(("scheme", ),
                            f"the {scheme} scheme has no thread, and {quoted(threads[0])} has "
                            f"one; "
                            f"expected {' or '.join(WITH_THREAD)}, or no thread")
            modulated = [
                string.name for string in strings
                if string is not None and string.tension_modulation
            ]
            if modulated and scheme in known and scheme not in WITH_THREAD:
                self.report(("scheme", ), f"the {scheme} scheme keeps the tension constant, and "
                            f"{quoted(modulated[0])} has tension_modulation; "
                            f"expected {' or '.join(WITH_THREAD)}, or tension_modulation = false")
            if body is not None and body.coupled and scheme in known and scheme not in WITH_THREAD:
                self.report(("scheme", ), f"the {scheme} scheme has no coupled body; "
                            f"expected {' or '.join(WITH_THREAD)}, or coupled = false in [body]")
            self._check_pickups([string for string in strings if string is not None],
                                has_body="body" in data)
            specs = [*strings]
        if self.faults:
            return None
        return InstrumentSpec(name=name, source=shown, model=top.texts["model"],
                              gain=top.numbers["gain"], scheme=scheme, body=body,
                              parts=tuple(part for part in specs
                                          if part is not None), bridge=top.texts.get("bridge", ""),
                              balls={key: ball
                                     for key, ball in balls.items() if ball is not None})

    def _top_values(self, data: Table) -> Values:
        """Return the values of the instrument itself; `bridge` is one of them if the file describes
        bridges."""
        keys = {key: parameter for key, parameter in TOP.items() if key != "bridge"}
        # a scheme of another model is reported by `instrument`
        if data.get("scheme") not in SCHEMES:
            keys["scheme"] = replace(TOP["scheme"], choices=tuple(MODELS[self.model]))
        if self.bridges:
            keys["bridge"] = replace(TOP["bridge"], choices=self.bridges)
        elif "bridge" in data:
            self.report(("bridge", ),
                        "there is no bridge to choose; expected a table [bridges.NAME] for each")
            data = {key: value for key, value in data.items() if key != "bridge"}
        inner = {
            "string": ("body", "strings", "bridges"), "impact": ("objects", "balls", "bridges")
        }
        return self.table(data, keys, (), inner=inner.get(self.model, (self.group, "bridges")))

    def _body(self, data: object) -> BodySpec | None:
        if not isinstance(data, dict):
            self.report(("body",), "is no table; expected [body] with its keys")
            return None
        before = len(self.faults)
        values = self.table(data, BODY, ("body",))
        sizes = {key: len(numbers) for key, numbers in values.lists.items()}
        for key, size in sizes.items():
            if size != sizes.get("frequencies", size):
                self.report(
                    ("body", key),
                    f"{size} values for {sizes['frequencies']} frequencies; expected as many")
        if len(self.faults) > before:
            return None
        return BodySpec(frequencies=values.lists["frequencies"], q=values.lists["q"],
                        masses=values.lists["masses"], weights=values.lists["weights"],
                        coupled=values.flags["coupled"])

    def _check_pickups(self, strings: Sequence[StringSpec], *, has_body: bool) -> None:
        """Report pickups beside a body, or beside strings without one."""
        with_pickup = [string.name for string in strings if string.pickup is not None]
        if has_body:
            for name in with_pickup:
                self.report((name, "pickup"),
                            "a body is driven by the forces at the strings' ends, not by a "
                            "pickup; "
                            "expected either [body] or pickups")
        elif with_pickup:
            for string in strings:
                if string.pickup is None:
                    self.report(("strings", string.name),
                                f"has no pickup, and {quoted(with_pickup[0])} has one; "
                                f"expected a table [strings.{string.name}.pickup]")

    def _string(self, name: str, data: object) -> StringSpec | None:
        table = self.part(name, data)
        if table is None:
            return None
        before = len(self.faults)
        values = self.table(table, STRING, (name,), inner=tuple(TABLES))
        length = values.numbers.get("length", math.inf)
        inner = {
            key: self.inner((name, key), table.get(key), keys, length)
            for key, keys in TABLES.items()
        }
        if "pluck" not in table:
            self.report((name, "pluck"), f"is missing; expected a table [strings.{name}.pluck]")
        barrier, thread, pluck = _barrier(inner["barrier"]), _thread(inner["thread"]), _pluck(
            inner["pluck"])
        if len(self.faults) > before or pluck is None:
            return None
        number_of = values.numbers
        spec = StringSpec(
            name=name,
            pitch=values.texts["pitch"] if "pitch" in values.texts else number_of["pitch"],
            cents=number_of["cents"],
            stretch=number_of["stretch"],
            corrections=values.lists["corrections"],
            truncation=number_of["truncation"],
            lowest=number_of["lowest"],
            highest=number_of["highest"],
            role=values.texts["role"],
            length=length,
            linear_density=number_of["linear_density"],
            core_diameter=number_of["core_diameter"],
            bending_stiffness=number_of["bending_stiffness"],
            axial_stiffness=number_of["axial_stiffness"],
            tension_modulation=values.flags["tension_modulation"],
            sigma0=number_of["sigma0"],
            sigma1=number_of["sigma1"],
            sigma2=number_of["sigma2"],
            sigma3=number_of["sigma3"],
            barrier=barrier,
            thread=thread,
            frets=_frets(inner["frets"]),
            fretboard=_fretboard(inner["fretboard"]),
            pickup=_pickup(inner["pickup"]),
            pluck=pluck,
            strike=_strike(inner["strike"]),
        )
        self._check_whole(spec)
        return spec

    def _check_whole(self, spec: StringSpec) -> None:
        """Report faults of the whole string: parts beyond its end or above it, and too many
        rows."""
        try:
            check_width(spec.pluck.position, spec.pluck.width, spec.length)
        except ParameterError as error:
            self.report((spec.name, "pluck", "width"), str(error))
        try:
            string = spec.untuned()
        except ParameterError as error:          # of a stiffness that follows from other values
            self.report((
                spec.name, error.name
            ), f"{error}; it follows from a wire of {spec.wire:.3g} m; expected a larger "
               f"core_diameter"
                        )
            return
        if spec.barrier is not None:
            try:
                check_on_string(spec.barrier.barrier(), string)
            except ParameterError as error:
                self.report((spec.name, "barrier", "extent"), str(error))
        board = spec.fretboard
        if board is not None and spec.length - board.start < SHORTEST:
            self.report((
                spec.name, "fretboard", "start"
            ), f"start is {board.start:g} m; expected at least {SHORTEST:g} m before the nut at "
               f"{spec.length:g} m"
                        )
            return
        self._check_stiffness(spec)
        self._check_below_string(spec, "frets", spec.frets)
        self._check_below_string(spec, "fretboard", board)
        self._check_row_count(spec)

    def _check_stiffness(self, spec: StringSpec) -> None:
        """Report contacts so stiff that rounding of their forces spoils the energy balance."""
        parts = {
            "barrier": spec.barrier, "frets": spec.frets, "fretboard": spec.fretboard,
            "strike": spec.strike
        }
        for table, part in parts.items():
            if part is None:
                continue
            linear = STIFFEST_HAMMER if table == "strike" else STIFFEST_STRING_CONTACT
            try:
                check_string_contact(linear, part.stiffness, part.exponent,
                                     TABLES[table]["stiffness"].unit)
            except ParameterError as error:
                self.report((spec.name, table, "stiffness"), str(error))

    def _check_below_string(self, spec: StringSpec, table: str,
                            part: FretsSpec | FretboardSpec | None) -> None:
        """Report frets or a fretboard above the straight string: a straight line rises only towards
        the bridge."""
        if part is None:
            return
        barrier = part.barrier(spec.length)
        x, height = min(zip(barrier.positions.tolist(), barrier.heights.tolist(), strict=True))
        if height > 0.0:
            least = part.gap_nut * (1.0 - 0.5 * spec.length / (spec.length - x))
            self.report(
                (spec.name, table, "gap_12"),
                f"gap_12 is {part.gap_12:g} m; {x:g} m from the bridge the line of the gaps is "
                f"{height:g} m above the straight string; expected at least {least:g} m")

    def _check_row_count(self, spec: StringSpec) -> None:
        """Report a string with more contact points than a network has rows."""
        places = {
            ("barrier", "points"): spec.barrier.points if spec.barrier is not None else 0,
            ("frets", "count"): spec.frets.count if spec.frets is not None else 0,
            ("fretboard", "points"): spec.fretboard.points if spec.fretboard is not None else 0
        }
        rows = sum(places.values())
        others = OTHER_ROWS + spec.tension_modulation + (HANDS if spec.strike is not None else 0)
        if rows + others > MAX_ROWS:
            most = max(places, key=lambda place: places[place])
            counts = ", ".join(f"{table} {count}" for (table, _), count in places.items() if count)
            self.report((spec.name, *most), f"the string has {rows} contact points ({counts}); "
                                             f"expected at most {MAX_ROWS - others} in all")


def _barrier(values: Values | None) -> BarrierSpec | None:
    if values is None:
        return None
    n = values.numbers
    return BarrierSpec(profile=values.texts["profile"], start=n["start"], extent=n["extent"],
                       height=n["height"], points=int(n["points"]), stiffness=n["stiffness"],
                       exponent=n["exponent"], damping=n["damping"])


def _thread(values: Values | None) -> ThreadSpec | None:
    if values is None:
        return None
    n = values.numbers
    return ThreadSpec(position=n["position"], height=n["height"], stiffness=n["stiffness"],
                      resistance=n["resistance"])


def _frets(values: Values | None) -> FretsSpec | None:
    if values is None:
        return None
    n = values.numbers
    return FretsSpec(count=int(n["count"]), gap_nut=n["gap_nut"], gap_12=n["gap_12"],
                     stiffness=n["stiffness"], exponent=n["exponent"], damping=n["damping"])


def _fretboard(values: Values | None) -> FretboardSpec | None:
    if values is None:
        return None
    n = values.numbers
    return FretboardSpec(start=n["start"], gap_nut=n["gap_nut"], gap_12=n["gap_12"],
                         points=int(n["points"]), stiffness=n["stiffness"], exponent=n["exponent"],
                         damping=n["damping"])


def _pickup(values: Values | None) -> PickupSpec | None:
    return None if values is None else PickupSpec(position=values.numbers["position"])


def _pluck(values: Values | None) -> PluckSpec | None:
    if values is None:
        return None
    n = values.numbers
    return PluckSpec(position=n["position"], force=n["force"], width=n["width"], ramp=n["ramp"],
                     release=n["release"], touch=n["touch"], lead=n["lead"])


def _strike(values: Values | None) -> StrikeSpec | None:
    if values is None:
        return None
    n = values.numbers
    return StrikeSpec(position=n["position"], velocity=n["velocity"], mass=n["mass"],
                      stiffness=n["stiffness"], exponent=n["exponent"], damping=n["damping"])
