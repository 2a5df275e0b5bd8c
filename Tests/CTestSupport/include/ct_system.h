#ifndef CT_SYSTEM_H
#define CT_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

typedef void (*ct_body)(void *_Nullable context);

// MARK: Threads

typedef struct ct_thread ct_thread;

// A thread that runs `body`.
ct_thread *_Nonnull ct_thread_start(ct_body _Nonnull body, void *_Nullable context);

// Waits for the thread's end, and frees it.
void ct_thread_join(ct_thread *_Nonnull thread);

// Lets the thread end by itself, and frees it.
void ct_thread_leave(ct_thread *_Nonnull thread);

// Lets another thread have the processor.
void ct_yield(void);

// Processor time this thread has used, in nanoseconds.
uint64_t ct_thread_time(void);

// What the threads of this process are called, one a line; how many there are,
// below 0 where the system does not tell.
int ct_thread_names(char *_Nonnull text, int capacity);

// Keeps this thread on the first of the processors it may use; whether it is.
bool ct_use_one_processor(void);

// MARK: Signals

// Calls `body` from a handler for SIGUSR1 from now on.
void ct_on_signal(ct_body _Nonnull body, void *_Nullable context);

// Ignores SIGUSR1 from now on.
void ct_ignore_signal(void);

// Sends SIGUSR1 to this thread; the handler has run when this returns.
void ct_raise(void);

// MARK: Processes

// Forks; the child runs `body` and ends with status 0. Returns what the parent
// learns: the child's exit status, or the negated number of the signal that
// ended it. Its standard error is copied to `text`, as far as it fits.
int ct_fork(
    ct_body _Nonnull body, void *_Nullable context, char *_Nonnull text, int capacity);

// Lets this process have `count` descriptors more than are open now.
void ct_limit_descriptors(int count);

// Ends this process by a signal after so many seconds, if it lives still.
void ct_end_after(unsigned seconds);

// How many descriptors are open.
int ct_open_descriptors(void);
// What a descriptor stands for; below 0 where it is not open, or nobody can tell.
int ct_descriptor_name(int descriptor, char *_Nonnull name, int capacity);

#endif
