#include "cl_floor.h"

#include <stdbool.h>
#include <stddef.h>

#if defined(__linux__)

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cl_measure.h"

typedef struct {
  int poll;
  int event;
  cl_wake *wake;
  atomic_bool is_stopping;
} waker;

// Opens an epoll descriptor that waits for `descriptors`. Does not take ownership of
// them. Returns a negative value on failure.
static int open_poll(const int *descriptors, uint32_t count) {
  int poll = epoll_create1(EPOLL_CLOEXEC);
  for (uint32_t i = 0; i < count && poll >= 0; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptors[i]};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptors[i], &event) == 0) continue;
    close(poll);
    return -1;
  }
  return poll;
}

static void *open_waker(cl_wake *wake) {
  waker *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->wake = wake;
  peer->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  peer->poll = peer->event < 0 ? -1 : open_poll(&peer->event, 1);
  if (peer->poll >= 0) return peer;
  if (peer->event >= 0) close(peer->event);
  free(peer);
  return NULL;
}

static void ping(void *context) {
  waker *peer = context;
  const uint64_t one = 1;
  // The write cannot fail unless 2^64 - 2 pings are unread.
  if (write(peer->event, &one, sizeof one) != sizeof one) abort();
}

static void end(void *context) {
  waker *peer = context;
  // Release: pairs with the acquire in `run`.
  atomic_store_explicit(&peer->is_stopping, true, memory_order_release);
  ping(peer);
}

static void run(void *context) {
  waker *peer = context;
  for (;;) {
    struct epoll_event event;
    uint64_t count;
    while (epoll_wait(peer->poll, &event, 1, -1) != 1) continue;
    // The descriptor is ready, and no other thread reads it.
    if (read(peer->event, &count, sizeof count) != sizeof count) abort();
    // Acquire: pairs with the release in `end`.
    if (atomic_load_explicit(&peer->is_stopping, memory_order_acquire)) return;
    cl_wake_answer_all(peer->wake);
  }
}

static void close_waker(void *context) {
  waker *peer = context;
  close(peer->poll);
  close(peer->event);
  free(peer);
}

const cl_wake_functions cl_eventfd_wake = {open_waker, ping, end, run, close_waker};

static struct timespec timespec_of(uint64_t time) {
  return (struct timespec){(time_t)(time / 1000000000u), (long)(time % 1000000000u)};
}

struct cl_timerfd {
  int poll;
  int timer;
};

cl_timerfd *cl_timerfd_open(void) {
  cl_timerfd *peer = malloc(sizeof *peer);
  if (peer == NULL) return NULL;
  peer->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  peer->poll = peer->timer < 0 ? -1 : open_poll(&peer->timer, 1);
  if (peer->poll >= 0) return peer;
  if (peer->timer >= 0) close(peer->timer);
  free(peer);
  return NULL;
}

void cl_timerfd_poll(cl_timerfd *peer, uint64_t deadline) {
  struct itimerspec schedule = {.it_value = timespec_of(deadline)};
  if (deadline > 0) timerfd_settime(peer->timer, TFD_TIMER_ABSTIME, &schedule, NULL);
  struct epoll_event event;
  epoll_wait(peer->poll, &event, 1, 0);
}

void cl_timerfd_close(cl_timerfd *peer) {
  close(peer->poll);
  close(peer->timer);
  free(peer);
}

int cl_epoll_io_serve(cl_io *io) {
  int poll = open_poll(io->servers, io->count);
  if (poll < 0) return 0;
  struct epoll_event events[64];
  for (uint32_t open = io->count; open > 0;) {
    int ready = epoll_wait(poll, events, 64, -1);
    for (int i = 0; i < ready; i++) {
      if (cl_io_answer(io, events[i].data.fd)) continue;
      epoll_ctl(poll, EPOLL_CTL_DEL, events[i].data.fd, NULL);
      open--;
    }
  }
  close(poll);
  return 1;
}

#else

const cl_wake_functions cl_eventfd_wake = {NULL};

cl_timerfd *cl_timerfd_open(void) { return NULL; }

void cl_timerfd_poll(cl_timerfd *timer, uint64_t deadline) {
  (void)timer;
  (void)deadline;
}

void cl_timerfd_close(cl_timerfd *timer) { (void)timer; }

int cl_epoll_io_serve(cl_io *io) {
  (void)io;
  return 0;
}

#endif
