/* Function clones for the CPU at hand without a second build; clang crashes on the attribute on a declaration alone. */
#ifndef PYSITAR_SIMD_H
#define PYSITAR_SIMD_H
#if !defined(PYSITAR_NO_CLONES) && defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define PYSITAR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define PYSITAR_CLONES
#endif
#endif
