// Processes whose stacks may not be read, and their messages.
#define _GNU_SOURCE
#include "cases.h"

#if CASES_CAPTURE

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The user `nobody` of all distributions.
enum { nobody = 65534 };

// Root may read every process.
static void become_unprivileged(void) {
  if (geteuid() == 0 && setresuid(nobody, nobody, nobody) != 0) abort();
}

static void expect_not_opened(int process, const char *expected) {
  char message[512] = "";
  check(lw_stacks_open(process, message, sizeof message) == NULL);
  check_text(message, expected);
}

static void trace_until_told(void) {
  if (ptrace(PTRACE_SEIZE, shared->thread, NULL, NULL) != 0) _exit(1);
  say();
  hear();
}

static void traced(void) {
  struct subject subject = start(wait_for_events);
  await_call(subject.process, subject.process, SYS_epoll_wait);
  shared->thread = subject.process;
  struct subject other = start(trace_until_told);
  hear_from(other);
  lw_stacks *stacks = open_stacks(subject.process);
  struct capture found = capture(stacks, subject.process);
  check_frames(&found, "epoll_wait wait_for_events");
  lw_stacks_always_stop(stacks);
  found = capture(stacks, subject.process);
  check_equal(found.outcome, lw_refused);
  check_equal(found.error, EPERM);
  char message[512], expected[512];
  lw_refusal_message(subject.process, subject.process, found.error, message, sizeof message);
  snprintf(expected, sizeof expected, "process %d traces thread %d, and a thread has one tracer: "
           "end that debugger or strace", other.process, subject.process);
  check_text(message, expected);
  tell(other);
  waitpid(other.process, NULL, 0);
  check_equal(capture(stacks, subject.process).outcome, lw_captured);
  lw_stacks_close(stacks);
  finish(subject);
}

// The first process belongs to root, except in some containers.
static void other_user(void) {
  struct stat status;
  if (stat("/proc/1", &status) != 0 || status.st_uid != 0) return;
  become_unprivileged();
  expect_not_opened(1, "process 1 belongs to user 0: run as that user or as root");
}

static void protect_and_spin(void) {
  prctl(PR_SET_DUMPABLE, 0);
  say_and_spin();
}

// As a set-user-ID program is, or one that handles keys.
static void protected_process(void) {
  become_unprivileged();
  struct subject subject = start(protect_and_spin);
  hear_from(subject);
  char expected[512];
  snprintf(expected, sizeof expected, "the kernel protects process %d, as it does for programs "
           "that change their user: run as root", subject.process);
  expect_not_opened(subject.process, expected);
  finish(subject);
}

static void no_process(void) {
  struct subject subject = start(hear);
  finish(subject);
  char expected[512];
  snprintf(expected, sizeof expected, "process %d does not exist", subject.process);
  expect_not_opened(subject.process, expected);
}

static void zombie(void) {
  struct subject subject = start(hear);
  kill(subject.process, SIGKILL);
  await_state(subject.process, subject.process, 'Z');
  char expected[512];
  snprintf(expected, sizeof expected, "process %d has no program: it has ended, or is the kernel's",
           subject.process);
  expect_not_opened(subject.process, expected);
  finish(subject);
}

static void no_libdw(void) {
  has_no_libraries = true;
  expect_not_opened(getpid(), "libdw, which reads stacks, cannot be loaded: /no/such/library.so: "
                    "cannot open shared object file: No such file or directory. Install it: apt "
                    "install libdw1 (Debian, Ubuntu), dnf install elfutils-libs (Fedora), apk add "
                    "libdw (Alpine), pacman -S libelf (Arch)");
}

const struct named_case refusal_cases[] = {
  {"traced", traced},         {"other-user", other_user}, {"protected", protected_process},
  {"no-process", no_process}, {"zombie", zombie},         {"no-libdw", no_libdw},
  {"", NULL},
};

#endif
