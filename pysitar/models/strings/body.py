"""The body of a string instrument: its modes at the bridge, and a body without effect on the
strings."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.definitions.spec import BodySpec
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.network import network
from pysitar.physics.checks import FloatArray

HIGHEST_MODE = 0.47             # of the internal rate


def body_network(spec: BodySpec, sample_rate: float) -> TwoPoint:
    """Return the kernel of a body at a sample rate (Hz), its one output the weighted sum of its
    modes' velocities, m/s.

    Modes that are too high for the rate are left out, as those of strings are.
    Errors: ParameterError, if no mode is left.
    """
    lowest, limit = min(spec.frequencies), HIGHEST_MODE * sample_rate
    if lowest >= limit:
        raise ParameterError("the body's lowest mode", lowest, (
            f"expected an internal rate (rate times oversample) above {lowest / HIGHEST_MODE:g} "
            f"Hz; it is {sample_rate:g} Hz"
        ))
    kept = [i for i, f in enumerate(spec.frequencies) if f < limit]
    frequencies, q, masses, weights = (
        tuple(values[i] for i in kept)
        for values in (spec.frequencies, spec.q, spec.masses, spec.weights))
    spec = replace(spec, frequencies=frequencies, q=q, masses=masses, weights=weights)
    modes = spec.modal_object()
    kernel = network(angular_frequencies=modes.angular_frequencies, decay_rates=modes.decay_rates,
                     masses=modes.masses, rows=[], sample_rate=sample_rate)
    kernel.set_outputs(np.zeros((1, modes.count)),
                       np.array(spec.weights, dtype=np.float64).reshape(1, -1))
    return kernel


class Body:
    """Modes driven by a force at the bridge, where every shape is 1, without effect on the strings;
    the output is the weighted sum of their velocities.

    Parameters: spec; sample_rate, internal (Hz); floor (dB) of silence; name, as error messages
    show it. """

    def __init__(self, spec: BodySpec, *, sample_rate: float, floor: float, name: str) -> None:
        kernel = body_network(spec, sample_rate)
        kernel.set_inputs(np.ones((1, kernel.modes)))
        self.sounding = AuditedNetwork(kernel, name=name, sample_rate=sample_rate, floor=floor)

    def advance(self, out: FloatArray, force: FloatArray) -> None:
        """Compute out.size internal steps under a force (N) a step: weighted velocity, m/s."""
        forces = force.reshape(-1, 1)
        done = 0
        while done < out.size:
            if not self.sounding.is_computed:
                struck = np.flatnonzero(force[done:])
                start = done + int(struck[0]) if struck.size else out.size
                self.sounding.advance(out[done:start])
                done = start
                if not struck.size:
                    return
                self.sounding.wake()
            # computes no further than to where the body falls asleep: the next force wakes it
            done += self.sounding.advance_awake(out[done:], forces=forces[done:])
