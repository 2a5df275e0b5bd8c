#ifndef CL_UV_TIMER_H
#define CL_UV_TIMER_H

#include <stdint.h>

// `timer` in C on libuv: a `uv_timer` set again for each due time of an
// absolute schedule. libuv counts whole milliseconds, so it is set for the
// first one that is not early.

// Fires `count` times, due at `first`, `first + interval`, … on the clock of
// `cl_now`, and writes how late each was, in ns (negative: early). Returns how
// many fired, or a negative libuv error.
int cl_uv_timer_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness, uint32_t count);

#endif
