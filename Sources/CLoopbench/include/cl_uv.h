#ifndef CL_UV_H
#define CL_UV_H

#include <stdint.h>

#include "cl_measure.h"

// A `uv_loop_t` for the peers, as an opaque pointer. Its thread only.

// NULL when libuv could not make one.
void *_Nullable cl_uv_loop_open(void);

// Runs until stopped or until nothing is alive.
void cl_uv_loop_run(void *_Nonnull loop);

// One tick that does not block.
void cl_uv_loop_tick(void *_Nonnull loop);

// Makes `cl_uv_loop_run` return after this tick. Its shape is that of a `done`.
void cl_uv_loop_stop(void *_Nullable loop);

// Closes every handle, runs their callbacks, frees the loop.
void cl_uv_loop_close(void *_Nonnull loop);

// `commit` in C on libuv: a flag in the target, an array of those pending, and
// a prepare callback that performs them. The loop's thread only.
typedef struct cl_uv_commit cl_uv_commit;

cl_uv_commit *_Nullable cl_uv_commit_open(uint32_t targets);

// ns for `repeats` commits of every target while all of them are pending.
uint64_t cl_uv_commit_duplicates(cl_uv_commit *_Nonnull peer, uint32_t repeats);

// ns for one commit of every target and the tick that performs them.
uint64_t cl_uv_commit_first(cl_uv_commit *_Nonnull peer);

// How many targets were performed so far.
uint64_t cl_uv_commit_performed(const cl_uv_commit *_Nonnull peer);

void cl_uv_commit_close(cl_uv_commit *_Nonnull peer);

// `drain` in C on libuv, under the contract of a run loop queue: objects may
// come from any thread (a mutex), one that waits already keeps its place (a
// flag in the object, which is its own list node), and prepare hands over a
// batch per tick. An idle handle keeps the loop from blocking in between.
typedef struct cl_uv_drain cl_uv_drain;

cl_uv_drain *_Nullable cl_uv_drain_open(uint32_t objects);

// ns from the first of `objects` enqueued to the last handed over, `batch` a
// tick.
uint64_t cl_uv_drain_burst(cl_uv_drain *_Nonnull peer, uint32_t batch);

// How many objects were handed over so far.
uint64_t cl_uv_drain_handed_over(const cl_uv_drain *_Nonnull peer);

void cl_uv_drain_close(cl_uv_drain *_Nonnull peer);

// `post` in C on libuv: a node from malloc for each item, a singly linked queue
// under a mutex, and `uv_async_send` when the queue was empty. The callback
// takes the whole queue under the mutex, then runs and frees each item.
typedef struct cl_uv_post cl_uv_post;

// On the loop's thread, as are `run`, `tick` and `close`.
cl_uv_post *_Nullable cl_uv_post_open(void);

// Posts one item. Any thread.
void cl_uv_post_item(cl_uv_post *_Nonnull peer, void (*_Nonnull function)(void *_Nullable),
                     void *_Nullable context);

// Posts `items` items that step `finish`, one by one. Any thread.
void cl_uv_post_burst(cl_uv_post *_Nonnull peer, cl_finish *_Nonnull finish, uint32_t items);

// Runs the loop until `cl_uv_post_stop`.
void cl_uv_post_run(cl_uv_post *_Nonnull peer);

// `peer` is a `cl_uv_post *`: the shape of a finish line's `stop`.
void cl_uv_post_stop(void *_Nullable peer);

// Calls `function` in every tick, when the loop is about to wait. Once for a peer,
// on the loop's thread.
void cl_uv_post_before_waiting(cl_uv_post *_Nonnull peer,
                               void (*_Nonnull function)(void *_Nullable),
                               void *_Nullable context);

void cl_uv_post_close(cl_uv_post *_Nonnull peer);

// `timer` in C on libuv: a `uv_timer` set again for each due time of an
// absolute schedule. libuv counts whole milliseconds, so it is set for the
// first one that is not early.

// Fires `count` times, due at `first`, `first + interval`, … on the clock of
// `cl_now`, and writes how late each was, in ns (negative: early). Returns how
// many fired, or a negative libuv error.
int cl_uv_timer_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness, uint32_t count);

// `wake` in C on libuv: `uv_async_send` and its callback.
typedef struct cl_uv_wake cl_uv_wake;

// On the loop's thread, as are `run` and `close`. The callback answers `wake`.
cl_uv_wake *_Nullable cl_uv_wake_open(cl_wake *_Nonnull wake);

// One ping. `peer` is a `cl_uv_wake *`. Any thread.
void cl_uv_wake_send(void *_Nullable peer);

// Ends `run`. Any thread.
void cl_uv_wake_stop(cl_uv_wake *_Nonnull peer);

void cl_uv_wake_run(cl_uv_wake *_Nonnull peer);

void cl_uv_wake_close(cl_uv_wake *_Nonnull peer);

// `pool` in C on libuv: `uv_queue_work`, a request from malloc for each, freed by
// the loop's callback.
typedef struct cl_uv_work cl_uv_work;

// On the thread that uses it. libuv's threads are the process's: the first one
// opened starts `threads` of them when it is first used.
cl_uv_work *_Nullable cl_uv_work_open(uint32_t threads);

// Has one of libuv's threads call `function`, and then the loop `completion`.
void cl_uv_work_add(cl_uv_work *_Nonnull peer, void (*_Nullable function)(void *_Nullable),
                    void *_Nullable context, void (*_Nullable completion)(void *_Nullable),
                    void *_Nullable completion_context);

// Runs the loop until every function and completion was called.
void cl_uv_work_run(cl_uv_work *_Nonnull peer);

void cl_uv_work_close(cl_uv_work *_Nonnull peer);

#endif
