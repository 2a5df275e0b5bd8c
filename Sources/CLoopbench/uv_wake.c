#include "cl_uv_wake.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

#include "cl_uv_loop.h"

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
