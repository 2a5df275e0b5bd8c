#ifndef CL_TICKER_H
#define CL_TICKER_H

#include <stdint.h>

// An idle handle of somebody else's on a loop: it keeps the loop from blocking
// and times the ticks it sees. Measures a bare loop and `lt` the same way.
typedef struct cl_ticker cl_ticker;

// Starts on `loop` (a `uv_loop_t *`), on its thread. Each of `count` samples is
// the time, in ns, of `ticks` ticks. After the last one `done` is called, and
// the handle stops.
cl_ticker *_Nullable cl_ticker_open(void *_Nonnull loop, uint32_t ticks,
                                    uint64_t *_Nonnull samples, uint32_t count,
                                    void (*_Nonnull done)(void *_Nullable),
                                    void *_Nullable context);

// Closes the handle; it is freed in the loop's next tick.
void cl_ticker_close(cl_ticker *_Nonnull ticker);

#endif
