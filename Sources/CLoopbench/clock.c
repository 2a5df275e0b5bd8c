#include "cl_clock.h"

#include <math.h>

void cl_spin_until(uint64_t deadline) {
  while (cl_now() < deadline) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
}

void cl_black_hole(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }

double cl_logarithm(double value) { return log(value); }
