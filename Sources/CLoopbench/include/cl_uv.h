#ifndef CL_UV_H
#define CL_UV_H

#include <stdbool.h>
#include <stdint.h>

#include "cl_measure.h"

// A `uv_loop_t` for the peers, as an opaque pointer. Use a loop only on its own
// thread.
//
// The structures `cl_uv_post` and `cl_uv_drain` begin with their loop, so a pointer
// to one can be passed as a loop to run, stop and close. Closing the loop frees the
// peer.

// Opens a loop. Returns NULL on failure.
void *_Nullable cl_uv_loop_open(void);

// Runs the loop until it is stopped or has no active handles or requests.
void cl_uv_loop_run(void *_Nonnull loop);

// Makes `cl_uv_loop_run` return after this tick. The parameter's type is `void *`,
// so that this function can be posted.
void cl_uv_loop_stop(void *_Nullable loop);

// Closes every handle and runs the callbacks, then frees the loop.
void cl_uv_loop_close(void *_Nonnull loop);

// `commit` in C on libuv: a flag in each target, an array of pending targets,
// and a prepare callback that performs them. Loop thread only.
typedef struct cl_uv_commit cl_uv_commit;

cl_uv_commit *_Nullable cl_uv_commit_open(uint32_t targets);

// Returns the time in ns of `repeats` commits of every target while all targets are
// pending.
uint64_t cl_uv_commit_duplicates(cl_uv_commit *_Nonnull peer, uint32_t repeats);

// Returns the time in ns of one commit of every target and of the tick that
// performs them.
uint64_t cl_uv_commit_first(cl_uv_commit *_Nonnull peer);

// The number of actions performed so far.
uint64_t cl_uv_commit_performed(const cl_uv_commit *_Nonnull peer);

void cl_uv_commit_close(cl_uv_commit *_Nonnull peer);

// `drain` in C on libuv, with the contract of a `RunLoopQueue`. A mutex allows any
// thread to queue objects. Each object is its own list node and has a flag, so that
// an object that is already queued keeps its position. A prepare callback delivers
// a batch per tick, and an idle handle keeps the loop from blocking between
// batches.
typedef struct cl_uv_drain cl_uv_drain;

// Each tick delivers up to `batch` of the `objects` objects, as steps of `finish`.
cl_uv_drain *_Nullable cl_uv_drain_open(uint32_t objects, uint32_t batch,
                                        cl_finish *_Nonnull finish);

// Queues each object once, when all objects of the burst before were delivered. With
// `is_across`, wakes the loop if its list was empty; then any thread may call it.
void cl_uv_drain_add(cl_uv_drain *_Nonnull peer, bool is_across);

// `post` in C on libuv: a node from malloc for each item, a singly linked queue
// under a mutex, and `uv_async_send` if the queue was empty. The callback
// removes all items under the mutex, then runs and frees each of them.
typedef struct cl_uv_post cl_uv_post;

cl_uv_post *_Nullable cl_uv_post_open(void);

// Posts one item. Call from any thread.
void cl_uv_post_item(cl_uv_post *_Nonnull peer, void (*_Nonnull function)(void *_Nullable),
                     void *_Nullable context);

// Posts `items` calls of a function. Call from any thread.
void cl_uv_post_burst(cl_uv_post *_Nonnull peer, uint32_t items,
                      void (*_Nonnull function)(void *_Nullable), void *_Nullable context);

// Calls `function` in every tick, before the loop waits. Call at most once per
// peer, on the loop's thread.
void cl_uv_post_before_waiting(cl_uv_post *_Nonnull peer,
                               void (*_Nonnull function)(void *_Nullable),
                               void *_Nullable context);

// `timer` in C on libuv: a `uv_timer` that is set for each due time of an absolute
// schedule. libuv counts whole milliseconds, so the timer is set to the first
// millisecond that is not early.
//
// Fires `count` times. The due times are `first`, `first + interval`, … on the
// clock of `cl_now`. Writes the lateness of each fire in ns, negative if early.
// Returns the number of fires; 0 if libuv cannot open a loop.
int cl_uv_timer_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness, uint32_t count);

// `timer/pending` in C on libuv: handles that are started and stay pending, and one
// more handle. Loop thread only.
typedef struct cl_uv_pending cl_uv_pending;

cl_uv_pending *_Nullable cl_uv_pending_open(uint32_t count);

// Starts and stops the one handle `pairs` times, then runs a tick. Returns the time in
// ns.
uint64_t cl_uv_pending_cycle(cl_uv_pending *_Nonnull peer, uint32_t pairs);

void cl_uv_pending_close(cl_uv_pending *_Nonnull peer);

// `wake` in C on libuv: `uv_async_send` and its callback.
extern const cl_wake_functions cl_uv_wake;

// `io` in C on libuv: `uv_poll` for the socket pair, `uv_read_start` and
// `uv_try_write` for connections. Serves all descriptors of `io` until their ends.
// Returns 0 if libuv cannot open a loop or a handle.
int cl_uv_io_serve(cl_io *_Nonnull io);

// `pool` in C on libuv: `uv_queue_work`. Each request comes from malloc and is
// freed by the loop's callback.

// Opens the loop on which work is queued. libuv's threads belong to the process:
// the first work that any loop queues starts `threads` threads.
void *_Nullable cl_uv_work_open(uint32_t threads);

// Calls `function` on one of libuv's threads, and then `completion` on the loop.
// `cl_uv_loop_run` returns when every function and completion was called.
void cl_uv_work_add(void *_Nonnull loop, void (*_Nullable function)(void *_Nullable),
                    void *_Nullable context, void (*_Nullable completion)(void *_Nullable),
                    void *_Nullable completion_context);

#endif
