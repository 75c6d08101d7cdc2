"""Kernels of networks from the arguments of their twins, and the imbalance of their energy
ledger."""
import numpy as np
from twins.laws import law_columns
from twins.two_point import Contact


def network(scheme, *, omega, alpha, mass, shapes, laws, offset, dt, **options):
    """Return the kernel of a scheme from the arguments of its twin."""
    n = len(laws)
    contact = [isinstance(law, Contact) for law in laws]
    return scheme(
        angular_frequencies=np.array(omega, dtype=float), decay_rates=np.array(alpha, dtype=float),
        masses=np.array(mass, dtype=float), time_step=dt,
        shapes=np.array(shapes, dtype=float).reshape(n, len(mass)),
        laws=law_columns(
            n, kinds=[0 if c else 1 for c in contact], stiffness=[law.stiffness for law in laws],
            exponent=[getattr(law, "exponent", 1.0) for law in laws],
            damping=[law.damping if c else law.resistance
                     for c, law in zip(contact, laws, strict=True)],
            adhesive=[getattr(law, "adhesive", True) for law in laws]),
        offsets=np.array(offset, dtype=float), **options)


def imbalance(ledger):
    """Return the greatest |dH + losses - work| of a step, over max(greatest H, sum |work|) so far;
    limit 1e-13."""
    stored = ledger[:, :3].sum(axis=1)
    scale = np.maximum(np.maximum.accumulate(stored), ledger[:, 5])
    return np.max(np.abs(np.diff(stored + ledger[:, 3] - ledger[:, 4])) / scale[1:])
