/* Workloads that never change: oscillators that do not wait for each other, as the modes of a
   string, and a chain of divisions and roots that do, as the steps of a lumped mass. */
#include <math.h>

#define MODES 64

double oscillators(long steps)
{
    double y[MODES], q[MODES], a[MODES], b[MODES], root = 1.0, sum = 0.0;
    for (int i = 0; i < MODES; i++) {
        y[i] = 1e-3 / (1 + i);
        q[i] = 0.0;
        a[i] = 1.0 - 1e-5 * (1 + i);
        b[i] = 1e-4 * (1 + i);
    }
    for (long n = 0; n < steps; n++) {
        double force = 0.0;
        for (int i = 0; i < MODES; i++) {
            const double old = y[i];
            y[i] = a[i] * y[i] + q[i];
            q[i] = a[i] * q[i] - b[i] * (y[i] + old);
            force += y[i];
        }
        for (int k = 0; k < 6; k++)
            root = sqrt(1.0 + root / (1.5 + force * force));
        sum += root;
    }
    return sum;
}

double chain(long steps)
{
    double root = 1.0;
    for (long n = 0; n < steps; n++)
        root = sqrt(1.0 + root / (1.5 + root * root));
    return root;
}
