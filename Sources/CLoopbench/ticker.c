#include "cl_ticker.h"

#include <stdlib.h>
#include <uv.h>

#include "cl_clock.h"

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
