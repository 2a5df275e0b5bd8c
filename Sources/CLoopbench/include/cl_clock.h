#ifndef CL_CLOCK_H
#define CL_CLOCK_H

#include <stdint.h>
#include <time.h>

// Nanoseconds on the clock of `uv_hrtime`.
static inline uint64_t cl_now(void) {
#if defined(__APPLE__)
  return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#endif
}

// Burns this thread's processor until `deadline`. Never sleeps.
void cl_spin_until(uint64_t deadline);

// Sleeps until `deadline`, or a little longer.
void cl_sleep_until(uint64_t deadline);

// Lets the system add up to `slack` ns to this thread's sleeps, at least 1; by
// default Linux adds up to 50 us.
void cl_sleep_within(uint64_t slack);

// Does nothing, and the optimiser can not know: what `value` points at must be
// there.
void cl_black_hole(const void *value);

#endif
