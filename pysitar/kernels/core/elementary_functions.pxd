# The functions of elementary.h. They replace those of libc.math and give the same bits with any
# C library and on every CPU, with FMA or without.
cdef extern from "elementary.h" nogil:
    double exp "pysitar_exp"(double x)
    double expm1 "pysitar_expm1"(double x)
    double log "pysitar_log"(double x)
    double log2 "pysitar_log2"(double x)
    double log10 "pysitar_log10"(double x)
    double log1p "pysitar_log1p"(double x)
    double pow "pysitar_pow"(double x, double y)
    double sin "pysitar_sin"(double x)
    double cos "pysitar_cos"(double x)
    double tan "pysitar_tan"(double x)
    double atan2 "pysitar_atan2"(double y, double x)
    double hypot "pysitar_hypot"(double x, double y)
    double gamma "pysitar_gamma"(double x)          # for 0 < x <= 3
