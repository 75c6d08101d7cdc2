# What a law of a row is: the element of the array `laws` that a kernel is given, and the law that
# its steps use.
#
# The compression of a row is p = offset - V . y (m, positive in contact). Over a step p goes from
# p0 to p1; the force F (N), positive when it opens the contact, is a discrete gradient: F (p1 - p0)
# is the change of the stored energy plus the dissipated energy. law.pxd dispatches to the laws, one
# file each: power_law.pxd, linear_law.pxd and viscous_law.pxd are inlined; any other law sets the
# functions and flags of `Law` below.

cdef enum Kind:
    CONTACT = 0
    LINEAR = 1
    STATIC_CONTACT = 2
    STATIC_LINEAR = 3
    VISCOUS = 4                 # the last of the inlined laws

cdef enum:
    SERIES_TERMS = 8            # of the series of the mean force
    PARAMETERS = 6              # of a law in the array
    MAY_PULL = 1                # bit of LawEntry.flags: damping may make the force negative

cdef struct LawEntry:           # element of the array `laws`: physics/laws.py (`LAW`)
    int kind
    int flags
    double damping              # s/m; kg/s of a linear law
    double parameters[PARAMETERS]  # stiffness, exponent, then those of the law alone

cdef struct Law:
    Kind kind
    bint adhesive               # a contact force may be negative
    bint is_present  # stiffness above 0, or a linear row with damping; else never a force
    int twice_exponent          # 2 exponent if an integer up to MAX_TWICE_EXPONENT, else -1
    double stiffness            # K, N/m^exponent; N/m (linear)
    double exponent             # a
    double rate                 # g, damping / time step: 1/m (contact), N/m (linear, viscous)
    # of the mean of x^exponent (above 1), by the squared relative half width
    double series[SERIES_TERMS]
    # of a law that is not inlined; set by its own file
    double parameters[PARAMETERS]
    double time_step            # span of the law, s
    double state[2]             # between steps, of a law with `relax`
    bint reaches_apart          # has a force at p < 0
    double steepest_fall        # greatest -dF/dp1 of the mean force, N/m; 0 if that is monotone
    double (*stored)(const Law* law, double p) noexcept nogil
    # discrete gradient of `stored` over a step (N), with fixed state, and its derivative by p1, N/m
    double (*mean)(const Law* law, double p0, double p1, double* slope) noexcept nogil
    # NULL, or the energy (J) that a law with a rate above 0 dissipates over a step, at least 0
    double (*heat)(const Law* law, double p0, double p1) noexcept nogil
    # the force at rest at p1
    double (*mean_at_rest)(const Law* law, double p0, double p1, double* slope) noexcept nogil
    # NULL, or advance the state by a time (s) at p; return the dissipated energy (J), at least 0
    double (*relax)(Law* law, double p, double time) noexcept nogil
