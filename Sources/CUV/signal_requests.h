// Asks a thread for work when a signal arrives, and before a trap ends the process.
// A handler may do little: it writes a byte to a pipe, which the thread reads.
#ifndef LT_CUV_SIGNAL_REQUESTS_H
#define LT_CUV_SIGNAL_REQUESTS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "shim.h"
#include "work_slot.h"

enum { LT_REQUEST_SIGNALS = 65, LT_REQUEST_IS_TRAP = 0x80 };

// Never freed, because a signal may arrive at any time.
typedef struct lt_signal_requests {
  // A forked child shares the pipes, but has no thread that reads.
  pid_t process;
  // The parent's, in a forked child.
  struct lt_signal_requests *inherited;
  // The thread that reads, once it runs. It does not wait for itself.
  uint32_t server;
  int patience;
  int requests[2];
  int replies[2];
  // The handlers. Each object file has a copy of them at an address of its own.
  void (*on_signal)(int);
  void (*on_trap)(int, siginfo_t *, void *);
  // The earlier handlers of the signals of traps.
  struct sigaction previous[LT_REQUEST_SIGNALS];
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

// Waits until the thread has answered or its time is over, and then leaves the signal to
// the earlier handler.
static inline void lt_request_on_trap(int signal, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  // Also in a child, which inherits the handlers.
  lt_signal_requests *all = __atomic_load_n(&lt_requests_current, __ATOMIC_ACQUIRE);
  if (all == NULL) return;
  // Relaxed: the thread that reads compares it with its own number.
  uint32_t server = __atomic_load_n(&all->server, __ATOMIC_RELAXED);
  if (all->process == getpid() && server != lt_thread_number() &&
      lt_request_send(all, signal | LT_REQUEST_IS_TRAP)) {
    struct pollfd reply = {all->replies[0], POLLIN, 0};
    poll(&reply, 1, all->patience);
  }
  sigaction(signal, &all->previous[signal], NULL);
  // A fault of the CPU happens again when this returns. Other signals are sent again,
  // and arrive when this returns, as the handler blocks them.
  if (info->si_code <= 0 || signal == SIGTRAP) raise(signal);
  errno = error;
}

// Makes the requests of this process, or returns NULL and an error of libuv.
// `patience` is how long a trap waits, in milliseconds.
static inline lt_signal_requests *lt_requests_make(int patience, int *error) {
  *error = lt_fill_standard_streams();
  if (*error != 0) return NULL;
  lt_signal_requests *all = (lt_signal_requests *)calloc(1, sizeof *all);
  *error = UV_ENOMEM;
  if (all == NULL) return NULL;
  all->process = getpid();
  all->patience = patience;
  all->on_signal = lt_request_on_signal;
  all->on_trap = lt_request_on_trap;
  int pipes = 0;
  if (lt_pipe_open(all->requests) == 0) pipes++;
  if (pipes == 1 && lt_pipe_open(all->replies) == 0) pipes++;
  if (pipes < 2) {
    *error = -errno;
    if (pipes == 1) {
      close(all->requests[0]);
      close(all->requests[1]);
    }
    free(all);
    return NULL;
  }
  // A handler must not block, even if signals arrive faster than they are answered.
  fcntl(all->requests[1], F_SETFL, O_NONBLOCK);
  // A child inherits the handlers, and the parent's list of the earlier ones.
  all->inherited = __atomic_load_n(&lt_requests_current, __ATOMIC_RELAXED);
  if (all->inherited != NULL)
    memcpy(all->previous, all->inherited->previous, sizeof all->previous);
  // Release: a handler sees initialized fields.
  __atomic_store_n(&lt_requests_current, all, __ATOMIC_RELEASE);
  return all;
}

// Undoes `lt_requests_make`, before the first handler was installed.
static inline void lt_requests_discard(lt_signal_requests *all) {
  __atomic_store_n(&lt_requests_current, all->inherited, __ATOMIC_RELAXED);
  for (int end = 0; end < 2; end++) {
    close(all->requests[end]);
    close(all->replies[end]);
  }
  free(all);
}

// Waits for a request. Returns its signal, with `LT_REQUEST_IS_TRAP` if a trap waits
// for an answer. Call on the thread that answers.
static inline int lt_requests_next(lt_signal_requests *all) {
  __atomic_store_n(&all->server, lt_thread_number(), __ATOMIC_RELAXED);
  unsigned char byte = 0;
  while (read(all->requests[0], &byte, 1) != 1) {
  }
  return byte;
}

// Lets the traps that wait continue. Later ones do not wait.
static inline void lt_requests_answer(lt_signal_requests *all) {
  unsigned char byte = 1;
  if (write(all->replies[1], &byte, 1) != 1) return;
}

// The signals by which a program traps. All but the last one report a fault.
static const int lt_traps[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { LT_TRAPS = sizeof lt_traps / sizeof *lt_traps };

// Whether `signal` reports a fault, which would happen again whenever its handler returns.
static inline int lt_is_fault(int signal) {
  for (int i = 0; i < LT_TRAPS - 1; i++)
    if (signal == lt_traps[i]) return 1;
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

// Installs the handlers of the signals by which a program traps.
static inline int lt_requests_add_traps(lt_signal_requests *all) {
  for (int i = 0; i < LT_TRAPS; i++) {
    struct sigaction action, previous;
    if (sigaction(lt_traps[i], NULL, &previous) != 0) return -errno;
    if ((previous.sa_flags & SA_SIGINFO) && previous.sa_sigaction == lt_request_on_trap) continue;
    all->previous[lt_traps[i]] = previous;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = lt_request_on_trap;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    // Other signals would end the wait for the file. The signals of a fault cannot wait.
    sigfillset(&action.sa_mask);
    for (int j = 0; j < LT_TRAPS; j++) sigdelset(&action.sa_mask, lt_traps[j]);
    if (sigaction(lt_traps[i], &action, NULL) != 0) return -errno;
  }
  return 0;
}

// Restores the dispositions from before, where a handler of this file is installed. Runs
// in a forked child, which has no thread that answers. Async-signal-safe.
static inline void lt_requests_forget(void) {
  // Relaxed: the fork has ordered everything before it.
  const lt_signal_requests *all = __atomic_load_n(&lt_requests_current, __ATOMIC_RELAXED);
  if (all == NULL) return;
  for (int signal = 1; signal < LT_REQUEST_SIGNALS; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) continue;
    if (action.sa_handler == all->on_signal) {
      action.sa_handler = SIG_DFL;
      sigaction(signal, &action, NULL);
    } else if ((action.sa_flags & SA_SIGINFO) && action.sa_sigaction == all->on_trap) {
      sigaction(signal, &all->previous[signal], NULL);
    }
  }
}

#endif
