#ifndef CL_UV_WAKE_H
#define CL_UV_WAKE_H

#include "cl_wake.h"

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

#endif
