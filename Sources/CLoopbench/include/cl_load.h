#ifndef CL_LOAD_H
#define CL_LOAD_H

#include <stdint.h>

// Background loads are separate processes, so the resource counters of this process
// do not include them.

// Starts `sh -c command` in its own process group, with /dev/null as its standard
// descriptors. On Linux the shell is killed when the calling thread ends. Returns
// the process id, or a negated errno.
int cl_load_start(const char *_Nonnull command);

// Kills the process group of `process`. Returns -1 if it was running. If it had
// already ended, returns its exit status, or 128 plus the number of the signal
// that killed it.
int cl_load_stop(int process);

// Waits for `process` to end, for at most `ms` milliseconds. Returns whether it
// ended.
int cl_load_wait(int process, unsigned ms);

// Kills all loads. Async-signal-safe.
void cl_load_kill(void);

enum { cl_interrupt_none = 0, cl_interrupt_signal = 1, cl_interrupt_timeout = 2 };

// Installs handlers for SIGINT, SIGTERM and SIGHUP, except for signals that are
// ignored. A handler kills all loads before the signal ends the process.
void cl_interrupt_guard(void);

// From now on, the first signal, or the end of `timeout` ns, does not end the
// process but sets a note. A `timeout` of 0 means no timeout. A second signal ends
// the process with exit code 130. If the process is still running 10 s after the
// timeout, it ends with 124.
void cl_interrupt_watch(uint64_t timeout);

// Returns the first note. Call from any thread.
int cl_interrupt_noted(void);

#endif
