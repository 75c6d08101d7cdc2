"""An instrument file of one object from fitted modes, at the level of the recording."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pysitar.errors import ParameterError
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
STRIKE = 0.004                  # s of it: the ball has left
MOST_EXTRAPOLATION = 1.5        # nepers from the start of the free decay back to the onset
DIGITS = 7
BLOW_TIMES = np.arange(-0.002, 0.012, 1e-5)     # s from the onset to the blow that are tried
WEIGHT_RIDGE = 1e-7             # of a mode's energy from the onset on
ONE_BLOW = 0.1                  # residual over energy: the phases are those of one blow
# mass (kg), radius (m), stiffness (N/m^1.5), exponent, damping (s/m): steel, wood and rubber
BALLS = {
    "hard": (0.005, 0.008, 5e9, 1.5, 0.17), "medium": (0.009, 0.015, 2e8, 1.5, 0.8),
    "soft": (0.03, 0.02, 2e6, 2.0, 0.5)}
TIME_ERRORS = np.linspace(-5e-4, 5e-4, 401)     # s that are tried between the onsets of two strikes


@dataclass(frozen=True, slots=True, eq=False)
class ObjectModes:
    """The modes of an object with the amplitudes of one or more strikes.

    Parameters: frequencies, damped (Hz), and decay_rates (1/s), (M,); amplitudes, (strikes, M), at
    the onset, signed; phases of the strike in which each mode is strongest, (M,), rad; weights of
    the velocities in the output, (M,), where they are known.
    """

    frequencies: FloatArray
    decay_rates: FloatArray
    amplitudes: FloatArray
    phases: FloatArray
    weights: FloatArray | None = None

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
    weights = _blow_weights(found, sound[round(modes.start * rate):], rate,
                            modes.start - modes.onset)
    return replace(found, weights=weights)


def _extrapolated(modes: Modes) -> ObjectModes:
    """Return fitted modes with their amplitudes at the onset."""
    back = modes.start - modes.onset
    growth = np.exp(np.minimum(modes.decay_rates * back, MOST_EXTRAPOLATION))
    phases = modes.phases - 2.0 * math.pi * modes.frequencies * back
    return ObjectModes(modes.frequencies, modes.decay_rates, (modes.amplitudes * growth)[None, :],
                       phases)


def _blow_weights(modes: ObjectModes, sound: FloatArray, rate: float,
                  after: float) -> FloatArray | None:
    """Return the weights of the modes with which the default strike gives a sound, or None where no
    weights do: its phases are not those of one blow.

    Parameters: sound (n,), from `after` (s) after the onset on.
    """
    exponents = ((-modes.decay_rates + 2j * math.pi * modes.frequencies) / rate).astype(
        np.complex128)
    size = exponents.size
    response = _strike_response(modes.undamped, modes.decay_rates, _masses(size), np.ones(size))
    left, weights = fit_weights(exponents, response, sound, rate, after, BLOW_TIMES)
    return weights if left < ONE_BLOW else None


def fit_weights(exponents: ComplexArray, response: ComplexArray, sound: FloatArray, rate: float,
                after: float, delays: FloatArray) -> tuple[float, FloatArray]:
    """Return the real weights with which the responses of modes to one blow are nearest to a sound,
    and the energy that is left over that of the sound.

    Parameters: exponents of the modes for each sample, (M,); response, the complex amplitude of
    each at the blow, (M,); sound (n,), from `after` (s) after the onset on, at a rate (Hz); delays,
    from the onset to the blow, that are tried (s).
    """
    size = exponents.size
    product, _ = Exponentials(exponents, sound.size).products(sound)
    plus = power_sums(np.exp(exponents[:, None] + exponents), sound.size)[0]
    minus = power_sums(np.exp(exponents[:, None] + exponents.conj()), sound.size)[0]
    whole = np.sqrt(0.5 / -np.expm1(2.0 * exponents.real))  # norm of a mode from the onset on
    energy = float(sound @ sound)
    best: tuple[float, FloatArray] = (math.inf, np.zeros(size))
    for delay in delays[after - delays > 0.0].tolist():
        basis = response * np.exp(exponents * rate * (after - delay))
        gram = 0.5 * (basis[:, None] * basis * plus + basis[:, None] * basis.conj() * minus).real
        right = (basis * product).real
        scale = 1.0 / (np.abs(response) * whole)
        matrix = gram * scale[:, None] * scale + WEIGHT_RIDGE * np.eye(size)
        weights = np.linalg.solve(matrix, right * scale) * scale
        left = energy - 2.0 * float(weights @ right) + float(weights @ gram @ weights)
        if left < best[0]:
            best = left, weights
    return best[0] / energy, best[1]


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
                places: Sequence[str] = (), descriptions: Sequence[str] = ()) -> str:
    """Return the text of an instrument file with one object whose default strike has the amplitudes
    of the recording.

    Parameters: name, of the object; comment, its first lines; places, a name for each strike where
    there are several, and their descriptions.
    Errors: ParameterError, also where no mode is left.
    """
    if not modes.frequencies.size:
        raise ParameterError("modes", "empty", "expected one mode or more")
    size = modes.frequencies.size
    strongest = np.abs(modes.amplitudes).max(axis=0)
    shapes = modes.amplitudes / np.maximum(strongest, 1e-300)
    masses, undamped = _masses(size), modes.undamped
    response = _strike_response(undamped, modes.decay_rates, masses, np.ones(size))
    signs = np.where(np.cos(modes.phases - np.angle(response)) < 0.0, -1.0, 1.0)
    weights = signs * strongest / np.abs(response) if modes.weights is None else modes.weights
    gain = float(np.abs(weights).max())
    lists = {"frequencies": undamped, "decay_rates": modes.decay_rates, "masses": masses,
             "shapes": shapes[0] if places else np.ones(size), "weights": weights / gain}
    lines = [*(f"# {line}".rstrip() for line in comment.splitlines()), 'model = "impact"',
             f"gain = {gain:.{DIGITS}g}"]
    for ball, values in BALLS.items():
        lines += ["", f"[balls.{ball}]"]
        keys = ("mass", "radius", "stiffness", "exponent", "damping")
        lines += [f"{key} = {value:g}" for key, value in zip(keys, values, strict=True)]
    lines += ["", f"[objects.{name}]", 'ball = "hard"']
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


def _masses(count: int) -> FloatArray:
    return np.full(count, MASS * count)


def _strike_response(frequencies: FloatArray, decay_rates: FloatArray, masses: FloatArray,
                     shapes: FloatArray) -> ComplexArray:
    """Return the velocity amplitudes of modes after the default strike of a fitted file."""
    body = ModalObject(frequencies=frequencies, decay_rates=decay_rates, masses=masses,
                       shapes=shapes)
    mass, _, stiffness, exponent, damping = BALLS["hard"]
    law = ContactLaw(stiffness=stiffness, exponent=exponent, damping=damping)
    return strike_response(body, mass=mass, law=law, velocity=VELOCITY)


def strike_response(body: ModalObject, *, mass: float, law: ContactLaw,
                    velocity: float) -> ComplexArray:
    """Return the complex velocity amplitude of each mode by the force of a strike, from the moment
    of contact on, (M,), m/s.

    Parameters: mass of the ball (kg), law of its contact, and its velocity (m/s).
    Errors: ParameterError.
    """
    strike = ImpactSimulation(body=body, mass=mass, law=law, sample_rate=RATE, velocity=velocity)
    force = strike.run(round(STRIKE * RATE), ["contact_force"]).outputs[:, 0]
    omegas = body.angular_frequencies
    times = np.arange(force.size) / RATE
    exponents = -body.decay_rates + 1j * omegas
    last = int(np.flatnonzero(force)[-1]) + 1 if np.any(force) else 1
    impulse = np.exp(-exponents[:, None] * times[None, :last]) @ force[:last] / RATE
    response = body.shapes / body.masses * (1.0 + 1j * body.decay_rates / omegas) * impulse
    return response.astype(np.complex128)


def list_numbers(values: FloatArray) -> str:
    """Return numbers as a list of an instrument file has them, without its brackets."""
    return ", ".join(f"{value:.{DIGITS}g}" for value in array_of(values.tolist()).tolist())
