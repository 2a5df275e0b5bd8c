#ifndef CL_FLOOR_H
#define CL_FLOOR_H

#include <stdbool.h>
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

// What has not run is dropped.
void cl_cond_close(cl_cond *_Nonnull peer);

// `timer` by a condition that nobody signals: pthread_cond_timedwait until each
// due time of an absolute schedule. Writes how late each was, in ns (negative:
// early). Returns how many fired.
int cl_cond_timer_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness,
                      uint32_t count);

// The floor under every loop that sleeps in epoll: an eventfd, and a thread that
// calls epoll_wait and read. Linux only; elsewhere nothing opens.
typedef struct cl_eventfd cl_eventfd;

bool cl_eventfd_is_available(void);

// On the thread that runs it. What wakes it answers `wake`.
cl_eventfd *_Nullable cl_eventfd_open(cl_wake *_Nonnull wake);

// One ping. `peer` is a `cl_eventfd *`. Any thread.
void cl_eventfd_send(void *_Nullable peer);

// Ends `run`. Any thread.
void cl_eventfd_stop(cl_eventfd *_Nonnull peer);

void cl_eventfd_run(cl_eventfd *_Nonnull peer);

void cl_eventfd_close(cl_eventfd *_Nonnull peer);

// `timer` by a timerfd in an epoll, set once to an absolute schedule. A period
// that passed without a wake-up is as late as the wake-up that counts it. Writes
// how late each was, in ns (negative: early). Returns how many fired; 0 where
// no descriptor could be opened.
int cl_timerfd_run(uint64_t first, uint64_t interval, int64_t *_Nonnull lateness, uint32_t count);

#endif
