#ifndef CL_FLOOR_H
#define CL_FLOOR_H

#include <stdint.h>

#include "cl_measure.h"

// The floor under every queue: a mutex, a condition and a linked list. Each
// item is a node from malloc. Appending to an empty list signals the condition.
typedef struct cl_cond cl_cond;

cl_cond *_Nullable cl_cond_open(void);

// Appends one item. Any thread.
void cl_cond_post(cl_cond *_Nonnull peer, void (*_Nonnull function)(void *_Nullable),
                  void *_Nullable context);

// Runs items on the calling thread until `cl_cond_stop`. Items posted before
// the stop are run first.
void cl_cond_run(cl_cond *_Nonnull peer);

// Makes `cl_cond_run` return. Any thread.
void cl_cond_stop(cl_cond *_Nonnull peer);

// Call after `cl_cond_run` returned, when no item is left.
void cl_cond_close(cl_cond *_Nonnull peer);

// `timer` with a condition that is never signalled: calls
// pthread_cond_timedwait for each due time of an absolute schedule. Writes the
// lateness of each fire in ns, negative if early. Returns the number of fires.
int cl_cond_timer_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness,
                      uint32_t count);

// The floor under every loop that sleeps in epoll: an eventfd, and a thread
// that calls epoll_wait and read. Linux only: elsewhere `open` is NULL.
extern const cl_wake_functions cl_eventfd_wake;

// `timer` with a timerfd in an epoll, set once to an absolute schedule. A
// period without its own wake-up is as late as the wake-up that counts it.
// Writes the lateness of each fire in ns, negative if early. Returns the number
// of fires; 0 if no descriptor could be opened.
int cl_timerfd_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness, uint32_t count);

#endif
