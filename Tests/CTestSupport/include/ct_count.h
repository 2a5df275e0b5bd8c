#ifndef CT_COUNT_H
#define CT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// True if `malloc`, `write` and the poll functions are interposed. This is the
// case on glibc, unless a sanitizer interposes them.
bool ct_is_interposed(void);

// True if the tests were built with a sanitizer, which makes them slower.
bool ct_is_sanitized(void);

// The number of blocks this thread has allocated so far.
uint64_t ct_allocations(void);

// The number of times this thread has called write() or writev() so far.
uint64_t ct_writes(void);

// The number of times this thread has called read() so far.
uint64_t ct_reads(void);

// The number of times this thread has called epoll_wait() or epoll_pwait() so far.
uint64_t ct_polls(void);

// The number of times this thread has called epoll_ctl() so far.
uint64_t ct_poll_changes(void);

// The number of times this thread has called clock_gettime() so far.
uint64_t ct_clock_readings(void);

// Calls `hook` before each poll of this thread that may block. The timeout is
// in milliseconds; -1 means no timeout. A NULL `hook` removes the hook.
void ct_before_blocking(
    void (*_Nullable hook)(void *_Nullable context, int timeout), void *_Nullable context);

// A call to the C library that a test can intercept.
typedef enum {
  ct_allocation,
  ct_write,
  ct_yield_call,
  ct_call_count,
} ct_call;

// Calls `hook` once, before this thread's next call of the kind `call`. A NULL
// `hook` removes the hook.
void ct_before(
    ct_call call, void (*_Nullable hook)(void *_Nullable context), void *_Nullable context);

// The absolute time, in nanoseconds, of this thread's last timerfd_settime().
uint64_t ct_deadline(void);

// The number of times this thread has called timerfd_settime() so far.
uint64_t ct_deadline_changes(void);

// Redirects fopen of /proc/self/cgroup and /sys/fs/cgroup to files below
// `root`.
void ct_find_control_groups(const char *_Nonnull root);

// Makes the next `count` calls of pthread_create on this thread fail with
// EAGAIN.
void ct_refuse_threads(int count);

// Makes the next `count` attempts of posix_spawn on this thread fail with
// EAGAIN. Each call of posix_spawn makes up to 11 attempts.
void ct_refuse_processes(int count);

// Makes the next `count` calls of epoll_ctl on this thread that add a descriptor
// fail with EPERM.
void ct_refuse_watches(int count);

// Holds the lookups of `held.test`, in all threads, until it is called with false. They
// then fail.
void ct_hold_lookups(bool are_held);

// The number of bytes in allocated blocks; 0 if unknown.
size_t ct_heap_bytes(void);

// Excludes this thread's later allocations from leak checking.
void ct_forgive_leaks(void);

#endif
