// Makes the headers declare the flags of `waitid`.
#define _GNU_SOURCE
#include "lw_stop.h"

#if LW_SUPPORTED

#include "lw_blocked.h"
#include "lw_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Returns the letter of the thread's state in /proc, or 0 if it does not exist.
static char state_of(int pid, int tid) {
  char path[64], text[128];
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  const char *name_end = strrchr(text, ')');
  return name_end != NULL && name_end[1] == ' ' ? name_end[2] : 0;
}

static bool is_dead(char state) { return state == 0 || state == 'X' || state == 'Z'; }

// The thread has ended, or has another number since it called exec. `waitid` also
// reports stops of a traced thread, which no option asks for here.
static bool has_ended(int tid) {
  siginfo_t info = {0};
  int result = waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
  if (result != 0) return errno == ECHILD;
  return info.si_pid == tid && (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED ||
                                info.si_code == CLD_DUMPED);
}

enum {
  short_slice_ns = 100 * 1000,
  spin_ns = 20 * 1000,
  short_wait_ns = 20 * 1000 * 1000,
  short_pause_ns = 20 * 1000,
  long_pause_ns = 200 * 1000,
};

// The kernel's `sched_attr`. Its header cannot be included with <sched.h>.
struct slice {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};

// The program must not wait for this thread, also if all CPUs are busy. Every user may
// have a short time slice (since Linux 6.12), which lets a thread run sooner. Only some
// may have a priority.
static void hurry(void) {
  struct slice slice = {.size = sizeof slice, .runtime = short_slice_ns};
  struct sched_param priority = {.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0) {
    syscall(SYS_sched_setattr, 0, &slice, 0);
  }
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

static void pause_for(long nanoseconds) {
  struct timespec time = {0, nanoseconds};
  nanosleep(&time, NULL);
}

// Waits until the thread has stopped, and reads its registers. A thread that waits for
// a CPU may need long. A thread that sleeps in state D is given up after a while. Not
// a thread in another state: the kernel has interrupted its system call already, and
// only a stop can restart it.
//
// Not by `waitpid`: a call of it in another thread of this process may take the status
// first, and a taken status makes the kernel drop the signal if this process is killed.
static lw_outcome wait_for_stop(struct lw_stop *stop, struct user_regs_struct *registers) {
  uint64_t began = lw_now();
  for (;;) {
    int error = lw_read_registers(stop->tid, registers);
    if (error == 0) return lw_captured;
    if (error == ENOTSUP) return lw_unreadable;
    if (has_ended(stop->tid)) return lw_no_thread;
    uint64_t elapsed = lw_now() - began;
    if (elapsed < spin_ns) continue;
    if (elapsed < short_wait_ns) {
      pause_for(short_pause_ns);
    } else {
      char state = state_of(stop->pid, stop->tid);
      if (is_dead(state)) return lw_no_thread;
      if (state == 'D') return lw_not_stopped;
      pause_for(long_pause_ns);
    }
  }
}

// Returns the signal whose delivery stopped the thread, or 0 if it stopped for us.
static int pending_signal(int tid) {
  siginfo_t info;
  if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0) return 0;
  return info.si_code >> 8 == PTRACE_EVENT_STOP ? 0 : info.si_signo;
}

static lw_outcome copy_stopped(struct lw_stop *stop, const struct user_regs_struct *registers) {
  uint64_t began = lw_now();
  // First, so that the restart does not depend on the rest.
  lw_restart_call(stop->tid, registers, stop->waited, stop->libc);
  int signal = pending_signal(stop->tid);
  bool is_waiting = stop->is_waiting != NULL && stop->is_waiting(stop->context);
  if (!is_waiting) {
    stop->registers = lw_dwarf_registers(registers);
    lw_copy_stack(stop);
  }
  // Before the release, because the released thread may take this CPU at once.
  stop->nanoseconds = lw_now() - began;
  // Fails only if the thread was killed.
  ptrace(PTRACE_DETACH, stop->tid, NULL, (void *)(intptr_t)signal);
  return is_waiting ? lw_is_waiting : lw_captured;
}

static lw_outcome refusal(struct lw_stop *stop) {
  stop->error = errno;
  // A thread that has ended is refused with EPERM until it is reaped.
  bool has_ended = stop->error == ESRCH || is_dead(state_of(stop->pid, stop->tid));
  return has_ended ? lw_no_thread : lw_refused;
}

// The kernel releases a thread a moment after `pthread_join` of its tracer returned,
// so a capture that follows one without a stop may be too early.
static bool seize(int tid) {
  for (int attempt = 0; attempt < 5; attempt++) {
    if (attempt > 0) pause_for(long_pause_ns);
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0) return true;
    if (errno != EPERM) return false;
  }
  return false;
}

static lw_outcome trace(struct lw_stop *stop) {
  struct user_regs_struct registers;
  if (stop->is_waiting != NULL && stop->is_waiting(stop->context)) return lw_is_waiting;
  if (!seize(stop->tid)) return refusal(stop);
  if (ptrace(PTRACE_INTERRUPT, stop->tid, NULL, NULL) != 0) return lw_no_thread;
  lw_outcome outcome = wait_for_stop(stop, &registers);
  return outcome == lw_captured ? copy_stopped(stop, &registers) : outcome;
}

struct tracer {
  struct lw_stop *stop;
  lw_outcome outcome;
};

static void *tracer_main(void *argument) {
  struct tracer *tracer = argument;
  hurry();
  tracer->outcome = trace(tracer->stop);
  return NULL;
}

// Signal handlers of this process must not lengthen the stop.
static int start(pthread_t *thread, struct tracer *tracer) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = pthread_create(thread, NULL, tracer_main, tracer);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return error;
}

// Each stop has a thread of its own. When that thread ends, the kernel releases the
// thread that it traces, in whichever state that is.
lw_outcome lw_stop_thread(struct lw_stop *stop) {
  struct tracer tracer = {stop, lw_refused};
  pthread_t thread;
  stop->nanoseconds = 0;
  stop->error = 0;
  // The thread writes to `stop` from here on.
  int error = start(&thread, &tracer);
  if (error == 0) {
    pthread_join(thread, NULL);
  } else {
    stop->error = error;
  }
  return tracer.outcome;
}

#endif
