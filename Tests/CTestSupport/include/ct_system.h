#ifndef CT_SYSTEM_H
#define CT_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

typedef void (*ct_body)(void *_Nullable context);

// MARK: Threads

typedef struct ct_thread ct_thread;

// Starts a thread that runs `body`.
ct_thread *_Nonnull ct_thread_start(ct_body _Nonnull body, void *_Nullable context);

// Joins the thread and frees it.
void ct_thread_join(ct_thread *_Nonnull thread);

// Detaches the thread and frees it.
void ct_thread_leave(ct_thread *_Nonnull thread);

// Yields the processor to another thread.
void ct_yield(void);

// Sleeps for a millisecond.
void ct_pause(void);

// The processor time this thread has used, in nanoseconds.
uint64_t ct_thread_time(void);

// Writes the names of this process's threads to `text`, one per line. Returns
// the number of threads, or a negative number if the system cannot list them.
int ct_thread_names(char *_Nonnull text, int capacity);

// Pins this thread to the first processor it may use. Returns false on failure.
bool ct_use_one_processor(void);

// Does the same for all threads of the process.
bool ct_use_one_processor_in_all_threads(void);

// MARK: Signals

// Installs a handler for SIGUSR1 that calls `body`.
void ct_on_signal(ct_body _Nonnull body, void *_Nullable context);

// Ignores SIGUSR1.
void ct_ignore_signal(void);

// Sends SIGUSR1 to this thread. The handler has run when this returns.
void ct_raise(void);

// Whether the process has its default disposition for the signal `number`.
bool ct_is_default(int number);

// Blocks the signal `number` on this thread, or unblocks it.
void ct_block_signal(int number, bool is_blocked);

// Sets errno, or reads it.
void ct_set_errno(int value);
int ct_errno(void);

// MARK: Functions at known addresses

// Calls `until` in function `number`, 0 or 1, until it returns true.
void ct_plant(int number, bool (*_Nonnull until)(void *_Nullable), void *_Nullable context);

// Whether `address` is in function `number` of ct_plant().
bool ct_plant_contains(int number, uintptr_t address);

// MARK: Processes

// Waits until the other threads of this process sleep, for at most ten seconds.
void ct_await_sleep_of_others(void);

// Forks. The child runs `body` and exits with status 0. Returns the child's
// exit status, or the negated number of the signal that ended it. Copies the
// child's standard error to `text`, truncated to `capacity`. If not `is_seen`, no
// handler of pthread_atfork() runs.
int ct_fork(ct_body _Nonnull body, void *_Nullable context, bool is_seen, char *_Nonnull text,
            int capacity);

// Starts a child with the identifier `process`, which must be unused. The child
// exits with `status`, or blocks until it is killed if `status` is negative.
// Returns 0, or a negated errno: `-EPERM` if the system does not permit it.
int ct_start_as(int process, int status);

// Traces a child and waits until it has stopped. Returns 0, or a negated errno.
int ct_trace(int process);

// Lets a traced child run on. Call on the same thread.
void ct_end_trace(int process);

// Limits this process to `count` more descriptors than are open now.
void ct_limit_descriptors(int count);

// Kills this process by a signal if it still runs after `seconds`.
void ct_end_after(unsigned seconds);

// The number of open descriptors.
int ct_open_descriptors(void);
// Writes the name of a descriptor's file. Returns its length, or a negative
// number if the descriptor is not open or the name is unknown.
int ct_descriptor_name(int descriptor, char *_Nonnull name, int capacity);

#endif
