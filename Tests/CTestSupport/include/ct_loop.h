#ifndef CT_LOOP_H
#define CT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

typedef void (*ct_callback)(void *_Nullable context);

typedef enum {
  ct_timer,
  ct_idle,
  ct_prepare,
  ct_check,
  ct_async,
  ct_poll,
} ct_kind;

// MARK: A foreign libuv loop

// Opens a new `uv_loop_t`. Returns NULL if the system has run out of resources.
void *_Nullable ct_loop_open(void);

// Calls `uv_run`. `mode` is 0 to run until no handle is active, 1 to run one
// tick, or 2 to run one tick without blocking.
int ct_loop_run(void *_Nonnull loop, int mode);

void ct_loop_stop(void *_Nonnull loop);

// Polls the loop's descriptor like a host with its own poll, with the loop's
// timeout but for at most `limit` milliseconds. Returns true if the loop has
// work to do.
bool ct_loop_wait(void *_Nonnull loop, int limit);

// Calls `uv_loop_fork` and returns its result.
int ct_loop_fork(void *_Nonnull loop);

// The loop's own time, in milliseconds.
uint64_t ct_loop_now(void *_Nonnull loop);

// The number of handles of `kind` on the loop, except libuv's internal handles.
int ct_loop_handles(void *_Nonnull loop, ct_kind kind);

// Calls `uv_loop_close` and returns its result. Frees the loop on success.
int ct_loop_close(void *_Nonnull loop);

// Shuts down like a host that ignores this library: closes every handle, runs
// the loop, closes it, and overwrites its memory. Returns 0 if every step
// succeeded.
int ct_loop_tear_down(void *_Nonnull loop);

// MARK: Handles on a foreign loop

typedef struct ct_handle ct_handle;

// Opens a handle on `loop` that calls `callback`. Only an async handle is
// started immediately.
ct_handle *_Nonnull ct_handle_open(
    void *_Nonnull loop, ct_kind kind, ct_callback _Nonnull callback, void *_Nullable context);

// Starts the handle; a timer fires after `timeout` milliseconds.
void ct_handle_start(ct_handle *_Nonnull handle, uint64_t timeout);

// Stops the handle, so that it does not keep the loop alive. An async handle
// cannot be stopped and is unreferenced instead.
void ct_handle_stop(ct_handle *_Nonnull handle);

// Sets whether the handle keeps the loop alive.
void ct_handle_ref(ct_handle *_Nonnull handle, bool yes);

// Makes an async or a poll handle call its callback.
void ct_handle_send(ct_handle *_Nonnull handle);

// Closes the handle, calls `closed`, and frees it.
void ct_handle_close(ct_handle *_Nonnull handle, ct_callback _Nullable closed, void *_Nullable context);

#endif
