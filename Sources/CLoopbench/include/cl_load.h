#ifndef CL_LOAD_H
#define CL_LOAD_H

#include <stdint.h>

// Something that runs beside a measurement, in processes of its own: what it
// uses is not counted as ours.

// Starts `sh -c command` in a group of its own, with nothing to read and nowhere
// to write. It is ended when the calling thread ends. Returns its process, or a
// negated errno.
int cl_load_start(const char *_Nonnull command);

// Ends the group of `process`. Returns -1; where it had ended before, its exit
// status, which is 128 and the signal if one ended it.
int cl_load_stop(int process);

// Waits for `process` to end, but no longer than `ms`. Returns whether it did.
int cl_load_wait(int process, unsigned ms);

// Ends all of them. Also from a signal handler.
void cl_load_kill(void);

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
