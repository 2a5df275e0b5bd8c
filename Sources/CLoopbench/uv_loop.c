#include "cl_measure.h"
#include "cl_uv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

void *cl_uv_loop_open(void) {
  uv_loop_t *loop = malloc(sizeof *loop);
  if (loop != NULL && uv_loop_init(loop) != 0) {
    free(loop);
    return NULL;
  }
  return loop;
}

void cl_uv_loop_run(void *loop) { uv_run(loop, UV_RUN_DEFAULT); }

void cl_uv_loop_tick(void *loop) { uv_run(loop, UV_RUN_NOWAIT); }

void cl_uv_loop_stop(void *loop) { uv_stop(loop); }

static void close_handle(uv_handle_t *handle, void *context) {
  (void)context;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

void cl_uv_loop_close(void *loop) {
  uv_walk(loop, close_handle, NULL);
  while (uv_loop_close(loop) == UV_EBUSY) uv_run(loop, UV_RUN_NOWAIT);
  free(loop);
}

typedef struct {
  uv_timer_t timer;
  uint64_t due;
  uint64_t interval;
  int64_t *lateness;
  uint32_t fired;
  uint32_t count;
} schedule;

static void fire(uv_timer_t *timer);

// libuv's time is `hrtime` in whole milliseconds, rounded down, so the first of
// them that is not before `due` is `due` rounded up.
static void arm(schedule *schedule) {
  const uint64_t millisecond = 1000000;
  uint64_t due = (schedule->due + millisecond - 1) / millisecond;
  uv_update_time(schedule->timer.loop);
  uint64_t now = uv_now(schedule->timer.loop);
  uv_timer_start(&schedule->timer, fire, due > now ? due - now : 0, 0);
}

static void fire(uv_timer_t *timer) {
  uint64_t now = cl_now();
  schedule *schedule = timer->data;
  schedule->lateness[schedule->fired++] = (int64_t)(now - schedule->due);
  schedule->due += schedule->interval;
  if (schedule->fired < schedule->count) arm(schedule);
}

static void run_schedule(uv_loop_t *loop, schedule *schedule) {
  uv_timer_init(loop, &schedule->timer);
  schedule->timer.data = schedule;
  arm(schedule);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_close((uv_handle_t *)&schedule->timer, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
}

int cl_uv_timer_run(uint64_t first, uint64_t interval, int64_t *lateness, uint32_t count) {
  uv_loop_t loop;
  int error = uv_loop_init(&loop);
  if (error != 0) return error;
  schedule schedule = {
      .due = first, .interval = interval, .lateness = lateness, .count = count};
  run_schedule(&loop, &schedule);
  error = uv_loop_close(&loop);
  return error != 0 ? error : (int)schedule.fired;
}

struct cl_uv_wake {
  uv_loop_t *loop;
  uv_async_t async;
  cl_wake *wake;
  atomic_bool is_stopping;
};

static void woken(uv_async_t *async) {
  cl_uv_wake *peer = async->data;
  if (!atomic_load_explicit(&peer->is_stopping, memory_order_acquire)) {
    cl_wake_answer_all(peer->wake);
  } else {
    uv_stop(peer->loop);
  }
}

cl_uv_wake *cl_uv_wake_open(cl_wake *wake) {
  cl_uv_wake *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->wake = wake;
  peer->loop = cl_uv_loop_open();
  if (peer->loop != NULL && uv_async_init(peer->loop, &peer->async, woken) == 0) {
    peer->async.data = peer;
    return peer;
  }
  if (peer->loop != NULL) cl_uv_loop_close(peer->loop);
  free(peer);
  return NULL;
}

void cl_uv_wake_send(void *peer) { uv_async_send(&((cl_uv_wake *)peer)->async); }

void cl_uv_wake_stop(cl_uv_wake *peer) {
  // Sequentially consistent: `uv_async_send` begins with a relaxed read, and
  // must not be done before this is seen.
  atomic_store(&peer->is_stopping, true);
  uv_async_send(&peer->async);
}

void cl_uv_wake_run(cl_uv_wake *peer) { cl_uv_loop_run(peer->loop); }

void cl_uv_wake_close(cl_uv_wake *peer) {
  cl_uv_loop_close(peer->loop);
  free(peer);
}

struct cl_uv_work {
  uv_loop_t *loop;
};

typedef struct {
  uv_work_t work;
  void (*function)(void *);
  void *context;
  void (*completion)(void *);
  void *completion_context;
} request;

static uint32_t wanted_threads;
static pthread_once_t sized_once = PTHREAD_ONCE_INIT;

// libuv reads it once, when its first work is queued.
static void size_pool(void) {
  char text[16];
  snprintf(text, sizeof text, "%u", wanted_threads);
  setenv("UV_THREADPOOL_SIZE", text, 1);
}

cl_uv_work *cl_uv_work_open(uint32_t threads) {
  wanted_threads = threads;
  pthread_once(&sized_once, size_pool);
  cl_uv_work *peer = malloc(sizeof *peer);
  if (peer == NULL) return NULL;
  peer->loop = cl_uv_loop_open();
  if (peer->loop != NULL) return peer;
  free(peer);
  return NULL;
}

static void work(uv_work_t *work) {
  request *item = (request *)work;
  if (item->function != NULL) item->function(item->context);
}

static void after_work(uv_work_t *work, int status) {
  (void)status;
  request *item = (request *)work;
  if (item->completion != NULL) item->completion(item->completion_context);
  free(item);
}

void cl_uv_work_add(cl_uv_work *peer, void (*function)(void *), void *context,
                    void (*completion)(void *), void *completion_context) {
  request *item = malloc(sizeof *item);
  if (item == NULL) abort();
  item->function = function;
  item->context = context;
  item->completion = completion;
  item->completion_context = completion_context;
  // It refuses only a request without a function.
  if (uv_queue_work(peer->loop, &item->work, work, after_work) != 0) abort();
}

void cl_uv_work_run(cl_uv_work *peer) { cl_uv_loop_run(peer->loop); }

void cl_uv_work_close(cl_uv_work *peer) {
  cl_uv_loop_close(peer->loop);
  free(peer);
}
