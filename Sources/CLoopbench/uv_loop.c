#include "cl_uv_loop.h"

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
