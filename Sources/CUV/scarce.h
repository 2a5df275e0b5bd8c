// Retries calls that fail because the system lacks a resource for a moment.
// Separate from shim.h, so that C targets can include it.
#ifndef LT_CUV_SCARCE_H
#define LT_CUV_SCARCE_H

#include <errno.h>
#include <pthread.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

// Repeats `attempt` while it returns EAGAIN, for at most 10 ms. Returns its
// last result. A resource may be available a moment later: far from any limit,
// one thread in 10^5 was refused here, and the next attempt succeeded. The
// first retry comes at once. The pauses before later retries start at 20 us and
// double.
static inline int lt_while_scarce(int (*attempt)(void *), void *context) {
  int error = attempt(context);
  for (long pause = 0; error == EAGAIN && pause <= 5120000; error = attempt(context)) {
    struct timespec nap = {0, pause};
    nanosleep(&nap, NULL);
    pause = pause == 0 ? 20000 : 2 * pause;
  }
  return error;
}

typedef struct {
  pthread_t *thread;
  const pthread_attr_t *attributes;
  void *(*body)(void *);
  void *context;
} lt_thread_creation;

static inline int lt_thread_attempt(void *opaque) {
  lt_thread_creation *creation = (lt_thread_creation *)opaque;
  return pthread_create(creation->thread, creation->attributes, creation->body,
                        creation->context);
}

// Like pthread_create, but retries on EAGAIN for up to 10 ms.
static inline int lt_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                   void *(*body)(void *), void *context) {
  lt_thread_creation creation = {thread, attributes, body, context};
  return lt_while_scarce(lt_thread_attempt, &creation);
}

static inline int lt_fork_attempt(void *child) {
  *(pid_t *)child = fork();
  return *(pid_t *)child < 0 ? errno : 0;
}

// Like fork, but retries on EAGAIN for up to 10 ms. Returns 0, or an errno. In
// the child, `child` is 0.
static inline int lt_fork(pid_t *child) { return lt_while_scarce(lt_fork_attempt, child); }

#endif
