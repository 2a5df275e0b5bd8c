#include "cl_measure.h"

#include <stdlib.h>
#include <uv.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

void cl_spin_until(uint64_t deadline) {
  while (cl_now() < deadline) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
}

#if defined(__linux__)

void cl_sleep_until(uint64_t deadline) {
  struct timespec time = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) continue;
}

void cl_sleep_within(uint64_t slack) {
  // 0 would mean the default.
  prctl(PR_SET_TIMERSLACK, slack > 0 ? (unsigned long)slack : 1ul, 0, 0, 0);
}

#else

void cl_sleep_until(uint64_t deadline) {
  uint64_t now = cl_now();
  if (deadline <= now) return;
  uint64_t left = deadline - now;
  struct timespec time = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
  nanosleep(&time, NULL);
}

void cl_sleep_within(uint64_t slack) { (void)slack; }

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

struct cl_ticker {
  uv_idle_t idle;
  uint64_t began;  // 0 before the first tick
  uint64_t *samples;
  uint32_t ticks;
  uint32_t left;  // ticks of the running sample
  uint32_t index;
  uint32_t count;
  void (*done)(void *);
  void *context;
};

static void begin_sample(cl_ticker *ticker, uint64_t now) {
  ticker->began = now;
  ticker->left = ticker->ticks;
}

static void end_sample(cl_ticker *ticker) {
  uint64_t now = cl_now();
  ticker->samples[ticker->index++] = now - ticker->began;
  begin_sample(ticker, now);
  if (ticker->index < ticker->count) return;
  uv_idle_stop(&ticker->idle);
  ticker->done(ticker->context);
}

static void tick(uv_idle_t *idle) {
  cl_ticker *ticker = idle->data;
  if (ticker->began == 0) {
    begin_sample(ticker, cl_now());
  } else if (--ticker->left == 0) {
    end_sample(ticker);
  }
}

cl_ticker *cl_ticker_open(void *loop, uint32_t ticks, uint64_t *samples, uint32_t count,
                          void (*done)(void *), void *context) {
  cl_ticker *ticker = calloc(1, sizeof *ticker);
  if (ticker == NULL) return NULL;
  ticker->samples = samples;
  ticker->ticks = ticks;
  ticker->count = count;
  ticker->done = done;
  ticker->context = context;
  uv_idle_init(loop, &ticker->idle);
  ticker->idle.data = ticker;
  uv_idle_start(&ticker->idle, tick);
  return ticker;
}

static void free_ticker(uv_handle_t *handle) { free(handle->data); }

void cl_ticker_close(cl_ticker *ticker) { uv_close((uv_handle_t *)&ticker->idle, free_ticker); }
