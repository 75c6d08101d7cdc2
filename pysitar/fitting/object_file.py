"""An instrument file of one object from fitted modes, at the level of the recording."""
from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from pysitar.errors import ParameterError
from pysitar.fitting.blow_response import BlowResponse, fit_blow_response
from pysitar.fitting.exponentials import ComplexArray, Exponentials, power_sums
from pysitar.fitting.modes import Modes
from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.objects.impact import ImpactSimulation
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import ContactLaw
from pysitar.physics.modal_object import ModalObject

MASS = 0.1                      # kg that the ball hits; each mode has that times their number
VELOCITY = 1.0                  # m/s, of the default strike
RATE = 192000.0                 # Hz, of the strike that is computed
STRIKE = 0.03                   # s of it: the ball has left
MOST_EXTRAPOLATION = 1.5        # nepers from the start of the free decay back to the onset
DIGITS = 7
BLOW_TIMES = np.arange(-0.002, 0.012, 1e-5)     # s from the onset to the blow that are tried,
FINER = (1e-6, 1e-7)            # and then s between ten on either side of the best
WEIGHT_RIDGE = 1e-7             # of a mode's energy from the onset on
ONE_BLOW = 0.1                  # residual over energy: the phases are those of one blow
WEAK = 0.01                     # energy of a mode over the largest: then its level counts alone
# mass (kg), radius (m), stiffness (N/m^1.5), exponent, damping (s/m): steel, wood and rubber
Ball: TypeAlias = tuple[float, float, float, float, float]
BALLS: dict[str, Ball] = {
    "hard": (0.005, 0.008, 5e9, 1.5, 0.17), "medium": (0.009, 0.015, 2e8, 1.5, 0.8),
    "soft": (0.03, 0.02, 2e6, 2.0, 0.5)}
HARD = BALLS["hard"]
CONTACTS = 5e-4 * 2.0 ** (0.5 * np.arange(11))  # s of softer blows that are tried
DAMPINGS = (0.17, 0.5, 1.0, 2.0)                # s/m
SOFT_TIMES = np.arange(-0.002, 0.006, 1e-4)     # s from the onset to a softer blow that are tried
SOFTER, EXACT = 0.5, 1e-3       # residual of a softer blow over a hard one; that needs no softer
MOST_ATTACK = 2.0               # energy of the attack of a softer ball over that of the recording
TIME_ERRORS = np.linspace(-5e-4, 5e-4, 401)     # s that are tried between the onsets of two strikes


@dataclass(frozen=True, slots=True, eq=False)
class ObjectModes:
    """The modes of an object with the amplitudes of one or more strikes.

    Parameters: frequencies, damped (Hz), and decay_rates (1/s), (M,); amplitudes, (strikes, M), at
    the onset, signed; phases of the strike in which each mode is strongest, (M,), rad; weights of
    the velocities in the output, (M,), where they are known; ball, whose blow they
    are for.
    """

    frequencies: FloatArray
    decay_rates: FloatArray
    amplitudes: FloatArray
    phases: FloatArray
    weights: FloatArray | None = None
    ball: Ball = HARD

    @property
    def undamped(self) -> FloatArray:
        """The frequencies without losses (Hz)."""
        return np.hypot(self.frequencies, self.decay_rates / (2.0 * math.pi))


def onset_modes(modes: Modes, sound: FloatArray | None = None, rate: float = 0.0) -> ObjectModes:
    """Return fitted modes with their amplitudes at the onset.

    Parameters: sound (n,) and rate (Hz) of the recording: where the response of the modes to one
    short blow explains it, the weights are fitted to it, with signs; else amplitudes alone count.
    """
    found = _extrapolated(modes)
    if sound is None or not modes.count:
        return found
    onset, start = round(modes.onset * rate), round(modes.start * rate)
    attack = float(sound[onset:start] @ sound[onset:start])
    blow = _blow_weights(found, sound[start:], rate, modes.start - modes.onset, attack)
    return found if blow is None else replace(found, weights=blow[0], ball=blow[1])


def fit_object_response(modes: Modes, sound: FloatArray,
                        rate: float) -> tuple[ObjectModes, BlowResponse] | None:
    """Return the modes of a recording as those of a hard blow, and the impulse response through
    which they sound as recorded; None where there is none.

    Parameters: sound (n,), the recording, and its rate (Hz).
    """
    found = _extrapolated(modes)
    if not modes.count:
        return None
    response = _strike_response(found, HARD)
    levels = _level_weights(found, found.amplitudes[0])
    exponents = (-modes.decay_rates + 2j * math.pi * modes.frequencies).astype(np.complex128)
    blow = fit_blow_response(exponents, response, levels, sound, rate=rate, onset=modes.onset,
                             free=modes.start)
    return None if blow is None else (replace(found, weights=blow.weights), blow)


def _extrapolated(modes: Modes) -> ObjectModes:
    """Return fitted modes with their amplitudes at the onset."""
    back = modes.start - modes.onset
    growth = np.exp(np.minimum(modes.decay_rates * back, MOST_EXTRAPOLATION))
    phases = modes.phases - 2.0 * math.pi * modes.frequencies * back
    return ObjectModes(modes.frequencies, modes.decay_rates, (modes.amplitudes * growth)[None, :],
                       phases)


def _keep_weak_levels(modes: ObjectModes, weights: FloatArray,
                      response: ComplexArray) -> FloatArray:
    """Return weights with those of weak modes at the levels of the modes: out of phase with the
    blow their weights vanish, and the residual of all hardly shows it.

    Parameters: response, of each mode to the blow."""
    amplitudes = modes.amplitudes[0]
    energies = amplitudes * amplitudes / modes.decay_rates
    levels = amplitudes / np.abs(response)
    return np.where(energies < WEAK * energies.max(), np.copysign(levels, weights), weights)


def _blow_weights(modes: ObjectModes, sound: FloatArray, rate: float,
                  after: float, attack: float) -> tuple[FloatArray, Ball] | None:
    """Return the weights of the modes with which the default strike gives a sound, and its ball, or
    None where no weights do: its phases are not those of one blow.

    A softer ball, in contact for longer, is taken where it leaves half as much, and has the energy
    of the attack: weights against the nulls of its spectrum are loud while it is in contact.

    Parameters: sound (n,), from `after` (s) after the onset on; attack, the energy before.
    """
    exponents = ((-modes.decay_rates + 2j * math.pi * modes.frequencies) / rate).astype(
        np.complex128)
    best: tuple[float, FloatArray, Ball, ComplexArray] | None = None
    for contact, ball in [(0.0, HARD), *_soft_balls()]:
        if contact > after or (best is not None and best[0] < EXACT):
            break
        delays = SOFT_TIMES if contact else BLOW_TIMES
        response = _strike_response(modes, ball)
        left, weights, _ = fit_weights(exponents, response, sound, rate, after,
                                       delays[delays < after - contact],
                                       finer=() if contact else FINER)
        if best is None or (left < best[0] * (SOFTER if best[2] == HARD else 1.0)
                            and _attack_energy(modes, ball, weights, after, rate)
                            < MOST_ATTACK * attack):
            best = left, weights, ball, response
    if best is None or best[0] >= ONE_BLOW:
        return None
    _, weights, ball, response = best
    return _keep_weak_levels(modes, weights, response), ball


def _soft_balls() -> Iterator[tuple[float, Ball]]:
    """Yield contact times (s) and balls like the hard one that have them on a body at rest, by
    Hertz's law."""
    mass, radius, _, exponent, _ = HARD
    velocity = VELOCITY
    for contact in CONTACTS.tolist():
        # contact = 2.94 deepest / velocity, deepest = (5 mass velocity^2 / (4 stiffness))^0.4
        stiffness = 1.25 * mass * velocity**2 * (2.94 / (contact * velocity))**2.5
        for damping in DAMPINGS:
            yield contact, (mass, radius, stiffness, exponent, damping)


def fit_weights(exponents: ComplexArray, response: ComplexArray, sound: FloatArray, rate: float,
                after: float, delays: FloatArray,
                finer: Sequence[float] = ()) -> tuple[float, FloatArray, float]:
    """Return the energy that is left over that of a sound, the real weights with which the
    responses of modes to one blow are nearest to it, and the time from its onset to the blow (s).

    Parameters: exponents of the modes for each sample, (M,); response, the complex amplitude of
    each at the blow, (M,); sound (n,), from `after` (s) after the onset on, at a rate (Hz); delays,
    from the onset to the blow, that are tried (s); finer, the steps (s) in which ten more on either
    side of the best are tried, one after the other.
    """
    size = exponents.size
    product, _ = Exponentials(exponents, sound.size).products(sound)
    plus = power_sums(np.exp(exponents[:, None] + exponents), sound.size)[0]
    minus = power_sums(np.exp(exponents[:, None] + exponents.conj()), sound.size)[0]
    whole = np.sqrt(0.5 / -np.expm1(2.0 * exponents.real))  # norm of a mode from the onset on
    energy = float(sound @ sound)
    best: tuple[float, FloatArray, float] = (math.inf, np.zeros(size), 0.0)
    scale = 1.0 / (np.abs(response) * whole)
    for step in (None, *finer):
        tried = delays if step is None else best[2] + step * np.arange(-10, 11)
        for delay in tried[after - tried > 0.0].tolist():
            basis = response * np.exp(exponents * rate * (after - delay))
            gram = 0.5 * (basis[:, None] * basis * plus
                          + basis[:, None] * basis.conj() * minus).real
            right = (basis * product).real
            matrix = gram * scale[:, None] * scale + WEIGHT_RIDGE * np.eye(size)
            weights = np.linalg.solve(matrix, right * scale) * scale
            left = energy - 2.0 * float(weights @ right) + float(weights @ gram @ weights)
            if left < best[0]:
                best = left, weights, delay
    return best[0] / energy, *best[1:]


def join_strikes(strikes: Sequence[Modes], tolerance: float = 15.0) -> ObjectModes:
    """Return the modes of several strikes of one object: those within some cents of each other are
    one, with the frequency and decay of the strike in which it is strongest.

    A mode that a strike does not show has amplitude 0 in it. Signs are those of the phases between
    the strikes, after the difference of their onsets that makes them most nearly 0 or pi.
    """
    parts = [onset_modes(modes) for modes in strikes]
    order = sorted(((float(part.amplitudes[0, k]), index, k) for index, part in enumerate(parts)
                    for k in range(part.frequencies.size)), reverse=True)
    groups: list[dict[int, int]] = []
    for _, index, k in order:
        hz = float(parts[index].frequencies[k])
        for group in groups:
            first, kth = next(iter(group.items()))
            apart = abs(1200.0 * math.log2(hz / float(parts[first].frequencies[kth])))
            if index not in group and apart < tolerance:
                group[index] = k
                break
        else:
            groups.append({index: k})
    groups.sort(key=lambda group: float(parts[next(iter(group))].frequencies[
        next(iter(group.values()))]))
    amplitudes = np.zeros((len(parts), len(groups)))
    angles = np.zeros((len(parts), len(groups)))
    firsts = [next(iter(group.items())) for group in groups]
    for column, group in enumerate(groups):
        for index, k in group.items():
            amplitudes[index, column] = parts[index].amplitudes[0, k]
            angles[index, column] = parts[index].phases[k]
    frequencies = np.array([parts[i].frequencies[k] for i, k in firsts])
    _apply_signs(amplitudes, angles, frequencies)
    return ObjectModes(frequencies, np.array([parts[i].decay_rates[k] for i, k in firsts]),
                       amplitudes, np.array([parts[i].phases[k] for i, k in firsts]))


def _apply_signs(amplitudes: FloatArray, angles: FloatArray, frequencies: FloatArray) -> None:
    """Give the amplitudes of all strikes but the first their signs against the first one."""
    for index in range(1, len(amplitudes)):
        common = np.minimum(amplitudes[0], amplitudes[index])
        turned = angles[index] - angles[0] + 2.0 * math.pi * np.outer(TIME_ERRORS, frequencies)
        best = int((np.abs(np.cos(turned)) @ common).argmax())
        amplitudes[index] *= np.where(np.cos(turned[best]) < 0.0, -1.0, 1.0)


def object_text(modes: ObjectModes, *, name: str = "object", comment: str = "",
                places: Sequence[str] = (), descriptions: Sequence[str] = (),
                response: str = "") -> str:
    """Return the text of an instrument file with one object whose default strike has the amplitudes
    of the recording.

    Parameters: name, of the object; comment, its first lines; places, a name for each strike where
    there are several, and their descriptions; response, the file of the impulse response
    that their sound is convolved with ("": none).
    Errors: ParameterError, also where no mode is left.
    """
    if not modes.frequencies.size:
        raise ParameterError("modes", "empty", "expected one mode or more")
    size = modes.frequencies.size
    strongest = np.abs(modes.amplitudes).max(axis=0)
    shapes = modes.amplitudes / np.maximum(strongest, 1e-300)
    masses, undamped = _masses(size), modes.undamped
    weights = _level_weights(modes, strongest) if modes.weights is None else modes.weights
    gain = float(np.abs(weights).max())
    lists = {"frequencies": undamped, "decay_rates": modes.decay_rates, "masses": masses,
             "shapes": shapes[0] if places else np.ones(size), "weights": weights / gain}
    lines = [*(f"# {line}".rstrip() for line in comment.splitlines()), 'model = "impact"',
             f"gain = {gain:.{DIGITS}g}"]
    if response:
        lines += ["", "[body]", f"impulse_response = {json.dumps(response)}"]
    balls, default = BALLS, "hard"
    if modes.ball != HARD:
        default = "struck"
        balls = {default: modes.ball, **BALLS}
    for ball, values in balls.items():
        lines += ["", f"[balls.{ball}]"]
        keys = ("mass", "radius", "stiffness", "exponent", "damping")
        lines += [f"{key} = {value:g}" for key, value in zip(keys, values, strict=True)]
    lines += ["", f"[objects.{name}]", f'ball = "{default}"']
    lines += [f"{key} = [{list_numbers(values)}]" for key, values in lists.items()]
    lines += ["", f"[objects.{name}.strike]", f"velocity = {VELOCITY:g}",
              "", f"[objects.{name}.drop]", "height = 0.05",
              "", f"[objects.{name}.roll]", "velocity = 0.5", "resistance = 0.003",
              "roughness = 1.2e-07", "shortest = 0.0002", "longest = 0.02", "beta = 2.0",
              "damping = 20.0"]
    if places:
        lines += ["", f"[objects.{name}.places]"]
        lines += [f"{place} = [{list_numbers(row)}]          # {description}"
                  for place, row, description in zip(places, shapes, descriptions, strict=True)]
    text = "\n".join(lines) + "\n"
    parse_instrument(text, name=name, shown=f"{name}.toml")
    return text


def _level_weights(modes: ObjectModes, levels: FloatArray) -> FloatArray:
    """Return the weights with which the default strike gives modes some levels, with the signs of
    their phases."""
    response = _strike_response(modes, modes.ball)
    signs = np.where(np.cos(modes.phases - np.angle(response)) < 0.0, -1.0, 1.0)
    weights: FloatArray = signs * levels / np.abs(response)
    return weights


def _masses(count: int) -> FloatArray:
    return np.full(count, MASS * count)


def _strike(modes: ObjectModes, ball: Ball) -> tuple[ModalObject, ContactLaw]:
    """Return the object of a fitted file, of equal shapes, and the law of a ball on it."""
    size = modes.frequencies.size
    body = ModalObject(frequencies=modes.undamped, decay_rates=modes.decay_rates,
                       masses=_masses(size), shapes=np.ones(size))
    _, _, stiffness, exponent, damping = ball
    return body, ContactLaw(stiffness=stiffness, exponent=exponent, damping=damping)


def _strike_response(modes: ObjectModes, ball: Ball) -> ComplexArray:
    """Return the velocity amplitudes of modes of equal shapes after the default strike of a fitted
    file with a ball."""
    body, law = _strike(modes, ball)
    return strike_response(body, mass=ball[0], law=law, velocity=VELOCITY)


def _attack_energy(modes: ObjectModes, ball: Ball, weights: FloatArray, duration: float,
                   rate: float) -> float:
    """Return the energy of the sound of a strike in its first seconds, as the sum of the squares of
    samples at a rate (Hz)."""
    body, law = _strike(modes, ball)
    force = _strike_force(body, ball[0], law, VELOCITY)[:round(duration * RATE)]
    times, exponents = np.arange(force.size) / RATE, _exponents(body)[:, None]
    driven = np.cumsum(np.exp(-exponents * times) * force, axis=1) / RATE
    velocities = (_velocity_factors(body)[:, None] * np.exp(exponents * times) * driven).real
    sound = weights @ velocities
    return float(sound @ sound) * rate / RATE


def strike_response(body: ModalObject, *, mass: float, law: ContactLaw,
                    velocity: float) -> ComplexArray:
    """Return the complex velocity amplitude of each mode by the force of a strike, from the moment
    of contact on, (M,), m/s.

    Parameters: mass of the ball (kg), law of its contact, and its velocity (m/s).
    Errors: ParameterError.
    """
    force = _strike_force(body, mass, law, velocity)
    times = np.arange(force.size) / RATE
    last = int(np.flatnonzero(force)[-1]) + 1 if np.any(force) else 1
    impulse = np.exp(-_exponents(body)[:, None] * times[None, :last]) @ force[:last] / RATE
    return (_velocity_factors(body) * impulse).astype(np.complex128)


def _strike_force(body: ModalObject, mass: float, law: ContactLaw, velocity: float) -> FloatArray:
    """Return the force (N) of a ball of a mass (kg) and a velocity (m/s) on a body."""
    strike = ImpactSimulation(body=body, mass=mass, law=law, sample_rate=RATE, velocity=velocity)
    force: FloatArray = strike.run(round(STRIKE * RATE), ["contact_force"]).outputs[:, 0]
    return force


def _exponents(body: ModalObject) -> ComplexArray:
    return (-body.decay_rates + 1j * body.angular_frequencies).astype(np.complex128)


def _velocity_factors(body: ModalObject) -> ComplexArray:
    """Return the complex velocity amplitudes of modes after an impulse of 1 N s."""
    factors = body.shapes / body.masses * (1.0 + 1j * body.decay_rates / body.angular_frequencies)
    return factors.astype(np.complex128)


def list_numbers(values: FloatArray) -> str:
    """Return numbers as a list of an instrument file has them, without its brackets."""
    return ", ".join(f"{value:.{DIGITS}g}" for value in array_of(values.tolist()).tolist())
