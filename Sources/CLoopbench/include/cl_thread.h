#ifndef CL_THREAD_H
#define CL_THREAD_H

#include <stdint.h>

typedef struct cl_thread cl_thread;

// Starts a thread on `cpu`. If `cpu` is negative, the thread may run on all CPUs
// that the process was allowed to use when it started. The thread does not inherit
// its creator's placement. Returns 0 or an errno.
int cl_thread_start(cl_thread *_Nullable *_Nonnull thread, int cpu,
                    void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

// Waits for the thread to end and frees it.
void cl_thread_join(cl_thread *_Nonnull thread);

// Writes the CPUs that the process was allowed to use when it started, at most
// `capacity` of them. Returns their number; 0 if threads cannot be placed.
int cl_allowed_cpus(int *_Nullable cpus, int capacity);

// Places the calling thread on `cpu`, or on all allowed CPUs if `cpu` is negative.
// If the thread is already placed there, the call costs one comparison. Use it for
// threads of a pool, which `cl_thread_start` does not start.
void cl_thread_place(int cpu);

// The number of times that threads of `cl_thread_start` moved to another CPU.
// Counts only threads that have ended; 0 if unknown.
uint64_t cl_thread_migrations(void);

// Permanently lowers the calling thread's priority below all ordinary threads.
// Does nothing on systems without thread priorities.
void cl_thread_lower(void);

// Yields the CPU to other threads.
void cl_thread_yield(void);

#endif
