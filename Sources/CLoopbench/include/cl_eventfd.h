#ifndef CL_EVENTFD_H
#define CL_EVENTFD_H

#include <stdbool.h>
#include <stdint.h>

#include "cl_wake.h"

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
