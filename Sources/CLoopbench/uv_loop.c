#include "cl_measure.h"
#include "cl_uv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "uv_peer.h"

void *cl_uv_peer_open(size_t size) {
  cl_uv_peer *peer = calloc(1, size);
  if (peer == NULL) return NULL;
  if (uv_mutex_init(&peer->mutex) == 0) {
    if (uv_loop_init(&peer->loop) == 0) return peer;
    uv_mutex_destroy(&peer->mutex);
  }
  free(peer);
  return NULL;
}

void *cl_uv_loop_open(void) { return cl_uv_peer_open(sizeof(cl_uv_peer)); }

void cl_uv_loop_run(void *loop) { uv_run(loop, UV_RUN_DEFAULT); }

void cl_uv_loop_stop(void *loop) { uv_stop(loop); }

static void close_handle(uv_handle_t *handle, void *context) {
  (void)context;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

void cl_uv_loop_close(void *loop) {
  uv_walk(loop, close_handle, NULL);
  while (uv_loop_close(loop) == UV_EBUSY) uv_run(loop, UV_RUN_NOWAIT);
  uv_mutex_destroy(&((cl_uv_peer *)loop)->mutex);
  free(loop);
}

typedef struct {
  cl_uv_peer peer;
  uv_async_t async;
  cl_wake *wake;
  atomic_bool is_stopping;
} waker;

static void woken(uv_async_t *async) {
  waker *waker = async->data;
  // Acquire: pairs with the store in `end`.
  if (!atomic_load_explicit(&waker->is_stopping, memory_order_acquire)) {
    cl_wake_answer_all(waker->wake);
  } else {
    cl_uv_loop_stop(waker);
  }
}

static void *open_waker(cl_wake *wake) {
  waker *waker = cl_uv_peer_open(sizeof *waker);
  if (waker == NULL) return NULL;
  waker->wake = wake;
  waker->async.data = waker;
  if (uv_async_init(&waker->peer.loop, &waker->async, woken) == 0) return waker;
  cl_uv_loop_close(waker);
  return NULL;
}

static void ping(void *context) { uv_async_send(&((waker *)context)->async); }

static void end(void *context) {
  waker *waker = context;
  // Sequentially consistent: `uv_async_send` begins with a relaxed load, which
  // must not be reordered before this store.
  atomic_store(&waker->is_stopping, true);
  uv_async_send(&waker->async);
}

const cl_wake_functions cl_uv_wake = {open_waker, ping, end, cl_uv_loop_run, cl_uv_loop_close};

typedef struct {
  uv_work_t work;
  void (*function)(void *);
  void *context;
  void (*completion)(void *);
  void *completion_context;
} request;

static uint32_t wanted_threads;
static pthread_once_t sized_once = PTHREAD_ONCE_INIT;

// libuv reads the environment variable once, when the first work is queued.
static void size_pool(void) {
  char text[16];
  snprintf(text, sizeof text, "%u", wanted_threads);
  setenv("UV_THREADPOOL_SIZE", text, 1);
}

void *cl_uv_work_open(uint32_t threads) {
  wanted_threads = threads;
  pthread_once(&sized_once, size_pool);
  return cl_uv_loop_open();
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

void cl_uv_work_add(void *loop, void (*function)(void *), void *context,
                    void (*completion)(void *), void *completion_context) {
  request *item = malloc(sizeof *item);
  if (item == NULL) abort();
  item->function = function;
  item->context = context;
  item->completion = completion;
  item->completion_context = completion_context;
  // `uv_queue_work` fails only for a request without a function.
  if (uv_queue_work(loop, &item->work, work, after_work) != 0) abort();
}
