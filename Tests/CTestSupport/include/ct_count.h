#ifndef CT_COUNT_H
#define CT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether `malloc`, `write` and the poll go through here: on glibc, unless a
// sanitizer does that already.
bool ct_is_interposed(void);

// Whether a sanitizer watches, and slows everything down.
bool ct_is_sanitized(void);

// How many blocks this thread has allocated so far.
uint64_t ct_allocations(void);

// How often this thread has written to a descriptor so far.
uint64_t ct_writes(void);

// How often this thread has read from a descriptor so far.
uint64_t ct_reads(void);

// Calls `hook` before each poll of this thread that may block, with its timeout
// in milliseconds, -1 without end. NULL ends that.
void ct_before_blocking(
    void (*_Nullable hook)(void *_Nullable context, int timeout), void *_Nullable context);

// A call to the C library that a test can step in before.
typedef enum {
  ct_allocation,
  ct_write,
  ct_yield_call,
  ct_call_count,
} ct_call;

// Calls `hook` before this thread's next call of that kind, once; NULL: no more.
void ct_before(
    ct_call call, void (*_Nullable hook)(void *_Nullable context), void *_Nullable context);

// The absolute time, in nanoseconds, that this thread last set a timerfd to.
uint64_t ct_deadline(void);

// Has fopen find /proc/self/cgroup and /sys/fs/cgroup below `root`, from now on.
void ct_find_control_groups(const char *_Nonnull root);

// Bytes in blocks that were allocated and not freed; 0 if unknown.
size_t ct_heap_bytes(void);

// What this thread allocates from now on may leak, as far as a sanitizer cares.
void ct_forgive_leaks(void);

#endif
