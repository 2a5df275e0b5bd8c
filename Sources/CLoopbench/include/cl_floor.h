#ifndef CL_FLOOR_H
#define CL_FLOOR_H

#include <stdint.h>

#include "cl_measure.h"

// The floor under every queue: a mutex, a condition, a linked list. A node from
// malloc for each item; whoever appends to an empty list signals.
typedef struct cl_cond cl_cond;

cl_cond *_Nullable cl_cond_open(void);

// Appends one item. Any thread.
void cl_cond_post(cl_cond *_Nonnull peer, void (*_Nonnull function)(void *_Nullable),
                  void *_Nullable context);

// Runs items on the calling thread until `cl_cond_stop`; what came before the
// stop has run then.
void cl_cond_run(cl_cond *_Nonnull peer);

// Ends `run`. Any thread.
void cl_cond_stop(cl_cond *_Nonnull peer);

// Call after `cl_cond_run` returned, when no item is left.
void cl_cond_close(cl_cond *_Nonnull peer);

// `timer` by a condition that nobody signals: pthread_cond_timedwait until each
// due time of an absolute schedule. Writes how late each was, in ns (negative:
// early). Returns how many fired.
int cl_cond_timer_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness,
                      uint32_t count);

// The floor under every loop that sleeps in epoll: an eventfd, and a thread that
// calls epoll_wait and read. Linux only: elsewhere `open` is NULL.
extern const cl_wake_functions cl_eventfd_wake;

// `timer` by a timerfd in an epoll, set once to an absolute schedule. A period
// that passed without a wake-up is as late as the wake-up that counts it. Writes
// how late each was, in ns (negative: early). Returns how many fired; 0 where
// no descriptor could be opened.
int cl_timerfd_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness, uint32_t count);

#endif
