#ifndef CL_FINISH_H
#define CL_FINISH_H

#include <stdint.h>

// Where the items of a `post` or `drain` sample arrive: counts them, stamps the
// time at which the last one ran, and says so. The loop's thread only.
typedef struct {
  uint64_t ran;
  uint64_t target;
  uint64_t finished;             // ns, 0 until the last item ran
  void (*_Nullable stop)(void *_Nullable);  // called with the last item
  void *_Nullable stop_context;
} cl_finish;

// One item ran. `finish` is a `cl_finish *`: the shape of a posted function.
void cl_finish_step(void *_Nullable finish);

// Begins a sample of `target` items.
void cl_finish_reset(cl_finish *_Nonnull finish, uint64_t target);

#endif
