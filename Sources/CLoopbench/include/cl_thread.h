#ifndef CL_THREAD_H
#define CL_THREAD_H

#include <stdint.h>

typedef struct cl_thread cl_thread;

// Starts a thread on `cpu`, or on all CPUs that the process was allowed when it
// started if `cpu` is negative. It does not inherit the creator's placement.
// `priority` is its SCHED_FIFO priority; 0 means the creator's, if it has one.
// Returns 0 or an errno.
int cl_thread_start(cl_thread *_Nullable *_Nonnull thread, int cpu, int priority,
                    void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

// Whether threads may have this real-time priority here. Returns 0 or an errno.
int cl_thread_try_priority(int priority);

// The calling thread's real-time priority, or 0.
int cl_thread_priority(void);

// Waits for the thread to end and frees it. Returns 0, or an errno if the
// thread could not get its priority.
int cl_thread_join(cl_thread *_Nonnull thread);

// Writes up to `capacity` of the CPUs that the process was allowed when it
// started. Returns their number; 0 if threads cannot be placed.
int cl_allowed_cpus(int *_Nullable cpus, int capacity);

// Places the calling thread on `cpu`, or on all allowed CPUs if `cpu` is
// negative. Costs one comparison if it is already placed there. For threads of
// a pool, which cannot be started in place.
void cl_thread_place(int cpu);

// How often threads of `cl_thread_start` moved to another CPU. Counts threads
// that have ended; 0 if unknown.
uint64_t cl_thread_migrations(void);

// Permanently lowers the calling thread's priority below all ordinary threads.
// Does nothing on systems without thread priorities.
void cl_thread_lower(void);

// Yields the CPU.
void cl_thread_yield(void);

// A binary semaphore between two threads.
typedef struct cl_gate cl_gate;
cl_gate *_Nullable cl_gate_open(void);
void cl_gate_pass(cl_gate *_Nonnull gate);
void cl_gate_wait(cl_gate *_Nonnull gate);
void cl_gate_close(cl_gate *_Nonnull gate);

#endif
