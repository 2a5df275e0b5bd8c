#ifndef CL_INTERRUPT_H
#define CL_INTERRUPT_H

#include <stdint.h>

enum { cl_interrupt_none = 0, cl_interrupt_signal = 1, cl_interrupt_timeout = 2 };

// From now on SIGINT, SIGTERM and SIGHUP, where they are not ignored, end the
// process as ever, but no load and no half-written file is left.
void cl_interrupt_guard(void);

// From now on the first of those signals, or `timeout` ns (0: never), is only
// noted. The second signal ends the process with 130; where nothing has ended
// 10 s after the timeout, that ends it with 124.
void cl_interrupt_watch(uint64_t timeout);

// What was noted first. Any thread.
int cl_interrupt_noted(void);

#endif
