#ifndef CL_UV_COMMIT_H
#define CL_UV_COMMIT_H

#include <stdint.h>

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

#endif
