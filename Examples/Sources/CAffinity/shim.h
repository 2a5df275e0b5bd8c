// The CPUs of the calling thread. The C library declares these functions only
// with _GNU_SOURCE.
#ifndef CAFFINITY_SHIM_H
#define CAFFINITY_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>

// The CPU that the calling thread runs on.
static inline int ca_cpu(void) { return sched_getcpu(); }

// Lets the calling thread run on `cpu` only.
static inline void ca_pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Lets the calling thread run on the CPUs of `set`.
static inline void ca_allow(const cpu_set_t *set) { sched_setaffinity(0, sizeof *set, set); }

// The CPUs that the calling thread may run on.
static inline cpu_set_t ca_allowed(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

#endif
