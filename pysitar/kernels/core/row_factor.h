/* A part of row_systems.h, which includes it twice: with the loops over a constant number of rows unrolled,
   and for any number. PYSITAR_FACTOR is the name of the function, PYSITAR_UNROLL what stands before its
   loops. */
/* z of (M W M + 1/D) z = rhs by L D L^T, M the diagonal of `is_stiff`; the other rows have a row and a column
   of the identity. Row i of U = D L^T is found from those above and stored once: where all rows below were
   changed at each pivot, half of the time went into their loads and stores. The next pivot is found on its
   own: it need not wait for the row. In the substitution the last term of a sum is the one that is known
   last. `rows`, at most `width`, of which the last may be no row, but an identity. */
static inline __attribute__((always_inline)) void PYSITAR_FACTOR(const pysitar_medium_vector *w, const double *is_stiff,
                                                                 const double *compliance, const double *rhs,
                                                                 const int rows, double *z)
{
    const int blocks = (rows + 3) / 4;
    pysitar_v4 upper[PYSITAR_MEDIUM_ROWS][PYSITAR_MEDIUM_ROWS / 4], lower[PYSITAR_MEDIUM_ROWS][PYSITAR_MEDIUM_ROWS / 4];
    pysitar_v4 sums[PYSITAR_MEDIUM_ROWS / 4];
    double inverse[PYSITAR_MEDIUM_ROWS], forward[PYSITAR_MEDIUM_ROWS];
    for (int b = 0; b < blocks; b++)
        sums[b] = PYSITAR_LOAD(rhs + 4 * b);
    PYSITAR_UNROLL for (int i = 0; i < rows; i++) {
        const int own = i / 4, lane = i & 3;
        const pysitar_m4 diagonal = {-(lane == 0), -(lane == 1), -(lane == 2), -(lane == 3)};
        pysitar_v4 row[PYSITAR_MEDIUM_ROWS / 4];
        for (int b = own; b < blocks; b++)
            row[b] = PYSITAR_LOAD(w[i] + 4 * b) * (PYSITAR_LOAD(is_stiff + 4 * b) * is_stiff[i]);
        row[own] += (pysitar_v4)((pysitar_m4)PYSITAR_LOAD(compliance + 4 * own) & diagonal);
        double found = row[own][lane];
        PYSITAR_UNROLL for (int k = 0; k < i; k++) {
            const double factor = upper[k][own][lane];
            if (k == i - 1)
                found = row[own][lane] - factor * factor * inverse[k];
            for (int b = own; b < blocks; b++)
                row[b] -= factor * lower[k][b];
        }
        /* W is semidefinite, so apart from round-off a pivot is at least 1/D */
        const double least = compliance[i], pivot = found > least ? found : least;
        inverse[i] = 1.0 / pivot;
        forward[i] = sums[own][lane];
        for (int b = own; b < blocks; b++) {
            upper[i][b] = row[b];
            lower[i][b] = row[b] * inverse[i];
            sums[b] -= lower[i][b] * forward[i];
        }
    }
    PYSITAR_UNROLL for (int i = rows - 1; i >= 0; i--) {
        double value = forward[i] * inverse[i];
        PYSITAR_UNROLL for (int k = rows - 1; k > i; k--)
            value -= lower[i][k / 4][k & 3] * forward[k];
        forward[i] = z[i] = value;
    }
}
