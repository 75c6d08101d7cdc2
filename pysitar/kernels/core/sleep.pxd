# When a network may stop: its energy and its first output stay near those at rest.
from libc.math cimport fabs
from libc.string cimport memset

from pysitar.kernels.core.lanes cimport greater
from pysitar.kernels.core.ledger cimport BOOKING

cdef struct Rest:
    double energy               # at rest, J
    double output               # the first output at rest
    double energy_noise         # of H, and of the output, that rounding makes at rest
    double output_noise
    double energy_ratio         # of (H - rest) / (peak - rest) below which it may sleep
    double level                # of |output - rest|; 0: `output_ratio` times its peak
    double output_ratio
    long long patience          # steps that the output must have been low
    double peak_energy
    double peak_output
    double loudest              # since the last decision
    long long quiet             # steps, up to the last decision
    bint disturbed              # by a force or a change of a row since the last decision


cdef inline double rounding_noise(double terms) noexcept nogil:
    """What counts as rounding of a sum whose terms are this large together: far over it, far under what is heard."""
    return 1e-12 * terms


cdef inline void begin_rest(Rest* rest, double energy_ratio, double level, double output_ratio, long long patience) noexcept nogil:
    """Sets when a network may stop; it is at rest now, as `move_rest` then says."""
    memset(rest, 0, sizeof(Rest))
    rest.energy_ratio, rest.level, rest.output_ratio, rest.patience = energy_ratio, level, output_ratio, patience
    rest.quiet = patience


cdef inline void move_rest(Rest* rest, double energy, double output) noexcept nogil:
    """Makes an energy (J) and a first output those at rest; the greatest energy above rest so far is kept."""
    rest.peak_energy += energy - rest.energy
    rest.energy, rest.output, rest.energy_noise = energy, output, rounding_noise(energy)


cdef inline void forget_quiet(Rest* rest, bint anew) noexcept nogil:
    """Forgets the quiet so far; anew: also how loud it was."""
    rest.disturbed = True
    rest.quiet = 0
    if anew:
        rest.peak_energy = rest.energy
        rest.peak_output = 0.0


cdef inline void hear(Rest* rest, double output) noexcept nogil:
    cdef double size = fabs(output - rest.output)
    rest.loudest = size if size > rest.loudest else rest.loudest


cdef inline bint is_asleep(Rest* rest, double energy) noexcept nogil:
    """The decision of every BOOKING steps, from the energy (J) and what was heard since the last."""
    cdef double low
    rest.peak_energy = energy if energy > rest.peak_energy else rest.peak_energy
    rest.peak_output = rest.loudest if rest.loudest > rest.peak_output else rest.peak_output
    low = greater(rest.level if rest.level > 0.0 else rest.output_ratio * rest.peak_output, rest.output_noise)
    rest.quiet = rest.quiet + BOOKING if rest.loudest <= low and not rest.disturbed else 0
    rest.loudest = 0.0
    rest.disturbed = False
    return rest.quiet >= rest.patience and energy - rest.energy <= greater(
        rest.energy_ratio * (rest.peak_energy - rest.energy), rest.energy_noise)
