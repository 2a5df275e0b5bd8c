#include "cl_doctor.h"

#include "cl_clock.h"

#include <sys/resource.h>
#include <time.h>
#include <uv.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

#define TEXT(value) #value
#define NUMBER(value) TEXT(value)

const char *cl_uv_header_version(void) {
  return NUMBER(UV_VERSION_MAJOR) "." NUMBER(UV_VERSION_MINOR) "." NUMBER(UV_VERSION_PATCH);
}

uint64_t cl_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return (uint64_t)limit.rlim_cur;
}

uint64_t cl_timer_slack(void) {
#if defined(__linux__)
  int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  return slack > 0 ? (uint64_t)slack : 0;
#else
  return 0;
#endif
}

double cl_load(void) {
  double averages[3] = {0, 0, 0};
  uv_loadavg(averages);
  return averages[0];
}

void cl_sleep_overshoot(uint64_t *overshoot, int count) {
  const uint64_t pause = 1000000;
  for (int i = 0; i < count; i++) {
    struct timespec time = {0, (long)pause};
    uint64_t began = cl_now();
    nanosleep(&time, NULL);
    uint64_t slept = cl_now() - began;
    overshoot[i] = slept > pause ? slept - pause : 0;
  }
}
