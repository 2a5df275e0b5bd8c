#include "cl_uv_work.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "cl_uv_loop.h"

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
