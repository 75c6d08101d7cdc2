"""Kernels of networks from what their twins take, and how far their books miss."""
import numpy as np
from twins.two_point import Contact


def network(scheme, *, omega, alpha, mass, shapes, laws, offset, dt, **more):
    """The kernel of a scheme, of what its twin takes."""
    n = len(laws)
    contact = [isinstance(law, Contact) for law in laws]
    return scheme(
        angular_frequencies=np.array(omega, dtype=float), decay_rates=np.array(alpha, dtype=float), masses=np.array(mass, dtype=float),
        time_step=dt, shapes=np.array(shapes, dtype=float).reshape(n, len(mass)),
        kinds=np.array([0 if c else 1 for c in contact], dtype=np.int32), stiffness=np.array([law.stiffness for law in laws], dtype=float),
        exponent=np.array([getattr(law, "exponent", 1.0) for law in laws], dtype=float),
        damping=np.array([law.damping if c else law.resistance for c, law in zip(contact, laws, strict=True)], dtype=float),
        adhesive=np.array([getattr(law, "adhesive", True) for law in laws], dtype=np.int32), offsets=np.array(offset, dtype=float), **more)


def imbalance(books):
    """Per step, |dH + losses - work| over the larger of the greatest H and the sum of |work| so far (design: 1e-13 asked)."""
    stored = books[:, :3].sum(axis=1)
    scale = np.maximum(np.maximum.accumulate(stored), books[:, 5])
    return np.max(np.abs(np.diff(stored + books[:, 3] - books[:, 4])) / scale[1:])
