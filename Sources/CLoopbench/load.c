#include "cl_system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../CUV/scarce.h"

#if defined(__linux__)
#include <sys/prctl.h>
#endif

enum { capacity = 64 };

// The ids of the running processes. A slot that contains 0 is free.
static atomic_int processes[capacity];

// Replaces `process` in the first slot that contains it. Returns the slot, or -1 if
// there is none.
static int replace(int process, int replacement) {
  for (int i = 0; i < capacity; i++) {
    int expected = process;
    if (atomic_compare_exchange_strong(&processes[i], &expected, replacement)) return i;
  }
  return -1;
}

// Runs in the child after fork. The parent has threads, so only async-signal-safe
// functions may be called here.
static void become_shell(const char *command, pid_t parent) {
  setpgid(0, 0);
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
  if (getppid() != parent) _exit(127);
  int null = open("/dev/null", O_RDWR);
  for (int descriptor = 0; null >= 0 && descriptor < 3; descriptor++) dup2(null, descriptor);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

int cl_load_start(const char *command) {
  pid_t parent = getpid();
  pid_t child;
  int error = lt_fork(&child);
  if (error != 0) return -error;
  if (child == 0) become_shell(command, parent);
  // Both parent and child set the process group, because either may run first. If
  // this call fails, the child has set its group and already runs `sh`.
  setpgid(child, child);
  if (replace(0, child) >= 0) return child;
  cl_load_stop(child);
  return -EAGAIN;
}

int cl_load_stop(int process) {
  int status = 0;
  pid_t ended = waitpid(process, &status, WNOHANG);
  // Kill the whole group, because the children of the process may outlive it.
  kill(-process, SIGKILL);
  while (ended == 0 && waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
  replace(process, 0);
  if (ended != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cl_load_wait(int process, unsigned ms) {
  struct timespec pause = {0, 10000000};
  for (unsigned waited = 0; waited < ms; waited += 10) {
    siginfo_t ended = {0};
    // WNOWAIT: `cl_load_stop` still has to read the status.
    if (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return 1;
    if (ended.si_pid != 0) return 1;
    nanosleep(&pause, NULL);
  }
  return 0;
}

void cl_load_kill(void) {
  for (int i = 0; i < capacity; i++) {
    int process = atomic_load(&processes[i]);
    if (process > 0) kill(-process, SIGKILL);
  }
}

static atomic_int noted;
static atomic_int signals;
static atomic_int alarms;

static void end(int code) {
  cl_load_kill();
  _exit(code);
}

// SA_RESETHAND has restored the default action of the signal. The raised signal
// therefore ends the process when this handler returns.
static void on_end(int number) {
  cl_load_kill();
  raise(number);
}

// The first signal and the first alarm are noted; the second ends the process.
static void on_signal(int number) {
  bool is_alarm = number == SIGALRM;
  if (atomic_fetch_add(is_alarm ? &alarms : &signals, 1) > 0) end(is_alarm ? 124 : 130);
  int none = cl_interrupt_none;
  int what = is_alarm ? cl_interrupt_timeout : cl_interrupt_signal;
  atomic_compare_exchange_strong(&noted, &none, what);
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction before, action = {.sa_handler = handler, .sa_flags = flags};
  // Ignored signals stay ignored: SIGHUP under nohup, SIGINT in the background.
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static void handle_ends(void (*handler)(int), int flags) {
  handle(SIGINT, handler, flags);
  handle(SIGTERM, handler, flags);
  handle(SIGHUP, handler, flags);
}

void cl_interrupt_guard(void) { handle_ends(on_end, (int)SA_RESETHAND); }

void cl_interrupt_watch(uint64_t timeout) {
  handle_ends(on_signal, SA_RESTART);
  if (timeout == 0) return;
  handle(SIGALRM, on_signal, SA_RESTART);
  uint64_t us = timeout / 1000 > 0 ? timeout / 1000 : 1;
  struct itimerval timer = {
      .it_interval = {.tv_sec = 10},
      .it_value = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)},
  };
  setitimer(ITIMER_REAL, &timer, NULL);
}

int cl_interrupt_noted(void) { return atomic_load(&noted); }
