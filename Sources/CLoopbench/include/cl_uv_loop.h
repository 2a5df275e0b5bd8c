#ifndef CL_UV_LOOP_H
#define CL_UV_LOOP_H

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

#endif
