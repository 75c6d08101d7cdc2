# The force laws of a row, used by every kernel: the dispatch to the files of the laws.
#
#   contact   power_law.pxd, a power of the compression with Hunt-Crossley damping
#   linear    linear_law.pxd, a bilateral spring with a damper
#   viscous   viscous_law.pxd, a power with a damper whose rate is set at every step
# A static kind has the same equilibrium (p0 = p1) as its dynamic kind, and serves to find it. These
# are inlined. Any other law is one file and one line in `set_further_law`; law_record.pxd describes
# the functions and flags that it sets.
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

from pysitar.kernels.contact.adhesive_law cimport ADHESIVE, set_adhesive_law
from pysitar.kernels.contact.felt_law cimport FELT, set_felt_law
from pysitar.kernels.contact.friction_law cimport FRICTION, friction_step, set_friction_law
from pysitar.kernels.contact.law_record cimport (
    CONTACT, LINEAR, MAY_PULL, PARAMETERS, STATIC_CONTACT, STATIC_LINEAR, VISCOUS, Kind, Law,
    LawEntry,
)
from pysitar.kernels.contact.linear_law cimport (
    linear_force, linear_heat, linear_potential, linear_step, static_linear_force,
    static_linear_step,
)
from pysitar.kernels.contact.power_law cimport (
    MAX_BISECTIONS, damped_force, damped_heat, damped_unit_force, power_potential, set_power_law,
    static_power_force, unit_exponent_step,
)
from pysitar.kernels.contact.viscoelastic_law cimport VISCOELASTIC, set_viscoelastic_law
from pysitar.kernels.contact.viscous_law cimport viscous_force, viscous_heat
from pysitar.kernels.core.newton cimport Bracket, next_guess, open_bracket


cdef inline bint set_further_law(Law* law) noexcept nogil:
    """Set the functions and flags of a law that is not inlined; return False for an unknown
    kind."""
    return (
        (<int>law.kind == FELT and set_felt_law(law))
        or (<int>law.kind == ADHESIVE and set_adhesive_law(law))
        or (<int>law.kind == VISCOELASTIC and set_viscoelastic_law(law))
        or (<int>law.kind == FRICTION and set_friction_law(law))
    )


cdef inline bint set_law(Law* law, Kind kind, double stiffness, double exponent, double rate,
                         bint adhesive) noexcept nogil:
    """Set a law; return False for an unknown kind."""
    law.kind = kind
    law.adhesive = adhesive
    law.stiffness = stiffness
    law.exponent = exponent
    law.rate = rate
    law.is_present = stiffness > 0.0 or (kind == LINEAR and rate > 0.0)
    law.twice_exponent = 2
    law.heat = NULL
    if kind != LINEAR and kind != STATIC_LINEAR:
        set_power_law(law)
    return kind <= VISCOUS or set_further_law(law)


cdef inline bint load_law(Law* law, const LawEntry* entry, double time_step) noexcept nogil:
    """Set the law of an element of the array `laws` for a span (s); return False for an unknown
    kind."""
    memcpy(law.parameters, entry.parameters, PARAMETERS * sizeof(double))
    law.time_step = time_step
    law.state[0] = law.state[1] = 0.0
    return entry.kind >= 0 and set_law(law, <Kind>entry.kind, entry.parameters[0],
                                       entry.parameters[1], entry.damping / time_step,
                                       (entry.flags & MAY_PULL) != 0)


cdef inline bint is_friction(const Law* law) noexcept nogil:
    return <int>law.kind == FRICTION


cdef inline void make_static(Law* law) noexcept nogil:
    """Change a law to its static form."""
    if law.kind > VISCOUS:
        law.mean = law.mean_at_rest
    else:
        law.kind = STATIC_CONTACT if law.kind == CONTACT else STATIC_LINEAR
    law.rate = 0.0
    law.is_present = law.stiffness > 0.0 and not is_friction(law)


cdef inline bint is_linear(const Law* law) noexcept nogil:
    return law.kind == LINEAR or law.kind == STATIC_LINEAR


cdef inline bint is_bilateral(const Law* law) noexcept nogil:
    """Return True if the law can exert a force without compression."""
    return (is_linear(law) or (law.kind == VISCOUS and law.rate > 0.0)
            or (law.kind > VISCOUS and law.reaches_apart))


cdef inline double potential(const Law* law, double p) noexcept nogil:
    """Return the stored energy phi(p), J."""
    if law.kind > VISCOUS:
        return law.stored(law, p)
    if is_linear(law):
        return linear_potential(law, p)
    return power_potential(law, p)


cdef inline bint has_memory(const Law* law) noexcept nogil:
    """Return True if the law has a state that relaxes between steps."""
    return law.kind > VISCOUS and law.relax != NULL


cdef inline double potential_at_rest(const Law* law, double p) noexcept nogil:
    """Return the stored energy (J) of a law whose state has relaxed at p."""
    cdef Law relaxed
    if not has_memory(law):
        return potential(law, p)
    relaxed = law[0]
    relaxed.relax(&relaxed, p, INFINITY)
    return potential(&relaxed, p)


cdef inline double force_and_slope(const Law* law, double p0, double p1,
                                   double* slope) noexcept nogil:
    """Return the force of a step (N) and its derivative by p1 (N/m)."""
    if law.kind == CONTACT:
        return damped_force(law, p0, p1, slope)
    if law.kind == LINEAR:
        return linear_force(law, p0, p1, slope)
    if law.kind == STATIC_LINEAR:
        return static_linear_force(law, p1, slope)
    if law.kind == STATIC_CONTACT:
        return static_power_force(law, p1, slope)
    if law.kind == VISCOUS:
        return viscous_force(law, p0, p1, slope)
    return law.mean(law, p0, p1, slope)


cdef inline double dissipated_energy(const Law* law, double p0, double p1) noexcept nogil:
    """Return the energy that the row dissipates as p goes from p0 to p1, J (>= 0)."""
    if is_linear(law):
        return linear_heat(law, p1 - p0)
    if law.rate == 0.0:
        return 0.0
    if law.kind > VISCOUS:
        return 0.0 if law.heat == NULL else law.heat(law, p0, p1)
    if law.kind == VISCOUS:
        return viscous_heat(law, p0, p1)
    return damped_heat(law, p0, p1)


cdef inline double closed_form_step(const Law* law, double p0, double e, double w,
                                    bint* has_closed_form, double* p1) noexcept nogil:
    """Return the force of a single row, p1 + w F(p0, p1) = e, and p1, if a closed form exists.

    It exists for linear laws and exponent 1.
    """
    has_closed_form[0] = True
    p1[0] = e
    if law.kind == LINEAR:
        return linear_step(law, p0, e, w, p1)
    if law.kind == STATIC_LINEAR:
        return static_linear_step(law, e, w, p1)
    if law.twice_exponent != 2 or law.kind >= VISCOUS:
        if is_friction(law):
            return friction_step(law, p0, e, w, p1)
        has_closed_form[0] = False
        return 0.0
    if law.kind == STATIC_CONTACT:
        return static_linear_step(law, e, w, p1) if e > 0.0 else 0.0
    return unit_exponent_step(law, p0, e, w, has_closed_form, p1)


cdef inline double closed_form_force(const Law* law, double p0, double e, double w,
                                     bint* has_closed_form) noexcept nogil:
    """Return the force of `closed_form_step` without p1."""
    cdef double p1
    return closed_form_step(law, p0, e, w, has_closed_form, &p1)


cdef inline void load_unit_law(const Law* law, double* half, double* rate, double* spring,
                               double* drag, double* clamp) noexcept nogil:
    """Write a law of exponent 1, or a linear one, as `pysitar_unit_law` of simd.h takes it."""
    cdef double contact = 0.0 if law.kind == LINEAR else 1.0
    half[0] = 0.5 * law.stiffness * contact
    rate[0] = law.rate * contact
    spring[0] = 0.5 * law.stiffness * (1.0 - contact)
    drag[0] = law.rate * (1.0 - contact)
    clamp[0] = 0.0 if law.adhesive else contact


cdef inline double newton_force(const Law* law, double p0, double e, double w,
                                bint has_unit_exponent) noexcept nogil:
    """Return the force of p1 + w F(p0, p1) = e by bracketed Newton, for a law without closed form.

    has_unit_exponent: that of a contact of exponent 1, without the calls of other laws.
    """
    cdef double slope
    cdef double p1 = e
    cdef double force = (damped_unit_force(law, p0, e, &slope) if has_unit_exponent
                         else force_and_slope(law, p0, e, &slope))
    cdef double r = w * force
    cdef Bracket bracket
    open_bracket(&bracket, e - r if force > 0.0 else e, e if force > 0.0 else e - r)
    for _ in range(MAX_BISECTIONS):
        if fabs(r) <= 4e-16 * (fabs(e) + fabs(p1) + w * fabs(force)):
            break
        p1 = next_guess(&bracket, p1, r, -r / (1.0 + w * slope), True)
        force = (damped_unit_force(law, p0, p1, &slope) if has_unit_exponent
                 else force_and_slope(law, p0, p1, &slope))
        r = p1 + w * force - e
        if bracket.high - bracket.low <= 4e-16 * (fabs(bracket.low) + fabs(bracket.high)):
            break
    return force


cdef inline double single_unit_force(const Law* law, double p0, double e,
                                     double w) noexcept nogil:
    """Return the force of p1 + w F(p0, p1) = e for a law of exponent 1, or a linear one."""
    cdef bint has_closed_form
    cdef double force = closed_form_force(law, p0, e, w, &has_closed_form)
    return force if has_closed_form else newton_force(law, p0, e, w, True)
