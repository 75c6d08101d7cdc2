# Sleep: a network skips its steps while its energy and its first output stay near those of the
# equilibrium.
from libc.math cimport fabs
from libc.string cimport memset

from pysitar.kernels.core.lanes cimport maximum
from pysitar.kernels.core.ledger cimport BLOCK_STEPS

cdef struct SleepState:
    double reference_energy     # H at equilibrium, J
    double reference_output     # first output at equilibrium
    double energy_noise         # round-off threshold of H, J
    double output_noise         # round-off threshold of the first output
    double energy_ratio         # greatest (H - reference) / (peak - reference) for sleep
    double output_level         # threshold of |output - reference|; 0: `output_ratio` of its peak
    double output_ratio
    long long min_quiet_steps   # steps for which the output must stay below the threshold
    double peak_energy          # greatest H so far, J
    double peak_output          # greatest |output - reference| so far
    double recent_peak          # greatest |output - reference| since the last decision
    long long quiet_steps       # consecutive quiet steps up to the last decision
    bint is_disturbed           # a force acted or a row changed since the last decision


cdef inline double rounding_noise(double terms) noexcept nogil:
    """Return the round-off threshold, 1e-12 of the sum of magnitudes: above round-off,
    inaudible."""
    return 1e-12 * terms


cdef inline void init_sleep(SleepState* sleep, double energy_ratio, double output_level,
                            double output_ratio, long long min_quiet_steps) noexcept nogil:
    """Set the thresholds of sleep; the network counts as quiet until it is disturbed.

    `set_sleep_reference` sets the equilibrium afterwards.
    """
    memset(sleep, 0, sizeof(SleepState))
    sleep.energy_ratio, sleep.output_level, sleep.output_ratio, sleep.min_quiet_steps = (
        energy_ratio, output_level, output_ratio, min_quiet_steps)
    sleep.quiet_steps = min_quiet_steps


cdef inline void set_sleep_reference(SleepState* sleep, double energy,
                                     double output) noexcept nogil:
    """Set energy (J) and first output of the equilibrium; keep the greatest energy above it."""
    sleep.peak_energy += energy - sleep.reference_energy
    sleep.reference_energy, sleep.reference_output = energy, output
    sleep.energy_noise = rounding_noise(energy)


cdef inline void reset_quiet(SleepState* sleep, bint reset_peaks) noexcept nogil:
    """Restart the count of quiet steps; reset_peaks: also the greatest energy and output so far."""
    sleep.is_disturbed = True
    sleep.quiet_steps = 0
    if reset_peaks:
        sleep.peak_energy = sleep.reference_energy
        sleep.peak_output = 0.0


cdef inline void track_output(SleepState* sleep, double output) noexcept nogil:
    cdef double size = fabs(output - sleep.reference_output)
    sleep.recent_peak = size if size > sleep.recent_peak else sleep.recent_peak


cdef inline bint decide_sleep(SleepState* sleep, double energy) noexcept nogil:
    """Return True if the network may sleep; call every BLOCK_STEPS steps with its energy (J)."""
    cdef double quiet_level
    sleep.peak_energy = energy if energy > sleep.peak_energy else sleep.peak_energy
    sleep.peak_output = (sleep.recent_peak if sleep.recent_peak > sleep.peak_output
                         else sleep.peak_output)
    quiet_level = maximum(sleep.output_level if sleep.output_level > 0.0
                          else sleep.output_ratio * sleep.peak_output, sleep.output_noise)
    sleep.quiet_steps = (sleep.quiet_steps + BLOCK_STEPS
                         if sleep.recent_peak <= quiet_level and not sleep.is_disturbed else 0)
    sleep.recent_peak = 0.0
    sleep.is_disturbed = False
    return (sleep.quiet_steps >= sleep.min_quiet_steps
            and energy - sleep.reference_energy
            <= maximum(sleep.energy_ratio * (sleep.peak_energy - sleep.reference_energy),
                       sleep.energy_noise))
