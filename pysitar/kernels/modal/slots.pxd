# The slot of each string in the systems of lanes (joint.pxd): system slot // STRING_LANES, lane
# slot % STRING_LANES. A system takes as long as its lane of most rows, so strings are sorted by
# their numbers of active rows where that makes the step shorter by more than the copies of W and
# laws of the strings that move; otherwise they stay where they are.
from pysitar.kernels.modal.link cimport LANE_ROWS, STRING_LANES, UNKNOWN_ROWS, Bridge

cdef enum:
    ITERATIONS = 5              # of a step, where rows differ
    FEWEST_ROWS = 4             # where the system of most rows has fewer, nothing moves


cdef inline int rows_cost(int rows) noexcept nogil:
    """Return about how long an iteration of a system with so many rows takes, in 5 cycles."""
    return rows * (rows + 5) + 8 if rows else 0


cdef inline int slots_cost(const Bridge* b) noexcept nogil:
    """Return the cost of an iteration of all systems with the strings in their slots."""
    cdef Py_ssize_t i, j
    cdef int most
    cdef int cost = 0
    for i in range(0, b.count, 4):              # STRING_LANES; Cython requires a literal step
        most = 0
        for j in range(i, min(i + STRING_LANES, b.count)):
            most = max(most, b.slot_rows[j])
        cost += rows_cost(most)
    return cost


cdef inline void assign_slots(Bridge* b) noexcept nogil:
    """Sort the strings by `string_rows`, the most first, if that is worth its copies."""
    cdef int first[18]                          # slots of each number of rows; LANE_ROWS + 2
    cdef Py_ssize_t i
    cdef int n, slot
    cdef int cost = 0
    cdef int copies = 0
    cdef int most = 0
    cdef bint is_new = False
    for i in range(b.count):
        n, slot = b.string_rows[i], b.slots[i]
        is_new = is_new or n != b.slot_rows[slot]
        b.slot_rows[slot] = n
        most = max(most, n)
        copies += n * (n + 10) // 2             # of W, laws and weights, as `rows_cost`
    if not is_new or most < FEWEST_ROWS:
        return
    for n in range(18):
        first[n] = 0
    for i in range(b.count):
        first[LANE_ROWS - b.string_rows[i] + 1] += 1
    for n in range(LANE_ROWS + 1):
        first[n + 1] += first[n]
    for n in range(LANE_ROWS + 1):              # a system's most rows are those of its first slot
        cost += rows_cost(LANE_ROWS - n) * ((first[n + 1] + 3) // 4 - (first[n] + 3) // 4)
    if ITERATIONS * (slots_cost(b) - cost) <= copies:
        return
    for i in range(b.count):
        n = LANE_ROWS - b.string_rows[i]
        slot, first[n] = first[n], first[n] + 1
        if b.slots[i] != slot:
            b.slots[i] = slot
            b.systems[slot // STRING_LANES].active[slot % STRING_LANES] = UNKNOWN_ROWS
