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

// MARK: A libuv loop that is not ours

// A new `uv_loop_t`; NULL if the system has none left.
void *_Nullable ct_loop_open(void);

// `uv_run`; 0: until nothing is left, 1: once, 2: without waiting.
int ct_loop_run(void *_Nonnull loop, int mode);

void ct_loop_stop(void *_Nonnull loop);

// Waits for the loop's descriptor as long as the loop says, as a host does that
// has a poll of its own, but for `limit` milliseconds at most; whether there is
// something to do.
bool ct_loop_wait(void *_Nonnull loop, int limit);

// `uv_loop_fork`; libuv's result.
int ct_loop_fork(void *_Nonnull loop);

// The loop's own time, in milliseconds.
uint64_t ct_loop_now(void *_Nonnull loop);

// How many handles of `kind` there are on the loop, libuv's own apart.
int ct_loop_handles(void *_Nonnull loop, ct_kind kind);

// `uv_loop_close`, and frees the loop if that succeeds; libuv's result.
int ct_loop_close(void *_Nonnull loop);

// What a host does that shuts down without asking: closes every handle, runs
// the loop, closes it, and fills its memory with rubbish. 0 if all succeeded.
int ct_loop_tear_down(void *_Nonnull loop);

// MARK: Handles on it

typedef struct ct_handle ct_handle;

// A handle on `loop` that calls `callback`; not started, but for an async.
ct_handle *_Nonnull ct_handle_open(
    void *_Nonnull loop, ct_kind kind, ct_callback _Nonnull callback, void *_Nullable context);

// Starts the handle; a timer fires after `timeout` milliseconds.
void ct_handle_start(ct_handle *_Nonnull handle, uint64_t timeout);

// Stops the handle, so that nothing waits for it; an async is only unref'd.
void ct_handle_stop(ct_handle *_Nonnull handle);

// Whether the loop waits for the handle.
void ct_handle_ref(ct_handle *_Nonnull handle, bool yes);

// Makes an async or a poll handle call back.
void ct_handle_send(ct_handle *_Nonnull handle);

// Closes the handle, calls `closed`, and frees it.
void ct_handle_close(ct_handle *_Nonnull handle, ct_callback _Nullable closed, void *_Nullable context);

#endif
