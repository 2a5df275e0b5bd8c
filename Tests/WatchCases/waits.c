// Programs that wait for events. A test preloads the library that records their waits,
// and compares the records with the lines that these programs print.
#define _GNU_SOURCE
#include "cases.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int events, event;
static struct epoll_event list[4];
static struct pollfd polled;

static unsigned long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (unsigned long long)time.tv_sec * 1000000000u + (unsigned long long)time.tv_nsec;
}

// An error that no call sets.
enum { old_error = EXFULL };

// Makes a wait and prints its expected record: the descriptor, the timeout in ms, the
// number of events or minus the error, and times before and after the wait.
#define MAKE_WAIT(descriptor, timeout, wait)                                              \
  do {                                                                                    \
    errno = old_error;                                                                    \
    unsigned long long before = now();                                                    \
    int result = (wait), error = errno;                                                   \
    printf("%d %d %d %llu %llu\n", (descriptor), (timeout), result < 0 ? -error : result, \
           before, now());                                                                \
    if (result >= 0) check_equal(error, old_error);                                       \
  } while (0)

static void make_events(void) {
  struct epoll_event wanted = {.events = EPOLLIN};
  event = eventfd(1, 0);
  events = epoll_create1(0);
  if (epoll_ctl(events, EPOLL_CTL_ADD, event, &wanted) != 0) abort();
  polled = (struct pollfd){event, POLLIN, 0};
}

static void wait_for_epoll(void) {
  struct timespec time = {0, 1500000};
  sigset_t none;
  sigemptyset(&none);
  MAKE_WAIT(events, 0, epoll_wait(events, list, 4, 0));
  MAKE_WAIT(events, -1, epoll_wait(events, list, 4, -1));
  MAKE_WAIT(events, 70, epoll_pwait(events, list, 4, 70, &none));
  MAKE_WAIT(events, 7, epoll_wait(events, list, 0, 7));
  MAKE_WAIT(999, 7, epoll_pwait(999, list, 4, 7, NULL));
#if __GLIBC_PREREQ(2, 35)
  MAKE_WAIT(events, 2, epoll_pwait2(events, list, 4, &time, NULL));
  MAKE_WAIT(events, -1, epoll_pwait2(events, list, 4, NULL, NULL));
#endif
  // Nothing happens for the whole timeout.
  int empty = epoll_create1(0);
  MAKE_WAIT(empty, 20, epoll_wait(empty, list, 4, 20));
}

// The functions that a program calls if it was compiled with _FORTIFY_SOURCE.
int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t size);
int __ppoll_chk(struct pollfd *list, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t size);

static void wait_for_poll(void) {
  struct timespec time = {3, 1}, long_time = {1ll << 40, 0}, invalid = {0, -1};
  MAKE_WAIT(-1, 9, poll(&polled, 1, 9));
  MAKE_WAIT(-1, 3001, ppoll(&polled, 1, &time, NULL));
  MAKE_WAIT(-1, -1, ppoll(&polled, 1, NULL, NULL));
  MAKE_WAIT(-1, 0, ppoll(&polled, 1, &invalid, NULL));
  MAKE_WAIT(-1, INT32_MAX, ppoll(&polled, 1, &long_time, NULL));
#if defined(__GLIBC__)
  MAKE_WAIT(-1, 9, __poll_chk(&polled, 1, 9, sizeof polled));
  MAKE_WAIT(-1, 3001, __ppoll_chk(&polled, 1, &time, NULL, sizeof polled));
#endif
}

static fd_set *wanted(void) {
  static fd_set set;
  FD_ZERO(&set);
  FD_SET(event, &set);
  return &set;
}

static void wait_for_select(void) {
  struct timeval time = {2, 3000}, none = {0, 0};
  struct timespec precise = {0, 1};
  MAKE_WAIT(-1, 2003, select(event + 1, wanted(), NULL, NULL, &time));
  MAKE_WAIT(-1, 0, select(event + 1, NULL, wanted(), NULL, &none));
  MAKE_WAIT(-1, -1, select(event + 1, wanted(), NULL, NULL, NULL));
  MAKE_WAIT(-1, -1, select(-1, wanted(), NULL, NULL, NULL));
  MAKE_WAIT(-1, 1, pselect(event + 1, wanted(), NULL, NULL, &precise, NULL));
  MAKE_WAIT(-1, -1, pselect(event + 1, wanted(), NULL, NULL, NULL, NULL));
}

static void all_waits(void) {
  make_events();
  wait_for_epoll();
  wait_for_poll();
  wait_for_select();
}

static void poll_once(void) {
  make_events();
  MAKE_WAIT(-1, 5, poll(&polled, 1, 5));
}

static void poll_in_handler(int number) {
  (void)number;
  check_equal(poll(&polled, 1, 5), 1);
}

// The signal arrives as soon as the wait unblocks it.
static void wait_in_handler(void) {
  make_events();
  int empty = epoll_create1(0);
  sigset_t none, blocked;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGUSR1, poll_in_handler);
  raise(SIGUSR1);
  check_equal(epoll_pwait(empty, list, 4, -1, &none), -1);
  check_equal(errno, EINTR);
}

// MARK: Threads

enum { thread_count = 300 };
static pthread_barrier_t all_have_waited, all_may_end;

static void *wait_in_thread(void *unused) {
  check_equal(poll(&polled, 1, 5), 1);
  pthread_barrier_wait(&all_have_waited);
  pthread_barrier_wait(&all_may_end);
  check_equal(poll(&polled, 1, 5), 1);
  return unused;
}

static void start_threads(pthread_t threads[thread_count]) {
  make_events();
  pthread_barrier_init(&all_have_waited, NULL, thread_count + 1);
  pthread_barrier_init(&all_may_end, NULL, thread_count + 1);
  for (int i = 0; i < thread_count; i++)
    if (pthread_create(&threads[i], NULL, wait_in_thread, NULL) != 0) abort();
  pthread_barrier_wait(&all_have_waited);
}

// More threads than there are records. All have ended when another one waits.
static void many_threads(void) {
  pthread_t threads[thread_count];
  start_threads(threads);
  pthread_barrier_wait(&all_may_end);
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  MAKE_WAIT(-1, 5, poll(&polled, 1, 5));
}

// The threads do not end before the process.
static void threads_at_exit(void) {
  pthread_t threads[thread_count];
  start_threads(threads);
}

static void *wait_forever(void *descriptor) {
  epoll_wait(*(int *)descriptor, list, 4, -1);
  return NULL;
}

// The thread's wait never returns.
static void cancelled_thread(void) {
  make_events();
  int empty = epoll_create1(0);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_forever, &empty) != 0) abort();
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  MAKE_WAIT(-1, 5, poll(&polled, 1, 5));
}

// MARK: Processes

static void forked(void) {
  poll_once();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    MAKE_WAIT(-1, 6, poll(&polled, 1, 6));
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  MAKE_WAIT(-1, 7, poll(&polled, 1, 7));
}

// Prints the number of a child that waits and is left. The watch has seen its wait.
static void left_daemon(void) {
  int ready[2];
  make_events();
  if (pipe(ready) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    // The test waits until its end of each inherited descriptor is closed.
    for (int i = 0; i < 1024; i++)
      if (i != ready[1]) close(i);
    alarm(60);
    poll(&polled, 1, 1);
    if (write(ready[1], "", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  check_equal(read(ready[0], &byte, 1), 1);
  printf("%d\n", child);
}

static void replaced(void) {
  make_events();
  check_equal(poll(&polled, 1, 1), 1);
  run_again("poll-once");
}

// The child has other numbers in its namespace. Prints both processes and threads as
// the parent's namespace numbers them.
static void other_namespace(void) {
  make_events();
  check_equal(poll(&polled, 1, 5), 1);
  if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return;
  pid_t child = fork();
  if (child == 0) {
    check_equal(poll(&polled, 1, 6), 1);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  check_equal(poll(&polled, 1, 7), 1);
  printf("%d %d\n%d %d\n", getpid(), getpid(), child, child);
}

// The calls that the library would make at the first wait and at the end kill the process.
static void sandboxed(void) {
  const int forbidden[] = {SYS_gettid, SYS_getpid, SYS_tgkill, SYS_newfstatat, SYS_geteuid};
  enum { count = sizeof forbidden / sizeof forbidden[0] };
  struct sock_filter filter[2 * count + 2];
  make_events();
  filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
  for (int i = 0; i < count; i++) {
    filter[2 * i + 1] =
      (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)forbidden[i], 0, 1);
    filter[2 * i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }
  filter[2 * count + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {2 * count + 2, filter};
  check_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  check_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
  poll(&polled, 1, 5);
}

// As Node.js and Python write it. They are recognised by a function that they export.
static void write_names(void) {
  check(dlopen("libuv.so.1", RTLD_NOW | RTLD_GLOBAL) != NULL);
  char path[40];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE *file = fopen(path, "wx");
  check(file != NULL && fclose(file) == 0);
  printf("%s\n", path);
}

const struct named_case wait_cases[] = {
  {"all-waits", all_waits},
  {"poll-once", poll_once},
  {"wait-in-handler", wait_in_handler},
  {"many-threads", many_threads},
  {"threads-at-exit", threads_at_exit},
  {"cancelled-thread", cancelled_thread},
  {"forked", forked},
  {"left-daemon", left_daemon},
  {"replaced", replaced},
  {"other-namespace", other_namespace},
  {"sandboxed", sandboxed},
  {"write-names", write_names},
  {"", NULL},
};
