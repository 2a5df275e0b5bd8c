#include "cl_measure.h"

#include <stdlib.h>
#include <uv.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

void cl_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void cl_spin_until(uint64_t deadline) {
  while (cl_now() < deadline) cl_pause();
}

#if defined(__linux__)

void cl_sleep_until(uint64_t deadline) {
  struct timespec time = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) continue;
}

void cl_sleep_precisely(void) { prctl(PR_SET_TIMERSLACK, 1ul, 0, 0, 0); }

#else

void cl_sleep_until(uint64_t deadline) {
  uint64_t now = cl_now();
  if (deadline <= now) return;
  uint64_t left = deadline - now;
  struct timespec time = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
  nanosleep(&time, NULL);
}

void cl_sleep_precisely(void) {}

#endif

void cl_black_hole(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }

void cl_finish_step(void *context) {
  cl_finish *finish = context;
  if (++finish->ran != finish->target) return;
  finish->finished = cl_now();
  if (finish->stop != NULL) finish->stop(finish->stop_context);
}

void cl_finish_reset(cl_finish *finish, uint64_t target) {
  finish->ran = 0;
  finish->target = target;
  finish->finished = 0;
}

static void step(uv_idle_t *idle) { cl_finish_step(idle->data); }

void *cl_idle_open(void *loop, cl_finish *finish) {
  uv_idle_t *idle = malloc(sizeof *idle);
  if (idle == NULL) return NULL;
  uv_idle_init(loop, idle);
  idle->data = finish;
  uv_idle_start(idle, step);
  return idle;
}

static void free_handle(uv_handle_t *handle) { free(handle); }

void cl_idle_close(void *idle) { uv_close(idle, free_handle); }
