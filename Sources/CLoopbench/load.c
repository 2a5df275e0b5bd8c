#include "cl_load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../CUV/scarce.h"

#if defined(__linux__)
#include <sys/prctl.h>
#endif

enum { capacity = 64 };

// Those that run; 0 is a free place.
static atomic_int processes[capacity];

static int find(int process, int replacement) {
  for (int i = 0; i < capacity; i++) {
    int expected = process;
    if (atomic_compare_exchange_strong(&processes[i], &expected, replacement)) return i;
  }
  return -1;
}

// In the child, of a process with threads: only what a signal handler may call.
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
  // Both sides, for either may be first; it has run `sh` if this is refused.
  setpgid(child, child);
  if (find(0, child) >= 0) return child;
  cl_load_stop(child);
  return -EAGAIN;
}

int cl_load_stop(int process) {
  int status = 0;
  pid_t ended = waitpid(process, &status, WNOHANG);
  // What it started itself may outlive it.
  kill(-process, SIGKILL);
  while (ended == 0 && waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
  find(process, 0);
  if (ended != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cl_load_wait(int process, unsigned ms) {
  struct timespec pause = {0, 10000000};
  for (unsigned waited = 0; waited < ms; waited += 10) {
    siginfo_t ended = {0};
    // WNOWAIT: whoever stops it asks for its status.
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
