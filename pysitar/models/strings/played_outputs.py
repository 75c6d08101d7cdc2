"""The outputs of a played string: its sound, and its traces."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.network import Row
from pysitar.models.network.schemes.statics import NO_OUTPUT, set_static_outputs
from pysitar.models.strings.modal_string import output_weights
from pysitar.physics.checks import FloatArray
from pysitar.physics.contact import FRICTION, LINEAR
from pysitar.physics.modes import StringModes


def set_outputs(kernel: Network, modes: StringModes, spec: StringSpec, rows: Sequence[Row], *,
                extend: Callable[[FloatArray], FloatArray], traced: bool, at_bridge: bool) -> None:
    """Set the outputs of a string: the sound, and if it is traced also the force on the support at
    x = length, the displacement where it is plucked, and the force of all contacts together.

    Parameters: kernel; modes, M of the string; spec; rows, all of the kernel; extend, which returns
    weights of the string's modes as those of all modes; at_bridge, whether the sound is the force
    at the bridge end, not at the other one. """
    y, velocity = (extend(weights).reshape(1, -1)
                   for weights in output_weights(modes, spec, at_bridge=at_bridge))
    none, slope = np.zeros_like(y), extend(modes.slope_end()).reshape(1, -1)
    near = extend(modes.wave_numbers).reshape(1, -1) if at_bridge else slope
    bridge_force = none if spec.pickup is not None else near
    static = [NO_OUTPUT if spec.pickup is not None
              else ("force_start" if at_bridge else "force_end", 0.0)]
    if not traced:
        kernel.set_outputs(y, velocity, tension=bridge_force)
        if spec.statics:
            set_static_outputs(kernel, static)
        return
    force = np.zeros((4, kernel.rows))
    force[3] = [0.0 if row.law.kind in (LINEAR, FRICTION) else 1.0 for row in rows]
    end, place = (extend(weights).reshape(1, -1)
                  for weights in (modes.slope_force_end(), modes.shape(spec.pluck.position)))
    kernel.set_outputs(np.concatenate([y, end, place, none]),
                       np.concatenate([velocity, none, none, none]), force,
                       np.concatenate([bridge_force, slope, none, none]))
    if spec.statics:
        set_static_outputs(kernel, [*static, ("force_end", 0.0),
                                    ("displacement", spec.pluck.position), NO_OUTPUT])
