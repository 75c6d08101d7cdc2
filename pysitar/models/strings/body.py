"""The body of a string instrument: its modes at the bridge, and a body without effect on the
strings."""
from __future__ import annotations

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.definitions.spec import BodySpec
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.network import network
from pysitar.physics.checks import FloatArray


def body_network(spec: BodySpec, sample_rate: float) -> TwoPoint:
    """Return the kernel of a body at a sample rate (Hz), its one output the weighted sum of its
    modes' velocities, m/s.

    Errors: ParameterError, a mode that is too high for the rate.
    """
    modes = spec.modal_object()
    highest = max(spec.frequencies)
    if highest >= 0.5 * sample_rate:
        raise ParameterError("the body's highest mode", highest, (
            f"expected an internal rate (rate times oversample) above {2.0 * highest:g} Hz; it is "
            f"{sample_rate:g} Hz"
        ))
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
            if self.sounding.asleep:
                struck = np.flatnonzero(force[done:])
                start = done + int(struck[0]) if struck.size else out.size
                self.sounding.skip_asleep(out[done:start])
                done = start
                if not struck.size:
                    return
                self.sounding.wake()
            # computes no further than to where the body falls asleep: the next force wakes it
            done += self.sounding.advance_awake(out[done:], forces=forces[done:])
