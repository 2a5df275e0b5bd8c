// Descriptors and one deadline that a thread waits for. Linux only: elsewhere,
// opening one fails with UV_ENOSYS.
#ifndef LT_CUV_WAIT_SET_H
#define LT_CUV_WAIT_SET_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>
#include <uv.h>

#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#endif

// Any thread may use the set while another thread waits for it.
typedef struct {
  int poll;
  int timer;
  int wake;
} lt_wait_set;

static inline void lt_wait_set_close(const lt_wait_set *set) {
  if (set->wake >= 0) close(set->wake);
  if (set->timer >= 0) close(set->timer);
  if (set->poll >= 0) close(set->poll);
}

#if defined(__linux__)
static inline int lt_wait_set_change(const lt_wait_set *set, int operation, int descriptor,
                                     uint32_t events, uint64_t number) {
  struct epoll_event event = {0};
  event.events = events;
  event.data.u64 = number;
  return epoll_ctl(set->poll, operation, descriptor, &event) == 0 ? 0 : -errno;
}
#endif

// Returns 0, or a negative error; the set then holds no descriptor.
static inline int lt_wait_set_open(lt_wait_set *set) {
#if defined(__linux__)
  set->poll = epoll_create1(EPOLL_CLOEXEC);
  set->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  set->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int error = set->poll < 0 || set->timer < 0 || set->wake < 0 ? -errno : 0;
  // Number 0: neither belongs to a caller.
  if (error == 0) error = lt_wait_set_change(set, EPOLL_CTL_ADD, set->timer, EPOLLIN, 0);
  if (error == 0) error = lt_wait_set_change(set, EPOLL_CTL_ADD, set->wake, EPOLLIN, 0);
  if (error != 0) lt_wait_set_close(set);
  return error;
#else
  (void)set;
  return UV_ENOSYS;
#endif
}

// Adds `descriptor`, which is not waited for until it is armed.
static inline int lt_wait_set_add(const lt_wait_set *set, int descriptor, uint64_t number) {
#if defined(__linux__)
  return lt_wait_set_change(set, EPOLL_CTL_ADD, descriptor, EPOLLONESHOT, number);
#else
  return UV_ENOSYS;
#endif
}

// Makes the thread wait for `descriptor` until it is readable, once.
static inline int lt_wait_set_arm(const lt_wait_set *set, int descriptor, uint64_t number) {
#if defined(__linux__)
  return lt_wait_set_change(set, EPOLL_CTL_MOD, descriptor, EPOLLIN | EPOLLONESHOT, number);
#else
  return UV_ENOSYS;
#endif
}

static inline void lt_wait_set_remove(const lt_wait_set *set, int descriptor) {
#if defined(__linux__)
  lt_wait_set_change(set, EPOLL_CTL_DEL, descriptor, 0, 0);
#endif
}

// Ends the wait at `deadline`, in ns of the monotonic clock. 0 means never.
static inline int lt_wait_set_deadline(const lt_wait_set *set, uint64_t deadline) {
#if defined(__linux__)
  struct itimerspec spec = {{0, 0}, {0, 0}};
  spec.it_value.tv_sec = (time_t)(deadline / 1000000000u);
  spec.it_value.tv_nsec = (long)(deadline % 1000000000u);
  return timerfd_settime(set->timer, TFD_TIMER_ABSTIME, &spec, NULL) == 0 ? 0 : -errno;
#else
  return UV_ENOSYS;
#endif
}

// Ends the wait at once.
static inline void lt_wait_set_wake(const lt_wait_set *set) {
#if defined(__linux__)
  uint64_t one = 1;
  while (write(set->wake, &one, sizeof one) < 0 && errno == EINTR) {
  }
#endif
}

// Waits, and returns the number of readable descriptors, whose numbers it
// stores. Returns 0 at the deadline and after a wake.
static inline int lt_wait_set_wait(const lt_wait_set *set, uint64_t *numbers, int capacity) {
#if defined(__linux__)
  struct epoll_event events[64];
  int count = epoll_wait(set->poll, events, capacity < 64 ? capacity : 64, -1);
  int found = 0;
  for (int i = 0; i < count; i++) {
    uint64_t number = events[i].data.u64;
    if (number != 0) numbers[found++] = number;
  }
  uint64_t ignored;
  while (read(set->timer, &ignored, sizeof ignored) < 0 && errno == EINTR) {
  }
  while (read(set->wake, &ignored, sizeof ignored) < 0 && errno == EINTR) {
  }
  return found;
#else
  return UV_ENOSYS;
#endif
}

#endif
