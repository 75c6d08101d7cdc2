# The energy ledger of a network, J since the start: energy dissipated by its modes and rows, and
# work done on it by external forces and parameter changes.
from libc.math cimport fabs

cdef enum:
    BLOCK_STEPS = 64            # steps between two calls of `close_ledger`
    ENERGY_TERMS = 6            # kinetic, potential, contact, losses, work, sum of |work|

cdef struct Ledger:
    double losses               # dissipated energy up to the last `close_ledger`, J
    double work                 # external work up to the last `close_ledger`, J
    double abs_work             # sum of |work| up to the last `close_ledger`, J
    double recent_losses        # since the last `close_ledger`, J
    double recent_work          # J
    double recent_abs_work      # J


cdef inline void add_work(Ledger* ledger, double work) noexcept nogil:
    ledger.recent_work += work
    ledger.recent_abs_work += fabs(work)


cdef inline void close_ledger(Ledger* ledger) noexcept nogil:
    """Add the recent sums to the totals; short partial sums have less round-off."""
    ledger.losses += ledger.recent_losses
    ledger.work += ledger.recent_work
    ledger.abs_work += ledger.recent_abs_work
    ledger.recent_losses = 0.0
    ledger.recent_work = 0.0
    ledger.recent_abs_work = 0.0


cdef inline void read_ledger(const Ledger* ledger, double* row) noexcept nogil:
    """Write losses, work and the sum of |work| (J) to the last three of a row's ENERGY_TERMS."""
    row[3] = ledger.losses + ledger.recent_losses
    row[4] = ledger.work + ledger.recent_work
    row[5] = ledger.abs_work + ledger.recent_abs_work
