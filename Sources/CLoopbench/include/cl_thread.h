#ifndef CL_THREAD_H
#define CL_THREAD_H

#include <stdint.h>

typedef struct cl_thread cl_thread;

// Starts a thread on `cpu`. If `cpu` is negative, the thread may run on all CPUs
// that the process was allowed to use when it started. The thread does not inherit
// its creator's placement. `priority` is the thread's SCHED_FIFO priority; 0 means
// the creator's priority, if it has one. Returns 0 or an errno.
int cl_thread_start(cl_thread *_Nullable *_Nonnull thread, int cpu, int priority,
                    void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

// Checks whether the system permits this real-time priority. Returns 0 or an errno.
int cl_thread_try_priority(int priority);

// The calling thread's real-time priority; 0 if it has none.
int cl_thread_priority(void);

// Waits for the thread to end and frees it. Returns 0, or an errno if the
// thread could not get its priority.
int cl_thread_join(cl_thread *_Nonnull thread);

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
