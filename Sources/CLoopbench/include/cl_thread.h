#ifndef CL_THREAD_H
#define CL_THREAD_H

#include <stdint.h>

typedef struct cl_thread cl_thread;

// Starts a thread on `cpu`, or anywhere the process was allowed when it
// started if `cpu` is negative. It never inherits the creator's placement.
// Its real-time priority, first come, first served, is `priority`; if that is 0
// it is the creator's, if it has one. Returns 0, or an errno.
int cl_thread_start(cl_thread *_Nullable *_Nonnull thread, int cpu, int priority,
                    void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

// Whether threads may have that real-time priority here. Returns 0, or an errno.
int cl_thread_try_priority(int priority);

// The calling thread's real-time priority; 0 for none.
int cl_thread_priority(void);

// Waits for the thread to end and frees it. Returns an errno if it could not have its
// priority, else 0.
int cl_thread_join(cl_thread *_Nonnull thread);

// Writes the CPUs the process was allowed when it started, at most `capacity`.
// Returns how many there are. Where threads can not be placed: 0.
int cl_allowed_cpus(int *_Nullable cpus, int capacity);

// Places the calling thread on `cpu`, or anywhere the process was allowed if
// `cpu` is negative. Costs a comparison where it was placed so already. For
// threads of a pool, which nobody could start in place.
void cl_thread_place(int cpu);

// How many CPUs the calling thread may run on; 0 where that can not be asked.
int cl_thread_cpu_count(void);

// How often the threads of `cl_thread_start` that have ended moved to another
// CPU; 0 where the kernel does not tell.
uint64_t cl_thread_migrations(void);

// Lowers the calling thread's priority, for as long as it lives, below that of
// every thread that was left alone. Where only a process has one: does nothing.
void cl_thread_lower(void);

// Lets others have the CPU for a turn.
void cl_thread_yield(void);

// The CPU the calling thread runs on, or -1.
int cl_current_cpu(void);

// A binary semaphore between two threads.
typedef struct cl_gate cl_gate;
cl_gate *_Nullable cl_gate_open(void);
void cl_gate_pass(cl_gate *_Nonnull gate);
void cl_gate_wait(cl_gate *_Nonnull gate);
void cl_gate_close(cl_gate *_Nonnull gate);

#endif
