# The books of a network: what its modes and rows have turned into heat, and what was done to it from outside, J since the start.
from libc.math cimport fabs

cdef enum:
    BOOKING = 64                # steps between two closings of the books
    ENERGIES = 6                # of a reading: kinetic, potential, contact, losses, work, sum of |work|

cdef struct Books:
    double losses               # up to the last closing
    double work
    double throughput           # sum of |work|
    double recent_losses        # since the last closing
    double recent_work
    double recent_throughput


cdef inline void book_work(Books* books, double work) noexcept nogil:
    books.recent_work += work
    books.recent_throughput += fabs(work)


cdef inline void close_books(Books* books) noexcept nogil:
    """Adds the recent sums to the whole ones: short sums round less."""
    books.losses += books.recent_losses
    books.work += books.recent_work
    books.throughput += books.recent_throughput
    books.recent_losses = 0.0
    books.recent_work = 0.0
    books.recent_throughput = 0.0


cdef inline void read_books(const Books* books, double* row) noexcept nogil:
    """Losses, work and the sum of |work|, in their places of a reading."""
    row[3] = books.losses + books.recent_losses
    row[4] = books.work + books.recent_work
    row[5] = books.throughput + books.recent_throughput
