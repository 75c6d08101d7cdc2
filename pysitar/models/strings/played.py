"""A played string: plucks, strikes, glides, presses and damping fingers in time, on one network."""
from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pysitar.gestures.base import HammerHead, Player
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.kernels.core import elementary
from pysitar.kernels.modal.network import DAMPING
from pysitar.models.definitions.picks import tip_of
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.agenda import Action, Agenda, Push, finger_steps, forces_of, smooth_ramp
from pysitar.models.network.audited import AuditedNetwork, IntArray, StringNetwork, stored_energy
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.models.network.friction import LINKED_PASSES, Rub, side_row
from pysitar.models.network.network import Row, axial_row, bridge_shape_at, curvature
from pysitar.models.network.schemes.base import FINGER as FINGER_ROWS
from pysitar.models.network.schemes.base import Scheme
from pysitar.models.network.schemes.catalogue import DEFAULT_SCHEME
from pysitar.models.network.schemes.modal import FORCE_TOLERANCE, Kernel, ModalScheme
from pysitar.models.strings.bowing import StringBowing
from pysitar.models.strings.damper import (
    FINGER_LOSS,
    DampingRamp,
    DecayFinger,
    decay_of,
    shortest_t60,
)
from pysitar.models.strings.directions import more_modes, turn_contacts
from pysitar.models.strings.free_modes import FreeModes, free_masses
from pysitar.models.strings.fretting import RESISTANCE, ROWS, PressForce, pull_off_force
from pysitar.models.strings.glides import BendPoint, Glides
from pysitar.models.strings.hammers import Hammers
from pysitar.models.strings.modal_string import (
    contact_rows,
    highest_at,
    playable_modes,
    retuned_spec,
    set_equilibrium,
)
from pysitar.models.strings.network_inputs import NetworkInputs
from pysitar.models.strings.pick_noise import PickNoise
from pysitar.models.strings.played_outputs import set_outputs
from pysitar.models.strings.plectrum import Plectrum
from pysitar.models.strings.rattle import Rattle
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import LINEAR, LawValues
from pysitar.physics.excitation import ramp_release, triangle
from pysitar.physics.modes import StringModes

# of a pluck's ramp: the touch ends before the release, so that its end is not audible in it
OFF = 0.4
# of the length: a damping finger is wide, so that no mode has a node under all of it
FINGER = (0.300, 0.307, 0.317)
GLIDE_TIME = 0.007              # s to a pitch
LOUD_ACTIONS = frozenset(("push", "let", "hammer", "press down", "pull off", "stroke"))
# s over which the corners of a pitch curve are smoothed: they would click at -100 dB
LEVEL_TIME = 0.001


class PlayedString(Player):
    """One string of an instrument, at equilibrium on its barriers until it is played.

    Parameters: spec; hz, pitch of the open string (Hz); highest, the highest pitch that it plays
    (Hz; None: hz); sample_rate, internal (Hz); floor (dB) of silence; name, as error messages show
    it; traced, whether `traces` is used; scheme, with rows; heads, of the hammers that will
    strike it; fingers, the largest number that will press it at a time (the output of a pressed
    string is the force at its bridge end, not at the nut); coupled, whether it is part of a network
    of coupled strings, set by `join`, and is not advanced alone; noise, of its plectrum (None:
    none); is_bowed, whether a bow will be set on it. Errors: ParameterError. """

    sounding: StringNetwork

    def __init__(
            self,
            spec: StringSpec,
            *,
            hz: float,
            sample_rate: float,
            floor: float,
            name: str,
            highest: float | None = None,
            traced: bool = False,
            scheme: ModalScheme[Any] = DEFAULT_SCHEME,
            heads: Collection[HammerHead] = (),
            fingers: int = 0,
            coupled: bool = False,
            noise: PickNoise | None = None,
            is_bowed: bool = False,
    ) -> None:
        self.noise = noise
        highest = hz if highest is None else highest
        spec = retuned_spec(spec, hz=hz, highest=highest, sample_rate=sample_rate)
        self.spec, self.hz, self.sample_rate, self.traced = spec, hz, sample_rate, traced
        self._force_offset = scheme.force_time_offset
        self.string = spec.string(hz)
        self.modes = self._modes_up_to(highest)
        self._decay: DecayFinger | None = None
        self._hammers: Hammers | None = None
        self._rattle: Rattle | None = None
        self._plectrum: Plectrum | None = None
        self._has_tip = scheme.hammer_network is not None and tip_of(spec) is not None
        masses = free_masses(spec, has_hammers=bool(heads), has_tip=self._has_tip)
        self._bowing: StringBowing | None = None
        self._more = more_modes(spec, self.modes, sample_rate, is_bowed=is_bowed,
                                free_masses=masses)
        self._free = FreeModes(self.modes, masses) if masses and self._more is None else None
        self._rubs: list[Rub] = []
        self._side_rows: dict[int, int] = {}        # of hands, in the second direction, by row
        rows = self._build_rows(scheme, heads, fingers, is_bowed=is_bowed)
        self.kernel = kernel = self._build_kernel(rows, scheme)
        set_equilibrium(kernel, spec)
        self.bridge_shapes = array_of([row.bridge_shape for row in rows])
        if traced or not coupled:
            set_outputs(kernel, self.modes, spec, rows, extend=self._extend, traced=traced,
                        at_bridge=bool(self._press_rows))
        output = 0.0
        if not coupled:
            alone = AuditedNetwork(kernel, name=name, sample_rate=sample_rate, floor=floor,
                                   outputs=4 if traced else 1, recorded=traced)
            output = alone.equilibrium_output
            self.join(alone)
        rest = stored_energy(kernel) - self.weight_work(), output
        self._glides = Glides(self.string, equilibrium=rest, equilibrium_at=kernel.equilibrium_at)
        self._agenda = Agenda()
        self.finger_steps, self.fingers = finger_steps(sample_rate), fingers
        self.actions: dict[str, Callable[[Action], None]] = self._actions()
        self._pushes: list[Push | PressForce] = []
        self._ramps: dict[int, DampingRamp] = {}
        self._damping: dict[int, float] = {}
        self._next_free = [0] * fingers     # the step from which each pressing finger is free
        self._force_curves: dict[tuple[int, int], ValueCurve] = {}  # of forces, by step and finger
        self._bow_curves: dict[int, Mapping[str, ValueCurve]] = {}      # by step

    def _actions(self) -> dict[str, Callable[[Action], None]]:
        return {
            "touch": self._start_touch, "push": self._start_pluck, "let": self._release_triangle,
            "hammer": self._start_hammer, "lay": self._lay_finger, "lift": self._lift_finger,
            "press down": self._press_down, "let up": self._let_up, "pull off": self._pull_off,
            "stroke": self._start_stroke
        }

    def _modes_up_to(self, highest: float) -> StringModes:
        """Return the modes of the string that it has at each pitch up to a highest one (Hz)."""
        # with statics the number of modes does not depend on other notes: those that a tension
        # raises too high are left out meanwhile
        tightest = (self.string if self.spec.statics
                    else self.spec.string(highest, open_hz=self.hz))
        return playable_modes(self.string, tightest.tension, self.sample_rate,
                              on_bridge=self.spec.barrier is not None)

    def _build_rows(self, scheme: Scheme, heads: Collection[HammerHead], fingers: int, *,
                    is_bowed: bool) -> list[Row]:
        """Return the rows of the network, and set which of them belong to hands and hammers.

        The order: contacts, damper at the plucking point, fingers, pressing fingers, plectrum, a
        body on the string, hammers, hands in the second direction, friction on the contacts, bow,
        tension.
        """
        more, rubbing = self._more, []
        rows = contact_rows(self.modes, self.spec)
        if more is not None and more.side_count:
            turned = turn_contacts(more, self.spec, rows, self.sample_rate)
            rows, rubbing, self._rubs = turned.contacts, turned.rubbing, turned.rubs
        elif more is not None:
            rows = [replace(row, shape=more.extend(row.shape)) for row in rows]
        hands = [self._damper_row(self.spec.pluck.position)]
        self._touch_row = first = len(rows)
        damping = FINGER if FINGER_ROWS in scheme.capabilities else ()
        self._finger_rows = tuple(range(first + 1, first + 1 + len(damping)))
        hands += [self._damper_row(x * self.string.length) for x in damping]
        self._press_rows = tuple(range(first + len(hands),
                                       first + len(hands) + len(ROWS) * fingers))
        hands += [
            Row(shape=array_of([0.0] * self.modes.count), law=LawValues(kind=LINEAR))
            for _ in self._press_rows
        ]
        rows += hands if more is None else [
            replace(row, shape=more.extend(row.shape)) for row in hands]
        tip = tip_of(self.spec) if self._has_tip else None
        if tip is not None:
            count = self._extend(array_of([0.0] * self.modes.count)).size
            self._plectrum = Plectrum(tip, modes=count, row=len(rows),
                                      mode=count - 1 - (self.spec.rattle is not None),
                                      sample_rate=self.sample_rate)
            rows.append(self._plectrum.contact_row(self.modes.count if more is None else count))
        if self.spec.rattle is not None:
            self._rattle = Rattle(self.spec.rattle, self.modes, first=len(rows))
            rows += self._rattle.rows
        if heads:
            assert self._free is not None
            self._hammers = Hammers(self._free, heads=heads, first=len(rows),
                                    sample_rate=self.sample_rate,
                                    weight=[] if self._rattle is None else [self._rattle.weight])
            rows += self._hammers.rows
        if more is not None and more.side_count:
            self._side_rows = {first + i: len(rows) + i for i in range(len(hands))}
            rows += [side_row(more, row) for row in hands] + rubbing
        if more is not None and is_bowed and self.spec.bow is not None:
            self._bowing = StringBowing(self.spec.bow, more, first=len(rows),
                                  sample_rate=self.sample_rate)
            rows += self._bowing.rows
            self._rubs += self._bowing.rubs
        if self.spec.tension_modulation:
            axial = axial_row(self.modes)
            rows.append(axial if more is None
                        else replace(axial, shape=more.extend(axial.shape)))
        return rows

    def _build_kernel(self, rows: Sequence[Row], scheme: ModalScheme[Kernel]) -> Kernel:
        """Return the kernel of the modes, those of free masses included, and the rows."""
        if self._more is not None:
            kernel = self._build_rubbed(rows, scheme)
        elif self._free is None:
            kernel = scheme.network(self.modes, rows, self.sample_rate)
        else:
            assert scheme.hammer_network is not None
            kernel = self._free.network(rows, scheme.hammer_network, self.sample_rate)
        if FINGER_ROWS not in scheme.capabilities:
            assert scheme.added_decay is not None
            self._decay = DecayFinger(scheme.added_decay(kernel, self.modes))
        if scheme.solves_together:          # costs nothing where all exponents are 1
            kernel.set_force_tolerance(FORCE_TOLERANCE)
        if self.spec.statics:
            assert scheme.set_statics is not None
            scheme.set_statics(kernel, self.modes, rows, self.spec.theta,
                               highest=highest_at(self.sample_rate,
                                                  on_bridge=self.spec.barrier is not None),
                               detuning=self.spec.detuning if self._side_rows else 0.0)
        if self.spec.tension_modulation:
            assert scheme.set_axial_row is not None
            bend = curvature(self.modes)
            scheme.set_axial_row(kernel, len(rows) - 1, self._extend(bend) if self._more is None
                                 else self._more.extend_both(bend))
        if self._rattle is not None:
            assert self._free is not None
            self._rattle.attach(kernel, self._free, kernel.modes - 1)
        return kernel

    def _build_rubbed(self, rows: Sequence[Row], scheme: ModalScheme[Kernel]) -> Kernel:
        """Return the kernel of a string with friction rows."""
        assert scheme.hammer_network is not None and scheme.set_friction is not None
        assert self._more is not None
        kernel = scheme.hammer_network(rows=rows, sample_rate=self.sample_rate,
                                       **self._more.arrays)
        first = len(rows) - len(self._rubs) - self.spec.tension_modulation
        bow = self.spec.bow if self._bowing is not None else None
        scheme.set_friction(kernel, first, self._rubs,
                            max(LINKED_PASSES if self._side_rows else 1,
                                1 if bow is None else bow.passes))
        return kernel

    def _extend(self, weights: FloatArray) -> FloatArray:
        """Return weights of the string's modes (..., M) extended to all modes, 0 for those of
        free masses and torsion."""
        if self._more is not None:
            return self._more.extend(weights)
        return weights if self._free is None else self._free.extend(weights)

    def weight_work(self) -> float:
        """Return the work (J) of the weight of a body on the string from a height of 0."""
        return 0.0 if self._rattle is None else self._rattle.weight_work(self.kernel)

    def _turn(self, weights: FloatArray, values: Mapping[str, float]) -> FloatArray:
        """Return weights of the string's modes (M,), in the direction of a pluck's angle, for all
        modes."""
        if self._more is None or not self._side_rows:
            return self._extend(weights)
        return self._more.turn(weights, math.radians(values["angle"]))

    def join(self, sounding: StringNetwork) -> None:
        """Set the network that this string is, or is part of."""
        self.sounding = sounding

    @property
    def inertia(self) -> FloatArray:
        """The coupling of the modes to a compliant bridge, linear density over wave number, kg; 0
        for hammers."""
        density = self.string.linear_density
        return self._extend(
            array_of([density / b for b in self.modes.wave_numbers.tolist()]))

    def _damper_row(self, x: float) -> Row:
        """Return the row of a hand or plectrum at x (m)."""
        return Row(shape=self.modes.shape(x), law=LawValues(kind=LINEAR),
                   bridge_shape=bridge_shape_at(x, self.string.length), position=x)

    def _move_row(self, row: int, x: float) -> None:
        """Move the row of a hand or plectrum to x (m)."""
        self.kernel.set_row_shape(row, self._extend(self.modes.shape(x)),
                                  bridge_shape_at(x, self.string.length), position=x, weight=1.0)
        if row in self._side_rows:
            assert self._more is not None
            self.kernel.set_row_shape(self._side_rows[row],
                                      self._more.extend_side(self.modes.shape(x)), position=x,
                                      side_weight=1.0)

    @property
    def waiting(self) -> bool:
        """Whether something is still to be played, or is being played."""
        lifting = self._decay is not None and self._decay.waiting
        return bool(self._agenda or self._pushes or self._ramps or self._glides.waiting
                    or (self._bowing is not None and self._bowing.is_playing)
                    or lifting or (self.noise is not None and self.noise.waiting)
                    or (self._plectrum is not None and self._plectrum.busy)
                    or (self._hammers is not None and self._hammers.busy))

    def play(self, verb: str, step: int, values: dict[str, float], hz: float | None = None,
             curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event, not before the scheduled ones.

        Parameters: verb, of a gesture; step, its internal sample, not before the present one;
        values by their long names in SI units (the instrument's defaults replace missing ones); hz,
        the pitch (Hz) that the string has reached by then
        (None: no change); curves: "pitch" (Hz), of a bend, whose first value is hz, "force" (N), of
        a press. """
        if hz is not None:
            self._glide_to(hz, step, round(values.get("glide", GLIDE_TIME) * self.sample_rate),
                           (curves or {}).get("pitch"))
        BY_MODEL["string"][verb].begin(self, step, values, curves or {})

    @property
    def now(self) -> int:
        """The present step."""
        return self.sounding.step

    def take_finger(self, step: int, stop: int) -> int | None:
        """Return the number of a pressing finger that is free between two steps; None: none is."""
        finger = next((finger for finger, free in enumerate(self._next_free) if free <= step), None)
        if finger is not None:
            self._next_free[finger] = stop
        return finger

    def schedule(self, kind: str, step: int, values: Mapping[str, float],
                 curve: Any = None) -> None:
        """Schedule an action; curve, of a pressing force, or the curves of a bow by name."""
        if kind == "stroke":
            self._bow_curves[step] = curve or {}
        elif curve is not None:
            self._force_curves[step, int(values["finger"])] = curve
        self._agenda.put(kind, step, values)

    def traces(self) -> dict[str, FloatArray]:
        """Return and clear the traces of each step since the last call, if the string is traced.

        Returns: "force_end" (n,), N, on the support at x = length; "displacement" (n,), m, where it
        is plucked; "contact_force" (n,), N, of all contacts together over the step, hammers' too;
        "energy" (k, 6), J, of each step that 64 divides: see Network.energy. """
        outputs, energy = self.sounding.take()
        return {
            "force_end": outputs[:, 1], "displacement": outputs[:, 2],
            "contact_force": outputs[:, 3], "energy": energy
        }

    def _glide_to(self, hz: float, step: int, steps: int, curve: ValueCurve | None = None) -> None:
        now = self.sounding.step
        if curve is None:
            glides = [
                self._glides.add(self.spec.semitones(hz, open_hz=self.hz), step=step, steps=steps,
                                 now=now)
            ]
        else:
            points = [
                BendPoint(round(point.time * self.sample_rate),
                          self.spec.semitones(point.value, open_hz=self.hz),
                          "lin" if point.shape == "exp" else point.shape, point.exponent)
                for point in curve.points
            ]
            jump, level = round(GLIDE_TIME * self.sample_rate), round(LEVEL_TIME * self.sample_rate)
            glides = self._glides.bend(points, step=step, steps=steps, jump=jump, level=level,
                                       now=now)
        for glide in glides:
            self._agenda.put("glide", max(glide.begin, now), {})

    def advance(self, out: FloatArray) -> None:
        """Compute out.size internal steps: the upward force on the far support less that at
        equilibrium, N, or the pickup's velocity, m/s."""
        assert isinstance(self.sounding, AuditedNetwork)
        done = 0
        while done < out.size:
            now = self.sounding.step
            stops = self.prepare(now)
            end = min(min(stops, default=now + out.size) - now, out.size - done)
            inputs = self.network_inputs(now, end)
            self.sounding.advance(out[done:done + end], forces=inputs.forces,
                                  control_rows=inputs.rows, control_fields=inputs.fields,
                                  controls=inputs.controls, motion=inputs.motion)
            done += end

    def prepare(self, now: int) -> list[int]:
        """Start the actions due at a step, remove finished ones, and return the steps at which an
        action starts or ends next."""
        if self._hammers is not None:
            self._hammers.remove_far_hammers(self.sounding, now)
        if self._plectrum is not None:
            self._plectrum.update(self.sounding, now)
        if self._bowing is not None:
            self._bowing.update(self.kernel, now)
        for action in self._agenda.due(now):
            self._begin(action)
        self._pushes = [push for push in self._pushes if push.stop > now]
        self._ramps = {row: ramp for row, ramp in self._ramps.items() if ramp.stop > now}
        stops = [push.stop for push in self._forces] + [ramp.stop for ramp in self._ramps.values()]
        for glide in self._glides.take_finished(now):
            self.sounding.set_sleep_reference(glide.high.energy, glide.high.output)
        stops += self._agenda.next_start + self._glides.next_change(now)
        if self._hammers is not None:
            stops += self._hammers.next_check(now)
        if self._plectrum is not None:
            stops += self._plectrum.next_check()
        if self._bowing is not None:
            stops += self._bowing.next_change(now)
        if self._decay is not None:
            self._decay.change(now)
            stops += self._decay.next_change()
        return stops

    def network_inputs(self, now: int, n: int) -> NetworkInputs:
        """Return the arguments of the network for n steps during which no force and no ramp begins
        or ends."""
        pushes = self._forces
        shapes, forces = forces_of(pushes, now, n, self.kernel.modes)
        self.kernel.set_inputs(shapes, array_of([push.bridge_shape for push in pushes]))
        rows = sorted(self._ramps)
        controls = np.zeros((n, len(rows)))
        for j, row in enumerate(rows):
            ramp = self._ramps[row]
            controls[:, j] = ramp.values[now - ramp.start:now - ramp.start + n]
            self._damping[row] = float(controls[n - 1, j])
        fields: IntArray = np.full(len(rows), DAMPING, dtype=np.int32)
        for part in (self._plectrum, self._bowing):
            if part is not None:
                more_rows, more_fields, values = part.controls(now, n)
                rows, fields = rows + more_rows, np.append(fields, more_fields).astype(np.int32)
                controls = np.concatenate([controls, values], axis=1)
        return NetworkInputs(forces, np.array(rows, dtype=np.int32), fields, controls,
                     self._glides.motion(now, n) if self._glides.moving(now) else None)

    @property
    def _forces(self) -> list[Push | PressForce]:
        """The forces at present, with that of a hand on a plectrum."""
        hand = None if self._plectrum is None else self._plectrum.push
        return self._pushes if hand is None else [*self._pushes, hand]

    def _begin(self, action: Action) -> None:
        self.sounding.wake(reset_peaks=action.kind in LOUD_ACTIONS)
        if action.kind != "glide":          # waking the string is enough
            self.actions[action.kind](action)

    def _start_touch(self, action: Action) -> None:
        """Start the touch of a plectrum or finger, which damps the string before a pluck."""
        values = action.values
        x = values["position"]
        self._move_row(self._touch_row, x)
        lead = round(values["lead"] * self.sample_rate)
        # a release from a height has no ramp
        ramp = 0 if "height" in values else round(values["ramp"] * self.sample_rate)
        off = round(OFF * ramp)
        top, start = values["touch"], self._damping.get(self._touch_row, 0.0)
        rise = [start + (top - start) * x for x in smooth_ramp(lead)]
        fall = [top * (1.0 - x) for x in smooth_ramp(off)] or [0.0]
        self._set_ramp(
            DampingRamp(self._touch_row, action.start,
                        array_of(rise + [top] * (ramp - off) + fall)))

    def _start_pluck(self, action: Action) -> None:
        values = action.values
        shape = self._turn(self.modes.spread(values["position"], values["width"]), values)
        bridge_shape = bridge_shape_at(values["position"], self.string.length)
        if self._side_rows:
            bridge_shape *= elementary.sin(math.radians(values["angle"]))
        if self._plectrum is not None:
            self._plectrum.start(
                self.sounding, action.start, values, shape=shape, bridge_shape=bridge_shape,
                on_slip=lambda step: self._add_noise(replace(action, start=step)))
            return
        force = ramp_release(force=values["force"], ramp=values["ramp"], release=values["release"],
                             time_step=1.0 / self.sample_rate, at=self._force_offset)
        force = self._with_noise(action, force, round(values["ramp"] * self.sample_rate))
        self._pushes.append(Push(shape, action.start, force, bridge_shape))

    def _with_noise(self, action: Action, force: FloatArray, delay: int) -> FloatArray:
        """Start the noise of a pluck or strike some steps after its action; return the force on
        the string, with the noise if there is no body."""
        if self.noise is None:
            return force
        return self.noise.start(action.values, action.start, delay, force)

    def _press_down(self, action: Action) -> None:
        """Start the press of a finger behind a fret."""
        values = action.values
        finger, rise = int(values["finger"]), int(values["rise"])
        for row, part in zip(self._rows_of_finger(finger), ROWS, strict=True):
            x = values["position"] + part * values["width"]
            self._move_row(row, x)
            self._set_ramp(
                DampingRamp(row, action.start,
                            array_of([RESISTANCE / len(ROWS) * x for x in smooth_ramp(rise)])))
        curve = self._force_curves.pop((action.start, finger), None) or ValueCurve(
            (CurvePoint(0.0, values["force"]), ))
        shape, bridge_shape = self._shapes_of_finger(values)
        self._pushes.append(
            PressForce(shape, action.start, int(values["stop"]), curve, rise, self.sample_rate,
                       bridge_shape))

    def _let_up(self, action: Action) -> None:
        falling = [
            RESISTANCE / len(ROWS) * (1.0 - x) for x in smooth_ramp(int(action.values["rise"]))]
        for row in self._rows_of_finger(int(action.values["finger"])):
            self._set_ramp(DampingRamp(row, action.start, array_of(falling)))

    def _pull_off(self, action: Action) -> None:
        """Draw the string up with the finger that lifts, until it slips off."""
        force = pull_off_force(action.values, self.sample_rate, self._force_offset)
        shape, bridge_shape = self._shapes_of_finger(action.values)
        self._pushes.append(Push(shape, action.start, force, bridge_shape))

    def _shapes_of_finger(self, values: Mapping[str, float]) -> tuple[FloatArray, float]:
        return (self._extend(self.modes.spread(values["position"], values["width"])),
                bridge_shape_at(values["position"], self.string.length))

    def _rows_of_finger(self, finger: int) -> tuple[int, ...]:
        return self._press_rows[len(ROWS) * finger:len(ROWS) * (finger + 1)]

    def _release_triangle(self, action: Action) -> None:
        """Add the triangle from which the string is released to its displacement."""
        kernel = self.kernel
        drawn = self._turn(triangle(self.modes, position=action.values["position"],
                                    height=action.values["height"]), action.values)
        carried = drawn if self._rattle is None else self._rattle.carry(drawn)
        self.sounding.jump(kernel.displacement() + carried, kernel.velocity())

    def _start_stroke(self, action: Action) -> None:
        assert self._bowing is not None
        self._bowing.start(self.kernel, action, self._bow_curves.pop(action.start))

    def _start_hammer(self, action: Action) -> None:
        assert self._hammers is not None
        self._hammers.strike(self.sounding, action.start, action.values)
        self._add_noise(action)

    def _add_noise(self, action: Action) -> None:
        """Start the noise of a strike, or of a plectrum that the string slips off."""
        force = self._with_noise(action, array_of([]), 0)
        if force.size:
            x = action.values["position"]
            self._pushes.append(Push(self._extend(self.modes.shape(x)), action.start, force,
                                     bridge_shape_at(x, self.string.length)))

    def _lay_finger(self, action: Action) -> None:
        string = self.string
        if self._decay is not None:
            self._move_finger(action.start, decay_of(action.values["t60"], string))
            return
        resistance = FINGER_LOSS * string.linear_density * string.length / max(
            action.values["t60"], shortest_t60(string))
        self._move_finger(action.start, resistance / len(FINGER))

    def _lift_finger(self, action: Action) -> None:
        lies = self._decay is not None and self._decay.lies
        if lies or any(
                self._damping.get(row, 0.0) > 0.0 or row in self._ramps
                for row in self._finger_rows):
            self._move_finger(action.start, 0.0)

    def _move_finger(self, start: int, resistance: float) -> None:
        """Move the damping finger to a resistance (kg/s) at each of its rows, or to a decay rate
        (1/s) without rows."""
        steps = self.finger_steps
        if self._decay is not None:
            self._decay.move(start, resistance, steps)
        for row in self._finger_rows:
            now = self._damping.get(row, 0.0)
            self._set_ramp(
                DampingRamp(row, start,
                            array_of([now + (resistance - now) * x for x in smooth_ramp(steps)])))

    def _set_ramp(self, ramp: DampingRamp) -> None:
        self._ramps[ramp.row] = ramp
        if ramp.row in self._side_rows:
            side = self._side_rows[ramp.row]
            self._ramps[side] = replace(ramp, row=side)
