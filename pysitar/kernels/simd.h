/* Function clones for the CPU at hand without a second build; flatten, or large inline functions stay outside the clone and
   run as the baseline. clang crashes on target_clones on a declaration alone. */
#ifndef PYSITAR_SIMD_H
#define PYSITAR_SIMD_H
#if !defined(PYSITAR_NO_CLONES) && defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define PYSITAR_CLONES __attribute__((flatten, target_clones("arch=x86-64-v3", "default")))
#else
#define PYSITAR_CLONES __attribute__((flatten))
#endif
#endif
