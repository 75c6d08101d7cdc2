# One run of a network: the arrays and results of a call of `advance`, the same for all schemes.
cdef struct Run:
    Py_ssize_t steps
    Py_ssize_t outputs
    Py_ssize_t inputs
    double* out                 # outputs, steps x outputs
    double* forces              # input forces, steps x inputs, N
    double* energies            # rows of ENERGY_TERMS, J
    Py_ssize_t every            # steps between two rows of energies; 0: none
    bint may_sleep
    Py_ssize_t steps_done       # fewer than steps if the network falls asleep
    long long contact_steps     # steps with a contact force, since the start
    long long failed_at         # count of the first step with a failed solve, -1: none
