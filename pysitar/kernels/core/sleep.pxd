# When a network may stop: its energy and its first output stay near those at rest.
from libc.math cimport fabs
from libc.string cimport memset

from pysitar.kernels.core.lanes cimport maximum
from pysitar.kernels.core.ledger cimport BLOCK_STEPS

cdef struct SleepState:
    double reference_energy     # at rest, J
    double reference_output     # the first output at rest
    double energy_noise         # of H, and of the output, that rounding makes at rest
    double output_noise
    double energy_ratio         # of (H - rest) / (peak - rest) below which it may sleep
    double output_level         # of |output - rest|; 0: `output_ratio` times its peak
    double output_ratio
    long long min_quiet_steps   # steps that the output must have been low
    double peak_energy
    double peak_output
    double recent_peak          # since the last decision
    long long quiet_steps       # steps, up to the last decision
    bint is_disturbed           # by a force or a change of a row since the last decision


cdef inline double rounding_noise(double terms) noexcept nogil:
    """What counts as rounding of a sum whose terms are this large together: far over it, far under what is heard."""
    return 1e-12 * terms


cdef inline void init_sleep(SleepState* sleep, double energy_ratio, double output_level, double output_ratio,
                            long long min_quiet_steps) noexcept nogil:
    """Sets when a network may stop; it is at rest now, as `set_sleep_reference` then says."""
    memset(sleep, 0, sizeof(SleepState))
    sleep.energy_ratio, sleep.output_level, sleep.output_ratio, sleep.min_quiet_steps = (
        energy_ratio, output_level, output_ratio, min_quiet_steps)
    sleep.quiet_steps = min_quiet_steps


cdef inline void set_sleep_reference(SleepState* sleep, double energy, double output) noexcept nogil:
    """Makes an energy (J) and a first output those at rest; the greatest energy above rest so far is kept."""
    sleep.peak_energy += energy - sleep.reference_energy
    sleep.reference_energy, sleep.reference_output, sleep.energy_noise = energy, output, rounding_noise(energy)


cdef inline void reset_quiet(SleepState* sleep, bint reset_peaks) noexcept nogil:
    """Forgets the quiet so far; reset_peaks: also how loud it was."""
    sleep.is_disturbed = True
    sleep.quiet_steps = 0
    if reset_peaks:
        sleep.peak_energy = sleep.reference_energy
        sleep.peak_output = 0.0


cdef inline void track_output(SleepState* sleep, double output) noexcept nogil:
    cdef double size = fabs(output - sleep.reference_output)
    sleep.recent_peak = size if size > sleep.recent_peak else sleep.recent_peak


cdef inline bint decide_sleep(SleepState* sleep, double energy) noexcept nogil:
    """The decision of every BLOCK_STEPS steps, from the energy (J) and what was heard since the last."""
    cdef double quiet_level
    sleep.peak_energy = energy if energy > sleep.peak_energy else sleep.peak_energy
    sleep.peak_output = sleep.recent_peak if sleep.recent_peak > sleep.peak_output else sleep.peak_output
    quiet_level = maximum(sleep.output_level if sleep.output_level > 0.0 else sleep.output_ratio * sleep.peak_output, sleep.output_noise)
    sleep.quiet_steps = sleep.quiet_steps + BLOCK_STEPS if sleep.recent_peak <= quiet_level and not sleep.is_disturbed else 0
    sleep.recent_peak = 0.0
    sleep.is_disturbed = False
    return sleep.quiet_steps >= sleep.min_quiet_steps and energy - sleep.reference_energy <= maximum(
        sleep.energy_ratio * (sleep.peak_energy - sleep.reference_energy), sleep.energy_noise)
