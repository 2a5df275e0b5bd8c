#ifndef CL_LOAD_H
#define CL_LOAD_H

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

#endif
