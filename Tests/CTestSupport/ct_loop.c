#define _GNU_SOURCE
#include "ct_loop.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

void *ct_loop_open(void) {
  uv_loop_t *loop = malloc(sizeof *loop);
  if (loop == NULL || uv_loop_init(loop) == 0) return loop;
  free(loop);
  return NULL;
}

int ct_loop_run(void *loop, int mode) {
  const uv_run_mode modes[] = {UV_RUN_DEFAULT, UV_RUN_ONCE, UV_RUN_NOWAIT};
  return uv_run(loop, modes[mode]);
}

void ct_loop_stop(void *loop) { uv_stop(loop); }

bool ct_loop_wait(void *loop, int limit) {
  struct pollfd watched = {.fd = uv_backend_fd(loop), .events = POLLIN};
  int timeout = uv_backend_timeout(loop);
  if (timeout >= 0 && timeout < limit) return poll(&watched, 1, timeout) >= 0;
  return poll(&watched, 1, limit) > 0;
}

int ct_loop_fork(void *loop) { return uv_loop_fork(loop); }

uint64_t ct_loop_now(void *loop) { return uv_now(loop); }

struct count {
  uv_handle_type type;
  int count;
};

static void count_handle(uv_handle_t *handle, void *count) {
  struct count *self = count;
  if (handle->type == self->type) self->count += 1;
}

int ct_loop_handles(void *loop, ct_kind kind) {
  const uv_handle_type types[] = {UV_TIMER, UV_IDLE, UV_PREPARE, UV_CHECK, UV_ASYNC, UV_POLL};
  struct count count = {types[kind], 0};
  uv_walk(loop, count_handle, &count);
  return count.count;
}

int ct_loop_close(void *loop) {
  int result = uv_loop_close(loop);
  if (result == 0) free(loop);
  return result;
}

static void close_handle(uv_handle_t *handle, void *unused) {
  (void)unused;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

int ct_loop_tear_down(void *loop) {
  uv_walk(loop, close_handle, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  int result = uv_loop_close(loop);
  // Not freed: a test that touches this memory must fail, not corrupt another
  // test.
  if (result == 0) memset(loop, 0xA5, sizeof(uv_loop_t));
  return result;
}

struct ct_handle {
  union {
    uv_handle_t base;
    uv_timer_t timer;
    uv_idle_t idle;
    uv_prepare_t prepare;
    uv_check_t check;
    uv_async_t async;
    uv_poll_t poll;
  } uv;
  ct_kind kind;
  int pipe[2];
  ct_callback callback;
  void *context;
  ct_callback closed;
  void *closed_context;
};

static void call(void *handle) {
  struct ct_handle *self = handle;
  self->callback(self->context);
}

static void timer_fired(uv_timer_t *timer) { call(timer); }
static void idle_called(uv_idle_t *idle) { call(idle); }
static void prepare_called(uv_prepare_t *prepare) { call(prepare); }
static void check_called(uv_check_t *check) { call(check); }
static void async_called(uv_async_t *async) { call(async); }

static void poll_called(uv_poll_t *poll, int status, int events) {
  struct ct_handle *self = (struct ct_handle *)poll;
  char byte;
  (void)status;
  (void)events;
  if (read(self->pipe[0], &byte, 1) == 1) call(poll);
}

ct_handle *ct_handle_open(void *loop, ct_kind kind, ct_callback callback, void *context) {
  struct ct_handle *self = calloc(1, sizeof *self);
  self->kind = kind;
  self->callback = callback;
  self->context = context;
  int result = 0;
  switch (kind) {
    case ct_timer: result = uv_timer_init(loop, &self->uv.timer); break;
    case ct_idle: result = uv_idle_init(loop, &self->uv.idle); break;
    case ct_prepare: result = uv_prepare_init(loop, &self->uv.prepare); break;
    case ct_check: result = uv_check_init(loop, &self->uv.check); break;
    case ct_async: result = uv_async_init(loop, &self->uv.async, async_called); break;
    case ct_poll:
      if (pipe(self->pipe) != 0) abort();
      result = uv_poll_init(loop, &self->uv.poll, self->pipe[0]);
  }
  if (result != 0) abort();
  return self;
}

void ct_handle_start(ct_handle *self, uint64_t timeout) {
  switch (self->kind) {
    case ct_timer: uv_timer_start(&self->uv.timer, timer_fired, timeout, 0); break;
    case ct_idle: uv_idle_start(&self->uv.idle, idle_called); break;
    case ct_prepare: uv_prepare_start(&self->uv.prepare, prepare_called); break;
    case ct_check: uv_check_start(&self->uv.check, check_called); break;
    case ct_async: uv_ref(&self->uv.base); break;
    case ct_poll: uv_poll_start(&self->uv.poll, UV_READABLE, poll_called); break;
  }
}

void ct_handle_stop(ct_handle *self) {
  switch (self->kind) {
    case ct_timer: uv_timer_stop(&self->uv.timer); break;
    case ct_idle: uv_idle_stop(&self->uv.idle); break;
    case ct_prepare: uv_prepare_stop(&self->uv.prepare); break;
    case ct_check: uv_check_stop(&self->uv.check); break;
    case ct_async: uv_unref(&self->uv.base); break;
    case ct_poll: uv_poll_stop(&self->uv.poll); break;
  }
}

void ct_handle_ref(ct_handle *self, bool yes) {
  if (yes) uv_ref(&self->uv.base); else uv_unref(&self->uv.base);
}

void ct_handle_send(ct_handle *self) {
  if (self->kind == ct_async) {
    uv_async_send(&self->uv.async);
  } else if (write(self->pipe[1], "", 1) != 1) {
    abort();
  }
}

static void closed(uv_handle_t *handle) {
  struct ct_handle *self = (struct ct_handle *)handle;
  if (self->kind == ct_poll) {
    close(self->pipe[0]);
    close(self->pipe[1]);
  }
  if (self->closed != NULL) self->closed(self->closed_context);
  free(self);
}

void ct_handle_close(ct_handle *self, ct_callback callback, void *context) {
  self->closed = callback;
  self->closed_context = context;
  uv_close(&self->uv.base, closed);
}
