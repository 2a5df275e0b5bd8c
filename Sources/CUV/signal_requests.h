// Asks a thread for work when a signal arrives.
// A handler may do little: it writes a byte to a pipe, which the thread reads.
#ifndef LT_CUV_SIGNAL_REQUESTS_H
#define LT_CUV_SIGNAL_REQUESTS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "shim.h"

enum { LT_REQUEST_SIGNALS = 65 };

// Never freed, because a signal may arrive at any time.
typedef struct lt_signal_requests {
  // A forked child shares the pipes, but has no thread that reads.
  pid_t process;
  // The parent's, in a forked child.
  struct lt_signal_requests *inherited;
  int requests[2];
  // The handler. Each object file has a copy of it at an address of its own.
  void (*on_signal)(int);
} lt_signal_requests;

// Of this process: a forked child has its own.
__attribute__((weak, visibility("hidden"))) lt_signal_requests *lt_requests_current = NULL;

// The requests, if the calling process has a thread that reads them.
static inline lt_signal_requests *lt_requests_here(void) {
  // Acquire: pairs with the release in `lt_requests_make`.
  lt_signal_requests *all = __atomic_load_n(&lt_requests_current, __ATOMIC_ACQUIRE);
  return all != NULL && all->process == getpid() ? all : NULL;
}

static inline int lt_request_send(lt_signal_requests *all, int number) {
  unsigned char byte = (unsigned char)number;
  return write(all->requests[1], &byte, 1) == 1;
}

static inline void lt_request_on_signal(int signal) {
  int error = errno;
  lt_signal_requests *all = lt_requests_here();
  if (all != NULL) lt_request_send(all, signal);
  errno = error;
}

// Makes the requests of this process, or returns NULL and an error of libuv.
static inline lt_signal_requests *lt_requests_make(int *error) {
  *error = lt_fill_standard_streams();
  if (*error != 0) return NULL;
  lt_signal_requests *all = (lt_signal_requests *)calloc(1, sizeof *all);
  *error = UV_ENOMEM;
  if (all == NULL) return NULL;
  all->process = getpid();
  all->on_signal = lt_request_on_signal;
  if (lt_pipe_open(all->requests) != 0) {
    *error = -errno;
    free(all);
    return NULL;
  }
  // A handler must not block, even if signals arrive faster than they are answered.
  fcntl(all->requests[1], F_SETFL, O_NONBLOCK);
  all->inherited = __atomic_load_n(&lt_requests_current, __ATOMIC_RELAXED);
  // Release: a handler sees initialized fields.
  __atomic_store_n(&lt_requests_current, all, __ATOMIC_RELEASE);
  return all;
}

// Undoes `lt_requests_make`, before the first handler was installed.
static inline void lt_requests_discard(lt_signal_requests *all) {
  __atomic_store_n(&lt_requests_current, all->inherited, __ATOMIC_RELAXED);
  for (int end = 0; end < 2; end++) close(all->requests[end]);
  free(all);
}

// Waits for a request. Returns its signal. Call on the thread that answers.
static inline int lt_requests_next(lt_signal_requests *all) {
  unsigned char byte = 0;
  while (read(all->requests[0], &byte, 1) != 1) {
  }
  return byte;
}

// Whether `signal` reports a fault, which would happen again whenever its handler returns.
static inline int lt_is_fault(int signal) {
  static const int faults[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (signal == faults[i]) return 1;
  return 0;
}

// Installs the handler of `signal`, if it has its default disposition. Returns 0, or an
// error of libuv.
static inline int lt_requests_add(int signal) {
  struct sigaction action;
  if (lt_is_fault(signal)) return UV_EINVAL;
  if (sigaction(signal, NULL, &action) != 0) return -errno;
  if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == lt_request_on_signal) return 0;
  if ((action.sa_flags & SA_SIGINFO) || action.sa_handler != SIG_DFL) return UV_EBUSY;
  memset(&action, 0, sizeof action);
  action.sa_handler = lt_request_on_signal;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return sigaction(signal, &action, NULL) == 0 ? 0 : -errno;
}

// The number of the signal called `name`, or 0.
static inline int lt_signal_named(const char *name) {
  static const struct {
    const char *name;
    int number;
  } known[] = {{"SIGHUP", SIGHUP},   {"SIGINT", SIGINT},   {"SIGQUIT", SIGQUIT},
               {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGTERM", SIGTERM},
               {"SIGALRM", SIGALRM}, {"SIGPROF", SIGPROF}, {"SIGWINCH", SIGWINCH}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, name) == 0) return known[i].number;
  return 0;
}

// Restores the default, where the handler of this file is installed. Runs in a forked
// child, which has no thread that answers. Async-signal-safe.
static inline void lt_requests_forget(void) {
  // Relaxed: the fork has ordered everything before it.
  const lt_signal_requests *all = __atomic_load_n(&lt_requests_current, __ATOMIC_RELAXED);
  if (all == NULL) return;
  for (int signal = 1; signal < LT_REQUEST_SIGNALS; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0 || action.sa_handler != all->on_signal) continue;
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
  }
}

#endif
