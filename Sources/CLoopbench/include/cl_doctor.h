#ifndef CL_DOCTOR_H
#define CL_DOCTOR_H

#include <stddef.h>
#include <stdint.h>

// What `loopbench doctor` reads and `/proc` does not tell.

// The libuv whose headers were read: "1.44.2".
const char *_Nonnull cl_uv_header_version(void);

// How many descriptors the process may open; 0 where unknown.
uint64_t cl_descriptor_limit(void);

// The calling thread's timer slack in ns; 0 where there is none.
uint64_t cl_timer_slack(void);

// The load average of the last minute.
double cl_load(void);

// Sleeps 1 ms `count` times; writes how many ns too long each sleep was.
void cl_sleep_overshoot(uint64_t *_Nonnull overshoot, int count);

#endif
