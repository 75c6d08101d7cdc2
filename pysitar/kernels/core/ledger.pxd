# The ledger of a network: what its modes and rows have turned into heat, and what was done to it from outside, J since the start.
from libc.math cimport fabs

cdef enum:
    BLOCK_STEPS = 64            # steps between two closings of the ledger
    ENERGY_TERMS = 6            # of a reading: kinetic, potential, contact, losses, work, sum of |work|

cdef struct Ledger:
    double losses               # up to the last closing
    double work
    double abs_work             # sum of |work|
    double recent_losses        # since the last closing
    double recent_work
    double recent_abs_work


cdef inline void add_work(Ledger* ledger, double work) noexcept nogil:
    ledger.recent_work += work
    ledger.recent_abs_work += fabs(work)


cdef inline void close_ledger(Ledger* ledger) noexcept nogil:
    """Adds the recent sums to the whole ones: short sums round less."""
    ledger.losses += ledger.recent_losses
    ledger.work += ledger.recent_work
    ledger.abs_work += ledger.recent_abs_work
    ledger.recent_losses = 0.0
    ledger.recent_work = 0.0
    ledger.recent_abs_work = 0.0


cdef inline void read_ledger(const Ledger* ledger, double* row) noexcept nogil:
    """Losses, work and the sum of |work|, in their places of a reading."""
    row[3] = ledger.losses + ledger.recent_losses
    row[4] = ledger.work + ledger.recent_work
    row[5] = ledger.abs_work + ledger.recent_abs_work
