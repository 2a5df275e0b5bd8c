#include "cl_finish.h"

#include "cl_clock.h"

void cl_finish_step(void *context) {
  cl_finish *finish = context;
  if (++finish->ran != finish->target) return;
  finish->finished = cl_now();
  if (finish->stop != NULL) finish->stop(finish->stop_context);
}

void cl_finish_reset(cl_finish *finish, uint64_t target) {
  finish->ran = 0;
  finish->target = target;
  finish->finished = 0;
}
