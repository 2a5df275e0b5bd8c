#ifndef CL_UV_DRAIN_H
#define CL_UV_DRAIN_H

#include <stdint.h>

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

#endif
