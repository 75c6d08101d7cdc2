/* Function clones for the running CPU without a second build. `flatten` is needed: otherwise large
   inline functions stay outside the clone and run as the baseline. clang crashes on target_clones
   on a declaration alone. */
#ifndef PYSITAR_SIMD_H
#define PYSITAR_SIMD_H
#if !defined(PYSITAR_NO_CLONES) && defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define PYSITAR_CLONES __attribute__((flatten, target_clones("arch=x86-64-v3", "default")))
#define PYSITAR_AVX2 __attribute__((noinline, unused, flatten, target("arch=x86-64-v3")))
#define PYSITAR_HAS_AVX2 __builtin_cpu_supports("x86-64-v3")
#else
#define PYSITAR_CLONES __attribute__((flatten))
#define PYSITAR_AVX2 __attribute__((noinline, unused, flatten))
#if defined(__x86_64__) && !defined(__AVX2__)
#define PYSITAR_HAS_AVX2 0
#else
#define PYSITAR_HAS_AVX2 1
#endif
#endif

/* The same, called by the clones of the loops: a large function with several callers is compiled
   once for each clone, and its callers keep their registers. */
#define PYSITAR_SEPARATE_CLONES __attribute__((noinline, unused)) PYSITAR_CLONES

#include <stddef.h>

typedef double pysitar_v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long pysitar_m4 __attribute__((vector_size(32)));

#define PYSITAR_LOAD(p) (*(const pysitar_v4 *)(p))
#define PYSITAR_FOUR(p) ((pysitar_v4){(p)[0], (p)[1], (p)[2], (p)[3]})      /* values just stored one by one */
#define PYSITAR_WHERE(mask, a, b) ((pysitar_v4)(((mask) & (pysitar_m4)(a)) | (~(mask) & (pysitar_m4)(b))))

/* v holds the sums of lanes 0+4, 1+5, 2+6, 3+7, the order of `sum_lanes` in lanes.pxd */
#define PYSITAR_FOLD(v) (((v)[0] + (v)[2]) + ((v)[1] + (v)[3]))

typedef double pysitar_v2 __attribute__((vector_size(16)));

/* The same sums of two vectors side by side. */
static inline void pysitar_fold_two(pysitar_v4 a, pysitar_v4 b, double *to_a, double *to_b)
{
    const pysitar_v2 ha = (pysitar_v2){a[0], a[1]} + (pysitar_v2){a[2], a[3]};
    const pysitar_v2 hb = (pysitar_v2){b[0], b[1]} + (pysitar_v2){b[2], b[3]};
    const pysitar_v2 sums = (pysitar_v2){ha[0], hb[0]} + (pysitar_v2){ha[1], hb[1]};
    *to_a = sums[0];
    *to_b = sums[1];
}

/* Four dot products that share their loads of x, each with the bits of `dot` in lanes.pxd. Explicit
   vectors, because the compiler does not vectorise four loops of eight accumulators. n is a multiple
   of 8. */
static inline void pysitar_dot_four(const double *a, const double *b, const double *c, const double *d, const double *x,
                                    ptrdiff_t n, double *to_a, double *to_b, double *to_c, double *to_d)
{
    pysitar_v4 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, c0 = {0}, c1 = {0}, d0 = {0}, d1 = {0};
    for (ptrdiff_t i = 0; i < n; i += 8) {
        const pysitar_v4 x0 = *(const pysitar_v4 *)(x + i), x1 = *(const pysitar_v4 *)(x + i + 4);
        a0 += *(const pysitar_v4 *)(a + i) * x0;
        a1 += *(const pysitar_v4 *)(a + i + 4) * x1;
        b0 += *(const pysitar_v4 *)(b + i) * x0;
        b1 += *(const pysitar_v4 *)(b + i + 4) * x1;
        c0 += *(const pysitar_v4 *)(c + i) * x0;
        c1 += *(const pysitar_v4 *)(c + i + 4) * x1;
        d0 += *(const pysitar_v4 *)(d + i) * x0;
        d1 += *(const pysitar_v4 *)(d + i + 4) * x1;
    }
    pysitar_fold_two(a0 + a1, b0 + b1, to_a, to_b);
    pysitar_fold_two(c0 + c1, d0 + d1, to_c, to_d);
}

/* The same for two. */
static inline void pysitar_dot_two(const double *a, const double *b, const double *x, ptrdiff_t n, double *to_a, double *to_b)
{
    pysitar_v4 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0};
    for (ptrdiff_t i = 0; i < n; i += 8) {
        const pysitar_v4 x0 = PYSITAR_LOAD(x + i);
        a0 += PYSITAR_LOAD(a + i) * x0;
        b0 += PYSITAR_LOAD(b + i) * x0;
        const pysitar_v4 x1 = PYSITAR_LOAD(x + i + 4);
        a1 += PYSITAR_LOAD(a + i + 4) * x1;
        b1 += PYSITAR_LOAD(b + i + 4) * x1;
    }
    pysitar_fold_two(a0 + a1, b0 + b1, to_a, to_b);
}

/* sum weight q^2 and sum weight a y^2, in the order of `sum_lanes`. n is a multiple of 8. */
static inline void pysitar_add_squares(const double *weight, const double *q, const double *a, const double *y, ptrdiff_t n,
                                       double *of_q, double *of_y)
{
    pysitar_v4 q0 = {0}, q1 = {0}, y0 = {0}, y1 = {0};
    for (ptrdiff_t i = 0; i < n; i += 8) {
        const pysitar_v4 w0 = PYSITAR_LOAD(weight + i), w1 = PYSITAR_LOAD(weight + i + 4);
        q0 += w0 * (PYSITAR_LOAD(q + i) * PYSITAR_LOAD(q + i));
        q1 += w1 * (PYSITAR_LOAD(q + i + 4) * PYSITAR_LOAD(q + i + 4));
        y0 += w0 * (PYSITAR_LOAD(a + i) * (PYSITAR_LOAD(y + i) * PYSITAR_LOAD(y + i)));
        y1 += w1 * (PYSITAR_LOAD(a + i + 4) * (PYSITAR_LOAD(y + i + 4) * PYSITAR_LOAD(y + i + 4)));
    }
    q0 += q1;
    y0 += y1;
    *of_q = PYSITAR_FOLD(q0);
    *of_y = PYSITAR_FOLD(y0);
}

/* sum K max(p, 0)^2 / 2, J. n is a multiple of 8. */
static inline double pysitar_spring_energy(const double *stiffness, const double *p, ptrdiff_t n)
{
    const pysitar_v4 zero = {0};
    pysitar_v4 e0 = {0}, e1 = {0};
    for (ptrdiff_t i = 0; i < n; i += 8) {
        const pysitar_v4 p0 = PYSITAR_LOAD(p + i), p1 = PYSITAR_LOAD(p + i + 4);
        const pysitar_v4 c0 = PYSITAR_WHERE(p0 <= zero, zero, p0), c1 = PYSITAR_WHERE(p1 <= zero, zero, p1);    /* keeps a NaN */
        e0 += PYSITAR_LOAD(stiffness + i) * (c0 * c0);
        e1 += PYSITAR_LOAD(stiffness + i + 4) * (c1 * c1);
    }
    e0 += e1;
    return 0.5 * PYSITAR_FOLD(e0);
}

/* Move compressions from before + shift by -step; returns 1 if all of them are at most 0 before and after.
   n is a multiple of 4. */
static inline int pysitar_move_apart(const double *before, const double *shift, const double *step, double *after, ptrdiff_t n)
{
    const pysitar_v4 zero = {0};
    pysitar_m4 apart = zero == zero;
    for (ptrdiff_t i = 0; i < n; i += 4) {
        const pysitar_v4 from = PYSITAR_LOAD(before + i), to = from + PYSITAR_LOAD(shift + i) - PYSITAR_LOAD(step + i);
        *(pysitar_v4 *)(after + i) = to;
        apart &= (from <= zero) & (to <= zero);
    }
    return (int)((apart[0] & apart[1]) & (apart[2] & apart[3]) & 1);
}

/* to += fa a + fb b + fc c + fd d, in this order, with the bits of four `add_scaled` of lanes.pxd; n is
   a multiple of 8. */
static inline void pysitar_add_four(double *to, const double *a, const double *b, const double *c, const double *d, double fa,
                                    double fb, double fc, double fd, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i += 4) {
        pysitar_v4 sum = PYSITAR_LOAD(to + i) + fa * PYSITAR_LOAD(a + i);
        sum += fb * PYSITAR_LOAD(b + i);
        sum += fc * PYSITAR_LOAD(c + i);
        *(pysitar_v4 *)(to + i) = sum + fd * PYSITAR_LOAD(d + i);
    }
}

/* to = from + the sum of force[k] times row k of `matrix`, for k in `rows` or, if that is NULL, from 0 on:
   with the bits of an addition of one row after another. Sums stay in registers. `stride`, the length of a
   row, is a multiple of 8. */
static inline void pysitar_add_matrix_rows(double *to, const double *from, const double *matrix, ptrdiff_t stride, const int *rows,
                                           const double *force, ptrdiff_t count)
{
    ptrdiff_t c = 0;
    for (; c + 16 <= stride; c += 16) {
        pysitar_v4 a = PYSITAR_LOAD(from + c), b = PYSITAR_LOAD(from + c + 4), d = PYSITAR_LOAD(from + c + 8), e = PYSITAR_LOAD(from + c + 12);
        for (ptrdiff_t i = 0; i < count; i++) {
            const ptrdiff_t k = rows ? rows[i] : i;
            const double *row = matrix + k * stride + c;
            a += force[k] * PYSITAR_LOAD(row);
            b += force[k] * PYSITAR_LOAD(row + 4);
            d += force[k] * PYSITAR_LOAD(row + 8);
            e += force[k] * PYSITAR_LOAD(row + 12);
        }
        *(pysitar_v4 *)(to + c) = a;
        *(pysitar_v4 *)(to + c + 4) = b;
        *(pysitar_v4 *)(to + c + 8) = d;
        *(pysitar_v4 *)(to + c + 12) = e;
    }
    if (c < stride) {
        pysitar_v4 a = PYSITAR_LOAD(from + c), b = PYSITAR_LOAD(from + c + 4);
        for (ptrdiff_t i = 0; i < count; i++) {
            const ptrdiff_t k = rows ? rows[i] : i;
            a += force[k] * PYSITAR_LOAD(matrix + k * stride + c);
            b += force[k] * PYSITAR_LOAD(matrix + k * stride + c + 4);
        }
        *(pysitar_v4 *)(to + c) = a;
        *(pysitar_v4 *)(to + c + 4) = b;
    }
}

/* g+ = g + (f - g) / theta of forces f and residual forces g, 0 where it would become denormal, which is
   slow; returns 1 if any is not 0. n is a multiple of 4. */
static inline int pysitar_relax_forces(const double *force, const double *residual, double inverse_theta, double *next, ptrdiff_t n)
{
    const pysitar_v4 zero = {0};
    pysitar_m4 any = {0};
    for (ptrdiff_t i = 0; i < n; i += 4) {
        const pysitar_v4 f = PYSITAR_LOAD(force + i), g = PYSITAR_LOAD(residual + i), h = g + (f - g) * inverse_theta;
        const pysitar_v4 size = (pysitar_v4)((pysitar_m4)h & 0x7fffffffffffffffLL);
        const pysitar_v4 to = PYSITAR_WHERE((f == zero) & (size < 1e-30), zero, h);
        *(pysitar_v4 *)(next + i) = to;
        any |= to != zero;
    }
    return (int)(((any[0] | any[1]) | (any[2] | any[3])) & 1);
}

/* The bits of those of eight rows that are not yet active and must join the active set: compressed
   before or after the step, with a force, or bilateral; a NaN counts as compressed. */
static inline unsigned pysitar_joining_rows(const double *before, const double *after, const double *bilateral, const double *force,
                                            const double *is_active)
{
    pysitar_m4 bits = {0};
    for (int i = 0; i < 8; i += 4) {
        const pysitar_v4 b = PYSITAR_LOAD(before + i), a = PYSITAR_LOAD(after + i), zero = {0};
        const pysitar_v4 l = PYSITAR_LOAD(bilateral + i), f = PYSITAR_LOAD(force + i), in = PYSITAR_LOAD(is_active + i);
        const pysitar_m4 bit = {1 << i, 2 << i, 4 << i, 8 << i};
        bits |= ~((b <= zero) & (a <= zero) & (l == zero) & (f == zero)) & (in == zero) & bit;
    }
    return (unsigned)((bits[0] | bits[1]) | (bits[2] | bits[3]));
}

static inline int pysitar_lowest_bit(unsigned bits) { return __builtin_ctz(bits); }

/* Of four rows: max(p, 0) before and after a step, and its mean slope by p between. */
typedef struct { pysitar_v4 before, after, slope; } PysitarDepths;

static inline PysitarDepths pysitar_contact_depths(pysitar_v4 p0, pysitar_v4 p1)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0, h = p1 - p0;
    const pysitar_m4 in0 = p0 > zero, in1 = p1 > zero;
    PysitarDepths d;
    d.before = PYSITAR_WHERE(in0, p0, zero);
    d.after = PYSITAR_WHERE(in1, p1, zero);
    const pysitar_v4 quotient = (d.after - d.before) / PYSITAR_WHERE(h != zero, h, one);
    d.slope = PYSITAR_WHERE(in0 & in1, one, quotient);
    return d;
}

/* The force (N) of four contact rows that dissipates energy: times the change of compression it is
   `dissipated_energy` of contact/law.pxd. half, rate and clamp as of `pysitar_unit_law`. */
static inline void pysitar_contact_loss(pysitar_v4 half, pysitar_v4 rate, pysitar_v4 clamp, pysitar_v4 p0, pysitar_v4 p1,
                                        pysitar_v4 *loss)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0, damping = rate * (p1 - p0);
    const PysitarDepths d = pysitar_contact_depths(p0, p1);
    const pysitar_m4 pulls = (clamp > zero) & (one + damping < zero);
    /* clamped at 0, all that the spring releases is dissipated */
    *loss = half * (d.before + d.after) * d.slope * PYSITAR_WHERE(pulls, -one, damping);
}

/* The energy (J) that contact rows of exponent 1 dissipate, of stiffness K and damping `rate` (1/m), both 0 of
   other rows. n is a multiple of 8. */
static inline double pysitar_spring_heat(const double *stiffness, const double *rate, const double *clamp, const double *before,
                                         const double *after, ptrdiff_t n)
{
    pysitar_v4 heat[2] = {{0}, {0}};
    for (ptrdiff_t i = 0; i < n; i += 8)
        for (int c = 0; c < 2; c++) {
            const ptrdiff_t k = i + 4 * c;
            const pysitar_v4 p0 = PYSITAR_LOAD(before + k), p1 = PYSITAR_LOAD(after + k);
            pysitar_v4 loss;
            pysitar_contact_loss(0.5 * PYSITAR_LOAD(stiffness + k), PYSITAR_LOAD(rate + k), PYSITAR_LOAD(clamp + k), p0, p1, &loss);
            heat[c] += loss * (p1 - p0);
        }
    heat[0] += heat[1];
    return PYSITAR_FOLD(heat[0]);
}

/* `force_and_slope` of contact/law.pxd for four rows of exponent 1 or linear, without branches, with
   the same bits. Explicit vectors, because the compiler does not vectorise it. Of a contact row, k
   is K/2 and g the damping; of a linear row, spring is K/2 and drag R/dt; those of the other kind
   are 0. clamp is 1 for a contact that is not adhesive. The compression goes from p0 to p1. */
static inline void pysitar_unit_law(pysitar_v4 k, pysitar_v4 g, pysitar_v4 spring, pysitar_v4 drag, pysitar_v4 clamp, pysitar_v4 p0,
                                    pysitar_v4 p1, pysitar_v4 *force, pysitar_v4 *slope)
{
    const pysitar_v4 zero = {0}, h = p1 - p0;
    const PysitarDepths depths = pysitar_contact_depths(p0, p1);
    const pysitar_v4 r = depths.slope, d = k * PYSITAR_WHERE(p1 > zero, r * (2.0 - r), r * r);
    const pysitar_v4 f = k * (depths.before + depths.after) * r * (1.0 + g * h) + spring * (p0 + p1) + drag * h;
    const pysitar_m4 pulls = (clamp > zero) & (f < zero);
    *force = PYSITAR_WHERE(pulls, zero, f);
    *slope = PYSITAR_WHERE(pulls, zero, d + 2.0 * k * g * depths.after + (spring + drag));
}
#endif
