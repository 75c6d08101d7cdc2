# Sleep: a network skips its steps while its energy and its first output stay near those of the
# equilibrium, or while it rests where dry friction holds it: its first output stays within a range,
# and its kinetic energy is small. Its strain energy stays stored then; the state is kept as it is.
from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from pysitar.kernels.core.lanes cimport maximum, minimum
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
    double recent_low           # least and greatest output since the last decision
    double recent_high
    double held_low             # and over the last `held_steps`
    double held_high
    long long held_steps        # in which it rested up to the last decision
    bint is_held                # friction held it off the equilibrium at the last decision to sleep


cdef inline double rounding_noise(double terms) noexcept nogil:
    """Return the round-off threshold, 1e-12 of the sum of magnitudes: above round-off,
    inaudible."""
    return 1e-12 * terms


cdef inline void forget_range(SleepState* sleep) noexcept nogil:
    sleep.recent_low, sleep.recent_high = INFINITY, -INFINITY


cdef inline void init_sleep(SleepState* sleep, double energy_ratio, double output_level,
                            double output_ratio, long long min_quiet_steps) noexcept nogil:
    """Set the thresholds of sleep; the network counts as quiet until it is disturbed.

    `set_sleep_reference` sets the equilibrium afterwards.
    """
    memset(sleep, 0, sizeof(SleepState))
    sleep.energy_ratio, sleep.output_level, sleep.output_ratio, sleep.min_quiet_steps = (
        energy_ratio, output_level, output_ratio, min_quiet_steps)
    sleep.quiet_steps = min_quiet_steps
    forget_range(sleep)


cdef inline void set_sleep_reference(SleepState* sleep, double energy,
                                     double output) noexcept nogil:
    """Set energy (J) and first output of the equilibrium; keep the greatest energy above it."""
    sleep.peak_energy += energy - sleep.reference_energy
    sleep.reference_energy, sleep.reference_output = energy, output
    sleep.energy_noise = rounding_noise(energy)


cdef inline void reset_quiet(SleepState* sleep, bint reset_peaks) noexcept nogil:
    """Restart the count of quiet steps; reset_peaks: also the greatest energy and output so far."""
    sleep.is_disturbed = True
    sleep.quiet_steps = sleep.held_steps = 0
    if reset_peaks:
        sleep.peak_energy = sleep.reference_energy
        sleep.peak_output = 0.0


cdef inline void track_output(SleepState* sleep, double output) noexcept nogil:
    cdef double size = fabs(output - sleep.reference_output)
    sleep.recent_peak = size if size > sleep.recent_peak else sleep.recent_peak
    sleep.recent_low = minimum(output, sleep.recent_low)
    sleep.recent_high = maximum(output, sleep.recent_high)


cdef inline bint is_held_aside(SleepState* sleep, double kinetic_energy, double quiet_level,
                               double energy_limit) noexcept nogil:
    """Return True if the output has stayed within a range, with a kinetic energy (J) below a limit
    at each decision, for as long as sleep needs."""
    sleep.held_low = minimum(sleep.held_low, sleep.recent_low)
    sleep.held_high = maximum(sleep.held_high, sleep.recent_high)
    sleep.held_steps += BLOCK_STEPS
    if (sleep.is_disturbed or not kinetic_energy <= energy_limit
            or not sleep.held_high - sleep.held_low <= 2.0 * quiet_level):
        sleep.held_steps = 0
        sleep.held_low, sleep.held_high = INFINITY, -INFINITY
    return sleep.held_steps >= sleep.min_quiet_steps


cdef inline bint decide_sleep(SleepState* sleep, double energy, double kinetic_energy,
                              bint may_be_held) noexcept nogil:
    """Return True if the network may sleep; call every BLOCK_STEPS steps.

    Parameters: energy, kinetic_energy, J; may_be_held, whether friction may hold it off its
    equilibrium.
    """
    cdef double quiet_level, energy_limit
    cdef bint is_aside = False
    sleep.peak_energy = energy if energy > sleep.peak_energy else sleep.peak_energy
    sleep.peak_output = (sleep.recent_peak if sleep.recent_peak > sleep.peak_output
                         else sleep.peak_output)
    quiet_level = maximum(sleep.output_level if sleep.output_level > 0.0
                          else sleep.output_ratio * sleep.peak_output, sleep.output_noise)
    energy_limit = maximum(sleep.energy_ratio * (sleep.peak_energy - sleep.reference_energy),
                           sleep.energy_noise)
    if may_be_held:
        is_aside = is_held_aside(sleep, kinetic_energy, quiet_level, energy_limit)
    sleep.quiet_steps = (sleep.quiet_steps + BLOCK_STEPS
                         if sleep.recent_peak <= quiet_level and not sleep.is_disturbed else 0)
    sleep.recent_peak = 0.0
    forget_range(sleep)
    sleep.is_disturbed = False
    sleep.is_held = is_aside
    if (sleep.quiet_steps >= sleep.min_quiet_steps
            and energy - sleep.reference_energy <= energy_limit):
        sleep.is_held = False
        return True
    return is_aside
