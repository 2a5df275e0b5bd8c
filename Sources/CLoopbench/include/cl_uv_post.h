#ifndef CL_UV_POST_H
#define CL_UV_POST_H

#include <stdint.h>

#include "cl_finish.h"

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

#endif
