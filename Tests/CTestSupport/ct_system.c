#define _GNU_SOURCE
#include "ct_system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/sched.h>
#endif

#include "../../Sources/CUV/scarce.h"

struct ct_thread {
  pthread_t thread;
};

// The new thread frees this, because the thread may outlive its ct_thread.
struct start {
  ct_body body;
  void *context;
};

static void *run_thread(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

ct_thread *ct_thread_start(ct_body body, void *context) {
  ct_thread *self = malloc(sizeof *self);
  struct start *start = malloc(sizeof *start);
  *start = (struct start){body, context};
  if (lt_thread_create(&self->thread, NULL, run_thread, start) != 0) abort();
  return self;
}

void ct_thread_join(ct_thread *self) {
  pthread_join(self->thread, NULL);
  free(self);
}

void ct_thread_leave(ct_thread *self) {
  pthread_detach(self->thread);
  free(self);
}

void ct_yield(void) { sched_yield(); }

void ct_pause(void) { usleep(1000); }

uint64_t ct_thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#if defined(__linux__)

int ct_thread_names(char *text, int capacity) {
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return -1;
  int count = 0, length = 0;
  struct dirent *entry;
  while ((entry = readdir(threads)) != NULL) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
    // The thread ended after readdir() returned its entry.
    if (file == NULL) continue;
    if (fgets(text + length, capacity - length, file) != NULL) {
      length += (int)strlen(text + length);
      count += 1;
    }
    fclose(file);
  }
  closedir(threads);
  text[length] = 0;
  return count;
}

// The state of a thread of this process as in /proc, such as 'S'.
static char thread_state(const char *thread) {
  char path[300], line[200];
  snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
  FILE *file = fopen(path, "re");
  // The thread has ended.
  if (file == NULL) return 'X';
  line[fread(line, 1, sizeof line - 1, file)] = 0;
  fclose(file);
  // The name before the state may have spaces and parentheses.
  const char *end = strrchr(line, ')');
  return end == NULL || end[1] == 0 ? 'X' : end[2];
}

static bool do_others_sleep(void) {
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return true;
  const pid_t own = (pid_t)syscall(SYS_gettid);
  bool result = true;
  struct dirent *entry;
  while (result && (entry = readdir(threads)) != NULL) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == own) continue;
    result = strchr("SXZ", thread_state(entry->d_name)) != NULL;
  }
  closedir(threads);
  return result;
}

void ct_await_sleep_of_others(void) {
  for (int i = 0; i < 10000 && !do_others_sleep(); i++) usleep(1000);
}

bool ct_use_one_processor(void) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  int first = 0;
  while (first < CPU_SETSIZE && !CPU_ISSET(first, &allowed)) first += 1;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

bool ct_use_one_processor_in_all_threads(void) {
  cpu_set_t one;
  if (!ct_use_one_processor() || sched_getaffinity(0, sizeof one, &one) != 0) return false;
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return false;
  struct dirent *entry;
  while ((entry = readdir(threads)) != NULL) {
    // Fails for a thread that has ended.
    if (entry->d_name[0] != '.') sched_setaffinity(atoi(entry->d_name), sizeof one, &one);
  }
  closedir(threads);
  return true;
}

#else

int ct_thread_names(char *text, int capacity) {
  (void)text;
  (void)capacity;
  return -1;
}

void ct_await_sleep_of_others(void) {}

bool ct_use_one_processor(void) { return false; }

bool ct_use_one_processor_in_all_threads(void) { return false; }

#endif

static ct_body signal_body;
static void *signal_context;

static void handle_signal(int number) {
  (void)number;
  signal_body(signal_context);
}

void ct_on_signal(ct_body body, void *context) {
  signal_body = body;
  signal_context = context;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle_signal;
  sigaction(SIGUSR1, &action, NULL);
}

void ct_ignore_signal(void) { signal(SIGUSR1, SIG_IGN); }

void ct_raise(void) {
  // Unblock the signal, because Dispatch's worker threads block every signal.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  pthread_kill(pthread_self(), SIGUSR1);
}

bool ct_is_default(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

void ct_block_signal(int number, bool is_blocked) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  pthread_sigmask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK, &signals, NULL);
}

void ct_set_errno(int value) { errno = value; }

int ct_errno(void) { return errno; }

#if defined(__linux__)

// Each function is alone in a section, whose ends the linker names.
#define CT_PLANT(function, place)                                                   \
  extern const char __start_##place[], __stop_##place[];                            \
  __attribute__((noinline, section(#place))) void function(bool (*until)(void *),   \
                                                           void *context) {         \
    while (!until(context)) {                                                       \
    }                                                                               \
  }

CT_PLANT(ct_plant_first, ct_first_place)
CT_PLANT(ct_plant_second, ct_second_place)

void ct_plant(int number, bool (*until)(void *), void *context) {
  (number == 0 ? ct_plant_first : ct_plant_second)(until, context);
}

bool ct_plant_contains(int number, uintptr_t address) {
  const char *start = number == 0 ? __start_ct_first_place : __start_ct_second_place;
  const char *stop = number == 0 ? __stop_ct_first_place : __stop_ct_second_place;
  return address >= (uintptr_t)start && address <= (uintptr_t)stop;
}

#else

void ct_plant(int number, bool (*until)(void *), void *context) {
  (void)number;
  while (!until(context)) {
  }
}

bool ct_plant_contains(int number, uintptr_t address) {
  (void)number;
  (void)address;
  return false;
}

#endif

// The runtime's crash handler starts a program that reads the child's memory
// through the child. If the child ends first, that program waits forever and
// keeps the tests' output open.
static void forget_handlers(void) {
  const int signals[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
}

// The process ID of the child that ct_fork() waits for, or 0.
static atomic_int waited_for;

static int fork_unseen(pid_t *child) {
#if defined(__linux__)
  *child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  return *child < 0;
#else
  return lt_fork(child);
#endif
}

int ct_fork(ct_body body, void *context, bool is_seen, char *text, int capacity) {
  int ends[2];
  pid_t child;
  if (pipe(ends) != 0 || (is_seen ? lt_fork(&child) : fork_unseen(&child)) != 0) abort();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    forget_handlers();
    body(context);
    _exit(0);
  }
  waited_for = child;
  close(ends[1]);
  int length = 0;
  ssize_t got;
  while (length < capacity - 1 && (got = read(ends[0], text + length, capacity - 1 - length)) > 0)
    length += (int)got;
  text[length] = 0;
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  waited_for = 0;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#if defined(__linux__)

int ct_trace(int process) {
  if (ptrace(PTRACE_SEIZE, process, NULL, NULL) != 0) return -errno;
  if (ptrace(PTRACE_INTERRUPT, process, NULL, NULL) != 0) return -errno;
  siginfo_t info;
  return waitid(P_PID, (id_t)process, &info, WSTOPPED | WNOWAIT) == 0 ? 0 : -errno;
}

void ct_end_trace(int process) { ptrace(PTRACE_DETACH, process, NULL, NULL); }

#else

int ct_trace(int process) {
  (void)process;
  return -ENOSYS;
}

void ct_end_trace(int process) { (void)process; }

#endif

int ct_start_as(int process, int status) {
#if defined(__linux__) && defined(SYS_clone3)
  pid_t wanted = process;
  struct clone_args arguments = {0};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = (uintptr_t)&wanted;
  arguments.set_tid_size = 1;
  long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child < 0) return -errno;
  if (child > 0) return 0;
  if (status >= 0) _exit(status);
  for (;;) pause();
#else
  (void)process;
  (void)status;
  return -ENOSYS;
#endif
}

// Kills the child too. Otherwise the child would keep the tests' output open.
static void end(int number) {
  if (waited_for != 0) kill(waited_for, SIGKILL);
  signal(number, SIG_DFL);
  raise(number);
}

void ct_end_after(unsigned seconds) {
  signal(SIGALRM, end);
  // Unblock the signal, because Dispatch's worker threads block every signal. A
  // forked child may have no other thread.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  alarm(seconds);
}

static int highest = 1024;

// Counts several times and returns the lowest count, because other threads open
// files briefly: malloc reads the number of processors when it creates an arena
// for a new thread, and Dispatch's monitor reads the state of its workers every
// second. The pause between two counts lets these threads run and close their
// files.
int ct_open_descriptors(void) {
  int least = highest;
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int round = 0; round < 20; round++) {
    if (round > 0) nanosleep(&pause, NULL);
    int count = 0;
    for (int descriptor = 0; descriptor < highest; descriptor++)
      if (fcntl(descriptor, F_GETFD) >= 0) count += 1;
    if (count < least) least = count;
  }
  return least;
}

int ct_descriptor_name(int descriptor, char *name, int capacity) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return (int)readlink(path, name, (size_t)capacity);
}

void ct_limit_descriptors(int count) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  // RLIMIT_NOFILE limits descriptor numbers, not the number of descriptors.
  // Find the limit below which `count` numbers are unused.
  int descriptor = 0;
  for (int left = count; left > 0 || fcntl(descriptor, F_GETFD) >= 0; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0) left -= 1;
  limit.rlim_cur = (rlim_t)descriptor;
  setrlimit(RLIMIT_NOFILE, &limit);
}
