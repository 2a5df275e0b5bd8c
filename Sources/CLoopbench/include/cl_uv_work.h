#ifndef CL_UV_WORK_H
#define CL_UV_WORK_H

#include <stdint.h>

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
